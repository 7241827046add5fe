"""Frame of the main screen around its panes: the workspace, the available commands, notices.

What the main screen does when its panes say something.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from textual.binding import BindingType
from textual.notifications import SeverityLevel
from textual.timer import Timer

from services.model import Notice
from services.model.writes import OthersAnswer
from widgets.chrome.status_bar import StatusLine
from widgets.format.display import visible
from widgets.lists.symbol_list import SymbolList
from widgets.lists.window_list import WindowList
from workbench.code.opened import target_of
from workbench.commands.commands import bindings
from workbench.commands.help_text import STEPS, example_of, hint
from workbench.commands.situation import CODE, GREP, PATCH, SYMBOLS, USAGES, WINDOW, Situation, Subject
from workbench.edits.system_edits import SystemEdits
from workbench.main.panes import Panes, Widths
from workbench.main.sentences import counted_notice, hints, nothing_found, patch_buttons, status_line
from workbench.main.subjects import Pinning, Subjects
from workbench.panes.symbols_pane import SymbolsPane
from workbench.state.environment import Environment
from workbench.state.own_settings import SettingsFollower
from workbench.state.session import Session
from workbench.state.ui_state import Mark, UiState, save
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Lit, Tell, Working
from workbench.ui.notices import TITLES, NoticeLog, notice_of, worst_severity

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.review import Standing
    from workbench.dialogs.copying import WindowCopying

_KEEP_EVERY = 2.0
"""Seconds between two looks at whether there is something else to come back to: a connection that ends says nothing."""
_PREVIEW_REST = 0.03
"""Seconds that a cursor of a list which moves on and on rests before what it is on is shown."""
_MOVES_ON = 0.3
"""Seconds within which another move follows where a key is held or a name is typed."""
_READ = 6.0
"""Seconds for which a notice can be read."""


class PreviewSpot(NamedTuple):
    """Place that is previewed. `lit`: what is lit in it, None for no change; `column`: where in its line one looks."""

    place: str
    lit: Lit | None = None
    column: int | None = None


class Frame(Panes):
    """Panes of a workspace; every command is run by `run_command`, by whichever key or click."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings()]

    def __init__(self, open_bench: Callable[[], Bench], environment: Environment) -> None:
        super().__init__()
        self.session = Session(self, open_bench)
        self.jobs = Jobs(self, lambda error: self.say(notice_of(error)))
        self.about = Subjects(self, self.session)
        self.pinning = Pinning(self.session, lambda: self.code.diff.text, pinned=lambda: self.about.pinned)
        self.keys = environment.keys
        self.clipboard = environment.clipboard(self.session)
        self.personal = environment.personal
        self.keeper = environment.writer
        self.settings = environment.settings
        self.held = environment.held
        self._letters = environment.letters
        self.log_of_notices = NoticeLog(environment.now)
        self.stepping = False
        """Whether a list keeps the keyboard while the places it leads to are shown."""
        self.marks: tuple[Mark, ...] = ()
        self.system_edits = SystemEdits()
        self.questions: tuple[str, ...] = ()
        """What context was found for, the last one first."""
        self.commit_message = ""
        """What was typed and not committed."""
        self.reviewed_scope: str | None = None
        """What is compared, of which the review was read last."""
        self._restored = ""
        self._to_restore: Session.Opened | None = None
        """What is put back once the first search was answered."""
        self._state = self._kept_state = UiState()
        self._searched_at = 0.0
        self._status_again: Timer | None = None
        self._preview: Timer | None = None
        self._moved = 0.0
        self._complete = False
        self._told: set[str] = set()
        self._since = round(environment.now().timestamp() * 1000)
        self._others = OthersAnswer()
        self._follower: SettingsFollower | None = None
        self._example = ""
        """A query that finds something in the workspace, for the first step."""
        self._keys_due = False
        self._once_complete: list[Callable[[], None]] = []

    def on_mount(self) -> None:
        """Show what is known before the workspace is opened."""
        self.widths = Widths(*self.personal.state.widths)
        self.symbols.letters = self._letters
        self.status.status = StatusLine(doing="opening …")
        self.progress.cancel_hint = f"{self.keys.first('cancel')} cancels"
        self.say_all(self.keys.notices)
        self.update_keys()
        self.set_interval(_KEEP_EVERY, self.keep_state)

    @cached_property
    def copying(self) -> WindowCopying:
        """The copying of the window, with its questions. Its dialogs are imported when it is needed."""
        from workbench.dialogs.copying import WindowCopying

        return WindowCopying(self, self.app)

    def keep_state(self) -> None:
        """Save the state for the next start, where it has changed since the last time."""
        bench, state = self.session.bench, self._state
        if bench is not None and state != self._kept_state:
            self._kept_state = state
            self.keeper.keep("state", lambda: save(bench.state, state))

    def on_unmount(self) -> None:
        """Save the state for the next start, and close the workspace."""
        bench, state = self.session.bench, self._state
        if bench is not None:
            self.keeper.keep("state", lambda: save(bench.state, state))
        self.keeper.flush()
        self.session.close()

    @property
    def situation(self) -> Situation:
        """The situation that decides which commands are available."""
        return self.about.situation

    def update_keys(self) -> None:
        """Note the state for the next start, and update the key line: once per repaint, however many changes there
        are."""
        if self.held.wait:
            self.call_later(self.held.release)
        self._note_state()
        if not self._keys_due:
            self._keys_due = True
            self.call_after_refresh(self._say_keys)

    def on_screen_suspend(self) -> None:
        """Update the keys, since the dialog above takes the keyboard."""
        self.update_keys()

    def on_screen_resume(self) -> None:
        """The keyboard is here again."""
        self.update_keys()

    def _say_keys(self) -> None:
        self._keys_due = False
        situation = self.situation
        self.key_line.hints = hints(self.keys, situation) if self.app.screen is self else ()
        step = hint(self.personal.state.done, self.keys, typing=situation.typing, example=self._example)
        self.first_steps.display = bool(step) and not self.small.display
        if step != self.first_steps.content:  # to be told the same would lay the whole screen out again
            self.first_steps.update(step)
        if situation.editing:
            self.patch.set_buttons(patch_buttons(self.keys, situation))

    def _note_state(self) -> None:
        if self._to_restore is not None:
            return
        self._state = UiState(
            query=self.symbols.box.value,
            opened=self.code.opened or self._restored,
            view=self.code.view,
            zoomed=self.zoomed,
            wraps=self.code.source.wraps if self.is_complete else self._state.wraps,
            copy=self.copying.choice if self.is_complete else self._state.copy,
            diff=self.code.diff.options if self.is_complete else self._state.diff,
            questions=self.questions,
            searches=self.symbols.box.earlier,
            patterns=self.grep.box.earlier if self.is_complete else self._state.patterns,
            marks=self.marks,
        )

    def did(self, command: str) -> None:
        """A first step was taken; it is not hinted at again."""
        done = self.personal.state.done
        if command not in done and any(step.command == command for step in STEPS):
            self.personal.change(done=(*done, command))
            self.update_keys()

    def say(self, notice: Notice) -> None:
        """Show a notice, and log it."""
        self.log_of_notices.add(notice)
        text = visible(" ".join(part for part in (notice.message, notice.what_to_do) if part))
        self.toast(text, severity=worst_severity((notice,)))
        if self.held.wait:
            self.call_later(self.held.release)

    def say_all(self, notices: tuple[Notice, ...]) -> None:
        """Show several notices in one sentence, except those shown before."""
        new = [notice for notice in notices if self.log_of_notices.add(notice)]
        if new:
            self.toast(counted_notice(new, self.keys.first("notices")), severity=worst_severity(new))

    def toast(
        self, text: str, *, title: str = "", severity: SeverityLevel = "information", seconds: float = _READ
    ) -> None:
        """Show a text for a while."""
        self.app.notify(
            text, title=title or TITLES[severity], severity=severity, markup=False, timeout=seconds
        )

    def open(self, place: str) -> None:
        """Show a place and give the middle pane the keyboard."""
        if not self.is_complete:
            self.once_complete(lambda: self.open(place))
            return
        self.code.show(place)
        self.focus_pane(CODE)

    @property
    def is_previewing(self) -> bool:
        """Whether the middle shows what the cursor of a list is on, or is about to."""
        return self._preview is not None or self.code.is_previewing

    def preview_at_rest(self) -> None:
        """Preview the item under the cursor of the list in use, where there is enough width: at once after a rest, else
        once it rests, and it is read meanwhile."""
        if self._preview is not None:
            self._preview.stop()
        before, self._moved = self._moved, time.monotonic()
        if self._moved - before > _MOVES_ON:
            self._show_preview()
            return
        if (spot := self._under_cursor) is not None:
            self.code.visits.read_ahead(spot.place)
        self._preview = self.set_timer(_PREVIEW_REST, self._show_preview)

    @property
    def _under_cursor(self) -> PreviewSpot | None:
        """What the list in use is at, where the middle pane is to be seen."""
        if not (self.is_complete and self.code.display and self.app.screen is self):
            return None
        if self.pane == SYMBOLS and (symbol := self.symbols.current) is not None:
            return PreviewSpot(symbol.id)
        if self.pane == WINDOW and (item := self.window.items.current) is not None:
            return PreviewSpot(target_of(item))
        if self.pane in (GREP, USAGES):
            found = (self.grep if self.pane == GREP else self.usages).previewed
            if found is not None:
                return PreviewSpot(f"{found.file}:{found.line}", found.lit, found.column)
        return None

    def _show_preview(self) -> None:
        self._preview = None
        if (spot := self._under_cursor) is not None:
            self.code.preview(spot.place, lit=spot.lit, column=spot.column)

    def read_review(self) -> None:
        """Show the review of the compared change, and its files looked at."""
        bench, scope = self.session.bench, self.changes.scope
        self.code.diff.scope = self.reviewed_scope = scope

        def show(standing: Standing | None) -> None:
            self.code.diff.show_review(standing)
            self.changes.list.reviewed = standing.files if standing is not None else frozenset()

        if bench is not None:
            self.jobs.run("review", lambda: bench.review.standing(scope), show)

    def on_panes_moved(self) -> None:
        """Commands may fit differently."""
        self.update_keys()

    def on_panes_resized(self) -> None:
        """Save the widths of the columns for every workspace."""
        self.personal.change(widths=(self.widths.left, self.widths.window))

    def once_complete(self, act: Callable[[], None], *, first: bool = False) -> None:
        """Call `act` now, or when all lists and views have been made: `first`, ahead of what waits for that already, as
        what was opened meanwhile needs the workspace in them."""
        if self.is_complete:
            act()
        else:
            self._once_complete.insert(0 if first else len(self._once_complete), act)

    def on_panes_complete(self) -> None:
        """Run the actions that waited for the lists and views, which must know the workspace first."""
        self.is_complete = True
        for act in self._once_complete:
            act()
        self._once_complete.clear()
        self.update_keys()


