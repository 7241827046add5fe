"""From the bytes of a portable executable to its metadata streams (ECMA-335 II.24.2, II.25)."""

from __future__ import annotations

import struct

from services.errors import NotAnAssembly

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
