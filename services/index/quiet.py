"""Many objects made without the garbage collector walking over all of them again and again."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Holds the collector off, and leaves what was made out of its walks for good.

    A hundred thousand symbols cost a walk of 50 ms, during which nothing is painted; they hold no circles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()
