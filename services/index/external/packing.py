"""Writer of files of external members, in the layout of `record.py`."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence

import msgspec
import numpy as np

from services.index.external import record
from services.index.external.record import TypeRow, key_of
from services.index.framework.facts import namespace_of

_BLOCK = 128_000  # bytes, unpacked


def packed(types: Sequence[tuple[str, TypeRow]]) -> bytes:
    """The file. `types`: with their sources."""
    order = sorted(types, key=lambda each: (each[0], each[1].fqn))
    blocks, places = _blocks([row for _, row in order])
    keyed = sorted(range(len(order)), key=lambda at: key_of(f"{order[at][0]} {order[at][1].fqn}"))
    keys = np.array([key_of(f"{order[at][0]} {order[at][1].fqn}") for at in keyed], np.uint64)
    found = np.array([places[at] for at in keyed], np.uint32)
    number = {at: to for to, at in enumerate(keyed)}
    names = sorted(
        {(key_of(name), number[at]) for at, (_, row) in enumerate(order) for name in _extensions(row)}
        | {(key_of(name), number[at]) for name, at in _namespaces([row for _, row in order]).items()}
    )
    starts = np.cumsum([0, *map(len, blocks)]).astype(np.uint32)
    head = struct.pack("<8sIII", record.MAGIC, len(keys), len(names), len(blocks))
    arrays = (
        keys,
        np.array([name for name, _ in names], np.uint64),
        found,
        np.array([at for _, at in names], np.uint32),
        starts,
    )
    return b"".join((head.ljust(32, b"\0"), *(each.tobytes() for each in arrays), *blocks))


def _extensions(row: TypeRow) -> set[str]:
    return {member.name for member in row.members if "x" in member.flags}


def _namespaces(rows: Sequence[TypeRow]) -> dict[str, int]:
    """Each namespace, and each dotted prefix of one, as it is looked for, with the first of its types."""
    found: dict[str, int] = {}
    for at, row in enumerate(rows):
        name = namespace_of(row.fqn)
        while name and record.as_namespace(name) not in found:
            found[record.as_namespace(name)] = at
            name = name.rpartition(".")[0]
    return found


def _blocks(rows: Sequence[TypeRow]) -> tuple[list[bytes], list[tuple[int, int, int]]]:
    blocks: list[bytes] = []
    places: list[tuple[int, int, int]] = []
    current = b""
    for row in rows:
        text = msgspec.json.encode(row)
        if current and len(current) + len(text) > _BLOCK:
            blocks.append(zlib.compress(current, 9))
            current = b""
        places.append((len(blocks), len(current), len(text)))
        current += text
    return [*blocks, zlib.compress(current, 9)], places
