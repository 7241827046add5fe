"""The smallest portable executable with metadata tables, so that the reader is tried without a compiler.

The library it stands for is, in C#::

    public class Box<T> : System.Collections.Generic.List<T>, System.IDisposable, IHidden {
        protected enum Colour { }
        private class Secret { }
        public struct Cursor { }
    }
    public static class Tools {
        public static int Limit;
        private static int hidden;
        public static T[] Twice<T>(this string text) => null;
        private static void Hide() { }
    }
    internal interface IHidden { }
    internal class Middle : System.IO.Stream { }
    public sealed class Pipe : Middle {
        public long Size { get; }
        public char this[int index] => 'x';
    }
    public delegate void Done();
    [assembly: TypeForwardedTo(typeof(System.Uri))]
"""

from __future__ import annotations

import struct

PUBLIC, INTERNAL, NESTED_PUBLIC, NESTED_PRIVATE, NESTED_PROTECTED = 1, 0, 2, 3, 4
INTERFACE, ABSTRACT, SEALED, FORWARDER = 0x20, 0x80, 0x100, 0x200000
PRIVATE_MEMBER, PUBLIC_MEMBER, STATIC, SPECIAL_NAME, GETTER = 1, 6, 0x10, 0x800, 2
LIST_OF_T = bytes([0x15, 0x12, 2 << 2 | 1, 1, 0x13, 0])
INT_FIELD, ARRAY_OF_STRING = bytes([6, 8]), bytes([0x10, 1, 1, 0x1D, 0x1E, 0, 0x0E])
LONG_GETTER, CHAR_AT_INT, NOTHING = bytes([0x20, 0, 0x0A]), bytes([0x20, 1, 3, 8]), bytes([0x20, 0, 1])


class Heap:
    """A heap under construction: what is added, and where it begins."""

    def __init__(self) -> None:
        self.data = b"\0"

    def add(self, item: bytes) -> int:
        """The index of `item`."""
        self.data += item
        return len(self.data) - len(item)


