"""The mapped file of external members: types by full name, and those that have an extension method of a name."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from services.concurrency.latest import LRUCache
from services.decoding import decode
from services.index.external import record
from services.index.external.record import TypeRow, key_of
from services.workspace.files.mapped import mapped

if TYPE_CHECKING:
    import numpy as np

_HEAD = 32
_MOST_BLOCKS = 16  # unpacked at a time, 2 MB
_MOST_ROWS = 1_024  # read at a time, 5 MB of the 160 MB that all would take


class ExternalTable:
    """Reader of a table. `keys`: of its types, sorted. Not thread-safe: callers take the lock of the usages."""

    def __init__(self, path: Path) -> None:
        """Raises OSError where it cannot be read, ValueError where it is none or cut short."""
        import numpy as np

        with path.open("rb") as file:
            self._data = mapped(file.fileno())
        if len(self._data) < _HEAD or not self._data[:8] == record.MAGIC:
            raise ValueError(f"{path.name} is no table of external members.")
        types, names, blocks = struct.unpack_from("<III", self._data, 8)
        at = _HEAD

        def array(kind: type[np.generic], count: int) -> np.ndarray:
            nonlocal at
            found = np.frombuffer(self._data, kind, count, at)
            at += found.nbytes
            return found

        self.keys, self.names = array(np.uint64, types), array(np.uint64, names)
        self._places = array(np.uint32, types * 3).reshape(types, 3)
        self._with_name, self._starts = array(np.uint32, names), array(np.uint32, blocks + 1)
        self._blocks = at
        if at + int(self._starts[-1]) != len(self._data):
            raise ValueError(f"{path.name} is cut short.")
        self._open: LRUCache[int, bytes] = LRUCache(_MOST_BLOCKS)
        self._read: LRUCache[int, TypeRow] = LRUCache(_MOST_ROWS)

    def types(self, source: str, fqn: str) -> list[TypeRow]:
        """The types of that full name in a source: of packages there may be several."""
        key = key_of(f"{source} {fqn}")
        found = [self._row(at) for at in _run(self.keys, key)]
        return [row for row in found if row.fqn == fqn]

    def has(self, source: str, fqn: str) -> bool:
        """Whether a source has a type of that full name. Thread-safe."""
        return bool(_run(self.keys, key_of(f"{source} {fqn}")))

    def extending(self, name: str) -> Iterator[TypeRow]:
        """The types that have extension methods of a name, in all sources."""
        for at in _run(self.names, key_of(name)):
            yield self._row(int(self._with_name[at]))

    def has_namespace(self, name: str) -> bool:
        """Whether any type is in a namespace, or in one inside it."""
        return bool(_run(self.names, key_of(record.as_namespace(name))))

    def _row(self, at: int) -> TypeRow:
        known = self._read.find(at)
        if known is None:
            block, start, length = map(int, self._places[at])
            try:
                known = self._read.keep(at, decode(TypeRow, self._block(block)[start : start + length]))
            except (zlib.error, msgspec.MsgspecError, IndexError) as error:
                raise ValueError("A table of external members is damaged.") from error
        return known

    def _block(self, number: int) -> bytes:
        start, end = int(self._starts[number]), int(self._starts[number + 1])
        return self._open.get(
            number, lambda: zlib.decompress(self._data[self._blocks + start : self._blocks + end])
        )


def _run(keys: np.ndarray, key: int) -> range:
    """Return the range of a key in a sorted array."""
    import numpy as np

    wanted = np.uint64(key)
    return range(int(np.searchsorted(keys, wanted)), int(np.searchsorted(keys, wanted, side="right")))


@cache
def load() -> ExternalTable:
    """The table that ships with the program."""
    return ExternalTable(Path(__file__).with_name(record.FILE))
