"""Advice on the window: missing types, related types, pins that nothing refers to; taken in or out one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.getters import query_one

from services.errors import BudgetExceeded
from services.model import (
    TYPE_KINDS,
    Completeness,
    Level,
    Missing,
    Suggestion,
    Suggestions,
    SymbolRef,
    Unneeded,
    Window,
)
from widgets.format.kinds import KIND_GLYPHS
from widgets.format.shorten import counted, grouped
from widgets.lists.pick_list import PickList, PickRow
from workbench.dialogs.base import Key, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph
from workbench.ui.choice_line import ChoiceLine
from workbench.ui.modal import Confirm

if TYPE_CHECKING:
    from services.bench import Bench
    from workbench.state.session import Session

MISSING, RELATED, UNNEEDED = "missing", "related", "unneeded"
_VIEWS = ((MISSING, "Referred to, not shown"), (RELATED, "Related"), (UNNEEDED, "Pins nothing refers to"))
_EMPTY = {
    MISSING: "Everything the window refers to is shown",
    RELATED: "Nothing is related: pin something first",
    UNNEEDED: "Every pin is referred to by another",
}


class _Advice(Struct, frozen=True):
    completeness: Completeness
    suggestions: Suggestions
    window: Window


class AdviceScreen(Listing[None]):
    """Advice on the window. Nothing is added without confirmation."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,space", "take", "pin, or take out", row=True),
        Key("s", "take('signature')", "pin the signature", row=True),
        Key("a", "add_all", "add all that fit", row=True),
        Key("tab,right", "view(1)", "next list"),
        Key("shift+tab,left", "view(-1)"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("advice", KEYS)
    choices = query_one(ChoiceLine)

    def __init__(self, bench: Bench, session: Session, *, view: str = MISSING) -> None:
        super().__init__("What the window lacks", empty="Looking …", code=bench)
        self._bench = bench
        self._session = session
        self._view = view
        self._advice: _Advice | None = None
        self._left: dict[str, str] = {}
        """The row that the cursor was on in each list."""

    def head(self) -> ComposeResult:
        """The lists there are."""
        yield ChoiceLine(_VIEWS, id="over-head")

    def read(self) -> None:
        """Look at the window as it is now."""
        self.choices.chosen = self._view
        self.jobs.run("advice", self._look, self._show)

    def about(self, row: PickRow) -> Content:
        """Why it is in the list, and what it costs."""
        found = self._found(row.value)
        if isinstance(found, Missing):
            by = [self._label(key) for key in found.by]
            costs = [
                f"outline {grouped(found.outline)} tokens",
                f"signature {grouped(found.signature)} tokens",
            ]
            if is_member(found):
                costs = [f"its source {grouped(found.outline)} tokens"]
            value = facts(("value", found.value)) if found.value else Content("")
            return self._symbol(found.symbol) + value + paragraph("Costs", [
                *costs, f"fits as {found.suggested}" if found.suggested else "does not fit the pins' share",
            ]) + paragraph("Referred to by", by)  # fmt: skip
        if isinstance(found, Suggestion):
            return self._symbol(found.symbol) + paragraph("Why", [found.reason])
        if isinstance(found, Unneeded):
            return facts(("item", found.label), ("tokens", grouped(found.tokens))) + paragraph(
                "Nothing else in the window refers to it",
                [f"It refers to {counted(found.refers, 'type')} itself; what you ask about often does."]
                if found.refers
                else [],
            )
        return Content("")

    def place_of(self, row: PickRow) -> str:
        """The symbol of a row; of an item what it was pinned as."""
        found = self._found(row.value)
        return found.key.partition(":")[2] if isinstance(found, Unneeded) else row.value

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A list was clicked."""
        event.stop()
        self._go_to(event.choice)

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter, or a double click."""
        event.stop()
        self.action_take()

    def action_view(self, steps: int) -> None:
        """Another list."""
        names = [name for name, _ in _VIEWS]
        self._go_to(names[(names.index(self._view) + steps) % len(names)])

    def action_take(self, level: str = "") -> None:
        """Pin what is under the cursor, or take it out of the window."""
        found, bench = self._found(self.current), self._bench
        if isinstance(found, Unneeded):
            key = found.key
            self._change(f"taking out {found.label}", lambda: bench.window.dismiss(key))
        elif found is not None:
            chosen = level or (
                str(found.suggested or ("bodies" if is_member(found) else "")) or None
                if isinstance(found, Missing)
                else None
            )
            self._pin(found.symbol, chosen)

    def action_add_all(self) -> None:
        """Pin the best set that fits."""
        bench = self._bench

        def add() -> Window:
            bench.advice.completeness(add=True)
            return bench.window.render()

        self._change("adding what was missing", add)

    def _pin(self, symbol: SymbolRef, level: str | None, *, force: bool = False) -> None:
        bench = self._bench

        def refused(error: Exception) -> None:
            if not isinstance(error, BudgetExceeded):
                self.jobs.run("fail", lambda: _raise(error), lambda _: None)
                return
            question = Confirm("Past the soft budget", error.message, yes="Pin all the same", late=True)
            self.app.push_screen(question, lambda yes: self._pin(symbol, level, force=True) if yes else None)

        self._change(
            f"pinning {symbol.label}",
            lambda: bench.window.pin(symbol.id, level=level, force=force),
            failed=refused,
        )

    def _change(
        self, what: str, act: Callable[[], Window], *, failed: Callable[[Exception], None] | None = None
    ) -> None:
        """Change the window, notify the main screen, and read the advice again."""

        def changed(window: Window) -> None:
            self._session.show_window(window)
            self.read()

        self.jobs.act("change", lambda: self._bench.undo.doing(what, act), changed, failed=failed)

    def _look(self) -> _Advice:
        advice = self._bench.advice
        return _Advice(advice.completeness(), advice.suggestions(limit=50), self._bench.window.render())

    def _show(self, advice: _Advice) -> None:
        self._advice = advice
        self._show_view()

    def _go_to(self, view: str) -> None:
        self._left[self._view] = self.current
        self._view = view
        self.rows.set_rows(())
        self._show_view(at=self._left.get(view, ""))

    def _show_view(self, *, at: str = "") -> None:
        self.choices.chosen = self._view
        if self._advice is None:
            return
        self.rows.empty = _EMPTY[self._view]
        its = self._advice.completeness
        members = f"{its.shown} of {counted(its.referred, 'member')}, " if its.referred else ""
        self.pane.note = (
            f"{members}{its.types_shown} of {its.types} types shown · "
            f"room for {grouped(its.room)} tokens of pins"
        )
        self.set_rows([_row(each) for each in self._listed()], at=at)

    def _listed(self) -> Sequence[Missing | Suggestion | Unneeded]:
        if self._advice is None:
            return ()
        its = self._advice.completeness
        return {
            MISSING: its.missing,
            RELATED: self._advice.suggestions.suggestions,
            UNNEEDED: its.unneeded,
        }[self._view]

    def _found(self, value: str) -> Missing | Suggestion | Unneeded | None:
        return next((each for each in self._listed() if _value(each) == value), None)

    def _label(self, key: str) -> str:
        items = self._advice.window.items if self._advice else ()
        return next((item.label for item in items if item.key == key), key)

    def _symbol(self, symbol: SymbolRef) -> Content:
        where = f"{symbol.file}:{symbol.start_line}"
        return facts((str(symbol.kind), symbol.path), ("in", where), ("project", symbol.project))


def is_member(missing: Missing) -> bool:
    """Whether a member is missed that shown bodies use of their own type."""
    return missing.symbol.kind not in TYPE_KINDS


def _value(each: Missing | Suggestion | Unneeded) -> str:
    return each.key if isinstance(each, Unneeded) else each.symbol.id


def _row(each: Missing | Suggestion | Unneeded) -> PickRow:
    if isinstance(each, Unneeded):
        return PickRow(each.key, each.label, sign="●", tail=grouped(each.tokens))
    sign = KIND_GLYPHS[each.symbol.kind]
    if isinstance(each, Suggestion):
        return PickRow(each.symbol.id, each.symbol.label, each.reason, sign=sign, tail=f"{each.score:.2f}")
    cost = each.signature if each.suggested is Level.SIGNATURE else each.outline
    times = [f"named {each.named}×"] if each.named else []
    used = [f"used {each.used}×"] if each.used else []
    fits = "" if each.suggested else " ✗"
    label = f"{each.symbol.label} = {each.value}" if each.value else each.symbol.label
    return PickRow(each.symbol.id, label, ", ".join(times + used), sign=sign, tail=f"+{grouped(cost)}{fits}")


def _raise(error: Exception) -> None:
    raise error
