"""Metadata tables of an assembly and the heaps they refer to (ECMA-335 II.22, II.24.2, II.25).

An assembly is untrusted: every offset and count is checked against the available bytes before use, and the total of
all reads is limited by the size of the file, since rows may refer to the same bytes again and again."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from services.errors import NotAnAssembly

TYPE_REF, TYPE_DEF, FIELD, METHOD_DEF, PARAM, INTERFACE_IMPL = 0x01, 0x02, 0x04, 0x06, 0x08, 0x09
MEMBER_REF, CUSTOM_ATTRIBUTE, EVENT_MAP, EVENT, PROPERTY_MAP, PROPERTY = 0x0A, 0x0C, 0x12, 0x14, 0x15, 0x17
METHOD_SEMANTICS, TYPE_SPEC, ASSEMBLY, EXPORTED_TYPE, NESTED_CLASS = 0x18, 0x1B, 0x20, 0x27, 0x29
GENERIC_PARAM, GENERIC_PARAM_CONSTRAINT = 0x2A, 0x2C
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
    "HasConstant": (FIELD, PARAM, PROPERTY),
    "HasFieldMarshal": (FIELD, PARAM),
    "HasDeclSecurity": (TYPE_DEF, METHOD_DEF, ASSEMBLY),
    "MethodDefOrRef": (METHOD_DEF, MEMBER_REF),
    "MemberForwarded": (FIELD, METHOD_DEF),
}
"""Coded indexes (II.24.2.6): the tag, in the low bits, counts through these tables."""
_COLUMNS = {
    number: columns.split()
    for number, columns in {
        0x00: "2 S G G G", TYPE_REF: "ResolutionScope S S", TYPE_DEF: "4 S S TypeDefOrRef 04 06", 0x03: "04",
        FIELD: "2 S B", 0x05: "06", METHOD_DEF: "4 2 2 S B 08", 0x07: "08", PARAM: "2 2 S",
        INTERFACE_IMPL: "02 TypeDefOrRef", MEMBER_REF: "MemberRefParent S B", 0x0B: "2 HasConstant B",
        CUSTOM_ATTRIBUTE: "HasCustomAttribute CustomAttributeType B", 0x0D: "HasFieldMarshal B",
        0x0E: "2 HasDeclSecurity B", 0x0F: "2 4 02", 0x10: "4 04", 0x11: "B", EVENT_MAP: "02 14", 0x13: "14",
        EVENT: "2 S TypeDefOrRef", PROPERTY_MAP: "02 17", 0x16: "17", PROPERTY: "2 S B",
        METHOD_SEMANTICS: "2 06 HasSemantics", 0x19: "02 MethodDefOrRef MethodDefOrRef", 0x1A: "S",
        TYPE_SPEC: "B", 0x1C: "2 MemberForwarded S 1A", 0x1D: "4 04", 0x1E: "4 4", 0x1F: "4",
        ASSEMBLY: "4 2 2 2 2 4 B S S", 0x21: "4", 0x22: "4 4 4", 0x23: "2 2 2 2 4 B S S B", 0x24: "4 23",
        0x25: "4 4 4 23", 0x26: "4 S B", EXPORTED_TYPE: "4 4 S S Implementation", 0x28: "4 4 S Implementation",
        NESTED_CLASS: "02 02", GENERIC_PARAM: "2 2 TypeOrMethodDef S", 0x2B: "MethodDefOrRef B",
        GENERIC_PARAM_CONSTRAINT: "2A TypeDefOrRef",
    }.items()
}  # fmt: skip
"""Columns of each table (II.22): bytes, a heap, the number of a table of two digits, or a coded index."""
_HEAPS = {"S": 0x1, "G": 0x2, "B": 0x4}
"""Flags of HeapSizes by column (II.24.2.6)."""
_SMALL = 1 << 16
_LONGEST_NAME = 1_023
"""Bytes; no compiler writes a longer one, and no runtime takes it."""
_ALWAYS, _BY_BYTE, _AT_MOST = 200_000, 16, 150_000_000
"""Limit of the work on a file. Files of compilers took between 0.4 and 1.5 a byte."""
_ROW = 32
"""Spent on a row, of which a tuple of numbers is made."""


class Tables:
    """The tables of one assembly. Rows are tuples; a row number inside one is 1-based, 0 for none."""

    def __init__(self, image: bytes) -> None:
        """Raises NotAnAssembly if `image` holds no metadata or it is cut off."""
        try:
            streams = dict(_streams(image))
            self._stream = streams.get(b"#~") or streams[b"#-"]
            self._strings = streams[b"#Strings"]
            self._blobs = streams.get(b"#Blob", b"")
            self._places = dict(_places(self._stream))
        except (struct.error, IndexError, KeyError, ValueError) as error:
            raise NotAnAssembly("This is not a .NET assembly.", reason=repr(error)) from error
        self._rows: dict[int, list[tuple[int, ...]]] = {}
        self._left = min(_ALWAYS + _BY_BYTE * len(image), _AT_MOST)

    def rows(self, table: int) -> list[tuple[int, ...]]:
        """Every row of `table`; empty where the assembly has none."""
        known = self._rows.get(table)
        if known is None:
            known = self._rows[table] = self._read(*self._places[table]) if table in self._places else []
        return known

    def _read(self, layout: struct.Struct, start: int, end: int) -> list[tuple[int, ...]]:
        self.spend(_ROW * ((end - start) // layout.size))
        return list(layout.iter_unpack(self._stream[start:end]))

    def spend(self, size: int) -> None:
        """Count bytes, rows or characters that are read or made. Raises NotAnAssembly where that exceeds the limit
        for a file of this size."""
        self._left -= size + 1
        if self._left < 0:
            raise _damaged("it says the same again and again")

    def string(self, index: int) -> str:
        """The text at `index` of the string heap. Raises NotAnAssembly if there is none, as `blob` does."""
        try:
            end = self._strings.index(0, index, index + _LONGEST_NAME + 1)
            self.spend(end - index)
            return self._strings[index:end].decode("utf-8")
        except ValueError as error:
            raise _damaged(repr(error)) from error

    def blob(self, index: int) -> bytes:
        """The bytes at `index` of the blob heap, without their length (II.24.2.4)."""
        try:
            size, start = compressed(self._blobs, index)
        except IndexError as error:
            raise _damaged(repr(error)) from error
        found = self._blobs[start : start + size]
        self.spend(len(found))
        return found

    def list_of(self, table: int, row: int, *, column: int, items: int) -> range:
        """0-based rows of the list in table `items` that begins at `column` of a 0-based row, and ends where that of
        the next row begins (II.22)."""
        rows, count = self.rows(table), len(self.rows(items))
        start = rows[row][column] - 1
        end = rows[row + 1][column] - 1 if row + 1 < len(rows) else count
        found = range(max(start, 0), min(end, count))
        self.spend(len(found))
        return found


def _streams(image: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The streams of the metadata root by name (II.24.2.1, II.24.2.2); of two of a name the last one counts. Raises
    struct.error, ValueError, IndexError."""
    (signature,) = struct.unpack_from("<I", image, 0x3C)
    if image[:2] != b"MZ" or image[signature : signature + 4] != b"PE\0\0":
        raise ValueError("no portable executable")
    count, size = struct.unpack_from("<H12xH", image, signature + 6)
    optional = signature + 24
    (magic,) = struct.unpack_from("<H", image, optional)
    directories = optional + (96 if magic == 0x10B else 112)
    sections = [
        struct.unpack_from("<4I", image, optional + size + 40 * number + 8)
        for number in range(min(count, _MOST_SECTIONS))
    ]
    (header,) = struct.unpack_from("<I", image, directories + 8 * _CLI_HEADER)
    (metadata,) = struct.unpack_from("<I", image, _offset(header, sections) + 8)
    root = _offset(metadata, sections)
    magic, length = struct.unpack_from("<I8xI", image, root)
    if magic != _METADATA:
        raise ValueError("no metadata")
    at = root + 16 + length
    (count,) = struct.unpack_from("<2xH", image, at)
    at += 4
    for _ in range(min(count, _MOST_STREAMS)):
        offset, size = struct.unpack_from("<2I", image, at)
        end = image.index(0, at + 8, at + 8 + _LONGEST_STREAM_NAME)
        if root + offset + size > len(image):
            raise ValueError("a stream ends after the file")
        yield image[at + 8 : end], image[root + offset : root + offset + size]
        at = end + 4 - (end - at) % 4


