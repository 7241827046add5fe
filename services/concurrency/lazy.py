"""Parts that are made when they are first asked for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, TypeVar


class Making(Protocol):
    """What has such parts. `making`: held while one is made, so that it is made once whichever thread asks; reentrant,
    as parts ask for others."""

    making: threading.RLock


S = TypeVar("S", bound=Making)
T = TypeVar("T")


def once(make: Callable[[S], T]) -> Callable[[S], T]:
    """A method that is worked out at the first call and then always gives that; below `property`."""
    key = _key(make)

    @wraps(make)
    def kept(self: S) -> T:
        parts = self.__dict__
        if key not in parts:
            with self.making:
                if key not in parts:
                    parts[key] = make(self)
        return parts[key]

    return kept


def made(instance: object, part: property) -> Any:
    """A part if it was made, else None."""
    assert part.fget is not None
    return instance.__dict__.get(_key(part.fget))


def _key(make: Callable[..., object]) -> str:
    return f"once {make.__name__}"
