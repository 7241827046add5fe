"""Doors to files: names that no door ever opens, and two ways to open a path below a descriptor without ever
following a symlink, with the same verdicts.

The names are git's own folder and the program's files, however they are spelled. The spellings are those git refuses
in a tree (`is_ntfs_dotgit`, `is_hfs_dotgit`): file systems that fold case, drop trailing dots and blanks, ignore
some code points or know alternate streams would open the same folder for them.

Both ways take a path that is already normalised (no `.`, `..`, empty component or leading `/`). A symlink anywhere
in it is `OSError(ELOOP)`; following the links that may be followed is the caller's work (`root.py`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import os
import platform
import stat
import sys
from collections.abc import Iterator
from typing import Protocol

from services.concurrency.lazy import expression

SHARED_FOLDER = ".context"
"""Readable files of the program, in the repository."""
STATE_FOLDER = ".codecortex-state"
"""The program's private state in the person's own folder. The name is unusual, so that it is recognised wherever a
workspace contains that folder."""

_HFS_IGNORABLE = expression("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_REASONS = {
    ".git": "it is git's own folder",
    "git~1": "it is git's own folder under a short name",
    SHARED_FOLDER: "it holds the program's own files",
    "contex~1": "it holds the program's own files under a short name",
    STATE_FOLDER: "it holds the program's own state",
    "codeco~1": "it holds the program's own state under a short name",
}


_ODD = frozenset("~\\")


@functools.lru_cache(maxsize=16_384)
def protected(component: str) -> str | None:
    """Why a path with this component is refused, as a clause (`it is git's own folder`); None where it is
    not.
    """
    if component.isascii() and not component.startswith(".") and _ODD.isdisjoint(component):
        return None  # as nearly all are
    for piece in component.split("\\"):
        bare = _HFS_IGNORABLE.sub("", piece).partition(":")[0].rstrip(". ").lower()
        if reason := _REASONS.get(bare):
            return reason
    return None


def is_utf8(path: str) -> bool:
    """Whether a path is one of characters. What is not holds halves of surrogate pairs, which no database takes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True


PATH_ONLY = getattr(os, "O_PATH", os.O_RDONLY)
PRIVATE = 0o600
"""The mode of files that the program makes for itself."""

_SYS_OPENAT2 = 437
_MACHINES = frozenset({"x86_64", "aarch64"})
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08


class Opener(Protocol):
    """A way to open `relative` below `folder`. Raises OSError; ELOOP for a symlink in any place."""

    def open(self, folder: int, relative: str, flags: int) -> int:
        """The new descriptor. `flags` as for os.open; close-on-exec is added."""
        ...


class _OpenHow(ctypes.Structure):
    """`struct open_how` of openat2(2)."""

    _fields_ = [("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64)]


class KernelOpener:
    """Opener with openat2(2): the kernel itself confines the whole walk to the folder. Linux 5.6 and later."""

    def __init__(self) -> None:
        self._syscall = ctypes.CDLL(None, use_errno=True).syscall
        self._syscall.restype = ctypes.c_long
        self._syscall.argtypes = (
            ctypes.c_long,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.POINTER(_OpenHow),
            ctypes.c_size_t,
        )

    def open(self, folder: int, relative: str, flags: int) -> int:
        """Implement Opener.open; one system call."""
        how = _how(flags)
        name = os.fsencode(relative)
        while True:
            opened = self._syscall(_SYS_OPENAT2, folder, name, ctypes.byref(how), ctypes.sizeof(how))
            if opened >= 0:
                return opened
            code = ctypes.get_errno()
            if code not in (errno.EINTR, errno.EAGAIN):
                raise OSError(code, os.strerror(code), relative)


@functools.cache
def _how(flags: int) -> _OpenHow:
    """The kernel only reads it, so that all threads may share one."""
    return _OpenHow(flags | os.O_CLOEXEC, 0, _RESOLVE_BENEATH | _RESOLVE_NO_MAGICLINKS | _RESOLVE_NO_SYMLINKS)


class WalkOpener:
    """Opener with one O_NOFOLLOW open per component, each relative to the one before: for kernels without openat2."""

    def open(self, folder: int, relative: str, flags: int) -> int:
        """Implement Opener.open; a system call or two per component."""
        *parents, last = relative.split("/")
        with contextlib.ExitStack() as held:
            for name in parents:
                folder = _step(folder, name, PATH_ONLY | os.O_DIRECTORY)
                held.callback(os.close, folder)
            return _step(folder, last, flags)


def _step(folder: int, name: str, flags: int) -> int:
    """Open a component. ELOOP for a symlink (the kernel reports ENOTDIR, or opens it for O_PATH), EXDEV for `..`."""
    if name == "..":
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), name)
    try:
        opened = os.open(name, flags | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
    except NotADirectoryError:
        if stat.S_ISLNK(os.lstat(name, dir_fd=folder).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from None
        raise
    if flags & PATH_ONLY and stat.S_ISLNK(os.fstat(opened).st_mode):
        os.close(opened)
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name)
    return opened


@functools.cache
def best_opener() -> Opener:
    """Return the kernel's opener where it works (tested once: old kernels and some sandboxes lack it), else the
    walking one."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        return WalkOpener()
    kernel = KernelOpener()
    try:
        with held("/", os.O_RDONLY | os.O_DIRECTORY) as folder:
            os.close(kernel.open(folder, ".", PATH_ONLY | os.O_DIRECTORY))
    except OSError:
        return WalkOpener()
    return kernel


@contextlib.contextmanager
def held(path: str, flags: int, *, folder: int | None = None) -> Iterator[int]:
    """A descriptor of `path` (below `folder` if given) for the length of a block; a file that is made is its owner's
    alone. Raises OSError."""
    descriptor = os.open(path, flags | os.O_CLOEXEC, PRIVATE, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
