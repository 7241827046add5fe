"""Lazily decoded entries of a stored catalogue: a start that only searches needs few of them."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Generic, TypeVar

import msgspec
from msgspec.msgpack import Decoder

from services.concurrency.gc_pause import paused_collector

Entry = TypeVar("Entry")

_ARRAY = b"\xdd"
"""First byte of a MessagePack array; its length, in four bytes, follows."""


NOTHING = memoryview(b"")


class PackedEntries(msgspec.Struct, array_like=True):
    """Entries as bytes. `blob`: one after the other; `ends`: 32 bits each, where every one ends."""

    blob: memoryview = NOTHING
    ends: memoryview = NOTHING


class Pieces:
    """Entries as `frozen` made them, one by one. `blob`: all of them."""

    def __init__(self, kept: PackedEntries) -> None:
        self.blob = kept.blob
        self._ends: Sequence[int] = kept.ends.cast("I")

    def __len__(self) -> int:
        return len(self._ends)

    def __getitem__(self, at: int) -> memoryview:
        return self.blob[self._ends[at - 1] if at else 0 : self._ends[at]]


class Entries(Generic[Entry]):
    """List that is decoded on demand: one entry by `at`, all by `all`. Thread-safe. Both raise msgspec.MsgspecError
    where the stored bytes are of another type."""

    def __init__(
        self, one: Decoder[Entry], many: Decoder[list[Entry]], kept: PackedEntries | None = None
    ) -> None:
        """Create the table. `one`, `many`: decoders of an entry, and of a list; `kept`: the stored result of
        `frozen`, by default none."""
        self._one, self._many = one, many
        self._pieces = Pieces(kept or PackedEntries())
        self._lock = threading.Lock()
        self._read: dict[int, Entry] = {}
        self._whole: list[Entry] | None = None

    def __len__(self) -> int:
        return len(self._pieces) if self._whole is None else len(self._whole)

    def __iter__(self) -> Iterator[Entry]:
        return (self.at(index) for index in range(len(self)))

    def at(self, index: int) -> Entry:
        """Return the entry at an index."""
        if self._whole is None:
            with self._lock:
                if self._whole is None:
                    return self._single(index)
        return self._whole[index]

    def all(self) -> list[Entry]:
        """All of them, always the same list: what is done to it, is done to the entries."""
        with self._lock:
            if self._whole is None:
                with paused_collector(for_good=bool(self._pieces)):
                    head = _ARRAY + len(self._pieces).to_bytes(4, "big")
                    whole = self._many.decode(b"".join((head, self._pieces.blob)))
                for index, entry in self._read.items():
                    whole[index] = entry
                self._whole, self._pieces, self._read = whole, Pieces(PackedEntries()), {}
            return self._whole

    def copied(self) -> Entries[Entry]:
        """Return a copy of the list, to be changed independently."""
        other = Entries(self._one, self._many)
        other._whole = self.all().copy()
        return other

    def _single(self, index: int) -> Entry:
        if index not in self._read:
            self._read[index] = self._one.decode(self._pieces[index])
        return self._read[index]


def frozen(entries: Iterable[object]) -> PackedEntries:
    """Encode entries for storage."""
    encoded = list(map(msgspec.msgpack.Encoder().encode, entries))
    ends = array("I", accumulate(map(len, encoded)))
    return PackedEntries(memoryview(b"".join(encoded)), memoryview(ends).cast("B"))
