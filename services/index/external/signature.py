"""Types inside metadata signatures, as text (ECMA-335 II.23.2), in the notation of the external table.

Attributes add details that a signature lacks: which objects are `dynamic`, and names of tuple elements, both counted
in the order of the type's parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import msgspec

from services.errors import NotAnAssembly
from services.index.external.metadata import compressed

_PRIMITIVE_BY_ELEMENT = {
    0x01: "System.Void",
    0x02: "System.Boolean",
    0x03: "System.Char",
    0x04: "System.SByte",
    0x05: "System.Byte",
    0x06: "System.Int16",
    0x07: "System.UInt16",
    0x08: "System.Int32",
    0x09: "System.UInt32",
    0x0A: "System.Int64",
    0x0B: "System.UInt64",
    0x0C: "System.Single",
    0x0D: "System.Double",
    0x0E: "System.String",
    0x16: "System.TypedReference",
    0x18: "System.IntPtr",
    0x19: "System.UIntPtr",
    0x1C: "System.Object",
}
PRIMITIVES = frozenset(_PRIMITIVE_BY_ELEMENT.values())
"""Full names of the types that signatures have a code of their own for."""
_SUFFIXED = {0x0F: "*", 0x10: "&"}
_VECTOR = 0x1D
_RANKS = re.compile(r"(?:\[,*\])*$")
_OBJECT, _REFERENCE = 0x1C, 0x10
_VAR, _ARRAY, _INSTANCE, _METHOD_VAR = 0x13, 0x14, 0x15, 0x1E
_FUNCTION, _NAMED = 0x1B, (0x11, 0x12)
_SKIPPED_TOKEN, _SKIPPED = (0x1F, 0x20), (0x41, 0x45)
_MAX_RANK = 32
"""More dimensions than this the runtime refuses; a damaged number must not fill the memory with commas."""


_TUPLE = "System.ValueTuple`"
_MOST_ELEMENTS = 7
_LONG_TUPLE = f"{_TUPLE}{_MOST_ELEMENTS + 1}"


class Hints(msgspec.Struct, frozen=True):
    """Hints of attributes for a type. `dynamic`: a flag for each of its parts, or None where the attribute applies to
    the whole; `names`: of tuple elements, empty for none."""

    dynamic: tuple[bool, ...] | None = ()
    names: tuple[str, ...] = ()


_NO_HINTS = Hints()


class SignatureReader:
    """Reads one blob from its start. `name_of` turns a TypeDefOrRef coded index into a type's name; `position`: of the
    cursor."""

    def __init__(self, blob: bytes, name_of: Callable[[int], str]) -> None:
        self._blob = blob
        self._name_of = name_of
        self.position = 0
        self._dynamic: tuple[bool, ...] | None = ()
        self._parts = 0
        self._names: Iterator[str] = iter(())

    def is_reference(self, position: int) -> bool:
        """Whether the type that begins at a position of the blob is a reference to another, past its modifiers."""
        here, self.position = self.position, position
        element = self.number()
        while element in _SKIPPED_TOKEN:
            self.number()
            element = self.number()
        self.position = here
        return element == _REFERENCE

    def hinted(self, hints: Hints = _NO_HINTS) -> str:
        """Read a type like `type`, with the hints of attributes; without the mark of a reference."""
        self._dynamic, self._parts, self._names = hints.dynamic, 0, iter(hints.names)
        return self.type().removesuffix("&")

    def type(self) -> str:
        """The type at the cursor, which moves past it. NotAnAssembly for an element not of II.23.1.16."""
        element = self.number()
        while element in _SKIPPED_TOKEN or element in _SKIPPED:
            if element in _SKIPPED_TOKEN:
                self.number()
                self._parts += 1
            element = self.number()
        part = self._parts
        self._parts += 1
        if element in _PRIMITIVE_BY_ELEMENT:
            return (
                "dynamic" if element == _OBJECT and self._is_dynamic(part) else _PRIMITIVE_BY_ELEMENT[element]
            )
        if element == _VECTOR:
            return _array_of(self.type(), "[]")
        if element in _SUFFIXED:
            return self.type() + _SUFFIXED[element]
        if element in _NAMED:
            return self._name_of(self.number())
        return self._composed(element)

    def _is_dynamic(self, part: int) -> bool:
        return self._dynamic is None or (part < len(self._dynamic) and self._dynamic[part])

    def number(self) -> int:
        """The compressed number at the cursor, which moves past it."""
        try:
            value, self.position = compressed(self._blob, self.position)
        except IndexError as error:
            raise NotAnAssembly("A signature in the assembly is cut off.") from error
        return value

    def count(self) -> int:
        """The number at the cursor, of parts that follow, each of a byte at least. NotAnAssembly for more than fit."""
        count = self.number()
        if count > len(self._blob) - self.position:
            raise NotAnAssembly("A signature in the assembly is cut off.")
        return count

    def _composed(self, element: int) -> str:
        if element == _VAR:
            return f"!{self.number()}"
        if element == _METHOD_VAR:
            return f"!!{self.number()}"
        if element == _INSTANCE:
            self.number()
            return self._constructed(self._name_of(self.number()), self.count())
        if element == _ARRAY:
            return self._array()
        if element == _FUNCTION:
            return self._function()
        raise NotAnAssembly("A signature in the assembly cannot be read.", element=element)

    def _constructed(self, name: str, count: int) -> str:
        if name == _LONG_TUPLE:
            return self._long_tuple()
        if name.startswith(_TUPLE) and count > 1:
            names = [next(self._names, "") for _ in range(count)]
            return f"({','.join(f'{self.type()} {each}'.rstrip() for each in names)})"
        return f"{name}[{','.join(self.type() for _ in range(count))}]"

    def _long_tuple(self) -> str:
        """Read a tuple of more than seven elements, the rest of which are in a nested tuple; names of those are not
        followed."""
        self._names = iter(())
        *first, rest = (self.type() for _ in range(_MOST_ELEMENTS + 1))
        one = f"{_TUPLE}1["
        inner = rest[len(one) : -1] if rest.startswith(one) else rest[1:-1]
        is_tuple = rest.startswith((one, "("))
        return f"({','.join(first)},{inner})" if is_tuple else f"{_LONG_TUPLE}[{','.join(first)},{rest}]"

    def _function(self) -> str:
        """A pointer to a function has no name: `?`, with the cursor moved past its signature (II.23.2.12)."""
        self.number()
        for _ in range(self.count() + 1):
            self.type()
        return "?"

    def _array(self) -> str:
        item, rank = self.type(), min(self.number(), _MAX_RANK)
        for _ in range(2):
            for _ in range(self.count()):
                self.number()
        return _array_of(item, f"[{',' * (rank - 1)}]")


def _array_of(item: str, rank: str) -> str:
    """An array of items that may be arrays: ranks are written outermost first, as in C#."""
    ranks = _RANKS.search(item)
    at = ranks.start() if ranks else len(item)
    return f"{item[:at]}{rank}{item[at:]}"
