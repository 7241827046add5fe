"""The seam through which a write makes its system calls, so that a test can make any of them fail."""

from __future__ import annotations

import ctypes
import errno
import os
from _thread import start_new_thread
from collections.abc import Callable
from concurrent.futures import Future
from functools import cache
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

NOREPLACE = 1
EXCHANGE = 2
"""Flags of renameat2(2)."""


class Calls:
    """Makes each call as it is. A test's own counts them, fails one, or ends the process there."""

    def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`function` of the arguments. Raises OSError, and what the function raises."""
        return function(*args, **kwargs)

    def beside(
        self, function: Callable[P, object], *args: P.args, **kwargs: P.kwargs
    ) -> Callable[[], object]:
        """Begins `function` of the arguments on another thread. Calling the answer waits for its end, and raises what
        it raised."""
        ended: Future[object] = Future()

        def act() -> None:
            try:
                ended.set_result(function(*args, **kwargs))
            except BaseException as error:  # noqa: BLE001 - whoever waits is told
                ended.set_exception(error)

        # A Thread's start would wait until the thread runs.
        start_new_thread(act, ())
        return ended.result


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
