"""Guarded write (SAFETY, Writes): one file or several as one, under their locks, all or nothing.

    new files without a name: written, mode and owner, fsynced; at the same time `prepared` with the old bytes, and
    the journal fsynced → [from here locks cannot be broken] locks again → the new files get temp names → exchange →
    the displaced bytes are the expected ones → folders fsynced → temp names removed → `committed`

Nothing is exchanged before both are on the disk. Where the file system has no unnamed files they are made under their
temp names once the journal is on the disk: after a loss of power one of them may hold anything; `settle` detects
that. After any failure or kill, the file has the old bytes or the new ones; `recovery` cleans up after dead
processes."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack

import msgspec

from services.errors import Busy, CodeCortexError, FileMissing, PathRefused, ReadOnly, Unsettled
from services.model import Notice
from services.source.atomic.outcome import WriteOutcome, outcome, remove, take_back
from services.source.atomic.step import ChangedError, WriteStep, make_folder
from services.source.atomic.system_calls import SystemCalls
from services.source.atomic.target import WriteTarget
from services.source.journal.clock import is_alive, this_process
from services.source.journal.database import Database
from services.source.journal.journal import Group, Intent, Journal, JournaledChange, JournalEntry, digest
from services.source.journal.locks import Locks
from services.source.read.token import digest_of, token_from
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
        self._active: set[int] = set()  # of any thread; each change of it is one step of the interpreter

    def began(self, group: int) -> None:
        """The group, which others do not see yet, is under way in this process."""
        self._active.add(group)

    def ended(self, group: int) -> None:
        """The group is not under way any more."""
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


_EMPTY = digest_of(b"")
_NO_BYTES = digest(b"")


class _UnfinishedError(Exception):
    """Processes that are gone left writes half-done, which are settled first."""


class WrittenFile(msgspec.Struct, frozen=True):
    """A write that has happened. By path: `mtimes` in ns of files that are there now; `hashes`: SHA-256 in hex, None
    for no file."""

    group: int
    mtimes: dict[str, int]
    hashes: dict[str, str | None]

    def token(self, path: str) -> str | None:
        """The token of a file as it was written; None where it is gone."""
        hash_ = self.hashes[path]
        if hash_ is None:
            return None
        return token_from(_EMPTY if hash_ == _NO_BYTES else hash_[:16], self.mtimes[path])


class GuardedWriter:
    """Writes. Thread-safe. `recovery`: settles what others left."""

    def __init__(
        self,
        root: Root,
        database: Database,
        *,
        locks: Locks,
        journal: Journal,
        calls: SystemCalls | None = None,
    ) -> None:
        self._root = root
        self._database = database
        self._locks = locks
        self._journal = journal
        self._calls = calls or SystemCalls()
        self.recovery = Recovery(root, database, journal=journal, calls=self._calls)

    def write(
        self, changes: Sequence[JournaledChange], handles: Sequence[str], *, intent: Intent
    ) -> WrittenFile:
        """Make all `changes`, or none. The process of `intent` is filled in here.

        Raises WorkspaceError (the root was moved), ChangedError, LockRequired, PathRefused, FileMissing, ReadOnly,
        Busy: then nothing is written; only Unsettled leaves that open until the program starts again."""
        self._root.require_in_place()
        try:
            return self._write(changes, handles, intent)
        except _UnfinishedError:
            self.recovery.recover_all()
            return self._write(changes, handles, intent, is_settled=True)

    def _write(
        self,
        changes: Sequence[JournaledChange],
        handles: Sequence[str],
        intent: Intent,
        *,
        is_settled: bool = False,
    ) -> WrittenFile:
        with ExitStack() as stack:
            steps = [self._step(change, handles, stack) for change in changes]
            # Closing releases the blocks of the displaced file, which takes a while: the caller does not wait for it.
            stack.callback(self._calls.start, _each, steps, WriteStep.free)
            stack.callback(_each, steps, WriteStep.close)
            try:
                _each(steps, WriteStep.make)
                made = self._calls.start(_each, steps, WriteStep.flush)
                stack.callback(_wait, made)
                entries = self._calls.run(self._prepare, steps, handles, intent, is_settled=is_settled)
            except OSError as error:
                raise _failed(steps, error) from error
            try:
                self._perform(steps, entries, handles, made, intent.undoes)
            finally:
                self.recovery.ended(entries[0].group)
        mtimes = {step.target.path: step.mtime_ns for step in steps if step.change.new is not None}
        return WrittenFile(entries[0].group, mtimes, {entry.path: entry.new_hash for entry in entries})

    def _step(self, change: JournaledChange, handles: Sequence[str], stack: ExitStack) -> WriteStep:
        if change.base is None and change.new is not None:
            self._make_folder(change.path, handles)
        target = stack.enter_context(WriteTarget.hold(self._root, change.path))
        like = target.writable()
        # A first look spares a write in vain; what the exchange displaces decides.
        if (None if like is None else like.st_size) != (None if change.base is None else len(change.base)):
            raise ChangedError(target.path, target.read()[0])
        return WriteStep(self._calls, change, target, like)

    def _make_folder(self, path: str, handles: Sequence[str]) -> None:
        """Make the missing folder of a new file, for the owner of the file's lock."""
        try:
            WriteTarget.hold(self._root, path).close()
        except FileMissing:
            self._locks.require(path, handles)
            try:
                make_folder(self._calls, self._root, path.rpartition("/")[0])
            except OSError as error:
                message = f"The folder of {path} cannot be made: {error.strerror}."
                raise ReadOnly(message, path=path, reason=str(error.strerror)) from error

    def _prepare(
        self, steps: Sequence[WriteStep], handles: Sequence[str], intent: Intent, *, is_settled: bool
    ) -> tuple[JournalEntry, ...]:
        begun = Intent(
            kind=intent.kind, owner=intent.owner, process=self.recovery.process, undoes=intent.undoes
        )
        _each(steps, WriteStep.digest)  # before others wait for the journal
        with self._database.transaction(durable=False) as db:
            if not is_settled and self.recovery.unfinished(db):
                raise _UnfinishedError
            planned = [
                (step.change, step.temp, self._locks.fence_of(db, step.target.path, handles))
                for step in steps
            ]
            entries = self._journal.prepare(db, begun, planned)
            self.recovery.began(entries[0].group)
        return entries

    def _perform(
        self,
        steps: Sequence[WriteStep],
        entries: Sequence[JournalEntry],
        handles: Sequence[str],
        made: Callable[[], object],
        undoes: int | None,
    ) -> None:
        landed = False
        try:
            self._calls.run(self._database.flush)
            made()
            _each(steps, WriteStep.make_named)
            with self._database.transaction(durable=False) as db:
                for step in steps:
                    self._locks.require_still(db, step.target.path, handles)
                _each(steps, WriteStep.name)
                _each(steps, WriteStep.exchange)
                for step in steps:
                    self._calls.run(os.fsync, step.target.folder)
                landed = True
                untidy = [entry.id for step, entry in zip(steps, entries, strict=True) if not step.tidy()]
                self._calls.run(self._journal.commit, db, entries[0].group, undoes=undoes, untidy=untidy)
        except BaseException as error:
            if not landed:
                self._abandon(steps, entries, error)
            elif not isinstance(error, (OSError, ReadOnly, Busy)):
                raise
            # The bytes are on the disk; the journal learns of it when the group is settled.

    def _abandon(
        self, steps: Sequence[WriteStep], entries: Sequence[JournalEntry], error: BaseException
    ) -> None:
        """Take everything back and raise `error`, or Unsettled if that fails too."""
        try:
            for step, entry in zip(steps, entries, strict=True):
                take_back(self._calls, step.target, entry)
            for step in steps:
                os.fsync(step.target.folder)
            with self._database.transaction(durable=False) as db:
                self._journal.abort(db, entries[0].group)
        except (OSError, ReadOnly, Busy) as second:
            path = steps[0].target.path
            message = f"Whether {path} was written is settled at the next start: {error}; {second}."
            raise Unsettled(message, path=path, reason=str(second)) from error
        if isinstance(error, OSError):
            raise _failed(steps, error) from error
        raise error


def _each(steps: Sequence[WriteStep], act: Callable[[WriteStep], object]) -> None:
    for step in steps:
        act(step)


def _wait(made: Callable[[], object]) -> None:
    """Wait until the files are no longer needed; they are closed next."""
    with contextlib.suppress(OSError):
        made()


def _failed(steps: Sequence[WriteStep], error: OSError) -> CodeCortexError:
    path = steps[0].target.path
    return ReadOnly(f"{path} cannot be written: {error.strerror}.", path=path, reason=str(error.strerror))
