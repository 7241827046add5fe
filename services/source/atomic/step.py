"""Step of a guarded write for one file: the new version is written next to the old one with its mode, owner and
attributes, and is exchanged with it."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from functools import cache
from pathlib import Path

import msgspec

from services.source.atomic.outcome import remove
from services.source.atomic.system_calls import SystemCalls, exchange, move
from services.source.atomic.target import WriteTarget
from services.source.journal.journal import JournaledChange
from services.workspace.files.openers import held
from services.workspace.files.root import Root

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_PRIVATE = 0o600
_DESCRIPTORS = "/proc/self/fd"
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.ENOENT, errno.EINVAL)
"""Errors of open(2) for O_TMPFILE where the file system, or the kernel, does not support it."""
_UMASK = re.compile(r"^Umask:\s*([0-7]+)$", re.MULTILINE)


Like = tuple[str, os.stat_result]
"""Name and status of the file in the folder whose mode, owner and attributes the new one takes."""


def make_unnamed(calls: SystemCalls, folder: int, data: bytes, *, like: Like | None) -> int | None:
    """Create an unnamed file in the folder, of which nothing remains if the process is killed. Returns a descriptor,
    which the caller closes; None where unnamed files are not supported. Not yet on the disk. Raises OSError, also
    where the owner cannot be preserved.

    Raises OSError, also where the owner cannot be kept."""
    if not _can_be_unnamed():
        return None
    try:
        descriptor = calls.run(
            os.open, ".", os.O_WRONLY | os.O_TMPFILE | os.O_CLOEXEC, _PRIVATE, dir_fd=folder
        )
    except OSError as error:
        if error.errno in _NO_UNNAMED:
            return None
        raise
    return _filled(calls, folder, descriptor, data, like)


def name_unnamed(calls: SystemCalls, descriptor: int, folder: int, name: str) -> None:
    """Gives a file of `make_unnamed` its name, which must not be there. Raises OSError."""
    calls.run(os.link, f"{_DESCRIPTORS}/{descriptor}", name, dst_dir_fd=folder, follow_symlinks=True)


def make_named(calls: SystemCalls, folder: int, name: str, data: bytes, *, like: Like | None) -> int:
    """Create a file like make_unnamed, under a name that must not exist; after a failure a partial file may remain."""
    descriptor = calls.run(os.open, name, _FLAGS, _PRIVATE, dir_fd=folder)
    return _filled(calls, folder, descriptor, data, like)


def _filled(calls: SystemCalls, folder: int, descriptor: int, data: bytes, like: Like | None) -> int:
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[calls.run(os.write, descriptor, rest) :]
        _dress(calls, descriptor, None if like is None else like[1])
        if like is not None:
            _copy_attributes(folder, like[0], descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@cache
def _can_be_unnamed() -> bool:
    return hasattr(os, "O_TMPFILE") and Path(_DESCRIPTORS).is_dir()


def _copy_attributes(folder: int, old: str, new: int) -> None:
    """Access lists and other extended attributes, as far as the file system takes them."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError), held(old, _READ, folder=folder) as descriptor:
        for attribute in os.listxattr(descriptor):
            with contextlib.suppress(OSError):
                os.setxattr(new, attribute, os.getxattr(descriptor, attribute))


def _dress(calls: SystemCalls, descriptor: int, like: os.stat_result | None) -> None:
    """Owner before mode: changing the owner may clear bits of the mode."""
    if like is None:
        calls.run(os.fchmod, descriptor, 0o666 & ~_umask())
        return
    made = os.fstat(descriptor)
    if (made.st_uid, made.st_gid) != (like.st_uid, like.st_gid):
        calls.run(os.fchown, descriptor, like.st_uid, like.st_gid)
    calls.run(os.fchmod, descriptor, stat.S_IMODE(like.st_mode))


def _umask() -> int:
    """The process's mask, read without changing it (os.umask is not safe among threads)."""
    try:
        match = _UMASK.search(Path("/proc/self/status").read_text("ascii", "replace"))
    except OSError:
        match = None
    return int(match[1], 8) if match else 0o022


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folder(calls: SystemCalls, root: Root, folder: str) -> None:
    """Make a folder (normalised) and its missing parents; no link is followed.

    Each is on the disk when this returns: the journal is written later, and must not name a folder that a power loss
    removed. A process killed meanwhile leaves empty folders, which are harmless. Raises OSError."""
    above, missing = _nearest(root, folder)
    try:
        for name in missing:
            with contextlib.suppress(FileExistsError):  # others make it too
                calls.run(os.mkdir, name, 0o777, dir_fd=above)
            calls.run(os.fsync, above)
            below = os.open(name, _FOLDER, dir_fd=above)
            os.close(above)
            above = below
    finally:
        os.close(above)


def _nearest(root: Root, folder: str) -> tuple[int, list[str]]:
    """A descriptor of the nearest folder that is there, and the names below it that are not."""
    missing: list[str] = []
    while folder:
        try:
            return root.open_folder(folder), missing
        except FileNotFoundError:
            folder, _, name = folder.rpartition("/")
            missing.insert(0, name)
    return root.open_folder("."), missing


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
    temp: str = msgspec.field(default_factory=lambda: _TEMP.format(os.urandom(8).hex()))
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
