"""Whether the kernel still has watches to give: the library goes on without a word for folders that get none."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path

_IN_MODIFY = 0x2
_CLOEXEC = os.O_CLOEXEC
_RAN_OUT = (errno.ENOSPC, errno.EMFILE)


def watches_left(folder: Path) -> bool:
    """Whether one more folder could be watched, found out by watching `folder` for a moment. True where the system
    does not count (anything but Linux)."""
    library = ctypes.CDLL(None, use_errno=True)
    if not hasattr(library, "inotify_init1"):
        return True
    descriptor = library.inotify_init1(_CLOEXEC)
    if descriptor < 0:
        return ctypes.get_errno() not in _RAN_OUT
    try:
        watch = library.inotify_add_watch(descriptor, os.fsencode(folder), _IN_MODIFY)
        return watch >= 0 or ctypes.get_errno() not in _RAN_OUT
    finally:
        os.close(descriptor)