def library(name: str = "Tiny", *, types: int = 0) -> bytes:
    """The image of the library above; `name`: of its assembly; `types`: so many more that claim all methods each, and
    as many methods."""
    strings, blobs = Heap(), Heap()

    def text(value: str) -> int:
        return strings.add(value.encode() + b"\0") if value else 0

    def reference(namespace: str, name: str) -> bytes:
        return struct.pack("<3H", 1 << 2 | 2, text(name), text(namespace))

    def blob(value: bytes) -> int:
        return blobs.add(bytes([len(value)]) + value)

    def definition(flags: int, name: str, extends: int, *lists: int) -> bytes:
        namespace = "" if flags & 7 > PUBLIC or name == "<Module>" else "Tiny"
        return struct.pack("<I5H", flags, text(name), text(namespace), extends, *(lists or (1, 1)))

    def method(flags: int, name: str, signature: bytes) -> bytes:
        return struct.pack("<I5H", 0, 0, flags, text(name), blob(signature), 1)

    def named(flags: int, name: str, signature: bytes) -> bytes:
        return struct.pack("<3H", flags, text(name), blob(signature))

    outside = ["System.Object", "System.Collections.Generic.List`1", "System.IDisposable", "System.Enum"]
    outside += ["System.ValueType", "System.IO.Stream", "System.MulticastDelegate"]
    outside += ["System.Runtime.CompilerServices.ExtensionAttribute"]
    refs = {name: row << 2 | 1 for row, name in enumerate(outside, 1)}
    plain = refs["System.Object"]
    tables = {
        0x00: [struct.pack("<5H", 0, text("Tiny.dll"), 0, 0, 0)],
        0x01: [reference(*name.rsplit(".", 1)) for name in outside],
        0x02: [
            definition(INTERNAL, "<Module>", 0),
            definition(PUBLIC, "Box`1", 1 << 2 | 2),
            definition(NESTED_PROTECTED | SEALED, "Colour", refs["System.Enum"]),
            definition(NESTED_PRIVATE, "Secret", plain),
            definition(NESTED_PUBLIC | SEALED, "Cursor", refs["System.ValueType"]),
            definition(PUBLIC | ABSTRACT | SEALED, "Tools", plain),
            definition(INTERNAL | INTERFACE | ABSTRACT, "IHidden", 0, 3, 3),
            definition(INTERNAL, "Middle", refs["System.IO.Stream"], 3, 3),
            definition(PUBLIC | SEALED, "Pipe", 8 << 2, 3, 3),
            definition(PUBLIC | SEALED, "Done", refs["System.MulticastDelegate"], 3, 5),
            *[definition(PUBLIC, "Box`1", plain, 3, (1, 4 + types)[more % 2]) for more in range(types)],
        ],
        0x04: [
            named(PUBLIC_MEMBER | STATIC, "Limit", INT_FIELD),
            named(PRIVATE_MEMBER | STATIC, "hidden", INT_FIELD),
        ],
        0x06: [
            method(PUBLIC_MEMBER | STATIC, "Twice", ARRAY_OF_STRING),
            method(PRIVATE_MEMBER | STATIC, "Hide", NOTHING),
            method(PUBLIC_MEMBER | SPECIAL_NAME, "get_Size", LONG_GETTER),
            method(PUBLIC_MEMBER | SPECIAL_NAME, "get_Item", CHAR_AT_INT),
            *[method(PUBLIC_MEMBER | STATIC, "M", NOTHING)] * types,
        ],
        0x09: [struct.pack("<2H", 2, refs["System.IDisposable"]), struct.pack("<2H", 2, 7 << 2)],
        0x0A: [struct.pack("<3H", len(outside) << 3 | 1, text(".ctor"), blob(NOTHING))],
        0x0C: [struct.pack("<3H", 1 << 5, 1 << 3 | 3, 0)],
        0x15: [struct.pack("<2H", 9, 1)],
        0x17: [named(0, "Size", LONG_GETTER), named(0, "Item", CHAR_AT_INT)],
        0x18: [struct.pack("<3H", GETTER, accessor, row << 1 | 1) for row, accessor in ((1, 3), (2, 4))],
        0x1B: [struct.pack("<H", blob(LIST_OF_T))],
        0x20: [struct.pack("<I4HI3H", 0x8004, 1, 0, 0, 0, 0, 0, text(name), 0)],
        0x23: [struct.pack("<4HI4H", 4, 0, 0, 0, 0, 0, text("System.Runtime"), 0, 0)],
        0x27: [struct.pack("<2I3H", FORWARDER, 0, text("Uri"), text("System"), 1 << 2 | 1)],
        0x29: [struct.pack("<2H", inner, 2) for inner in (3, 4, 5)],
    }
    return _executable(_metadata(_stream(tables), strings.data, blobs.data))


def _stream(tables: dict[int, list[bytes]]) -> bytes:
    present = sum(1 << number for number in tables)
    counts = b"".join(struct.pack("<I", len(rows)) for rows in tables.values())
    return (
        struct.pack("<IBBBBQQ", 0, 2, 0, 0, 1, present, 0) + counts + b"".join(map(b"".join, tables.values()))
    )


def _metadata(tables: bytes, strings: bytes, blobs: bytes) -> bytes:
    named = [(b"#~\0\0", tables), (b"#Strings\0\0\0\0", strings), (b"#Blob\0\0\0", blobs)]
    head = b"BSJB" + struct.pack("<HHII", 1, 1, 0, 4) + b"v4\0\0" + struct.pack("<HH", 0, len(named))
    offset = len(head) + sum(8 + len(name) for name, _ in named)
    body = b""
    for name, data in named:
        head += struct.pack("<2I", offset + len(body), len(data)) + name
        body += data
    return head + body


def _executable(metadata: bytes) -> bytes:
    directories = b"\0" * 8 * 14 + struct.pack("<2I", 0x1000, 72) + b"\0" * 8
    aligned = struct.pack("<2I", 0x1000, 0x200)
    optional = (
        struct.pack("<H", 0x20B) + b"\0" * 30 + aligned + b"\0" * 68 + struct.pack("<I", 16) + directories
    )
    coff = b"PE\0\0" + struct.pack("<2H3I2H", 0x8664, 1, 0, 0, 0, len(optional), 0)
    cli = struct.pack("<I2H2I", 72, 2, 5, 0x1000 + 72, len(metadata)).ljust(72, b"\0")
    start = 0x200
    content = cli + metadata
    section = b".text\0\0\0" + struct.pack("<4I", len(content), 0x1000, len(content), start) + b"\0" * 16
    head = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + coff + optional + section
    return head.ljust(start, b"\0") + content
