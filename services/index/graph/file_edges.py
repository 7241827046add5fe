"""Edges of one file: types named, by the naming type."""

from __future__ import annotations

import msgspec


class FileEdges(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Edges of one file. `inside`: (from type, to type, how often) by catalogue index; `outside`: (from type, full
    name, how often); `mentioned`: simple names in type texts, bound or not, and namespaces that are not wholly known;
    `deduced`: (simple name, number of type arguments, namespace) of types of packages, as inferred from this file;
    `words`: of bodies, CRC-32s (32 bits each) of their identifiers; `places`: where the file names types, as
    services.index.graph.packing.py packs them; `signatures`: of its declarations, by pairs of CRC-32s: of a name, and
    of its visible part; `refused`: lines on which stands what the parser refuses."""

    inside: tuple[tuple[int, int, int], ...]
    outside: tuple[tuple[int, str, int], ...]
    mentioned: tuple[str, ...]
    deduced: tuple[tuple[str, int, str], ...]
    words: bytes = b""
    places: bytes = b""
    signatures: bytes = b""
    refused: tuple[int, ...] = ()
