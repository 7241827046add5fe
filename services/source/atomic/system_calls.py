"""The seam through which a write makes its system calls, so that a test can make any of them fail.

Where renameat2(2) is supported, the exchange is one step of the kernel. Elsewhere (`portable`) the old file gets a
second name first and a plain rename follows: another process that renames in the microseconds between the two is
overwritten; a killed process leaves the old bytes or the new ones all the same.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import weakref
from _thread import allocate_lock, start_new_thread
from collections.abc import Callable
from functools import cache, cached_property, partial
from queue import SimpleQueue
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

NOREPLACE = 1
EXCHANGE = 2
"""Flags of renameat2(2)."""


class SystemCalls:
    """Makes each call as it is. A test's own counts them, fails one, or ends the process there."""

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`function` of the arguments. Raises OSError, and what the function raises."""
        return function(*args, **kwargs)

    def start(self, function: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> Callable[[], object]:
        """Begins `function` of the arguments on another thread. Calling the answer waits for its end, and raises what
        it raised."""
        job = _QueuedCall(partial(function, *args, **kwargs))
        self._jobs.put(job)
        return job.wait

    @cached_property
    def _jobs(self) -> SimpleQueue[_QueuedCall | None]:
        """For one thread, which stays until this is gone: to start one takes as long as a quick disk."""
        jobs: SimpleQueue[_QueuedCall | None] = SimpleQueue()
        start_new_thread(_work, (jobs,))
        weakref.finalize(self, jobs.put, None)
        return jobs


class _QueuedCall:
    """Call on another thread, and its end. A Future's bookkeeping would cost as much as the call."""

    def __init__(self, act: Callable[[], object]) -> None:
        self._act = act
        self._under_way = allocate_lock()
        self._under_way.acquire()
        self._error: BaseException | None = None

    def run(self) -> None:
        """Does it."""
        try:
            self._act()
        except BaseException as error:  # noqa: BLE001 - whoever waits is told
            self._error = error
        self._under_way.release()

    def wait(self) -> None:
        """Until it is done. Raises what it raised."""
        with self._under_way:
            if self._error is not None:
                raise self._error


def _work(jobs: SimpleQueue[_QueuedCall | None]) -> None:
    while (job := jobs.get()) is not None:
        job.run()
        del job


def renameat2(folder: int, old: str, new: str, flags: int) -> None:
    """renameat2(2) within one folder. Raises OSError; ENOSYS where the system has no such call."""
    library = _library()
    if library is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS), old)
    if library(folder, os.fsencode(old), folder, os.fsencode(new), flags) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), old)


@cache
def _library() -> Any:
    function = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return function


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
