"""A catalogue as bytes, and back."""

from __future__ import annotations

from array import array

import msgspec

from services.index.catalog import entries
from services.index.catalog.catalogue import Catalogue, Columns
from services.index.catalog.entries import PackedEntries, Phrases, Strings
from services.index.catalog.lineage import Lineage


class Snapshot(msgspec.Struct, array_like=True):
    """A catalogue as one value, for the store."""

    names: msgspec.Raw
    containers: msgspec.Raw
    rests: memoryview
    rest_ends: memoryview
    columns: list[memoryview]
    dead: memoryview
    projects: list[str]
    files: PackedEntries
    types: PackedEntries
    lineage: str
    earlier: dict[str, int]
    mentions: memoryview


_ENCODER = msgspec.msgpack.Encoder()
_DECODER = msgspec.msgpack.Decoder(Snapshot)


def frozen(catalogue: Catalogue) -> bytes:
    """The catalogue as bytes. Its columns must not grow meanwhile."""
    rows = len(catalogue.columns.dead)
    columns = [memoryview(getattr(catalogue.columns, name))[:rows].cast("B") for name in Columns.NAMES]
    return _ENCODER.encode(
        Snapshot(
            catalogue.names.frozen(),
            catalogue.containers.frozen(),
            memoryview(catalogue.rests.blob),
            memoryview(catalogue.rests.ends).cast("B"),
            columns,
            memoryview(catalogue.columns.dead),
            catalogue.projects,
            entries.frozen(catalogue.files),
            entries.frozen(catalogue.types),
            catalogue.lineage.name,
            catalogue.lineage.earlier,
            memoryview(catalogue.mentions).cast("B"),
        )
    )


def thawed(data: bytes | memoryview) -> Catalogue:
    """Decode a catalogue, which refers to the bytes until it has read all of them. Raises msgspec.MsgspecError for
    other data."""
    snapshot = _DECODER.decode(data)
    catalogue = Catalogue(files=snapshot.files, types=snapshot.types)
    catalogue.names = Strings(snapshot.names)
    catalogue.containers = Strings(snapshot.containers)
    ends = array("I")
    ends.frombytes(snapshot.rest_ends)
    catalogue.rests = Phrases(snapshot.rests, ends)
    for name, column in zip(Columns.NAMES, snapshot.columns, strict=True):
        getattr(catalogue.columns, name).frombytes(column)
    catalogue.columns.dead = bytearray(snapshot.dead)
    catalogue.mentions.frombytes(snapshot.mentions)
    catalogue.dead_rows = catalogue.columns.dead.count(1)
    catalogue.projects = snapshot.projects
    catalogue.lineage = Lineage(snapshot.lineage, snapshot.earlier, shared=True)
    return catalogue
