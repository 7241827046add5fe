"""Answers about one revision of the index, however many questions they take."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from services.index.index import Index


class Asking(Protocol):
    """Service that asks an index."""

    _index: Index


S = TypeVar("S", bound=Asking)
P = ParamSpec("P")
T = TypeVar("T")


def of_one_revision(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """All that a method asks of the index is of one revision."""

    @wraps(method)
    def asked(self: S, *arguments: P.args, **named: P.kwargs) -> T:
        with self._index.reading():
            return method(self, *arguments, **named)

    return asked
