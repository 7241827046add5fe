"""Packed places where a file names types and members: results of binding bodies are stored, so that a hot symbol is
looked up, not bound."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np

    from services.index.binding.facts import Fact
    from services.index.binding.types.symbol import MemberKey

_KINDS = (
    "type", "argument", "attribute", "base", "call", "cast", "catch", "constraint", "cref", "nameof", "new", "pattern",
    "read", "typeof", "using", "write",
)  # fmt: skip
_NUMBERS = {kind: at for at, kind in enumerate(_KINDS)}
FOREIGN: MemberKey = (0xFFFFFFFF, 0)
"""The key of all members that the workspace does not declare."""


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


def type_places(data: bytes) -> list[int]:
    """The offsets of names that can mean nothing but a type."""
    import numpy as np

    rows = np.frombuffer(data, _layout())
    found: list[int] = rows["start"][(rows["sure"] == 1) & (rows["kind"] != _NUMBERS["nameof"])].tolist()
    return found


# Members


def packed_members(places: Iterable[tuple[int, MemberKey]]) -> bytes:
    """The places of a file that name members, each (offset, key), as bytes; without those that name two."""
    import numpy as np

    found = set(places)
    counts = Counter(start for start, _ in found)
    rows = sorted((start, *key) for start, key in found if counts[start] == 1)
    if not rows:
        return b""
    columns = np.array(rows, "<u4").T
    columns[0] = np.diff(columns[0], prepend=np.uint32(0))
    return _compressed(columns)


def member_places(data: bytes) -> dict[int, MemberKey]:
    """The keys of the members that a file names, by offset."""
    if not data:
        return {}
    starts, types, keys = _columns(data)
    found = zip(types.tolist(), keys.tolist(), strict=True)
    return dict(zip(starts.cumsum().tolist(), found, strict=True))


def renumbered_members(data: bytes, types: Mapping[int, int]) -> bytes:
    """The places with other numbers of types. Raises KeyError for a type that has none."""
    if not data:
        return data
    columns = _columns(data)
    known = {**types, FOREIGN[0]: FOREIGN[0]}
    columns[1] = [known[at] for at in columns[1].tolist()]
    return _compressed(columns)


def _compressed(columns: np.ndarray[tuple[int, ...], np.dtype[np.uint32]]) -> bytes:
    """The numbers of each column in turn, their first bytes before their second ones: so they compress to a third."""
    planes = columns.astype("<u4").reshape(-1, 1).view("u1").T
    return zlib.compress(planes.tobytes(), 1)


def _columns(data: bytes) -> np.ndarray[tuple[int, ...], np.dtype[np.uint32]]:
    import numpy as np

    planes = np.frombuffer(zlib.decompress(data), "u1").reshape(4, -1)
    return np.ascontiguousarray(planes.T).view("<u4").reshape(3, -1)
