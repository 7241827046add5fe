"""The metadata tables of an assembly and the heaps they point into (ECMA-335 II.22, II.24.2), as dnfile finds them.

Rows are read as plain numbers: dnfile's own objects, one for each row and column, take some twenty times as long.
"""

from __future__ import annotations

import logging
import struct
from typing import Any

from services.errors import NotAnAssembly

TYPE_REF, TYPE_DEF, FIELD, METHOD_DEF, PARAM, INTERFACE_IMPL = 0x01, 0x02, 0x04, 0x06, 0x08, 0x09
MEMBER_REF, CUSTOM_ATTRIBUTE, EVENT_MAP, EVENT, PROPERTY_MAP, PROPERTY = 0x0A, 0x0C, 0x12, 0x14, 0x15, 0x17
METHOD_SEMANTICS, TYPE_SPEC, ASSEMBLY, EXPORTED_TYPE, NESTED_CLASS = 0x18, 0x1B, 0x20, 0x27, 0x29
GENERIC_PARAM, GENERIC_PARAM_CONSTRAINT = 0x2A, 0x2C
_CLI_HEADER = 14
"""Index of the CLI header among the data directories (II.25.2.3.3)."""
_UNUSED = 0x3F
_CODED = {
    "TypeDefOrRef": (TYPE_DEF, TYPE_REF, TYPE_SPEC),
    "HasCustomAttribute": (
        *(METHOD_DEF, FIELD, TYPE_REF, TYPE_DEF, PARAM, INTERFACE_IMPL, MEMBER_REF, 0x00, 0x0E, PROPERTY),
        *(EVENT, 0x11, 0x1A, TYPE_SPEC, ASSEMBLY, 0x23, 0x26, EXPORTED_TYPE, 0x28, GENERIC_PARAM, 0x2C, 0x2B),
    ),
    "MemberRefParent": (TYPE_DEF, TYPE_REF, 0x1A, METHOD_DEF, TYPE_SPEC),
    "HasSemantics": (EVENT, PROPERTY),
    "Implementation": (0x26, 0x23, EXPORTED_TYPE),
    "CustomAttributeType": (_UNUSED, _UNUSED, METHOD_DEF, MEMBER_REF, _UNUSED),
    "ResolutionScope": (0x00, 0x1A, 0x23, TYPE_REF),
    "TypeOrMethodDef": (TYPE_DEF, METHOD_DEF),
}
"""Coded indexes (II.24.2.6): the tag, in the low bits, counts through these tables."""
# What dnfile warns of is told as NotAnAssembly; a terminal that a program draws on must not get it as well.
logging.getLogger("dnfile").propagate = False
logging.getLogger("dnfile").addHandler(logging.NullHandler())


class Tables:
    """The tables of one assembly. Rows are tuples; a row number inside one is 1-based, 0 for none."""

    def __init__(self, image: bytes) -> None:
        """Raises NotAnAssembly if `image` holds no metadata or it is cut off."""
        self._image, found = _opened(image)
        self._tables: dict[int, Any] = {table.number: table for table in found.mdtables.tables_list}
        self._strings = bytes(found.strings.__data__)
        self._blobs = bytes(found.blobs.__data__) if found.blobs is not None else b""
        self._rows: dict[int, list[tuple[int, ...]]] = {}

    def rows(self, table: int) -> list[tuple[int, ...]]:
        """Every row of `table`; empty where the assembly has none. Raises NotAnAssembly where it is cut off."""
        known = self._rows.get(table)
        if known is None:
            known = self._rows[table] = self._read(self._tables[table]) if table in self._tables else []
        return known

    def _read(self, table: Any) -> list[tuple[int, ...]]:
        count = table.num_rows
        if not count:
            return []
        if not table.rows:
            raise _damaged(f"table {table.name} ends after its stream")
        layout = struct.Struct(table[0].struct.__get_format__())
        data = self._image.get_data(table.rva, layout.size * count)
        if len(data) < layout.size * count:
            raise _damaged(f"table {table.name} ends after the file")
        return list(layout.iter_unpack(data))

    def string(self, index: int) -> str:
        """The text at `index` of the string heap. Raises NotAnAssembly if there is none, as `blob` does."""
        try:
            return self._strings[index : self._strings.index(0, index)].decode("utf-8")
        except ValueError as error:
            raise _damaged(repr(error)) from error

    def blob(self, index: int) -> bytes:
        """The bytes at `index` of the blob heap, without their length (II.24.2.4)."""
        try:
            size, start = compressed(self._blobs, index)
        except IndexError as error:
            raise _damaged(repr(error)) from error
        return self._blobs[start : start + size]

    def list_of(self, table: int, row: int, *, column: int, items: int) -> range:
        """0-based rows of the list in table `items` that begins at `column` of a 0-based row, and ends where that of
        the next row begins (II.22)."""
        rows, count = self.rows(table), len(self.rows(items))
        start = rows[row][column] - 1
        end = rows[row + 1][column] - 1 if row + 1 < len(rows) else count
        return range(max(start, 0), min(end, count))


def _opened(image: bytes) -> tuple[Any, Any]:
    """dnfile's image and its metadata."""
    import dnfile

    try:
        opened = dnfile.dnPE(data=image, fast_load=True, clr_lazy_load=True)
        opened.parse_data_directories(directories=[_CLI_HEADER])
        found = opened.net
    except Exception as error:
        raise NotAnAssembly("This is not a .NET assembly.", reason=repr(error)) from error
    if found is None or found.mdtables is None or found.strings is None:
        raise NotAnAssembly("This is not a .NET assembly.", reason="no metadata")
    return opened, found


def compressed(data: bytes, position: int) -> tuple[int, int]:
    """A compressed unsigned number of one, two or four bytes (II.23.2), and the position after it. Raises IndexError
    where it is cut off."""
    first = data[position]
    if first < 0x80:
        return first, position + 1
    if first < 0xC0:
        return (first & 0x3F) << 8 | data[position + 1], position + 2
    rest = data[position + 1 : position + 4]
    if len(rest) < 3:
        raise IndexError(position)
    return (first & 0x1F) << 24 | int.from_bytes(rest, "big"), position + 4


def coded(value: int, name: str) -> tuple[int, int]:
    """(table, 1-based row) of a coded index; the row is 0 for none."""
    tables = _CODED[name]
    bits = (len(tables) - 1).bit_length()
    tag = value & ((1 << bits) - 1)
    if tag >= len(tables):
        raise _damaged(f"tag {tag} of {name}")
    return tables[tag], value >> bits


def uncoded(table: int, row: int, name: str) -> int:
    """The coded index of a 1-based row."""
    tables = _CODED[name]
    return row << (len(tables) - 1).bit_length() | tables.index(table)


def _damaged(reason: str) -> NotAnAssembly:
    return NotAnAssembly("The assembly's metadata is damaged.", reason=reason)
