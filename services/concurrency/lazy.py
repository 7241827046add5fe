"""Values computed on first use: attributes, by the first thread that reads them, and regular expressions."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any, AnyStr, Generic, TypeVar, cast, overload

S = TypeVar("S")
T = TypeVar("T")
_LOCK = "lazy_lock"


class lazy(Generic[S, T]):  # noqa: N801 - a decorator, like property
    """Attribute that is computed on first access and then stored on the instance. The function may be defined
    elsewhere.

    One lock an instance is held meanwhile; it is reentrant, since attributes may depend on others. A copy of the
    instance has the values computed so far, and shares the lock."""

    def __init__(self, make: Callable[[S], T]) -> None:
        self.__doc__ = make.__doc__
        self._make = make
        self._name = ""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> lazy[S, T]: ...
    @overload
    def __get__(self, instance: S, owner: type[Any]) -> T: ...
    def __get__(self, instance: S | None, owner: type[Any]) -> lazy[S, T] | T:
        if instance is None:
            return self
        parts = instance.__dict__
        if self._name not in parts:
            with parts.setdefault(_LOCK, threading.RLock()):  # made before, or now: one for all threads
                if self._name not in parts:
                    parts[self._name] = self._make(instance)
        return parts[self._name]

    def peek(self, instance: S) -> T | None:
        """Return the value of an instance if it was computed, else None."""
        return instance.__dict__.get(self._name)

    def put(self, instance: S, value: T) -> None:
        """Use a value that is known already."""
        instance.__dict__[self._name] = value

    def drop(self, instance: S) -> None:
        """Have the value computed again when it is read next."""
        instance.__dict__.pop(self._name, None)


class _Expression:
    """Regular expression that is compiled on first use. A method that was used stays an attribute."""

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self._pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = self.__dict__[name] = getattr(re.compile(self._pattern, self._flags), name)
        return found


def expression(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a regular expression that is compiled on first use: there are hundreds, and a command needs few."""
    return cast("re.Pattern[AnyStr]", _Expression(pattern, flags))
