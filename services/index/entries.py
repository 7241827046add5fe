"""Entries of a catalogue, read a few at a time where they were kept: a start that only searches needs few of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar

import msgspec

from services.index.quiet import quiet_collector

Entry = TypeVar("Entry")

_AT_ONCE = 32


class Kept(msgspec.Struct, array_like=True):
    """Entries as bytes: how many, and some neighbours each."""

    count: int = 0
    parts: list[bytes] = []


class Entries(Generic[Entry]):
    """A list that is decoded when it is needed: whole by `all`, a few neighbours by `at`. Thread-safe. Both raise
    msgspec.MsgspecError where what was kept are other entries."""

    def __init__(self, of: type[list[Entry]], kept: Kept | None = None) -> None:
        """`kept`: what `frozen` gave; by default, none."""
        self._decoder = msgspec.msgpack.Decoder(of)
        kept = kept or Kept()
        self._count, self._parts = kept.count, kept.parts
        self._lock = threading.Lock()
        self._read: dict[int, list[Entry]] = {}
        self._whole: list[Entry] | None = None

    def __len__(self) -> int:
        return self._count if self._whole is None else len(self._whole)

    def __iter__(self) -> Iterator[Entry]:
        return (self.at(index) for index in range(len(self)))

    def at(self, index: int) -> Entry:
        """One entry."""
        if self._whole is None:
            with self._lock:
                if self._whole is None:
                    part, place = divmod(index, _AT_ONCE)
                    return self._part(part)[place]
        return self._whole[index]

    def all(self) -> list[Entry]:
        """All of them, always the same list: what is done to it, is done to the entries."""
        with self._lock:
            if self._whole is None:
                with quiet_collector(for_good=bool(self._parts)):
                    parts = [self._part(part) for part in range(len(self._parts))]
                    self._whole = [entry for part in parts for entry in part]
                self._parts, self._read = [], {}
            return self._whole

    def _part(self, part: int) -> list[Entry]:
        if part not in self._read:
            self._read[part] = self._decoder.decode(self._parts[part])
        return self._read[part]


def frozen(entries: Sequence[object]) -> Kept:
    """Entries, to be kept."""
    encode = msgspec.msgpack.Encoder().encode
    starts = range(0, len(entries), _AT_ONCE)
    return Kept(len(entries), [encode(entries[start : start + _AT_ONCE]) for start in starts])
