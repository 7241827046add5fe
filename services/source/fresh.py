"""The new file beside the old one: written, with the old one's mode, owner and attributes."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from services.source.calls import Calls
from services.workspace.openers import held

_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_PRIVATE = 0o600
_UMASK = re.compile(r"^Umask:\s*([0-7]+)$", re.MULTILINE)


def make_fresh(
    calls: Calls, folder: int, name: str, data: bytes, *, like: tuple[str, os.stat_result] | None
) -> int:
    """Create `name`, which must not be there, with `data`; answers a descriptor, which the caller closes. Not yet on
    the disk. `like`: name and status of the file in the folder whose mode, owner and attributes it takes.

    Raises OSError, also where the owner cannot be kept; then a part of it may be there."""
    descriptor = calls.run(os.open, name, _FLAGS, _PRIVATE, dir_fd=folder)
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


def _copy_attributes(folder: int, old: str, new: int) -> None:
    """Access lists and other extended attributes, as far as the file system takes them."""
    if not hasattr(os, "listxattr"):
        return
    with contextlib.suppress(OSError), held(old, _READ, folder=folder) as descriptor:
        for attribute in os.listxattr(descriptor):
            with contextlib.suppress(OSError):
                os.setxattr(new, attribute, os.getxattr(descriptor, attribute))


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
