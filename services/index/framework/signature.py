"""Types inside metadata signatures, as text (ECMA-335 II.23.2). The notation is that of `facts.py`."""

from __future__ import annotations

from collections.abc import Callable

from services.errors import NotAnAssembly
from services.index.framework.tables import compressed

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
_SUFFIXED = {0x0F: "*", 0x10: "&", 0x1D: "[]"}
_VAR, _ARRAY, _INSTANCE, _METHOD_VAR = 0x13, 0x14, 0x15, 0x1E
_FUNCTION, _NAMED = 0x1B, (0x11, 0x12)
_SKIPPED_TOKEN, _SKIPPED = (0x1F, 0x20), (0x41, 0x45)
_MAX_RANK = 32
"""More dimensions than this the runtime refuses; a damaged number must not fill the memory with commas."""


class Signature:
    """Reads one blob from its start. `name_of` turns a TypeDefOrRef coded index into a type's name."""

    def __init__(self, blob: bytes, name_of: Callable[[int], str]) -> None:
        self._blob = blob
        self._name_of = name_of
        self._position = 0

    def type(self) -> str:
        """The type at the cursor, which moves past it. NotAnAssembly for an element not of II.23.1.16."""
        element = self.number()
        while element in _SKIPPED_TOKEN or element in _SKIPPED:
            if element in _SKIPPED_TOKEN:
                self.number()
            element = self.number()
        if element in _PRIMITIVE_BY_ELEMENT:
            return _PRIMITIVE_BY_ELEMENT[element]
        if element in _SUFFIXED:
            return self.type() + _SUFFIXED[element]
        if element in _NAMED:
            return self._name_of(self.number())
        return self._composed(element)

    def number(self) -> int:
        """The compressed number at the cursor, which moves past it."""
        try:
            value, self._position = compressed(self._blob, self._position)
        except IndexError as error:
            raise NotAnAssembly("A signature in the assembly is cut off.") from error
        return value

    def _composed(self, element: int) -> str:
        if element == _VAR:
            return f"!{self.number()}"
        if element == _METHOD_VAR:
            return f"!!{self.number()}"
        if element == _INSTANCE:
            self.number()
            name = self._name_of(self.number())
            return f"{name}[{','.join(self.type() for _ in range(self.number()))}]"
        if element == _ARRAY:
            return self._array()
        if element == _FUNCTION:
            return self._function()
        raise NotAnAssembly("A signature in the assembly cannot be read.", element=element)

    def _function(self) -> str:
        """A pointer to a function has no name: `?`, with the cursor moved past its signature (II.23.2.12)."""
        self.number()
        for _ in range(self.number() + 1):
            self.type()
        return "?"

    def _array(self) -> str:
        item, rank = self.type(), min(self.number(), _MAX_RANK)
        for _ in range(2):
            for _ in range(self.number()):
                self.number()
        return f"{item}[{',' * (rank - 1)}]"
