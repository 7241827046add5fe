"""The strings of a catalogue, each once, by index."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import cast

import msgspec

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
