"""Exchange of a new file with the old one, which is preserved under another name (SAFETY, Writes).

Where renameat2(2) is supported, the exchange is one step of the kernel. Elsewhere (`portable`) the old file gets a
second name first and a plain rename follows: another process that renames in the microseconds between the two is
overwritten; a killed process leaves the old bytes or the new ones all the same."""

from __future__ import annotations

import contextlib
import errno
import os

from services.source.atomic.system_calls import EXCHANGE, NOREPLACE, SystemCalls, renameat2

KEPT = ".was"
"""Ending of the second name, which recovery removes."""
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP)


def exchange(calls: SystemCalls, folder: int, one: str, other: str) -> None:
    """Two names of a folder trade their files. Raises OSError; ENOENT if either is missing."""
    try:
        calls.run(renameat2, folder, one, other, EXCHANGE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _portable_exchange(calls, folder, one, other)


def move(calls: SystemCalls, folder: int, old: str, new: str) -> None:
    """`old` becomes `new`, which must not be there. Raises OSError; EEXIST if it is."""
    try:
        calls.run(renameat2, folder, old, new, NOREPLACE)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        calls.run(os.link, old, new, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        calls.run(os.unlink, old, dir_fd=folder)


def _portable_exchange(calls: SystemCalls, folder: int, fresh: str, name: str) -> None:
    kept = fresh + KEPT
    calls.run(os.link, name, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    try:
        calls.run(os.rename, fresh, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(kept, dir_fd=folder)
        raise
    calls.run(os.rename, kept, fresh, src_dir_fd=folder, dst_dir_fd=folder)