_CLI_HEADER = 14
"""Index of the CLI header among the data directories (II.25.2.3.3)."""
_METADATA = 0x424A_5342
_MOST_SECTIONS, _MOST_STREAMS, _LONGEST_STREAM_NAME = 96, 16, 32


def _offset(address: int, sections: list[tuple[int, ...]]) -> int:
    """Return the file offset of a relative virtual address (II.25.3)."""
    for virtual_size, start, size, place in sections:
        if start <= address < start + max(virtual_size, size):
            return address - start + place
    raise ValueError(f"nothing lies at {address:#x}")


def _places(stream: bytes) -> Iterator[tuple[int, tuple[struct.Struct, int, int]]]:
    """Iterate over the row layout of each table, and its bounds in the stream (II.24.2.6). Raises struct.error,
    ValueError, KeyError."""
    heaps, present = struct.unpack_from("<6xBxQ", stream)
    numbers = [number for number in range(64) if present >> number & 1]
    counts = dict(zip(numbers, struct.unpack_from(f"<{len(numbers)}I", stream, 24), strict=True))
    at = 24 + 4 * len(numbers) + (4 if heaps & 0x40 else 0)
    for number in numbers:
        layout = struct.Struct("<" + "".join(_letter(column, heaps, counts) for column in _COLUMNS[number]))
        end = at + layout.size * counts[number]
        if end > len(stream):
            raise ValueError(f"table {number:#x} ends after its stream")
        yield number, (layout, at, end)
        at = end


def _letter(column: str, heaps: int, counts: dict[int, int]) -> str:
    """Return the struct format of a column."""
    if column in ("2", "4"):
        return "H" if column == "2" else "I"
    if column in _HEAPS:
        return "I" if heaps & _HEAPS[column] else "H"
    tables = _CODED.get(column) or (int(column, 16),)
    bits = (len(tables) - 1).bit_length()
    most = max(counts.get(table, 0) for table in tables)
    return "H" if most < _SMALL >> bits else "I"


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
