"""Memory of many objects: made without the garbage collector walking over all of them again and again, and given back
to the system once they are freed."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def paused_collector(*, for_good: bool) -> Iterator[None]:
    """Disable the garbage collector for the block. `for_good`: objects alive afterwards are frozen, that is exempt
    from collection; use it once, for data that lives as long as the process, since any garbage alive then stays too.

    A collection over a hundred thousand symbols takes 50 ms, during which nothing is painted; the symbols form no
    cycles."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if for_good:
            gc.freeze()
        if was_on:
            gc.enable()


def freeze_objects() -> None:
    """Leaves what is there out of the collector's walks from now on, after a last one. For what stays as long as the
    process: of a large workspace each walk takes 70 ms, for which every call has to wait."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def thaw_objects() -> None:
    """Collect what was replaced, frozen or not, and have the collector walk over everything from now on. What binds
    names is circles through and through, so nothing else frees it; left until the collector comes by itself, it lies
    among what stays, and each time more memory is needed for the same."""
    gc.unfreeze()
    gc.collect()


_MOST_ARENAS, _ARENAS = -8, 2
"""`M_ARENA_MAX` of malloc.h, and how many there may be: as many as threads that run at a time, or nearly."""


def few_arenas() -> None:
    """Have the threads that begin from now on share what they free. The C library of Linux gives each an arena of its
    own, up to eight for each processor, and what one has freed no other uses."""
    import ctypes

    with suppress(OSError, TypeError, AttributeError):  # another system, or another library
        ctypes.CDLL(None).mallopt(_MOST_ARENAS, _ARENAS)


def give_back() -> None:
    """Return freed memory to the system. The C library of Linux retains it: 70 MB after an index was built."""
    import ctypes

    with suppress(OSError, TypeError, AttributeError):  # another system, or another library
        ctypes.CDLL(None).malloc_trim(0)
