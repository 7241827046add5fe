"""Long work item by item, until somebody ends it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

from services.errors import Cancelled

T = TypeVar("T")


def until(cancel: threading.Event | None, items: Iterable[T], *, message: str, every: int = 1) -> Iterator[T]:
    """The items. Raises Cancelled, with that message, before the next one once `cancel` is set; it is looked at before
    one of `every` so many."""
    for number, item in enumerate(items):
        if not number % every and cancel is not None and cancel.is_set():
            raise Cancelled(message)
        yield item
