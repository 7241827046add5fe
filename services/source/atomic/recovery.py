"""Crash recovery: unfinished writes of dead processes, finished or rolled back (SAFETY, Writes)."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from services.errors import FileMissing, PathRefused
from services.model import Notice
from services.source.atomic.outcome import WriteOutcome, outcome, remove, take_back
from services.source.atomic.system_calls import SystemCalls
from services.source.atomic.target import WriteTarget
from services.source.journal.clock import is_alive, this_process
from services.source.journal.database import Database
from services.source.journal.journal import Group, Journal, JournalEntry
from services.workspace.files.root import Root

_OPEN = "SELECT 1 FROM entries WHERE temp IS NOT NULL LIMIT 1"


class Recovery:
    """Settles what was left. Thread-safe. `process`: this one, whose writes under way are let be; `notices`: what a
    person should see."""

    def __init__(self, root: Root, database: Database, *, journal: Journal, calls: SystemCalls) -> None:
        self.process = this_process()
        self.notices: list[Notice] = []
        self._root = root
        self._database = database
        self._journal = journal
        self._calls = calls
        self._active: set[int] = set()
        self._guard = threading.Lock()

    def began(self, group: int) -> None:
        """The group, which others do not see yet, is under way in this process."""
        with self._guard:
            self._active.add(group)

    def ended(self, group: int) -> None:
        """The group is not under way any more."""
        with self._guard:
            self._active.discard(group)

    def recover_all(self) -> int:
        """Finish or take back what processes that are gone were about to write; answers how many groups there were.

        Raises ReadOnly, Busy if the journal cannot be used."""
        if not self._database.rows(_OPEN):
            return 0
        with self._database.transaction(durable=True) as db:
            left = self.unfinished(db)
            for group, entries in left:
                self._recover(db, group, entries)
        return len(left)

    def unfinished(self, db: sqlite3.Connection) -> list[tuple[Group, tuple[JournalEntry, ...]]]:
        """Return the groups to recover; part of the caller's transaction."""
        if db.execute(_OPEN).fetchone() is None:
            return []
        return [each for each in self._journal.open_groups(db) if self._is_unfinished(each[0])]

    def _is_unfinished(self, group: Group) -> bool:
        if group.process == self.process:
            return group.id not in self._active
        return not is_alive(group.process)

    def _recover(self, db: sqlite3.Connection, group: Group, entries: Sequence[JournalEntry]) -> None:
        with self._held(entries) as found:
            try:
                outcomes = {entry.id: outcome(target, entry) for entry, target in found}
                done = all(each is WriteOutcome.HAPPENED for each in outcomes.values())
                if entries[0].state in ("committed", "foreign") or done:
                    for entry, target in found:
                        remove(self._calls, target, entry.temp or "")
                    if done or entries[0].state == "committed":
                        self._journal.commit(db, group.id, undoes=group.undoes)
                    else:
                        self._journal.abort(db, group.id)
                    return
                foreign = [entry for entry, target in found if not take_back(self._calls, target, entry)]
                self._finish(db, group, entries, foreign)
            except OSError as error:
                self._notice(
                    entries[0].path, f"what was left of a write cannot be settled yet: {error.strerror}"
                )

    def _finish(
        self,
        db: sqlite3.Connection,
        group: Group,
        entries: Sequence[JournalEntry],
        foreign: Sequence[JournalEntry],
    ) -> None:
        if len(entries) == 1 or not foreign:
            self._journal.abort(db, group.id)
            return
        for entry in entries:
            self._journal.mark_foreign(db, entry.id)
        for entry in foreign:
            self._notice(
                entry.path, "it was changed by others while a write of several files was interrupted"
            )

    @contextlib.contextmanager
    def _held(self, entries: Sequence[JournalEntry]) -> Iterator[list[tuple[JournalEntry, WriteTarget]]]:
        """The entries whose folder is still there, each with its target."""
        with ExitStack() as stack:
            found = []
            for entry in entries:
                if entry.temp is not None:
                    with contextlib.suppress(FileMissing, PathRefused):
                        found.append((entry, stack.enter_context(WriteTarget.hold(self._root, entry.path))))
            yield found

    def _notice(self, path: str, why: str) -> None:
        self.notices.append(
            Notice(severity="warning", message=f"{path}: {why}.", what_to_do="Look at the file.", file=path)
        )
