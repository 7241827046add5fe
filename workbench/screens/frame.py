"""The frame of the main screen: three panes, the line above them, the keys below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.geometry import Size
from textual.getters import query_one
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from services.model import Notice
from widgets.display import visible
from widgets.empty_state import EmptyState
from widgets.pane import Pane
from widgets.progress_line import ProgressLine
from widgets.status_bar import StatusBar
from workbench.around import Around
from workbench.bench_port import BenchPort
from workbench.commands import bindings
from workbench.first_steps import STEPS, hint
from workbench.jobs import Jobs
from workbench.notices import NoticeLog, notice_of
from workbench.screens.changes_pane import ChangesPane
from workbench.screens.choice_line import ChoiceLine
from workbench.screens.code_pane import CodePane
from workbench.screens.diff_part import HUNK
from workbench.screens.grep_pane import GrepPane
from workbench.screens.key_line import KeyLine
from workbench.screens.list_pane import ListPane
from workbench.screens.over.copying import WindowCopying
from workbench.screens.patch.pane import PatchPane
from workbench.screens.said import counted_notice, hints, patch_buttons
from workbench.screens.symbols_pane import SymbolsPane
from workbench.screens.usages_pane import UsagesPane
from workbench.screens.window_pane import WindowPane
from workbench.session import Session
from workbench.situation import (
    CHANGES,
    CODE,
    DIFF,
    GREP,
    LISTS,
    PANES,
    PATCH,
    SYMBOLS,
    USAGES,
    WINDOW,
    Situation,
    Subject,
)
from workbench.ui_state import UiState, save

_SEARCH_AGAIN = 1.0
"""Seconds between two looks at an index that is being built."""

_SIDE_BY_SIDE = 100
"""Cells from which the three panes are shown side by side."""

_LEAST = (60, 15)
"""Cells and lines below which nothing useful fits."""


class Frame(Screen[None]):
    """The panes, where they are and which has the keyboard; commands come in by `run_command`, whatever they were
    asked with."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it, as a class variable
        (0, "-narrow"),
        (_SIDE_BY_SIDE, "-normal"),
        (160, "-wide"),
    ]
    AUTO_FOCUS = None

    pane: reactive[str] = reactive(SYMBOLS, init=False)
    """The pane that has the keyboard, or had it last: one of PANES."""
    left: reactive[str] = reactive(SYMBOLS, init=False)
    """Which of LISTS the left column shows."""
    zoomed: reactive[bool] = reactive(False, init=False)
    """Whether that pane has the whole screen."""

    status = query_one(StatusBar)
    switcher = query_one("#panes", ChoiceLine)
    lists = query_one("#lists", ChoiceLine)
    left_column = query_one("#left", Vertical)
    body = query_one("#body", Horizontal)
    small = query_one("#small", EmptyState)
    symbols = query_one(SymbolsPane)
    grep = query_one(GrepPane)
    usages = query_one(UsagesPane)
    changes = query_one(ChangesPane)
    code = query_one(CodePane)
    window = query_one(WindowPane)
    patch = query_one(PatchPane)
    progress = query_one(ProgressLine)
    key_line = query_one(KeyLine)
    first_steps = query_one("#first-steps", Static)

    def __init__(self, open_bench: Callable[[], BenchPort], around: Around) -> None:
        super().__init__()
        self.session = Session(self, open_bench)
        self.jobs = Jobs(self, lambda error: self.say(notice_of(error)))
        self.keys = around.keys
        self.clipboard = around.clipboard(self.session)
        self.personal = around.personal
        self.settings = around.settings
        self.copying = WindowCopying(self)
        self.log_of_notices = NoticeLog(around.now)
        self._restored = ""
        self._state = UiState()
        self._searched_at = 0.0
        self._complete = False
        self._pinned: frozenset[str] = frozenset()
        self._told: set[str] = set()
        self._results: ListPane | None = None
        self._complete_lists = False
        self.stepping = False

    def compose(self) -> ComposeResult:
        """The line above, the panes, the keys below; and what stands there when it is too small for all that."""
        yield StatusBar()
        yield ChoiceLine([(SYMBOLS, "1 Lists"), (CODE, "2 Code"), (WINDOW, "3 Window")], id="panes")
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield ChoiceLine([(pane, pane.capitalize()) for pane in LISTS], id="lists", close=True)
                yield SymbolsPane(id=SYMBOLS)
            yield CodePane(id=CODE)
            yield WindowPane(id=WINDOW)
        yield PatchPane(id=PATCH)
        yield EmptyState(id="small")
        yield ProgressLine()
        yield Static(id="first-steps", markup=False)
        yield KeyLine()

    def on_mount(self) -> None:
        """Everything is painted once before the workspace is opened."""
        self._fit(self.app.size)
        self.switcher.chosen = self.pane
        self.progress.display = False
        self.progress.cancel_hint = f"{self.keys.first('cancel')} cancels"
        self.say_all(self.keys.notices)
        self.update_keys()
        self.lists.chosen = self.left
        self.focus_pane(SYMBOLS)
        self.call_after_refresh(self._mount_others)

    def on_unmount(self) -> None:
        """Keep what comes back on the next start, and let go of the workspace."""
        bench = self.session.bench
        if bench is not None:
            with suppress(OSError):
                save(bench.state, self._state)
        self.session.close()

    def on_resize(self, event: events.Resize) -> None:
        """One pane or three, or a sentence where there is no room for one."""
        self._fit(event.size)

    @property
    def columns(self) -> tuple[str, ...]:
        """The panes that are there, in the order in which tab goes through them."""
        shown = (self.left, CODE, WINDOW)
        return (*shown, PATCH) if self.patch.is_open else shown

    @property
    def situation(self) -> Situation:
        """What the commands go by."""
        window = self.window.window
        return Situation(
            ready=self.session.bench is not None,
            pane=self.pane,
            left=self.left,
            view=self.code.view,
            subject=self._subject,
            place=self.place is not None,
            opened=self.code.opened != "",
            items=len(window.items) if window else 0,
            lacking=self.window.lacking,
            undoable=self.session.bench.undo.last if self.session.bench else "",
            hits=self._steps,
            files=len(self.changes.list.files) if self._complete_lists else 0,
            has_text=self.code.has_text,
            can_go_back=self.code.history.can_go_back,
            can_go_forward=self.code.history.can_go_forward,
            indexing=self.session.is_indexing,
            working=self.is_working,
            typing=isinstance(self.focused, Input) or self.patch.is_typing,
            editing=self.patch.is_open,
            unsaved=self.patch.is_changed,
            lock=self.patch.held.owner,
        )

    @property
    def is_working(self) -> bool:
        """Whether anything but indexing can be cancelled."""
        searching = self._complete_lists and (self.grep.is_working or self.usages.is_working)
        return searching or self.session.is_exporting

    @property
    def results(self) -> ListPane | None:
        """The list whose places are stepped through: the one that is shown, or that was last."""
        return self._results

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line under the cursor of the pane in use."""
        if self.pane == CODE:
            return self.code.place
        if self.pane == CHANGES:
            return self.code.diff.place
        row = self._results.places.current if self.pane in (GREP, USAGES) and self._results else None
        return (row.file, row.line) if row and row.line else None

    @property
    def subjects(self) -> list[Subject]:
        """What is marked in the pane in use, or the one thing under its cursor."""
        if self.pane == SYMBOLS:
            marked = self.symbols.marked
            return (
                [self._with_pin(symbol.id, symbol.path) for symbol in marked]
                if len(marked) > 1
                else self._single
            )
        if self.pane in (GREP, USAGES) and self._results is not None:
            return [self._with_pin(each.target, each.label) for each in self._results.subjects]
        if self.pane == CHANGES:
            return [self._with_pin(each.target, each.label) for each in self.changes.subjects]
        return self._single

    @property
    def _single(self) -> list[Subject]:
        subject = self._subject
        return [subject] if subject else []

    @property
    def _steps(self) -> int:
        """How many places n and N step through."""
        if not self._complete_lists:
            return 0
        if self.pane == CHANGES or (self.pane == CODE and self.code.view == DIFF):
            return self.code.diff.view.hunk_count
        return (self._results.hit_count if self._results else 0) or self.code.lit_lines

    def update_keys(self) -> None:
        """Say in the last line what may be done here, and note what is to come back on the next start."""
        situation = self.situation
        self.key_line.hints = hints(self.keys, situation)
        step = hint(self.personal.state.done, self.keys, typing=situation.typing)
        self.first_steps.display = bool(step) and not self.small.display
        self.first_steps.update(step)
        if situation.editing:
            self.patch.set_buttons(patch_buttons(self.keys, situation))
        self._state = UiState(
            query=self.symbols.box.value,
            opened=self.code.opened or self._restored,
            view=self.code.view,
            zoomed=self.zoomed,
        )

    def did(self, command: str) -> None:
        """A first step was taken; it is not hinted at again."""
        done = self.personal.state.done
        if command not in done and any(step.command == command for step in STEPS):
            self.personal.change(done=(*done, command))
            self.update_keys()

    def say(self, notice: Notice) -> None:
        """Tell a person: at once, and to be read again."""
        self.log_of_notices.add(notice)
        severity = notice.severity if notice.severity in ("warning", "error") else "information"
        text = visible(" ".join(part for part in (notice.message, notice.what_to_do) if part))
        self.app.notify(text, severity=severity, markup=False, timeout=6)

    def say_all(self, notices: tuple[Notice, ...]) -> None:
        """Tell a person of several things in one sentence, where they have not been told before."""
        new = [notice for notice in notices if self.log_of_notices.add(notice)]
        if new:
            self.app.notify(counted_notice(new, self.keys.first("notices")), severity="warning", markup=False)

    def focus_pane(self, pane: str) -> None:
        """Give the keyboard to a pane."""
        if pane in LISTS:
            self.left = pane
            if pane in (GREP, USAGES):
                self._results = self.grep if pane == GREP else self.usages
        self.pane = pane
        self.front(pane).focus()

    def focus_list(self) -> None:
        """Give the keyboard to the rows of the list on the left."""
        lists = {GREP: self.grep, USAGES: self.usages, CHANGES: self.changes}
        self.pane = self.left
        lists.get(self.left, self.symbols).front.focus()

    def front(self, pane: str) -> Widget:
        """What takes the keyboard when a pane does."""
        if pane == CODE:
            return self.code.front
        if pane == PATCH:
            return self.patch.editor
        if pane == GREP:
            return self.grep.box.input
        if pane in (USAGES, CHANGES):
            return self.usages.front if pane == USAGES else self.changes.front
        return self.window.items if pane == WINDOW else self.symbols.box.input

    def watch_pane(self) -> None:
        """Another pane is in use."""
        self.switcher.chosen = SYMBOLS if self.pane in LISTS else self.pane
        self._lay_out(self.size.width)
        self.update_keys()

    def watch_left(self) -> None:
        """Another list is shown."""
        self.lists.chosen = self.left
        self._lay_out(self.size.width)
        self.update_keys()

    def watch_zoomed(self) -> None:
        """One pane or all of them."""
        self._lay_out(self.size.width)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane in use is the one that has the keyboard, however it got it."""
        ids = {node.id for node in event.widget.ancestors}
        for pane in (*PANES, PATCH):
            if pane in ids:
                self.pane = pane
        self.update_keys()

    def open(self, place: str) -> None:
        """Show a place and give the middle pane the keyboard."""
        self.code.show(place)
        self.focus_pane(CODE)
        self.did("open")

    def toggle_pin(self, subject: Subject) -> None:
        """Pin what is not pinned, unpin what is."""
        target = subject.target
        self.did("pin")
        if subject.pinned:
            self.session.change(lambda bench: bench.unpin(target), f"unpinning {subject.label}")
        elif target.startswith(HUNK):
            file, text = target.removeprefix(HUNK).rpartition(":")[0], self.code.diff.text
            self.session.pin(
                target, how=lambda bench, force: bench.curation.pin_hunk(file, text, force=force)
            )
        else:
            self.session.pin(target)

    def pin_all(self, subjects: Sequence[Subject]) -> None:
        """Pin what is not pinned of several things; unpin them where all are."""
        if all(subject.pinned for subject in subjects):
            for subject in subjects:
                self.toggle_pin(subject)
            return
        for subject in subjects:
            if not subject.pinned:
                self.session.pin(subject.target)

    @property
    def _subject(self) -> Subject | None:
        if self.pane == WINDOW:
            return self.window.subject
        if self.pane in (CODE, CHANGES, GREP, USAGES):
            subject = {CODE: self.code, CHANGES: self.changes}.get(
                self.pane, self._results or self.code
            ).subject
            return self._with_pin(subject.target, subject.label) if subject else None
        symbol = self.symbols.current
        return self._with_pin(symbol.id, symbol.path) if symbol else None

    def _with_pin(self, target: str, label: str) -> Subject:
        return Subject(target, label, pinned=target in self._pinned)

    def _mount_others(self) -> None:
        """The lists behind the symbols, once everything was painted."""
        others = (GrepPane(id=GREP), UsagesPane(id=USAGES), ChangesPane(id=CHANGES))
        for pane in others:
            pane.display = False
        self.left_column.mount_all(others)
        self.call_after_refresh(self._opened_lists)

    def _opened_lists(self) -> None:
        self._complete_lists = True
        self.session.open()

    def _fit(self, size: Size) -> None:
        width, height = size
        too_small = width < _LEAST[0] or height < _LEAST[1]
        self.small.sentence = f"{width} × {height} is too small to work in."
        self.small.advice = f"Enlarge the terminal to {_LEAST[0]} × {_LEAST[1]} or more. Nothing is lost."
        self.body.display, self.small.display = not too_small, too_small
        self._lay_out(width)

    def _lay_out(self, width: int) -> None:
        single = self.zoomed or width < _SIDE_BY_SIDE
        self.set_class(single, "-single")
        self.set_class(self.pane in (GREP, USAGES), "-places")
        in_list = self.pane in LISTS
        columns = (
            (self.left_column, in_list),
            (self.code, self.pane == CODE),
            (self.window, self.pane == WINDOW),
        )
        for column, in_use in columns:
            column.display = not single or in_use
        for pane in self.left_column.query_children(Pane):
            pane.display = pane.id == self.left
        editing = single and self.pane == PATCH and self.patch.is_open
        fits = not self.small.display
        self.body.display = fits and not editing
        self.patch.display = fits and self.patch.is_open and (editing or not single)
        self.switcher.display = single and self.body.display
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        if self.pane == PATCH and not self.patch.is_open:
            self.pane = CODE
        if self.focused is None and self.app.screen is self:
            self.front(self.pane).focus()
