"""Likely secrets in a copy: masked, unless a person decides otherwise for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.getters import query_one
from textual.widgets import Static

from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Dialog, Key, bindings_of

if TYPE_CHECKING:
    from services.model.copies import SecretRow

MASKED, ONCE, ALWAYS = "masked", "this copy", "always"
_SIGNS: Mapping[str, str] = MappingProxyType({MASKED: "■", ONCE: "○", ALWAYS: "●"})

_MOST_ROWS = 12


class Decision(Struct, frozen=True):
    """Codes that this copy lets through, those that are let through from now on, and those that no longer are; the
    rest stays masked."""

    once: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    masked: tuple[str, ...] = ()

    @property
    def changes_anything(self) -> bool:
        """Whether the text would be another."""
        return bool(self.once or self.always or self.masked)


class SecretsDialog(Dialog[Decision | None]):
    """Answers what was decided; None: nothing is copied."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter", "copy", "copy"),
        Key("m", "let('masked')", "mask"),
        Key("o", "let('this copy')", "allow once"),
        Key("a", "let('always')", "allow always"),
        Key("space", "turn", "turn"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("secrets", KEYS)
    rows = query_one(PickList)

    def __init__(self, secrets: Sequence[SecretRow]) -> None:
        super().__init__("Likely secrets")
        by_code = {row.code: row for row in reversed(secrets)}
        self._secrets = tuple(row for row in dict.fromkeys(secrets) if by_code[row.code] is row)
        self._decided = {row.code: MASKED if row.masked else ALWAYS for row in self._secrets}

    def body(self) -> ComposeResult:
        """Compose an explanation, and the secrets."""
        count = len(self._secrets)
        them = counted(count, "likely secret is", "likely secrets are")
        yield Static(
            f"{them} in what is about to be copied. The model gets a placeholder for each that is masked.",
            classes="over-lead",
            markup=False,
        )
        yield PickList()

    def on_mount(self) -> None:
        """All of them are masked that were not let through before."""
        super().on_mount()
        self.rows.styles.height = min(_MOST_ROWS, len(self._secrets))
        self._show()
        self.rows.focus()

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter copies, and so does a double click."""
        event.stop()
        self.action_copy()

    def action_copy(self) -> None:
        """Copy as it was decided."""
        self.dismiss(Decision(self._of(ONCE), self._of(ALWAYS), self._of(MASKED)))

    def action_let(self, how: str) -> None:
        """Decide for the secret under the cursor."""
        if row := self.rows.current:
            self._decided[row.value] = how
            self._show()

    def action_turn(self) -> None:
        """The next of masked, this copy, always."""
        if row := self.rows.current:
            ways = (MASKED, ONCE, ALWAYS)
            self.action_let(ways[(ways.index(self._decided[row.value]) + 1) % len(ways)])

    def _of(self, how: str) -> tuple[str, ...]:
        known = {row.code: MASKED if row.masked else ALWAYS for row in self._secrets}
        return tuple(code for code, its in self._decided.items() if its == how and known[code] != how)

    def _show(self) -> None:
        cursor = self.rows.cursor
        self.rows.set_rows([self._row(row) for row in self._secrets])
        self.rows.cursor = cursor or 0

    def _row(self, row: SecretRow) -> PickRow:
        how = self._decided[row.code]
        where = f"{row.file}:{row.line}" if row.file else f"{row.label}, line {row.line}"
        return PickRow(row.code, where, f"{row.kind} {row.code}", sign=_SIGNS[how], tail=how)
