"""Work that nobody waits for makes room for what somebody does.

Work that is to end by itself after a while.

Long work item by item, until somebody ends it.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from services.errors import Cancelled


class GivingWay(threading.Event):
    """Set, it ends a job, like any event that a job is given to be cancelled by. A job asks it again and again; being
    held, it lets the job wait for the answer, so that the processor is somebody else's meanwhile. `patience`: seconds
    that the job still waits, all waits together."""

    def __init__(self, *, patience: float = math.inf) -> None:
        super().__init__()
        self.patience = patience
        self._until = 0.0

    def hold(self, seconds: float) -> None:
        """The job waits for so long from now on, unless it is to end before."""
        self._until = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether the job is to end; answered when the job may go on."""
        while not super().is_set() and (left := self._left()) > 0:
            began = time.monotonic()
            self.wait(left)
            self.patience -= time.monotonic() - began
        return super().is_set()

    def _left(self) -> float:
        return min(self._until - time.monotonic(), self.patience)


class Deadline(threading.Event):
    """A wish to end that comes true after `seconds`, by a clock that cannot be set."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._ends = time.monotonic() + seconds

    def is_set(self) -> bool:
        """Whether it is time, or somebody wished it before."""
        return super().is_set() or time.monotonic() >= self._ends


T = TypeVar("T")


def until(cancel: threading.Event | None, items: Iterable[T], *, message: str, every: int = 1) -> Iterator[T]:
    """The items. Raises Cancelled, with that message, before the next one once `cancel` is set; it is looked at before
    one of `every` so many."""
    for number, item in enumerate(items):
        if not number % every and cancel is not None and cancel.is_set():
            raise Cancelled(message)
        yield item
