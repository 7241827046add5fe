"""Lazily decoded entries of a stored catalogue: a start that only searches needs few of them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import Generic, TypeVar, cast

import msgspec
from msgspec.msgpack import Decoder

from services.concurrency.exclusion import Guarded
from services.concurrency.gc_pause import paused_collector
from services.decoding import decode_msgpack


class Strings:
    """Interned strings with stable indexes. Stored ones are decoded, and indexed, when first needed: a start that
    only searches needs neither."""

    def __init__(self, kept: bytes | msgspec.Raw = b"\x90") -> None:
        """Create the table. `kept`: the stored result of `frozen`; by default, none."""
        self._kept = kept

    @cached_property
    def values(self) -> list[str]:
        """All strings, by index."""
        return decode_msgpack(list[str], self._kept)

    @cached_property
    def _index(self) -> dict[str, int]:
        return dict(zip(self.values, range(len(self.values)), strict=True))

    def frozen(self) -> msgspec.Raw:
        """All strings as bytes, to be put into other such bytes."""
        return msgspec.Raw(msgspec.msgpack.encode(self.values))

    def add(self, value: str) -> int:
        """The index of `value`, new or known."""
        return self.ids([value])[0]

    def ids(self, values: Sequence[str]) -> list[int]:
        """Intern many texts, like `add`."""
        return _ids(self._index, values, self.values.append)


class Phrases:
    """Unique texts in one blob; decoded one by one, so that they take no more memory than their bytes, and a stored
    blob is not read until a text is added."""

    def __init__(self, blob: bytes | memoryview = b"", ends: array[int] | None = None) -> None:
        """`ends`: 32 bits each, where every text ends in the blob, UTF-8."""
        self.blob = blob
        self.ends = array("I") if ends is None else ends

    def text(self, at: int) -> str:
        """Return the text at an index."""
        begin = self.ends[at - 1] if at else 0
        return str(self.blob[begin : self.ends[at]], "utf-8", "surrogatepass")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {self.text(at): at for at in range(len(self.ends))}

    def ids(self, values: Sequence[str]) -> list[int]:
        """The index of each of the values, new or known."""
        return _ids(self._index, values, self._add)

    def _add(self, value: str) -> None:
        if not isinstance(self.blob, bytearray):
            self.blob = bytearray(self.blob)
        self.blob += value.encode("utf-8", "surrogatepass")
        self.ends.append(len(self.blob))


def _ids(index: dict[str, int], values: Sequence[str], add: Callable[[str], object]) -> list[int]:
    # Nearly all are known: looked up together, they take a fifth of the time.
    found = list(map(index.get, values))
    if None not in found:
        return cast("list[int]", found)
    for value in values:
        if value not in index:
            index[value] = len(index)
            add(value)
    return [index[value] for value in values]


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
        # Entries are changed in place, so each is decoded once.
        self._read: Guarded[dict[int, Entry]] = Guarded({})
        self._whole: list[Entry] | None = None

    def __len__(self) -> int:
        return len(self._pieces) if self._whole is None else len(self._whole)

    def __iter__(self) -> Iterator[Entry]:
        return (self.at(index) for index in range(len(self)))

    def at(self, index: int) -> Entry:
        """Return the entry at an index."""
        if self._whole is None:
            with self._read as read:
                if self._whole is None:
                    if index not in read:
                        read[index] = self._one.decode(self._pieces[index])
                    return read[index]
        return self._whole[index]

    def all(self) -> list[Entry]:
        """All of them, always the same list: what is done to it, is done to the entries."""
        with self._read as read:
            if self._whole is None:
                with paused_collector(for_good=bool(self._pieces)):
                    head = _ARRAY + len(self._pieces).to_bytes(4, "big")
                    whole = self._many.decode(b"".join((head, self._pieces.blob)))
                for index, entry in read.items():
                    whole[index] = entry
                self._whole, self._pieces = whole, Pieces(PackedEntries())
                read.clear()
            return self._whole

    def copied(self) -> Entries[Entry]:
        """Return a copy of the list, to be changed independently."""
        other = Entries(self._one, self._many)
        other._whole = self.all().copy()
        return other


def frozen(entries: Iterable[object]) -> PackedEntries:
    """Encode entries for storage."""
    encoded = list(map(msgspec.msgpack.Encoder().encode, entries))
    ends = array("I", accumulate(map(len, encoded)))
    return PackedEntries(memoryview(b"".join(encoded)), memoryview(ends).cast("B"))
