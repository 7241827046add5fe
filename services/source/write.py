"""The guarded write (SAFETY, Writes): one file or several as one, under their locks, all or nothing.

    new files without a name: written, mode and owner, fsynced; at the same time `prepared` with the old bytes, and the
    journal fsynced → [nobody can break a lock from here] locks again → the new files get temp names → exchange → what
    was displaced is what the caller saw → folders fsynced → temp names removed → `committed`

Nothing is exchanged before both are on the disk. Where the file system has no files without a name they are made under
their temp names once the journal is on the disk: after a loss of power one of them may hold anything; `settle` knows.

Wherever it fails or is killed, the old bytes stand or the new ones; `recovery` tidies up after the dead.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import msgspec

from services.errors import Busy, CodeCortexError, ReadOnly, Unsettled
from services.source.calls import Calls
from services.source.fresh import make_named, make_unnamed, name_unnamed
from services.source.journal import Change, Entry, Intent, Journal, digest
from services.source.ledger import Ledger
from services.source.locks import Locks
from services.source.recovery import Recovery
from services.source.settle import remove, take_back
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
    fresh: int | None = None
    displaced: int | None = None
    mtime_ns: int = 0

    @property
    def old(self) -> tuple[str, os.stat_result] | None:
        """Name and status of the file that is there."""
        return None if self.like is None else (self.target.name, self.like)

    def close(self) -> None:
        """Lets go of the new file; without a name it is gone then."""
        if self.fresh is not None:
            os.close(self.fresh)
            self.fresh = None

    def check_displaced(self) -> None:
        """Raises ChangedError where the exchange displaced something else than what the change starts from."""
        if self.change.base is not None:
            data, self.displaced = self.target.opened(self.temp)
            if data != self.change.base:
                raise ChangedError(self.target.path, data)


class GuardedWriter:
    """Writes. Thread-safe. `recovery`: settles what others left."""

    def __init__(
        self, root: Root, ledger: Ledger, *, locks: Locks, journal: Journal, calls: Calls | None = None
    ) -> None:
        self._root = root
        self._ledger = ledger
        self._locks = locks
        self._journal = journal
        self._calls = calls or Calls()
        self.recovery = Recovery(root, ledger, journal=journal, calls=self._calls)

    def write(self, changes: Sequence[Change], handles: Sequence[str], *, intent: Intent) -> Written:
        """Make all `changes`, or none. The process of `intent` is filled in here.

        Raises ChangedError, LockRequired, PathRefused, FileMissing, ReadOnly, Busy: then nothing is written; only
        Unsettled leaves that open until the program starts again."""
        self.recovery.settle_all()
        with ExitStack() as stack:
            steps = [self._step(change, stack) for change in changes]
            stack.callback(self._calls.beside, _free, steps)
            try:
                self._make(steps, stack)
                made = self._calls.beside(self._flush, steps)
                stack.callback(_wait, made)
                entries = self._calls.run(self._prepare, steps, handles, intent)
            except OSError as error:
                raise _failed(steps, error) from error
            try:
                self._perform(steps, entries, handles, made)
            finally:
                self.recovery.ended(entries[0].group)
        mtimes = {step.target.path: step.mtime_ns for step in steps if step.change.new is not None}
        return Written(
            entries[0].group,
            mtimes,
            {entry.path: entry.base_hash for entry in entries},
            {entry.path: entry.new_hash for entry in entries},
        )

    def _step(self, change: Change, stack: ExitStack) -> _Step:
        target = stack.enter_context(Target.open(self._root, change.path))
        like = target.writable()
        # A first look spares a write in vain; what the exchange displaces decides.
        if (None if like is None else like.st_size) != (None if change.base is None else len(change.base)):
            raise ChangedError(target.path, target.read()[0])
        return _Step(change, target, like)

    def _prepare(self, steps: Sequence[_Step], handles: Sequence[str], intent: Intent) -> tuple[Entry, ...]:
        begun = Intent(
            kind=intent.kind, owner=intent.owner, process=self.recovery.process, undoes=intent.undoes
        )
        # Before others wait for the journal.
        _ = [step.change.digests for step in steps]
        with self._ledger.transaction(durable=False) as db:
            planned = [
                (step.change, step.temp, self._locks.fence_of(db, step.target.path, handles))
                for step in steps
            ]
            entries = self._journal.prepare(db, begun, planned)
            self.recovery.began(entries[0].group)
        return entries

    def _perform(
        self,
        steps: Sequence[_Step],
        entries: Sequence[Entry],
        handles: Sequence[str],
        made: Callable[[], object],
    ) -> None:
        landed = False
        try:
            self._calls.run(self._ledger.flush)
            made()
            self._make_named(steps)
            with self._ledger.transaction(durable=False) as db:
                for step in steps:
                    self._locks.require_still(db, step.target.path, handles)
                self._name(steps)
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

    def _make(self, steps: Sequence[_Step], stack: ExitStack) -> None:
        """New files without a name; none where the file is to go, or the file system has no such files."""
        for step in steps:
            stack.callback(step.close)
            if step.change.new is not None:
                step.fresh = make_unnamed(self._calls, step.target.folder, step.change.new, like=step.old)

    def _flush(self, steps: Sequence[_Step]) -> None:
        for step in steps:
            if step.fresh is not None:
                step.mtime_ns = self._flushed(step.fresh)

    def _make_named(self, steps: Sequence[_Step]) -> None:
        """Temp files, on the disk, for what could not be made without a name."""
        for step in steps:
            if step.change.new is not None and step.fresh is None:
                data, folder = step.change.new, step.target.folder
                descriptor = make_named(self._calls, folder, step.temp, data, like=step.old)
                try:
                    step.mtime_ns = self._flushed(descriptor)
                finally:
                    os.close(descriptor)

    def _flushed(self, descriptor: int) -> int:
        """The mtime in ns of a file that is on the disk now."""
        self._calls.run(os.fsync, descriptor)
        return os.fstat(descriptor).st_mtime_ns

    def _name(self, steps: Sequence[_Step]) -> None:
        for step in steps:
            if step.fresh is not None:
                name_unnamed(self._calls, step.fresh, step.target.folder, step.temp)

    def _exchange(self, steps: Sequence[_Step]) -> None:
        for step in steps:
            self._exchange_one(step)
            step.check_displaced()
        for step in steps:
            self._calls.run(os.fsync, step.target.folder)

    def _exchange_one(self, step: _Step) -> None:
        target, change = step.target, step.change
        try:
            if change.base is None:
                move(self._calls, target.folder, step.temp, target.name)
            elif change.new is None:
                move(self._calls, target.folder, target.name, step.temp)
            else:
                exchange(self._calls, target.folder, step.temp, target.name)
        except (FileExistsError, FileNotFoundError) as error:
            raise ChangedError(target.path, target.read()[0]) from error

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


def _wait(made: Callable[[], object]) -> None:
    """Until nobody needs the files, which are closed next."""
    with contextlib.suppress(OSError):
        made()


def _free(steps: Sequence[_Step]) -> None:
    """Lets go of what was displaced. Its blocks are given back with the last who holds it, which takes a while: nobody
    has to wait for that."""
    for step in steps:
        if step.displaced is not None:
            os.close(step.displaced)


def _failed(steps: Sequence[_Step], error: OSError) -> CodeCortexError:
    path = steps[0].target.path
    return ReadOnly(f"{path} cannot be written: {error.strerror}.", path=path, reason=str(error.strerror))
