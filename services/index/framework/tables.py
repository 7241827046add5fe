"""The metadata tables of an assembly and the heaps they point into (ECMA-335 II.22, II.24.2.6)."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from services.errors import NotAnAssembly

TYPE_REF, TYPE_DEF, FIELD, METHOD_DEF, INTERFACE_IMPL = 0x01, 0x02, 0x04, 0x06, 0x09
MEMBER_REF, CUSTOM_ATTRIBUTE, PROPERTY_MAP, PROPERTY, METHOD_SEMANTICS = 0x0A, 0x0C, 0x15, 0x17, 0x18
TYPE_SPEC, ASSEMBLY, EXPORTED_TYPE, NESTED_CLASS = 0x1B, 0x20, 0x27, 0x29

CODED: Mapping[str, tuple[int, ...]] = {
    "TypeDefOrRef": (0x02, 0x01, 0x1B),
    "HasConstant": (0x04, 0x08, 0x17),
    "HasCustomAttribute": (
        *(0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14),
        *(0x11, 0x1A, 0x1B, 0x20, 0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B),
    ),
    "HasFieldMarshal": (0x04, 0x08),
    "HasDeclSecurity": (0x02, 0x06, 0x20),
    "MemberRefParent": (0x02, 0x01, 0x1A, 0x06, 0x1B),
    "HasSemantics": (0x14, 0x17),
    "MethodDefOrRef": (0x06, 0x0A),
    "MemberForwarded": (0x04, 0x06),
    "Implementation": (0x26, 0x23, 0x27),
    "CustomAttributeType": (0x3F, 0x3F, 0x06, 0x0A, 0x3F),
    "ResolutionScope": (0x00, 0x1A, 0x23, 0x01),
    "TypeOrMethodDef": (0x02, 0x06),
}
"""Coded indexes (II.24.2.6): the tag, in the low bits, counts through these tables; 0x3F: not in use."""

_COLUMNS: Mapping[int, str] = {
    0x00: "2 s g g g",
    0x01: "ResolutionScope s s",
    0x02: "4 s s TypeDefOrRef @04 @06",
    0x03: "@04",
    0x04: "2 s b",
    0x05: "@06",
    0x06: "4 2 2 s b @08",
    0x07: "@08",
    0x08: "2 2 s",
    0x09: "@02 TypeDefOrRef",
    0x0A: "MemberRefParent s b",
    0x0B: "2 HasConstant b",
    0x0C: "HasCustomAttribute CustomAttributeType b",
    0x0D: "HasFieldMarshal b",
    0x0E: "2 HasDeclSecurity b",
    0x0F: "2 4 @02",
    0x10: "4 @04",
    0x11: "b",
    0x12: "@02 @14",
    0x13: "@14",
    0x14: "2 s TypeDefOrRef",
    0x15: "@02 @17",
    0x16: "@17",
    0x17: "2 s b",
    0x18: "2 @06 HasSemantics",
    0x19: "@02 MethodDefOrRef MethodDefOrRef",
    0x1A: "s",
    0x1B: "b",
    0x1C: "2 MemberForwarded s @1A",
    0x1D: "4 @04",
    0x1E: "4 4",
    0x1F: "4",
    0x20: "4 2 2 2 2 4 b s s",
    0x21: "4",
    0x22: "4 4 4",
    0x23: "2 2 2 2 4 b s s b",
    0x24: "4 @23",
    0x25: "4 4 4 @23",
    0x26: "4 s b",
    0x27: "4 4 s s Implementation",
    0x28: "4 4 s Implementation",
    0x29: "@02 @02",
    0x2A: "2 2 TypeOrMethodDef s",
    0x2B: "MethodDefOrRef b",
    0x2C: "@2A TypeDefOrRef",
}
"""Columns of each table: bytes of a constant, s/g/b for a heap, `@table` for its row, or a coded index."""

_HEAP_BITS = {"s": 1, "g": 2, "b": 4}


class Tables:
    """The tables of one assembly. Rows are tuples; a row number inside one is 1-based, 0 for none."""

    def __init__(self, image: bytes) -> None:
        """Raises NotAnAssembly if `image` holds no metadata or it is cut off."""
        streams = metadata_streams(image)
        try:
            self._strings = bytes(streams["#Strings"])
            self._blobs = streams.get("#Blob", memoryview(b""))
            self._rows = _all_rows(streams["#~"])
        except (struct.error, KeyError, IndexError) as error:
            raise _damaged(repr(error)) from error

    def rows(self, table: int) -> list[tuple[int, ...]]:
        """Every row of `table`; empty where the assembly has none."""
        return self._rows.get(table, [])

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
        return bytes(self._blobs[start : start + size])


def compressed(data: memoryview | bytes, position: int) -> tuple[int, int]:
    """A compressed unsigned number of one, two or four bytes (II.23.2), and the position after it."""
    first = data[position]
    if first < 0x80:
        return first, position + 1
    if first < 0xC0:
        return (first & 0x3F) << 8 | data[position + 1], position + 2
    return (first & 0x1F) << 24 | int.from_bytes(data[position + 1 : position + 4], "big"), position + 4


def coded(value: int, name: str) -> tuple[int, int]:
    """(table, 1-based row) of a coded index; the row is 0 for none."""
    tables = CODED[name]
    bits = (len(tables) - 1).bit_length()
    tag = value & ((1 << bits) - 1)
    if tag >= len(tables):
        raise _damaged(f"tag {tag} of {name}")
    return tables[tag], value >> bits


def _damaged(reason: str) -> NotAnAssembly:
    return NotAnAssembly("The assembly's metadata is damaged.", reason=reason)


def _all_rows(stream: memoryview) -> dict[int, list[tuple[int, ...]]]:
    heap_sizes, present = struct.unpack_from("<6xBxQ", stream)
    numbers = [number for number in range(64) if present >> number & 1]
    counts = dict(zip(numbers, struct.unpack_from(f"<{len(numbers)}I", stream, 24), strict=True))
    position = 24 + 4 * len(numbers)
    rows: dict[int, list[tuple[int, ...]]] = {}
    for number in numbers:
        layout = struct.Struct("<" + "".join(_width(c, heap_sizes, counts) for c in _COLUMNS[number].split()))
        end = position + layout.size * counts[number]
        if end > len(stream):
            raise IndexError(f"table {number:#x} ends after its stream")
        rows[number] = list(layout.iter_unpack(stream[position:end]))
        position = end
    return rows


def _width(column: str, heap_sizes: int, counts: Mapping[int, int]) -> str:
    if column in "24":
        return "H" if column == "2" else "I"
    if column in _HEAP_BITS:
        return "I" if heap_sizes & _HEAP_BITS[column] else "H"
    if column.startswith("@"):
        return "I" if counts.get(int(column[1:], 16), 0) > 0xFFFF else "H"
    tables = CODED[column]
    limit = 1 << (16 - (len(tables) - 1).bit_length())
    return "I" if max(counts.get(table, 0) for table in tables) >= limit else "H"


# From the bytes of a portable executable to its metadata streams (ECMA-335 II.24.2, II.25).

_CLI_HEADER = 14
"""Index of the CLI header among the data directories (II.25.2.3.3)."""


def metadata_streams(image: bytes) -> dict[str, memoryview]:
    """The streams by name: `#~`, `#Strings`, `#Blob` … NotAnAssembly if there is no metadata in `image`."""
    try:
        root = memoryview(image)[_metadata_offset(image) :]
        return _streams(root)
    except (struct.error, IndexError, ValueError) as error:
        raise NotAnAssembly("This is not a .NET assembly.", reason=str(error)) from error


def _metadata_offset(image: bytes) -> int:
    if image[:2] != b"MZ":
        raise ValueError("no MZ header")
    (pe,) = struct.unpack_from("<I", image, 0x3C)
    if image[pe : pe + 4] != b"PE\0\0":
        raise ValueError("no PE header")
    section_count, optional_size = struct.unpack_from("<H12xH", image, pe + 6)
    optional = pe + 24
    (magic,) = struct.unpack_from("<H", image, optional)
    directories = optional + (112 if magic == 0x20B else 96)
    (cli_rva,) = struct.unpack_from("<I", image, directories + 8 * _CLI_HEADER)
    if not cli_rva:
        raise ValueError("no CLI header")
    sections = optional + optional_size, section_count
    (metadata_rva,) = struct.unpack_from("<I", image, _offset(image, sections, cli_rva) + 8)
    return _offset(image, sections, metadata_rva)


def _offset(image: bytes, sections: tuple[int, int], rva: int) -> int:
    first, count = sections
    for header in range(first, first + 40 * count, 40):
        size, address, raw_size, raw = struct.unpack_from("<4I", image, header + 8)
        if address <= rva < address + max(size, raw_size):
            return raw + rva - address
    raise ValueError(f"no section holds address {rva:#x}")


def _streams(root: memoryview) -> dict[str, memoryview]:
    if bytes(root[:4]) != b"BSJB":
        raise ValueError("no metadata signature")
    (version_size,) = struct.unpack_from("<I", root, 12)
    (count,) = struct.unpack_from("<H", root, 18 + version_size)
    position = 20 + version_size
    streams: dict[str, memoryview] = {}
    for _ in range(count):
        offset, size = struct.unpack_from("<2I", root, position)
        name = bytes(root[position + 8 : position + 40]).split(b"\0", 1)[0]
        streams[name.decode("ascii")] = root[offset : offset + size]
        position += 8 + (len(name) // 4 + 1) * 4
    return streams
