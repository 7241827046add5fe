"""Step of a guarded write for one file: the new file is made, gets a temp name, and is exchanged with the old one."""

from __future__ import annotations

import os
import secrets

import msgspec

from services.source.atomic.new_file import make_named, make_unnamed, name_unnamed
from services.source.atomic.outcome import remove
from services.source.atomic.system_calls import SystemCalls, exchange, move
from services.source.atomic.target import WriteTarget
from services.source.journal.journal import JournaledChange

_TEMP = ".codecortex-{}.tmp"


class ChangedError(Exception):
    """The file does not hold the bytes the change starts from. `current`: those it holds; None for no file."""

    def __init__(self, path: str, current: bytes | None) -> None:
        super().__init__(path)
        self.path = path
        self.current = current


class WriteStep(msgspec.Struct):
    """`like`: status of the file that is there, None for none; `temp`: the name that the new file gets on its way.
    `mtime_ns`: of the new file, once it is on the disk."""

    calls: SystemCalls
    change: JournaledChange
    target: WriteTarget
    like: os.stat_result | None
    temp: str = msgspec.field(default_factory=lambda: _TEMP.format(secrets.token_hex(8)))
    mtime_ns: int = 0
    _fresh: int | None = None
    _displaced: int | None = None

    def digest(self) -> None:
        """Compute the hashes of both contents for the journal."""
        _ = self.change.digests

    def make(self) -> None:
        """The new file without a name; none where the file is to go, or the file system has no such files."""
        if self.change.new is not None:
            self._fresh = make_unnamed(self.calls, self.target.folder, self.change.new, like=self._old)

    def flush(self) -> None:
        """Waits until what `make` made is on the disk."""
        if self._fresh is not None:
            self._flush(self._fresh)

    def make_named(self) -> None:
        """The new file under its temp name and on the disk, if it could not be made without one."""
        if self.change.new is not None and self._fresh is None:
            data, folder = self.change.new, self.target.folder
            descriptor = make_named(self.calls, folder, self.temp, data, like=self._old)
            try:
                self._flush(descriptor)
            finally:
                os.close(descriptor)

    def name(self) -> None:
        """Gives what `make` made its temp name."""
        if self._fresh is not None:
            name_unnamed(self.calls, self._fresh, self.target.folder, self.temp)

    def exchange(self) -> None:
        """Puts the new file in the old one's place. Raises ChangedError where that is not what the change starts
        from."""
        target, change = self.target, self.change
        try:
            if change.base is None:
                move(self.calls, target.folder, self.temp, target.name)
                return
            if change.new is None:
                move(self.calls, target.folder, target.name, self.temp)
            else:
                exchange(self.calls, target.folder, self.temp, target.name)
        except (FileExistsError, FileNotFoundError) as error:
            raise ChangedError(target.path, target.read()[0]) from error
        data, self._displaced = target.opened(self.temp)
        if data != change.base:
            raise ChangedError(target.path, data)

    def tidy(self) -> bool:
        """Removes the temp name; whether that went well."""
        if self.change.base is not None:  # else it is the file's own name now
            try:
                remove(self.calls, self.target, self.temp)
            except OSError:
                return False
        return True

    def close(self) -> None:
        """Lets go of the new file; without a name it is gone then."""
        if self._fresh is not None:
            os.close(self._fresh)
            self._fresh = None

    def free(self) -> None:
        """Lets go of what was displaced: its blocks are given back with the last who holds it."""
        if self._displaced is not None:
            os.close(self._displaced)
            self._displaced = None

    @property
    def _old(self) -> tuple[str, os.stat_result] | None:
        return None if self.like is None else (self.target.name, self.like)

    def _flush(self, descriptor: int) -> None:
        self.calls.run(os.fsync, descriptor)
        self.mtime_ns = os.fstat(descriptor).st_mtime_ns
