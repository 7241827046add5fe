"""Asking again where that can help, after waiting longer each time (000 section 7.3)."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from services.errors import CodeCortexError, SourceError

DELAYS = (1.0, 2.0, 4.0)
"""Seconds before the second, third and fourth attempt."""

Answer = TypeVar("Answer")


def passes_by_itself(error: CodeCortexError) -> bool:
    """Whether the same call may succeed a moment later though nobody does anything: a busy index or database. The
    4000s never do: they want another call first, or a decision."""
    return error.retry and not isinstance(error, SourceError)


def with_back_off(
    call: Callable[[], Answer],
    *,
    sleep: Callable[[float], object] = time.sleep,
    delays: tuple[float, ...] = DELAYS,
) -> Answer:
    """The answer of `call`, asked again after each of `delays` while what stops it passes by itself.

    Raises what the last attempt raised; anything else, a conflict above all, at once."""
    for delay in delays:
        try:
            return call()
        except CodeCortexError as error:
            if not passes_by_itself(error):
                raise
        sleep(delay)
    return call()
