"""Presets, which are windows stored under names: loaded, compared with the current window, deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content

from services.errors import CodeCortexError
from services.model import Window
from widgets.format.shorten import counted
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, paragraph
from workbench.ui.modal import Confirm
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.copies import PresetDiff, PresetRow, PresetsAnswer
    from workbench.state.session import Session

_PREVIOUS = "previous"


class PresetsScreen(Listing[str]):
    """Answers `packs` where those are wanted instead."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,l", "load", "put back", row=True),
        Key("s,n", "save", "keep the window"),
        Key("d", "compare", "compare with …", row=True),
        Key("x,delete", "delete", "delete", row=True),
        Key("tab", "dismiss('packs')", "packs"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("presets", KEYS)

    def __init__(self, bench: Bench, session: Session) -> None:
        super().__init__("Presets", empty="No presets yet: s keeps the window under a name")
        self._bench = bench
        self._session = session
        self._presets: dict[str, PresetRow] = {}
        self._against = ""
        self._difference: PresetDiff | None = None

    def read(self) -> None:
        """The presets there are."""
        self.jobs.run("presets", self._bench.presets.list, lambda answer: self._show(answer, ""))

    def about(self, row: PickRow) -> Content:
        """Return the content of a preset, and its differences."""
        preset, found = self._presets[row.value], self._difference
        if preset.problem:
            return paragraph("It cannot be read", [preset.problem])
        shown = paragraph("Pinned", preset.labels or ["nothing"])
        if found is None or found.first != row.value:
            return shown
        other = "the window" if found.second == "current" else found.second
        if not (found.only_first or found.only_second or found.changed or found.reordered):
            return shown + paragraph(f"The same as {other}", [f"{counted(found.same, 'item')} alike"])
        return (
            shown
            + paragraph(f"Only in {found.first}", found.only_first)
            + paragraph(f"Only in {other}", found.only_second)
            + paragraph(f"Different (here -> {other})", found.changed)
            + paragraph("Order", ["Pins of both stand in another order"] * found.reordered)
        )

    def show_detail(self) -> None:
        """Show the difference from the window, or from the preset chosen for comparison, once it is computed."""
        super().show_detail()
        name, bench = self.current, self._bench
        if (
            name
            and not self._presets[name].problem
            and (self._difference is None or self._difference.first != name)
        ):
            other = self._against or "current"
            self.jobs.run("difference", lambda: bench.presets.difference(name, other), self._compared)

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter puts a preset back."""
        event.stop()
        self.action_load()

    def action_load(self) -> None:
        """Put it in the place of the window."""
        name, bench = self.current, self._bench

        def loaded(window: Window) -> None:
            self._session.show_window(window)
            self.tell(f"The window is {name} now.", f"{_PREVIOUS} is what it was before.")
            self._difference = None
            self.read()

        if name:
            self.jobs.act(
                "load", lambda: bench.undo.doing(f"loading {name}", lambda: bench.presets.load(name)), loaded
            )

    def action_save(self) -> None:
        """Store the current window under a name."""
        known = self.current if self.current != _PREVIOUS else ""
        self.ask("A name for the window as it is", self._save, offer=known)

    def action_compare(self) -> None:
        """Choose what presets are compared with: another one, or the window."""
        names = ", ".join(name for name in self._presets if name != self.current)
        said = f"{names or 'There is no other preset'}; empty: the window as it is"
        self.ask("Compare with which preset?", self._compare, offer=self._against, said=said)

    def action_delete(self) -> None:
        """Delete it after confirmation."""
        name, bench = self.current, self._bench

        def answered(yes: bool | None) -> None:
            if yes:
                self.jobs.act(
                    "delete", lambda: bench.presets.delete(name), lambda answer: self._show(answer, "")
                )

        if name:
            question = f"The file of the preset {name} is deleted. The window stays as it is."
            self.app.push_screen(Confirm("Delete a preset", question, yes="Delete"), answered)

    def _save(self, name: str) -> None:
        if not name:
            return
        if name in self._presets:
            question = (
                f"{name} holds {self._presets[name].pinned} pinned items. The window takes their place."
            )
            self.app.push_screen(
                Confirm("Keep the window", question, yes="Replace"),
                lambda yes: self._keep(name) if yes else None,
            )
        else:
            self._keep(name)

    def _keep(self, name: str) -> None:
        bench = self._bench

        def kept(answer: PresetsAnswer) -> None:
            self.answered()
            self.tell(answer.done)
            self._difference = None
            self._show(answer, name)

        self.jobs.act("save", lambda: bench.presets.save(name), kept, failed=self._refused)

    def _refused(self, error: Exception) -> None:
        if isinstance(error, CodeCortexError) and self.is_typing:
            self.remark(error.message)
        else:
            self.say(notice_of(error))

    def _compare(self, name: str) -> None:
        if name and name not in self._presets:
            self.remark(f"There is no preset {name}.")
            return
        self._against, self._difference = name, None
        self.answered()
        self.show_detail()

    def _compared(self, found: PresetDiff) -> None:
        self._difference = found
        super().show_detail()

    def _show(self, answer: PresetsAnswer, at: str) -> None:
        self._presets = {row.name: row for row in answer.presets}
        self.set_rows([_row(row) for row in answer.presets], at=at)


def _row(row: PresetRow) -> PickRow:
    if row.problem:
        return PickRow(row.name, row.name, row.problem, sign="!", off=True)
    note = "as it was before the last one was put back" if row.name == _PREVIOUS else ", ".join(row.labels)
    return PickRow(row.name, row.name, note, tail=f"{row.pinned} pinned")
