"""All settings with purpose, value and origin; changed here, written to the person's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Input

from services.errors import CodeCortexError
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph
from workbench.state.own_settings import AT_ONCE, UNTIL_START, OwnSettings, clashes
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.settings.load import Origin

_KEYS = "ui.keys"


class SettingsScreen(Listing[None]):
    """Settings editor; an invalid value is refused with the valid ones."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,e", "edit", "change"),
        Key("space,right", "turn(1)", "next value"),
        Key("left", "turn(-1)"),
        Key("x,delete", "reset", "take out of your file"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("settings", KEYS)

    def __init__(self, own: OwnSettings, root: Path | None, themes: Sequence[str]) -> None:
        super().__init__("Settings", empty="")
        self._own = own
        self._root = root
        self._themes = tuple(themes)
        self._origins: Mapping[str, Origin] = {}
        self._editing = ""

    def read(self) -> None:
        """The values in force."""
        self.pane.note = f"written to {self._own.file}"
        self.jobs.run("origins", lambda: self._own.origins(self._root), self._show)

    def about(self, row: PickRow) -> Content:
        """Return the purpose and the allowed values of a setting."""
        its = self._origins[row.value]
        definition = its.definition
        at_once = "at once" if row.value.startswith(AT_ONCE) else "on the next start"
        where = its.source
        if its.own and where != "your file":
            where += "; then your file" if where == UNTIL_START else ", which goes before your file"
        return (
            Content.styled(row.value, "bold")
            + Content(f"\n\n{definition.help}")
            + paragraph(
                "Keys that clash", [each.message for each in clashes(its.text)] if row.value == _KEYS else []
            )
            + Content("\n\n")
            + facts(
                ("value", its.text),
                ("from", where),
                ("default", definition.default_text),
                ("may be", self._allowed(row.value)),
                ("counts", at_once),
                ("variable", definition.variable),
                ("in projects", "no: it is personal" if definition.personal else ""),
            )
        )

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter changes a value."""
        event.stop()
        self.action_edit()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show errors as the value is typed."""
        event.stop()
        if self._editing:
            self.remark(self._verdict(event.value) or f"{self._editing}: {self._allowed(self._editing)}")

    def on_settings_follower_changed(self) -> None:
        """A file was changed by hand; what is being typed stays."""
        self.read()

    def action_edit(self) -> None:
        """Type a value; switches and choices take the next one."""
        its = self._origins.get(self.current)
        if its is None:
            return
        if self._values(self.current):
            self.action_turn(1)
            return
        self._editing = self.current
        self.ask(
            self._allowed(self.current),
            lambda text: self._change(its.definition.key, text),
            value=its.text if its.text != "none" else "",
            said=f"{self.current}: {self._allowed(self.current)}",
        )

    def action_turn(self, steps: int) -> None:
        """The next of the values there are, the one before with -1."""
        its, values = self._origins.get(self.current), self._values(self.current)
        if its is None:
            return
        if not values:
            self.action_edit()
            return
        at = values.index(its.text) if its.text in values else -1 if steps > 0 else 0
        self._change(self.current, values[(at + steps) % len(values)])

    def action_reset(self) -> None:
        """Remove it from the file: the default applies, or another source."""
        if key := self.current:
            self.jobs.act(
                "write", lambda: self._own.forget(key), lambda _: self._changed(key), failed=self._refused
            )

    def answered(self) -> None:
        """Nothing is typed any more."""
        self._editing = ""
        super().answered()

    def _values(self, key: str) -> tuple[str, ...]:
        """Return the values to step through."""
        its = self._origins.get(key)
        if its is None:
            return ()
        if key == "ui.theme":
            return self._themes
        return its.definition.setting.choices or (("false", "true") if its.definition.type is bool else ())

    def _allowed(self, key: str) -> str:
        if key == "ui.theme":
            return f"one of {', '.join(self._themes)}"
        if key == _KEYS:
            return "command=key,key; command=key"
        return self._origins[key].definition.allowed

    def _verdict(self, text: str) -> str:
        """Why a value cannot be, or what is to be known of it; empty where it is fine."""
        from services.settings.write import checked

        if self._editing == _KEYS:
            return " ".join(notice.message for notice in clashes(text))
        try:
            checked(self._editing, text)
        except CodeCortexError as error:
            return error.message
        return ""

    def _change(self, key: str, text: str) -> None:
        own = self._own
        self.jobs.act(
            "write", lambda: own.keep(key, text), lambda _: self._changed(key), failed=self._refused
        )

    def _changed(self, key: str) -> None:
        if self.is_typing:
            self.answered()
        try:
            if not self._own.apply(key, self._root):
                self.tell(f"{key} is written.", "It counts on the next start.")
        except CodeCortexError as error:
            self.say(notice_of(error))
        self.read()

    def _refused(self, error: Exception) -> None:
        if self.is_typing and isinstance(error, CodeCortexError):
            self.remark(error.message)
        else:
            self.say(notice_of(error))

    def _show(self, found: Mapping[str, Origin]) -> None:
        self._origins = found
        self.set_rows([_row(its) for its in found.values()])


def _row(its: Origin) -> PickRow:
    sign = " " if its.source == "default" else "●"
    source = "" if its.source == "default" else its.source
    return PickRow(its.definition.key, its.definition.key, its.text, sign=sign, tail=source)
