"""The workspace's life under the screen: opened, indexed, watched, closed; the window read and changed."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from textual.dom import DOMNode
from textual.message import Message

from services.concurrency.cancellation import BackgroundCancel
from services.concurrency.exclusion import ExclusiveWork
from services.errors import BudgetExceeded, Cancelled
from services.model import (
    TYPE_KINDS,
    Completeness,
    ExportAnswer,
    Notice,
    Progress,
    Status,
    SymbolRef,
    TypeChange,
    Window,
)
from widgets.format.shorten import counted
from workbench.state.clipboard import Clipboard
from workbench.state.held_keys import keep_letters
from workbench.state.ui_state import UiState, load
from workbench.ui.jobs import Jobs, finish_actions
from workbench.ui.messages import Tell, working
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench

_REPORT_EVERY = 0.1
"""Seconds between two reports of progress to the screen."""
_OPENING, _CHANGE, _WEIGHING = "opening", "change", "weighing"
_AFTER_A_KEY = 0.15
"""Seconds from a key until types are related further: the time in which it is answered."""

Pin = Callable[["Bench", bool], Window]
"""Pins something; past the soft budget only where it is forced to."""


class Session:
    """Open workspace and the jobs on it, on behalf of a screen, which is informed by messages."""

    class Opened(Message):
        """The workspace is open; nothing can be searched yet."""

        def __init__(self, bench: Bench, state: UiState) -> None:
            super().__init__()
            self.bench = bench
            self.state = state

    class Loaded(Message):
        """The stored index was looked for; `kept`: there is one, which can be searched. `go_on` does the rest."""

        def __init__(self, *, kept: bool) -> None:
            super().__init__()
            self.kept = kept

    class Refused(Message):
        """The workspace cannot be opened, for the reason in `error`."""

        def __init__(self, error: Exception) -> None:
            super().__init__()
            self.error = error

    class Advanced(Message):
        """The index has come so far; None: the work has ended. `grows`: whether there are more symbols than before."""

        def __init__(self, progress: Progress | None, *, grows: bool = False) -> None:
            super().__init__()
            self.progress = progress
            self.grows = grows

    class Indexed(Message):
        """The index can answer, or has changed. `complete`: it is up to date with the disk."""

        def __init__(self, *, complete: bool, cancelled: bool = False) -> None:
            super().__init__()
            self.complete = complete
            self.cancelled = cancelled

    class BackgroundAdvanced(Message):
        """The work behind a complete index has come so far; None: nothing is left of it."""

        def __init__(self, progress: Progress | None) -> None:
            super().__init__()
            self.progress = progress

    class BodiesRead(Message):
        """Background reading of the index is done: earlier answers may have been incomplete."""

    class StatusRead(Message):
        """Status was read."""

        def __init__(self, status: Status) -> None:
            super().__init__()
            self.status = status

    class WindowRead(Message):
        """The prompt window as it is now."""

        def __init__(self, window: Window) -> None:
            super().__init__()
            self.window = window

    class MissingTypesFound(Message):
        """Missing types were found; None: that could not be worked out."""

        def __init__(self, found: Completeness | None) -> None:
            super().__init__()
            self.found = found

    class Shared(Message):
        """Shared state was changed, here or in another process. `topics`: services/bench/topics.py."""

        def __init__(self, topics: frozenset[str]) -> None:
            super().__init__()
            self.topics = topics

    class PinRefused(Message):
        """A pin did not fit: `error` has its cost, `pin` forces it; `what`: its name for undo."""

        def __init__(self, pin: Pin, what: str, error: BudgetExceeded) -> None:
            super().__init__()
            self.pin = pin
            self.what = what
            self.error = error

    def __init__(self, owner: DOMNode, open_bench: Callable[[], Bench]) -> None:
        self._owner = owner
        self._open_bench = open_bench
        self._jobs = Jobs(owner, self._failed)
        self._cancel = threading.Event()
        self._dependency_job = BackgroundCancel()
        self._cancel_export = threading.Event()
        self._indexing = ExclusiveWork()  # a workspace is not closed while its index is refreshed
        self._reported, self._phase = 0.0, ""
        self._is_related = False
        """Whether what is shown was searched and read with all types related."""
        self._unsubscribe: Callable[[], None] = _nothing
        self._unshare: Callable[[], None] = _nothing
        self.bench: Bench | None = None
        self._under_way = Counter({_OPENING: 1})
        """How often what a key may wait for has not ended, or the screen has still to hear how it ended."""

    @property
    def is_opening(self) -> bool:
        """Whether the workspace, or what its window holds, is still to come."""
        return self._under_way[_OPENING] > 0

    @property
    def is_changing(self) -> bool:
        """Whether a change of the window is being made."""
        return self._under_way[_CHANGE] > 0

    @property
    def is_weighing(self) -> bool:
        """Whether what the window lacks is being worked out."""
        return self._under_way[_WEIGHING] > 0 or self._jobs.is_running("lacks")

    @property
    def is_indexing(self) -> bool:
        """Whether the index is being brought up to date."""
        return self._jobs.is_running("index")

    @property
    def is_reading(self) -> bool:
        """Whether files are still being read, so that what is found may lack something."""
        return any(self._jobs.is_running(job) for job in ("load", "index", "relate", "bodies"))

    def open(self) -> None:
        """Open the workspace, load the stored index, bring it up to date."""
        self._jobs.run("bench", self._open, self._opened, failed=self._refused)

    def go_on(self, *, kept: bool) -> None:
        """Have what was loaded shown, if it was, and bring it up to date."""
        if kept:
            self._say(self.Indexed(complete=False))
        self.refresh()

    def refresh(self) -> None:
        """Bring the index up to date."""
        if self.bench is not None and not self.is_indexing:
            bench, self._cancel = self.bench, threading.Event()
            cancel = self._cancel
            self._jobs.run(
                "index", lambda: self._refresh(bench, cancel), self._refreshed, failed=self._broken
            )

    @property
    def is_exporting(self) -> bool:
        """Whether the readable files are being written."""
        return self._jobs.is_running("export")

    def export(self) -> None:
        """Write the readable files, all outlines among them."""
        bench = self.bench
        if bench is None or self.is_exporting:
            return
        cancel = self._cancel_export = threading.Event()

        def call() -> ExportAnswer:
            with working(self._owner) as report:
                return bench.exports.write(outlines=True, progress=report, cancel=cancel)

        def written(made: ExportAnswer) -> None:
            beside = f"{counted(made.outlines, 'outline')} beside it"
            said = f"The index of {counted(made.types, 'type')} is in {made.file}, {beside}."
            self._say(Tell(Notice(severity="information", message=said)))

        self._jobs.run("export", call, written)

    def cancel(self) -> None:
        """Stop bringing the index up to date, and writing files."""
        self._cancel.set()
        self._dependency_job.set()
        self._cancel_export.set()

    def give_way(self) -> None:
        """Pause background work after a key press, in favour of its answer."""
        self._dependency_job.pause(_AFTER_A_KEY)
        if bench := self.bench:
            bench.pause_background()

    def read_window(self) -> None:
        """Read the window again. Agents may change it faster than it is read: it is shown all the same."""
        if bench := self.bench:
            self._jobs.run_after("window", bench.window.render, self._window_read, failed=self._window_failed)

    def read_status(self) -> None:
        """Read again what there is."""
        if bench := self.bench:
            self._jobs.run("status", bench.health.status, lambda status: self._say(self.StatusRead(status)))

    def show_window(self, window: Window) -> None:
        """A change that was made elsewhere led to this window."""
        self._window_read(window)

    def find_missing_types(self) -> None:
        """Work out what the window refers to and does not show."""
        if bench := self.bench:
            self._jobs.run_after(
                "lacks", bench.advice.completeness, self._missing_found, failed=self._missing_unknown
            )

    def undo_change(self) -> None:
        """Undo the last change of the window, and name it."""
        if bench := self.bench:
            self._jobs.act("undo", bench.undo.undo, lambda made: self._show_named("Undone", *made))

    def redo_change(self) -> None:
        """Redo the change of the window that was undone last, and name it."""
        if bench := self.bench:
            self._jobs.act("undo", bench.undo.redo, lambda made: self._show_named("Redone", *made))

    def _show_named(self, done: str, what: str, window: Window) -> None:
        self._window_read(window)
        self._say(Tell(Notice(severity="information", message=f"{done}: {what}.")))

    def change(
        self,
        act: Callable[[Bench], Window],
        what: str = "a change",
        *,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Change the window: one change after the other, in the order of submission. `what`: its name when it is
        undone."""
        bench = self.bench
        if bench is None:
            return
        self._under_way[_CHANGE] += 1

        def changed(window: Window) -> None:
            self._window_read(window)
            self._end_once_heard(_CHANGE)

        def unchanged(error: Exception) -> None:
            (failed or self._failed)(error)
            self._end_once_heard(_CHANGE)

        self._jobs.act(
            "change", lambda: bench.undo.doing(what, lambda: act(bench)), changed, failed=unchanged
        )

    def pin(self, target: str, *, label: str, how: Pin | None = None) -> None:
        """Pin something, in a way of its own if there is one; PinRefused if it does not fit. `label`: its name for
        people."""
        pin = how or (lambda bench, force: bench.window.pin(target, force=force))
        what = f"pinning {label}"

        def failed(error: Exception) -> None:
            if isinstance(error, BudgetExceeded):
                self._say(self.PinRefused(pin, what, error))
            else:
                self._failed(error)

        self.change(lambda bench: pin(bench, False), what, failed=failed)

    def pin_body(self, target: str, *, label: str, is_member: bool = True) -> None:
        """Pin a member with its source; a type as it usually is."""
        level = "bodies" if is_member else None
        self.pin(
            target,
            label=label,
            how=lambda bench, force: bench.window.pin(target, level=level, force=force),
        )

    def pin_enclosing(self, file: str, line: int) -> None:
        """Pin the member around a line of a file with its source, or report that there is none."""
        bench = self.bench
        if bench is None:
            return

        def found(symbol: SymbolRef | None) -> None:
            if symbol is not None:
                self.pin_body(symbol.id, label=symbol.label, is_member=symbol.kind not in TYPE_KINDS)
            else:
                said = f"Line {line} of {file} is in no member."
                notice = Notice(severity="warning", message=said, what_to_do="Pin the line itself.")
                self._say(Tell(notice))

        self._jobs.run("enclosing", lambda: bench.places.enclosing(file, line), found)

    def copy_text(self, text: str, what: str, clipboard: Clipboard) -> None:
        """Copy a text that is shown."""
        self._jobs.run("copy", lambda: clipboard.copy(text), lambda copied: self._say(
            Tell(Notice(severity="information", message=copied.sentence(what)))))  # fmt: skip

    def close(self) -> None:
        """Stop running jobs and close the workspace."""
        self.cancel()
        finish_actions()
        self._unsubscribe()
        self._unshare()
        if self.bench is not None:
            with self._indexing.turn():
                self.bench.close()
            self.bench = None

    def _open(self) -> tuple[Bench, UiState]:
        bench = self._open_bench()
        return bench, load(bench.state, UiState)

    def _opened(self, opened: tuple[Bench, UiState]) -> None:
        self.bench = opened[0]
        self._say(self.Opened(*opened))
        self._unsubscribe = self.bench.sharing.subscribe(self._changed, cosmetic=True)
        self._unshare = self.bench.sharing.topics.subscribe(lambda topics: self._say(self.Shared(topics)))
        self.bench.sharing.listen()
        bench = self.bench
        self._jobs.run(
            "load", lambda: (bench.index.load(), bench.index.is_related), self._loaded, failed=self._broken
        )

    def _refused(self, error: Exception) -> None:
        self._say(self.Refused(error))
        self._end_once_heard(_OPENING)

    def _loaded(self, loaded: tuple[bool, bool]) -> None:
        kept, self._is_related = loaded
        self._say(self.Loaded(kept=kept))

    def _refresh(self, bench: Bench, cancel: threading.Event) -> tuple[TypeChange, ...] | None:
        """The changes; None if it was cancelled."""
        with self._indexing.turn():
            try:
                return bench.index.refresh(
                    progress=lambda made: self._report(made, grows=True), cancel=cancel
                )
            except Cancelled:
                return None

    def _report(self, progress: Progress, *, grows: bool = False) -> None:
        if self._is_due(progress):
            self._say(self.Advanced(progress, grows=grows))

    def _report_background(self, progress: Progress) -> None:
        if self._is_due(progress):
            self._say(self.BackgroundAdvanced(progress))

    def _is_due(self, progress: Progress) -> bool:
        """Whether the last report is long enough ago for another, or of another phase."""
        now, phase = time.monotonic(), progress.phase
        is_new = phase != self._phase or progress.done == progress.total
        is_due = is_new or now - self._reported >= _REPORT_EVERY
        if is_due:
            self._reported, self._phase = now, phase
        return is_due

    def _changed(self, changes: tuple[TypeChange, ...]) -> None:
        """Report changes on disk that another call than `refresh` found, such as the check before a copy."""
        if changes and not self.is_indexing:
            self._say(self.Indexed(complete=True))

    def _refreshed(self, changes: tuple[TypeChange, ...] | None) -> None:
        self._say(self.Advanced(None))
        self._say(self.Indexed(complete=changes is not None, cancelled=changes is None))
        if changes is not None and self.bench is not None:
            self._is_related = self._is_related and not changes
            bench, self._dependency_job = self.bench, BackgroundCancel()
            cancel = self._dependency_job
            self._jobs.run("relate", lambda: self._relate(bench, cancel), self._related, failed=self._broken)

    def _relate(self, bench: Bench, cancel: threading.Event) -> bool:
        """Do the work that can wait until the symbols are there: watching the disk, and references between types."""
        with self._indexing.turn():
            try:
                bench.watch()
                return bench.index.relate(progress=self._report, cancel=cancel)
            except Cancelled:
                return False

    def _related(self, anything_new: bool) -> None:
        """An outline on its way to the screen may have related them: after the search, before the job for it."""
        self._say(self.Advanced(None))
        was_related, self._is_related = self._is_related, True
        if anything_new or not was_related:
            self._say(self.Indexed(complete=True))
        if self.bench is not None:
            bench, cancel = self.bench, self._dependency_job
            self._jobs.run(
                "bodies",
                lambda: self._read_bodies(bench, cancel),
                lambda _: self._bodies_read(),
                failed=self._broken,
            )

    def _bodies_read(self) -> None:
        self._say(self.BackgroundAdvanced(None))
        self._say(self.BodiesRead())

    def _read_bodies(self, bench: Bench, cancel: threading.Event) -> None:
        """Do the background work: comparison data, references in bodies, words and history."""
        with self._indexing.turn(), suppress(Cancelled):
            bench.review.prepare()
            keep_letters(bench, cancel)
            bench.index.read_bodies(progress=self._report_background, cancel=cancel)
            self._report_background(Progress(phase="Reading words and history", done=0, total=None))
            bench.context.prepare(cancel=cancel)

    def _broken(self, error: Exception) -> None:
        self._say(self.Advanced(None))
        self._say(self.BackgroundAdvanced(None))
        self._failed(error)
        self._say(self.Indexed(complete=False))

    def _missing_found(self, found: Completeness | None) -> None:
        self._under_way[_WEIGHING] += 1
        self._say(self.MissingTypesFound(found))
        self._end_once_heard(_WEIGHING)

    def _missing_unknown(self, _: Exception) -> None:
        """Ignore the failure, since the person did not request this: `advice` shows the reason."""
        self._missing_found(None)

    def _window_read(self, window: Window) -> None:
        self._say(self.WindowRead(window))
        self._end_once_heard(_OPENING)

    def _window_failed(self, error: Exception) -> None:
        self._failed(error)
        self._end_once_heard(_OPENING)

    def _failed(self, error: Exception) -> None:
        self._say(Tell(notice_of(error)))

    def _say(self, message: Message) -> None:
        self._owner.post_message(message)

    def _end_once_heard(self, name: str) -> None:
        """End a job when the screen has handled all its messages: otherwise a key that waits for it would be handed
        on in between, and meet the screen as it was before."""

        def end() -> None:
            self._under_way[name] = max(0, self._under_way[name] - 1)

        self._owner.call_later(end)


def _nothing() -> None:
    """Before there is anything to unsubscribe from."""
