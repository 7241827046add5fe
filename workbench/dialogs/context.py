"""Context dialog: words, an issue, a stack trace or a diff are pasted, and a window is offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from services.errors import BudgetExceeded
from services.model import Context, ContextItem, FoundPlace, Level, Window
from widgets.format.display import visible
from widgets.format.kinds import KIND_GLYPHS
from widgets.format.shorten import counted, grouped
from widgets.lists.pick_list import PickList, PickRow
from widgets.text.code_edit import CodeEdit
from workbench.dialogs.base import Key, TextBox, bindings_of
from workbench.dialogs.listing import Listing, facts, paragraph
from workbench.ui.key_line import with_keys
from workbench.ui.modal import Confirm

if TYPE_CHECKING:
    from services.bench.bench import Bench
    from services.ops.jobs import Op
    from workbench.state.session import Session

_TELL = "Your own words, an issue, a stack trace, a diff, or what a failing test printed"
_ONCE_MORE = "{context.take-whole:o} once more pins it."
_LEAST_ROOM = 500
"""Tokens that are offered in a window with less room: taking them past the soft budget is asked for then."""


_MOST_QUESTIONS, _MOST_LETTERS = 30, 4_000


def remembered(questions: Sequence[str], asked: str) -> tuple[str, ...]:
    """The questions with another one, which is the last; one that is very long is not remembered."""
    if len(asked) > _MOST_LETTERS:
        return tuple(questions)
    return (asked, *(each for each in questions if each != asked))[:_MOST_QUESTIONS]


class QuestionEdit(CodeEdit):
    """Box for a question. Up in its first row and down in its last leave it."""

    class Left(Message):
        """The cursor would leave the box: up (1) or down (-1)."""

        def __init__(self, steps: int) -> None:
            super().__init__()
            self.steps = steps

    def action_cursor_up(self, select: bool = False) -> None:
        """Move up, or recall the previous question."""
        is_first = self.get_cursor_up_location() in ((0, 0), self.cursor_location)
        if is_first and not select:
            self.post_message(self.Left(1))
        else:
            super().action_cursor_up(select)

    def action_cursor_down(self, select: bool = False) -> None:
        """Move down, or recall the next question."""
        is_last = self.get_cursor_down_location() in (self.document.end, self.cursor_location)
        if is_last and not select:
            self.post_message(self.Left(-1))
        else:
            super().action_cursor_down(select)


class TaskScreen(TextBox[str | None]):
    """Answers what was typed or pasted; None where nothing was."""

    KEYS: ClassVar[Sequence[Key]] = (Key("ctrl+s,ctrl+j", "find", "find what it needs"),)
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("task", KEYS)

    def __init__(self, text: str = "", *, earlier: Sequence[str] = ()) -> None:
        """Create the dialog. `earlier`: previous questions, the last one first."""
        lead = f"{_TELL}{'. ↑ brings back earlier ones' if earlier else ''}"
        super().__init__("What is to be done?", lead=lead, text=text)
        self._earlier = [text, *(each for each in earlier if each != text)]
        self._at = 0

    def body(self) -> ComposeResult:
        """Compose the content and a text box that loses the focus at its ends."""
        yield Static(visible(self._lead), id="over-head", markup=False)
        yield QuestionEdit(numbered=False)

    def on_question_edit_left(self, event: QuestionEdit.Left) -> None:
        """Show the previous or the next question."""
        event.stop()
        at = self._at + event.steps
        if 0 <= at < len(self._earlier):
            self._earlier[self._at] = self.editor.text
            self._at = at
            self.editor.load_text(self._earlier[at])
            self.editor.move_cursor(self.editor.document.end)

    def action_find(self) -> None:
        """Answer what was typed."""
        self.dismiss(self.editor.text.strip() or None)


class ContextScreen(Listing[str | None]):
    """Context found, as a window to take whole or one by one. Answers the text where other words are wanted."""

    KEYS: ClassVar[Sequence[Key]] = (
        Key("enter,space", "take", "pin", row=True),
        Key("s", "take('signature')", "signature", row=True),
        Key("o", "take('whole')", "source", row=True),
        Key("a", "take_all", "take all", row=True),
        Key("slash,e", "words", "other words"),
        Key("M", "investigate", "model"),
    )
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("context", KEYS)

    def __init__(self, bench: Bench, session: Session, text: str) -> None:
        super().__init__("What it needs", empty="Looking …", code=bench)
        self._bench = bench
        self._session = session
        self._text = text
        self._found: Context | None = None
        self._taken: set[str] = set()
        self._weighed = ""
        """The symbol of which it was said what its source costs."""

    def read(self) -> None:
        """Look for it."""
        self.jobs.run("context", self._find, self._show)

    def about(self, row: PickRow) -> Content:
        """Why it is offered, and what it costs."""
        item = self._item(row.value)
        if item is None:
            return Content("")
        symbol, where = item.symbol, f"{item.symbol.file}:{item.symbol.start_line}"
        shown = facts(
            (str(symbol.kind), symbol.path),
            ("in", where),
            ("project", symbol.project),
            (f"{item.level}{_members(item)}", f"{grouped(item.cost)} tokens"),
        )
        return shown + paragraph("Why", list(item.reasons)) + paragraph("The text names", self._places())

    def place_of(self, row: PickRow) -> str:
        """The symbol of a row."""
        return row.value

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """Enter, or a double click."""
        event.stop()
        self.action_take()

    def action_take(self, level: str = "") -> None:
        """Pin the item under the cursor, at the offered level or another; the cost of a whole file is shown first."""
        item = self._item(self.current)
        if item is None:
            return
        if level == Level.WHOLE and self._weighed != item.symbol.id:
            self._weigh(item)
            return
        self._weighed = ""
        self.remark("")
        self._pin([item], f"pinning {item.symbol.label}", level=level)

    def _weigh(self, item: ContextItem) -> None:
        """Show the cost of an item's source; pressing the key again pins it."""
        id_ = item.symbol.id

        def weighed(costs: dict[str, int]) -> None:
            if self.current == id_:
                self._weighed = id_
                tokens = counted(costs.get(id_, 0), "token")
                self.remark(
                    with_keys(self, f"The source of {item.symbol.label} takes {tokens}. {_ONCE_MORE}")
                )

        self.jobs.run("weigh", lambda: self._bench.window.costs([id_], level=Level.WHOLE), weighed)

    def action_take_all(self) -> None:
        """Pin all that is offered and not pinned yet."""
        left = [item for item in self._items() if item.symbol.id not in self._taken]
        if left:
            self._pin(left, f"taking {counted(len(left), 'type')}")

    def action_words(self) -> None:
        """Reword the question."""
        self.dismiss(self._text)

    def action_investigate(self) -> None:
        """Show the cost, then have the configured model investigate the question with reading tools."""
        from services.semantic.investigator import InvestigationQuestion

        def asked(name: str) -> None:
            limit = self._bench.settings.semantic.tokens_per_run
            most = f" It may take {grouped(limit)} tokens." if limit else ""
            question = (
                f"Have {name} look into it, with tools that only read?{most} Likely secrets are masked."
            )
            self.app.push_screen(Confirm("Have a model look", question, yes="Send", late=True), answered)

        def answered(yes: bool | None) -> None:
            if yes:
                start = lambda: self._bench.investigator.start(InvestigationQuestion(self._text))  # noqa: E731
                self.jobs.act("investigate", start, begun)

        def begun(op: Op) -> None:
            self._bench.ops.serve()
            self.tell(
                f"{op.title} is being looked into.",
                with_keys(self, "{operations:f9} tells how far it is, and what was found."),
            )
            self.dismiss(None)

        self.jobs.run("model", self._bench.generation.model_name, asked)

    def _pin(self, items: Sequence[ContextItem], what: str, *, level: str = "", force: bool = False) -> None:
        def act() -> Window:
            return self._bench.window.pin_offered(items, level=level or None, force=force)

        def refused(error: Exception) -> None:
            if not isinstance(error, BudgetExceeded):
                self.jobs.run("fail", lambda: _raise(error), lambda _: None)
                return
            question = Confirm("Past the soft budget", error.message, yes="Pin all the same", late=True)
            again: Callable[[bool | None], None] = lambda yes: (  # noqa: E731
                self._pin(items, what, level=level, force=True) if yes else None
            )
            self.app.push_screen(question, again)

        def pinned(window: Window) -> None:
            self._session.show_window(window)
            self._taken |= {item.symbol.id for item in items}
            self._show_rows()

        self.jobs.act("take", lambda: self._bench.undo.doing(what, act), pinned, failed=refused)

    # What was found

    def _find(self) -> Context:
        from services.bench.window.context import ContextRequest

        window = self._bench.window.render()
        room = max(_LEAST_ROOM, window.soft_budget - window.pinned_tokens)
        pinned = [item.key.removeprefix("type:") for item in window.items if item.pinned]
        return self._bench.context.find(ContextRequest(words=self._text, shown=pinned, budget=room))

    def _show(self, found: Context) -> None:
        self._found = found
        self.rows.empty = "Nothing has these words: say more, or paste what you have"
        self._show_rows()

    def _show_rows(self) -> None:
        items = self._items()
        left = [item for item in items if item.symbol.id not in self._taken]
        cost = sum(item.cost for item in left)
        foreign = sum(place.symbol is None for place in self._frames())
        told = [f"{counted(len(left), 'type')} for {grouped(cost)} tokens"]
        told += (
            [f"{counted(len(self._frames()) - foreign, 'frame')} of this workspace"] if self._frames() else []
        )
        told += [] if self._found is None or self._found.complete else ["bodies are still being read"]
        self.pane.note = " · ".join(told)
        self.set_rows([self._row(item) for item in items])

    def _row(self, item: ContextItem) -> PickRow:
        taken = item.symbol.id in self._taken
        sign = "●" if taken else KIND_GLYPHS[item.symbol.kind]
        level = "" if item.level is Level.OUTLINE else f" {item.level}"
        return PickRow(
            item.symbol.id,
            item.symbol.label,
            item.reasons[0] if item.reasons else "",
            sign=sign,
            tail="pinned" if taken else f"+{grouped(item.cost)}{level}",
        )

    def _items(self) -> Sequence[ContextItem]:
        return self._found.items if self._found is not None else ()

    def _item(self, value: str) -> ContextItem | None:
        return next((item for item in self._items() if item.symbol.id == value), None)

    def _frames(self) -> list[FoundPlace]:
        return [place for place in self._found.places if place.kind == "frame"] if self._found else []

    def _places(self) -> list[str]:
        """Return the places of this workspace that the text names."""
        places = self._found.places if self._found is not None else ()
        here = [place for place in places if place.symbol is not None]
        return [f"{place.symbol.path} ({place.kind})" for place in here[:_MOST_PLACES] if place.symbol]


def _members(item: ContextItem) -> str:
    return f" of {counted(len(item.members), 'member')}" if item.members else ""


_MOST_PLACES = 12


def _raise(error: Exception) -> None:
    raise error
