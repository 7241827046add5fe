"""Mapped file of external members: its layout, and its types by full name and by extension method."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from services.concurrency.latest import LRUCache
from services.decoding import decode
from services.workspace.files.mapped import mapped

if TYPE_CHECKING:
    import numpy as np

MAGIC = b"CCXM0002"
FILE = "members.bin"


class ParameterRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A parameter. `way`: ref, out, in, params, `?` for an optional one, in any order."""

    name: str
    type: str
    way: str = ""


class TypeParameterRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A type parameter. `bounds`: the types it is constrained to; `kinds`: class, struct, new."""

    name: str
    bounds: tuple[str, ...] = ()
    kinds: str = ""


class MemberRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A member. `what`: m method, c constructor, o operator or conversion, i indexer, p property, f field, e event;
    `flags`: s static, a abstract, v virtual, o override, x extension, p protected, r read-only."""

    what: str
    name: str
    flags: str
    type: str
    parameters: tuple[ParameterRow, ...] = ()
    type_parameters: tuple[TypeParameterRow, ...] = ()


class TypeRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A type. `assembly`: its simple name; `call`: of a delegate what it returns and takes. Types are written as the
    framework's table does (`services/index/names/framework.py`), with tuples in round brackets."""

    fqn: str
    assembly: str
    kind: str
    flags: str
    parameters: tuple[TypeParameterRow, ...]
    base: str
    interfaces: tuple[str, ...]
    call: tuple[str, tuple[ParameterRow, ...]] | None
    members: tuple[MemberRow, ...]


def as_namespace(name: str) -> str:
    """Return a namespace in the form used among the names."""
    return f"{name}."


def key_of(text: str) -> int:
    """The key of a name."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


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
        if len(self._data) < _HEAD or not self._data[:8] == MAGIC:
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
        return bool(_run(self.names, key_of(as_namespace(name))))

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
    return ExternalTable(Path(__file__).with_name(FILE))
