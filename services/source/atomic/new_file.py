"""The new version of a file, written next to the old one with its mode, owner and attributes; and missing folders of
a new file (SAFETY, Writes).

The folders of a file that is about to be made (SAFETY, Writes).
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from functools import cache
from pathlib import Path

from services.source.atomic.system_calls import SystemCalls
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
