"""Long work item by item, until somebody ends it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

from services.errors import Cancelled

T = TypeVar("T")


def until(cancel: threading.Event | None, items: Iterable[T], *, every: int = 64) -> Iterator[T]:
    """The items. Raises Cancelled before the first, or before one of `every` so many, once `cancel` is set."""
    for number, item in enumerate(items):
        if not number % every and cancel is not None and cancel.is_set():
            raise Cancelled("It was cancelled. Ask again to go on.")
        yield item
