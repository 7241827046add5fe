"""Packed places where a file names types: results of binding bodies are stored, so that a hot type is looked up, not
bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from services.index.binding.facts import Fact

_KINDS = (
    "type", "argument", "attribute", "base", "call", "cast", "catch", "constraint", "cref", "nameof", "new", "pattern",
    "read", "typeof", "using", "write",
)  # fmt: skip
_NUMBERS = {kind: at for at, kind in enumerate(_KINDS)}


class NamedType(NamedTuple):
    """Place that names a type: offsets in the file, its role, whether no other type may be meant, and the enclosing
    declaration in the file, -1 outside all."""

    start: int
    end: int
    kind: str
    sure: bool
    declaration: int


@cache
def _layout() -> np.dtype[np.void]:
    import numpy as np

    fields = [
        ("type", "<u4"),
        ("start", "<u4"),
        ("at", "<i4"),
        ("length", "<u2"),
        ("kind", "u1"),
        ("sure", "u1"),
    ]
    return np.dtype(fields)


def packed(places: Iterable[tuple[int, Fact]]) -> bytes:
    """The places of a file, each (declaration, fact of a type), as bytes."""
    import numpy as np

    rows = [
        (fact.target, fact.start, at, fact.end - fact.start, _NUMBERS.get(fact.kind, 0), fact.sure)
        for at, fact in places
        if isinstance(fact.target, int)
    ]
    return np.array(rows, _layout()).tobytes()


def renumbered(data: bytes, types: Mapping[int, int]) -> bytes:
    """The places with other numbers of types. Raises KeyError for a type that has none."""
    import numpy as np

    rows = np.frombuffer(data, _layout()).copy()
    rows["type"] = [types[at] for at in rows["type"].tolist()]
    return rows.tobytes()


def naming(data: bytes, index: int) -> list[NamedType]:
    """The places that name one type."""
    import numpy as np

    rows = np.frombuffer(data, _layout())
    return [
        NamedType(start, start + length, _KINDS[kind], bool(sure), at)
        for _, start, at, length, kind, sure in rows[rows["type"] == index].tolist()
    ]