class OnPanes(Frame):
    """Handlers of the panes' messages."""

    def on_tell(self, event: Tell) -> None:
        """Show a notice of a part."""
        self.say(event.notice)

    def on_working(self, event: Working) -> None:
        """Show the progress of a search or an export, unless indexing uses the line."""
        event.stop()
        if not self.session.is_indexing:
            self.progress.progress = event.progress
            self.progress.display = event.progress is not None
        self.update_keys()

    def on_symbols_pane_opened(self, event: SymbolsPane.Opened) -> None:
        """Show a symbol."""
        self.symbols.box.remember()
        self.open(event.symbol.id)

    def on_symbols_pane_pin_toggled(self, event: SymbolsPane.PinToggled) -> None:
        """Pin a symbol, or unpin it."""
        self.symbols.box.remember()
        symbol = event.symbol
        self.pinning.toggle(Subject(symbol.id, symbol.path, pinned=symbol.id in self.about.pinned))

    def on_symbols_pane_answered(self, event: SymbolsPane.Answered) -> None:
        """There are other rows."""
        self.status.status = status_line(self.status.status, milliseconds=event.answer.elapsed_ms)
        if event.answer.query and event.answer.hits:
            self.did("search")
        elif event.answer.hits:
            self._example = example_of([hit.symbol.label for hit in event.answer.hits])
        if not event.answer.hits and event.answer is self.symbols.answer:  # the next may have come meanwhile
            self.symbols.say_nothing_found(*nothing_found(event.answer, complete=self._complete))
        self.update_keys()

    def on_symbol_list_highlighted(self, event: SymbolList.Highlighted) -> None:
        """Another row is under the cursor. The list that is there before anything was typed is no answer: nothing of it
        is previewed before the cursor is moved."""
        self.update_keys()
        if self.symbols.box.value or event.index or self.is_previewing:
            self.preview_at_rest()

    def on_window_list_highlighted(self) -> None:
        """Another item is under the cursor."""
        self.update_keys()
        if self.pane == WINDOW:
            self.preview_at_rest()

    def on_window_list_item_opened(self, event: WindowList.ItemOpened) -> None:
        """Show an item."""
        self.open(target_of(event.item))

    def on_patch_pane_changed(self) -> None:
        """A draft was begun, locked or closed."""
        if self.pane == PATCH and not self.patch.is_open:
            self.leave_patch()
        else:
            self.lay_out()
        self.update_keys()

    def on_patch_pane_written(self) -> None:
        """The file is another now."""
        self.update_keys()

    def on_text_area_changed(self) -> None:
        """There may be something to write."""
        self.update_keys()

    def on_code_views_shown(self) -> None:
        """Something else is shown in the middle."""
        self.update_keys()

    def on_code_pane_visited(self) -> None:
        """Count the first step, and read the prompt window, in which what was opened is recent."""
        self.did("open")
        self.session.read_window()
