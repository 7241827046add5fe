"""The main screen: three panes, the line above them, the keys below."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.geometry import Size
from textual.getters import query_one
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from services.model import Notice
from widgets.display import visible
from widgets.empty_state import EmptyState
from widgets.progress_line import ProgressLine
from widgets.status_bar import StatusBar
from widgets.window_list import WindowList
from workbench.bench_port import BenchPort
from workbench.clipboard import Clipboard
from workbench.commands import BY_ID, bindings
from workbench.keymap import Keys
from workbench.notices import NoticeLog, notice_of
from workbench.screens.acts import ACTS
from workbench.screens.choice_line import ChoiceLine
from workbench.screens.code_pane import CodePane
from workbench.screens.confirm import Confirm
from workbench.screens.key_line import KeyLine
from workbench.screens.messages import Said
from workbench.screens.place import target_of
from workbench.screens.said import copied_notice, counted_notice, hints, nothing_found, status_line
from workbench.screens.symbols_pane import SymbolsPane
from workbench.screens.window_pane import WindowPane
from workbench.session import Session
from workbench.situation import CODE, PANES, SYMBOLS, WINDOW, Situation, Subject
from workbench.ui_state import UiState, save

_SEARCH_AGAIN = 1.0
"""Seconds between two looks at an index that is being built."""

_SIDE_BY_SIDE = 100
"""Cells from which the three panes are shown side by side."""

_LEAST = (60, 15)
"""Cells and lines below which nothing useful fits."""


class MainScreen(Screen[None]):
    """Everything but what opens over it. Commands come in by `run_command`, whatever they were asked with."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 - Textual declares it, as a class variable
        (0, "-narrow"),
        (_SIDE_BY_SIDE, "-normal"),
        (160, "-wide"),
    ]
    AUTO_FOCUS = None

    pane: reactive[str] = reactive(SYMBOLS, init=False)
    """The pane that has the keyboard, or had it last: one of PANES."""
    zoomed: reactive[bool] = reactive(False, init=False)
    """Whether that pane has the whole screen."""

    status = query_one(StatusBar)
    switcher = query_one("#panes", ChoiceLine)
    body = query_one("#body", Horizontal)
    small = query_one("#small", EmptyState)
    symbols = query_one(SymbolsPane)
    code = query_one(CodePane)
    window = query_one(WindowPane)
    progress = query_one(ProgressLine)
    key_line = query_one(KeyLine)

    def __init__(
        self, open_bench: Callable[[], BenchPort], *, keys: Keys, clipboard: Callable[[Session], Clipboard]
    ) -> None:
        super().__init__()
        self.session = Session(self, open_bench)
        self.keys = keys
        self.clipboard = clipboard(self.session)
        self.log_of_notices = NoticeLog()
        self._restored = ""
        self._state = UiState()
        self._searched_at = 0.0
        self._complete = False
        self._pinned: frozenset[str] = frozenset()

    def compose(self) -> ComposeResult:
        """The line above, the panes, the keys below; and what stands there when it is too small for all that."""
        yield StatusBar()
        yield ChoiceLine([(SYMBOLS, "1 Symbols"), (CODE, "2 Code"), (WINDOW, "3 Window")], id="panes")
        with Horizontal(id="body"):
            yield SymbolsPane(id=SYMBOLS)
            yield CodePane(id=CODE)
            yield WindowPane(id=WINDOW)
        yield EmptyState(id="small")
        yield ProgressLine()
        yield KeyLine()

    def on_mount(self) -> None:
        """Everything is painted once before the workspace is opened."""
        self._fit(self.app.size)
        self.switcher.chosen = self.pane
        self.progress.display = False
        self.progress.cancel_hint = f"{self.keys.first('cancel')} cancels"
        self.say_all(self.keys.notices)
        self.update_keys()
        self.focus_pane(SYMBOLS)
        self.call_after_refresh(self.session.open)

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
    def situation(self) -> Situation:
        """What the commands go by."""
        window = self.window.window
        return Situation(
            ready=self.session.bench is not None,
            pane=self.pane,
            subject=self._subject,
            items=len(window.items) if window else 0,
            has_text=self.code.has_text,
            can_go_back=self.code.history.can_go_back,
            can_go_forward=self.code.history.can_go_forward,
            indexing=self.session.is_indexing,
            typing=self.symbols.box.input.has_focus,
        )

    def run_command(self, command: str) -> None:
        """Do what a command is for, or say why that makes no sense now."""
        refused = BY_ID[command].refusal(self.situation)
        if refused:
            self.app.notify(refused, title=BY_ID[command].title, markup=False, timeout=4)
        else:
            ACTS[command](self)
        self.update_keys()

    def action_run_command(self, command: str) -> None:
        """A key was pressed."""
        self.run_command(command)

    def update_keys(self) -> None:
        """Say in the last line what may be done here, and note what is to come back on the next start."""
        self.key_line.hints = hints(self.keys, self.situation)
        self._state = UiState(
            query=self.symbols.box.value,
            opened=self.code.opened or self._restored,
            view=self.code.view,
            zoomed=self.zoomed,
        )

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
        self.pane = pane
        self.front(pane).focus()

    def front(self, pane: str) -> Widget:
        """What takes the keyboard when a pane does."""
        if pane == CODE:
            return self.code.front
        return self.window.items if pane == WINDOW else self.symbols.box.input

    def watch_pane(self) -> None:
        """Another pane is in use."""
        self.switcher.chosen = self.pane
        self._lay_out(self.size.width)
        self.update_keys()

    def watch_zoomed(self) -> None:
        """One pane or all of them."""
        self._lay_out(self.size.width)

    def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """The pane in use is the one that has the keyboard, however it got it."""
        for pane in PANES:
            if self.query_one(f"#{pane}") in event.widget.ancestors:
                self.pane = pane
        self.update_keys()

    def on_key_line_pressed(self, event: KeyLine.Pressed) -> None:
        """A hint was clicked."""
        self.run_command(event.command)

    def on_choice_line_chosen(self, event: ChoiceLine.Chosen) -> None:
        """A pane was clicked in the switcher."""
        self.focus_pane(event.choice)

    def on_said(self, event: Said) -> None:
        """A part wants a person to be told."""
        self.say(event.notice)

    def on_symbols_pane_opened(self, event: SymbolsPane.Opened) -> None:
        """Show a symbol."""
        self.open(event.symbol.id)

    def on_symbols_pane_pin_toggled(self, event: SymbolsPane.PinToggled) -> None:
        """Pin a symbol, or unpin it."""
        symbol = event.symbol
        self.toggle_pin(Subject(symbol.id, symbol.path, pinned=symbol.id in self._pinned))

    def on_symbols_pane_answered(self, event: SymbolsPane.Answered) -> None:
        """There are other rows."""
        self.status.status = status_line(self.status.status, milliseconds=event.answer.elapsed_ms)
        if not event.answer.hits:
            self.symbols.say_nothing_found(*nothing_found(event.answer, complete=self._complete))
        self.update_keys()

    def on_symbol_list_highlighted(self) -> None:
        """Another row is under the cursor."""
        self.update_keys()

    def on_window_list_highlighted(self) -> None:
        """Another item is under the cursor."""
        self.update_keys()

    def on_window_list_opened(self, event: WindowList.Opened) -> None:
        """Show an item."""
        self.open(target_of(event.item))

    def on_code_pane_shown(self) -> None:
        """Something else is shown in the middle."""
        self.update_keys()

    def on_code_pane_visited(self) -> None:
        """What was opened is recent in the prompt window."""
        self.session.read_window()

    def on_session_opened(self, event: Session.Opened) -> None:
        """The workspace is there: put everything back to where it was."""
        bench, self._restored = event.bench, event.state.opened
        self.symbols.attach(bench)
        self.code.attach(bench)
        self.status.status = status_line(self.status.status, name=bench.name)
        self.code.view = event.state.view
        self.zoomed = event.state.zoomed
        with self.prevent(self.symbols.box.Changed):
            self.symbols.box.value = event.state.query
            self.symbols.box.input.select_all()
        self.update_keys()

    def on_session_refused(self, event: Session.Refused) -> None:
        """There is no workspace to work in."""
        notice = notice_of(event.error)
        self.symbols.say_nothing_found(notice.message, "Quit (ctrl+q) and start with another folder.")
        self.say(notice)

    def on_session_advanced(self, event: Session.Advanced) -> None:
        """The index has come a little further: search what there is of it now and then."""
        self.progress.progress = event.progress
        self.progress.display = event.progress is not None
        self.status.status = status_line(self.status.status, job=event.progress)
        if event.progress is not None and time.monotonic() - self._searched_at > _SEARCH_AGAIN:
            self._searched_at = time.monotonic()
            self.symbols.search(keep_cursor=True)
        self.update_keys()

    def on_session_indexed(self, event: Session.Indexed) -> None:
        """There is an index, or another one: everything shown is read again."""
        self._complete = event.complete
        self.symbols.forget_costs()
        self.symbols.search(keep_cursor=True)
        self.session.read_window()
        self.session.read_status()
        if self._restored:
            self.code.show(self._restored, quiet=True)
            self._restored = "" if event.complete else self._restored
        else:
            self.code.reload()
        if event.cancelled:
            key = self.keys.first("refresh")
            self.say(Notice(severity="warning", message="Indexing was cancelled; what was read can be searched.",
                            what_to_do=f"{key} goes on."))  # fmt: skip

    def on_session_status_read(self, event: Session.StatusRead) -> None:
        """The line above."""
        self.status.status = status_line(self.status.status, status=event.status)
        self.say_all(event.status.notices)

    def on_session_window_read(self, event: Session.WindowRead) -> None:
        """The prompt window changed."""
        self.window.set_window(event.window)
        pinned = [item for item in event.window.items if item.pinned]
        self._pinned = frozenset(item.symbol_id or item.key.partition(":")[2] for item in pinned)
        self.symbols.set_pinned(self._pinned)
        self.update_keys()

    def on_session_pin_refused(self, event: Session.PinRefused) -> None:
        """Ask whether to pin all the same."""
        target = event.target

        def answered(yes: bool | None) -> None:
            if yes:
                self.session.change(lambda bench: bench.pin(target, force=True))

        self.app.push_screen(
            Confirm("Past the soft budget", event.error.message, yes="Pin all the same"), answered
        )

    def on_session_copy_made(self, event: Session.CopyMade) -> None:
        """Say what was copied, and how."""
        self.say(copied_notice(event.window, event.copied))

    def open(self, place: str) -> None:
        """Show a place and give the middle pane the keyboard."""
        self.code.show(place)
        self.focus_pane(CODE)

    def toggle_pin(self, subject: Subject) -> None:
        """Pin what is not pinned, unpin what is."""
        target = subject.target
        if subject.pinned:
            self.session.change(lambda bench: bench.unpin(target))
        else:
            self.session.pin(target)

    @property
    def _subject(self) -> Subject | None:
        if self.pane == WINDOW:
            return self.window.subject
        if self.pane == CODE:
            subject = self.code.subject
            target, label = (subject.target, subject.label) if subject else ("", "")
        else:
            symbol = self.symbols.current
            target, label = (symbol.id, symbol.path) if symbol else ("", "")
        return Subject(target, label, pinned=target in self._pinned) if target else None

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
        for pane in PANES:
            self.query_one(f"#{pane}").display = not single or pane == self.pane
        self.switcher.display = single and self.body.display
        self.call_after_refresh(self._keep_focus)

    def _keep_focus(self) -> None:
        if self.focused is None and self.app.screen is self:
            self.front(self.pane).focus()
