"""Advisory locks on open files: `flock`, because its locks belong to the descriptor and so part threads
too."""

from __future__ import annotations

import fcntl
import time

_POLL = 0.02


def lock(descriptor: int, timeout: float | None = None, *, shared: bool = False) -> bool:
    """Whether the lock was had within `timeout` seconds (None: wait for ever; 0: only try). It ends with
    the descriptor. `shared`: others may have it too, as long as they share it. Raises OSError where the file system
    has no locks."""
    kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    if timeout is None:
        fcntl.flock(descriptor, kind)
        return True
    deadline = time.monotonic() + timeout
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                return False
            time.sleep(_POLL)
        else:
            return True


def unlock(descriptor: int) -> None:
    """Release the lock without closing the file; no effect where it is not locked."""
    fcntl.flock(descriptor, fcntl.LOCK_UN)
