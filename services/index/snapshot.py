"""A catalogue as bytes, and back."""

from __future__ import annotations

from array import array

import msgspec

from services.index.catalogue import Catalogue, Columns, FileEntry, TypeEntry
from services.index.strings import Phrases, Strings


class Snapshot(msgspec.Struct, array_like=True):
    """A catalogue as one value, for the store."""

    names: msgspec.Raw
    containers: msgspec.Raw
    rests: memoryview
    rest_ends: memoryview
    columns: list[memoryview]
    dead: memoryview
    projects: list[str]
    files: list[FileEntry | None]
    types: list[TypeEntry]
    lineage: str
    settled: bytes = b""


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Snapshot)


def frozen(catalogue: Catalogue) -> bytes:
    """The catalogue as bytes."""
    columns = [memoryview(getattr(catalogue.columns, name)).cast("B") for name in Columns.NAMES]
    return _ENCODER.encode(
        Snapshot(
            catalogue.names.frozen(),
            catalogue.containers.frozen(),
            memoryview(catalogue.rests.blob),
            memoryview(catalogue.rests.ends).cast("B"),
            columns,
            memoryview(catalogue.columns.dead),
            catalogue.projects,
            catalogue.files,
            catalogue.types,
            catalogue.lineage,
            catalogue.settled,
        )
    )


def thawed(data: bytes) -> Catalogue:
    """A catalogue from its bytes. Raises msgspec.MsgspecError where they are none."""
    snapshot = _DECODER.decode(data)
    catalogue = Catalogue()
    catalogue.names = Strings(bytes(snapshot.names))
    catalogue.containers = Strings(bytes(snapshot.containers))
    ends = array("I")
    ends.frombytes(snapshot.rest_ends)
    catalogue.rests = Phrases(snapshot.rests, ends)
    for name, column in zip(Columns.NAMES, snapshot.columns, strict=True):
        getattr(catalogue.columns, name).frombytes(column)
    catalogue.columns.dead = bytearray(snapshot.dead)
    catalogue.dead_rows = catalogue.columns.dead.count(1)
    catalogue.projects = snapshot.projects
    catalogue.files = snapshot.files
    catalogue.types = snapshot.types
    catalogue.lineage = snapshot.lineage
    catalogue.settled = snapshot.settled
    return catalogue
