"""Answers about one revision of the index, however many questions they take."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from services.index.index import Index


class RevisionReader(Protocol):
    """Service that queries an index."""

    _index: Index


S = TypeVar("S", bound=RevisionReader)
P = ParamSpec("P")
T = TypeVar("T")


def of_one_revision(method: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """Decorate a method so that all its queries use one revision of the index."""

    @wraps(method)
    def asked(self: S, *arguments: P.args, **named: P.kwargs) -> T:
        with self._index.reading():
            return method(self, *arguments, **named)

    return asked
