"""Lazy attributes: computed once, on first access, by the first thread that reads them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, overload


class LazyOwner(Protocol):
    """Owner of lazy attributes. `lazy_lock`: locked while an attribute is computed; reentrant, since attributes may
    depend on others."""

    lazy_lock: threading.RLock


S = TypeVar("S", bound=LazyOwner)
T = TypeVar("T")


class lazy(Generic[S, T]):  # noqa: N801 - a decorator, like property
    """Attribute that is computed on first access and then stored on the instance. The function may be defined
    elsewhere."""

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
            with instance.lazy_lock:
                if self._name not in parts:
                    parts[self._name] = self._make(instance)
        return parts[self._name]

    def peek(self, instance: S) -> T | None:
        """The part of an instance if it was made, else None."""
        return instance.__dict__.get(self._name)
