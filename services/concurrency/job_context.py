"""Who follows the work of a thread: a call may come to wait far below where it was made, for the index or for the
dependencies, and its caller wants to know how far that is, and may give up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from services.model import Progress


class Follower(NamedTuple):
    """`progress` is told on the working thread; setting `cancel` ends the work with Cancelled."""

    progress: Callable[[Progress], None] | None = None
    cancel: threading.Event | None = None


_NOBODY = Follower()
_FOLLOWER: ContextVar[Follower] = ContextVar("follower", default=_NOBODY)


@contextmanager
def followed(progress: Callable[[Progress], None] | None, cancel: threading.Event | None) -> Iterator[None]:
    """Who follows what this thread does in the block."""
    token = _FOLLOWER.set(Follower(progress, cancel))
    try:
        yield
    finally:
        _FOLLOWER.reset(token)


def follower() -> Follower:
    """Who follows this thread; nobody, where nothing was said."""
    return _FOLLOWER.get()
