"""The new file beside the old one: written, with the old one's mode, owner and attributes."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from services.source.calls import Calls

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_PRIVATE = 0o600
_UMASK = re.compile(r"^Umask:\s*([0-7]+)$", re.MULTILINE)


def make_fresh(calls: Calls, folder: int, name: str, data: bytes, *, like: os.stat_result | None) -> int:
    """Create `name`, which must not be there, with `data`; answers a descriptor, which the caller closes. Not yet on
    the disk. `like`: the file whose mode and owner it takes.

    Raises OSError, also where the owner cannot be kept; then a part of it may be there."""
    descriptor = calls.run(os.open, name, _FLAGS, _PRIVATE, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[calls.run(os.write, descriptor, rest) :]
        _dress(calls, descriptor, like)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def copy_attributes(folder: int, old: str, new: str) -> None:
    """Access lists and other extended attributes, as far as the file system takes them."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
        opened = []
        for name in (old, new):
            opened.append(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder))
            stack.callback(os.close, opened[-1])
        for attribute in os.listxattr(opened[0]):
            with contextlib.suppress(OSError):
                os.setxattr(opened[1], attribute, os.getxattr(opened[0], attribute))


def _dress(calls: Calls, descriptor: int, like: os.stat_result | None) -> None:
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
