"""The guarded write (SAFETY, Writes): one file or several as one, under their locks, all or nothing.

    the bytes are what the caller saw → `begun` → temp files: written, mode and owner, fsync → `prepared` with the old
    bytes, on the disk → [nobody can break a lock from here] locks again → exchange → what was displaced is what the
    caller saw → folders fsynced → temp files removed → `committed`

Wherever it fails or is killed, the old bytes stand or the new ones; `settle_all` tidies up after the dead.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import msgspec

from services.errors import Busy, CodeCortexError, FileMissing, PathRefused, ReadOnly, Unsettled
from services.model import Notice
from services.source.calls import Calls
from services.source.clock import is_alive, this_process
from services.source.fresh import copy_attributes, make_fresh
from services.source.journal import Change, Entry, Group, Intent, Journal, digest
from services.source.ledger import Ledger
from services.source.locks import Locks
from services.source.settle import Outcome, outcome, remove, take_back
from services.source.swap import exchange, move
from services.source.target import Target
from services.source.token import digest_of, token_from
from services.workspace.root import Root

_TEMP = ".codecortex-{}.tmp"
_EMPTY = digest_of(b"")
_NO_BYTES = digest(b"")


class ChangedError(Exception):
    """The file does not hold the bytes the change starts from. `current`: those it holds; None for no file."""

    def __init__(self, path: str, current: bytes | None) -> None:
        super().__init__(path)
        self.path = path
        self.current = current


class Written(msgspec.Struct, frozen=True):
    """A write that has happened. By path: `mtimes` in ns of files that are there now; `before`, `after`: SHA-256 in
    hex, None for no file."""

    group: int
    mtimes: dict[str, int]
    before: dict[str, str | None]
    after: dict[str, str | None]

    def token(self, path: str) -> str | None:
        """The token of a file as it was written; None where it is gone."""
        hash_ = self.after[path]
        if hash_ is None:
            return None
        return token_from(_EMPTY if hash_ == _NO_BYTES else hash_[:16], self.mtimes[path])


@dataclass(slots=True)
class _Step:
    """One file of a write on its way."""

    change: Change
    target: Target
    like: os.stat_result | None
    temp: str = field(default_factory=lambda: _TEMP.format(secrets.token_hex(8)))
    mtime_ns: int = 0


class GuardedWriter:
    """Writes, and settles what others left. Thread-safe. `notices`: what settling found that a person should see."""

    def __init__(
        self, root: Root, ledger: Ledger, *, locks: Locks, journal: Journal, calls: Calls | None = None
    ) -> None:
        self._root = root
        self._ledger = ledger
        self._locks = locks
        self._journal = journal
        self._calls = calls or Calls()
        self._process = this_process()
        self._active: set[int] = set()
        self._guard = threading.Lock()
        self.notices: list[Notice] = []

    def write(self, changes: Sequence[Change], handles: Sequence[str], *, intent: Intent) -> Written:
        """Make all `changes`, or none. The process of `intent` is filled in here.

        Raises ChangedError, LockRequired, PathRefused, FileMissing, ReadOnly, Busy: then nothing is written; only
        Unsettled leaves that open until the program starts again."""
        self.settle_all()
        with ExitStack() as stack:
            steps = [self._step(change, stack) for change in changes]
            entries = self._begin(steps, handles, intent)
            try:
                self._perform(steps, entries, handles)
            finally:
                with self._guard:
                    self._active.discard(entries[0].group)
        mtimes = {step.target.path: step.mtime_ns for step in steps if step.change.new is not None}
        return Written(
            entries[0].group,
            mtimes,
            {entry.path: entry.base_hash for entry in entries},
            {entry.path: entry.new_hash for entry in entries},
        )

    def settle_all(self) -> int:
        """Finish or take back what processes that are gone were about to write; answers how many groups there were.

        Raises ReadOnly, Busy if the journal cannot be used."""
        if not self._ledger.rows("SELECT 1 FROM entries WHERE temp IS NOT NULL LIMIT 1"):
            return 0
        with self._ledger.transaction(durable=True) as db:
            left = [each for each in self._journal.open_groups(db) if self._is_left(each[0])]
            for group, entries in left:
                self._settle(db, group, entries)
        return len(left)

    def _step(self, change: Change, stack: ExitStack) -> _Step:
        target = stack.enter_context(Target.open(self._root, change.path))
        like = target.writable()
        current, _ = target.read()
        if current != change.base:
            raise ChangedError(target.path, current)
        return _Step(change, target, like)

    def _begin(self, steps: Sequence[_Step], handles: Sequence[str], intent: Intent) -> tuple[Entry, ...]:
        begun = Intent(kind=intent.kind, owner=intent.owner, process=self._process, undoes=intent.undoes)
        with self._guard, self._ledger.transaction(durable=False) as db:
            planned = [
                (step.change, step.temp, self._locks.fence_of(db, step.target.path, handles))
                for step in steps
            ]
            entries = self._journal.begin(db, begun, planned)
            self._active.add(entries[0].group)
        return entries

    def _perform(self, steps: Sequence[_Step], entries: Sequence[Entry], handles: Sequence[str]) -> None:
        landed = False
        try:
            for step in steps:
                self._make(step)
            self._calls.run(self._journal.prepare, entries, [step.change for step in steps])
            entries = [_prepared(entry) for entry in entries]
            with self._ledger.transaction(durable=False) as db:
                for step in steps:
                    self._locks.fence_of(db, step.target.path, handles)
                self._exchange(steps)
                landed = True
                untidy = self._tidy(steps, entries)
                self._calls.run(self._journal.commit, db, entries[0].group, untidy=untidy)
        except BaseException as error:
            if not landed:
                self._abandon(steps, entries, error)
            elif not isinstance(error, (OSError, ReadOnly, Busy)):
                raise
            # The bytes are on the disk; the journal learns of it when the group is settled.

    def _make(self, step: _Step) -> None:
        if step.change.new is None:
            return
        folder = step.target.folder
        make_fresh(self._calls, folder, step.temp, step.change.new, like=step.like)
        if step.like is not None:
            copy_attributes(folder, step.target.name, step.temp)
        step.mtime_ns = os.stat(step.temp, dir_fd=folder, follow_symlinks=False).st_mtime_ns

    def _exchange(self, steps: Sequence[_Step]) -> None:
        for step in steps:
            self._exchange_one(step)
        for step in steps:
            self._calls.run(os.fsync, step.target.folder)

    def _exchange_one(self, step: _Step) -> None:
        target, change = step.target, step.change
        try:
            if change.base is None:
                move(self._calls, target.folder, step.temp, target.name)
                return
            if change.new is None:
                move(self._calls, target.folder, target.name, step.temp)
            else:
                exchange(self._calls, target.folder, step.temp, target.name)
        except (FileExistsError, FileNotFoundError) as error:
            raise ChangedError(target.path, target.read()[0]) from error
        displaced = target.contents(step.temp)
        if displaced != change.base:
            raise ChangedError(target.path, displaced)

    def _tidy(self, steps: Sequence[_Step], entries: Sequence[Entry]) -> list[int]:
        """Removes the temp files; answers the entries whose file would not go."""
        untidy = []
        for step, entry in zip(steps, entries, strict=True):
            if step.change.base is None:
                continue  # its temp file is the file now
            try:
                remove(self._calls, step.target, step.temp)
            except OSError:
                untidy.append(entry.id)
        return untidy

    def _abandon(self, steps: Sequence[_Step], entries: Sequence[Entry], error: BaseException) -> None:
        """Take everything back and raise `error`, or Unsettled if that fails too."""
        try:
            for step, entry in zip(steps, entries, strict=True):
                take_back(self._calls, step.target, entry)
            for step in steps:
                os.fsync(step.target.folder)
            with self._ledger.transaction(durable=False) as db:
                self._journal.abort(db, entries[0].group)
        except (OSError, ReadOnly, Busy) as second:
            path = steps[0].target.path
            message = f"Whether {path} was written is settled at the next start: {error}; {second}."
            raise Unsettled(message, path=path, reason=str(second)) from error
        if isinstance(error, OSError):
            raise _failed(steps, error) from error
        raise error

    def _is_left(self, group: Group) -> bool:
        if group.process == self._process:
            return group.id not in self._active
        return not is_alive(group.process)

    def _settle(self, db: sqlite3.Connection, group: Group, entries: Sequence[Entry]) -> None:
        with self._held(entries) as found:
            try:
                outcomes = {entry.id: outcome(target, entry) for entry, target in found}
                done = all(each is Outcome.HAPPENED for each in outcomes.values())
                if entries[0].state in ("committed", "aborted", "foreign") or done:
                    for entry, target in found:
                        remove(self._calls, target, entry.temp or "")
                    finish = (
                        self._journal.commit
                        if done or entries[0].state == "committed"
                        else self._journal.abort
                    )
                    finish(db, group.id)
                    return
                foreign = [entry for entry, target in found if not take_back(self._calls, target, entry)]
                self._finish(db, group, entries, foreign)
            except OSError as error:
                self._notice(
                    entries[0].path, f"what was left of a write cannot be settled yet: {error.strerror}"
                )

    def _finish(
        self, db: sqlite3.Connection, group: Group, entries: Sequence[Entry], foreign: Sequence[Entry]
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
    def _held(self, entries: Sequence[Entry]) -> Iterator[list[tuple[Entry, Target]]]:
        """The entries whose folder is still there, each with its target."""
        with ExitStack() as stack:
            found = []
            for entry in entries:
                if entry.temp is not None:
                    with contextlib.suppress(FileMissing, PathRefused):
                        found.append((entry, stack.enter_context(Target.hold(self._root, entry.path))))
            yield found

    def _notice(self, path: str, why: str) -> None:
        self.notices.append(
            Notice(severity="warning", message=f"{path}: {why}.", what_to_do="Look at the file.", file=path)
        )


def _prepared(entry: Entry) -> Entry:
    return Entry(
        entry.id, entry.group, entry.path, "prepared", entry.temp, entry.size, entry.base_hash, entry.new_hash
    )


def _failed(steps: Sequence[_Step], error: OSError) -> CodeCortexError:
    path = steps[0].target.path
    return ReadOnly(f"{path} cannot be written: {error.strerror}.", path=path, reason=str(error.strerror))
