"""Attributes of an assembly that complete signatures (ECMA-335 II.22.10, II.23.3)."""

from __future__ import annotations

from functools import cached_property

from services.errors import NotAnAssembly
from services.index.external import metadata as md
from services.index.external.signature import Hints

EXTENSION = "ExtensionAttribute"
PARAMS = ("ParamArrayAttribute", "ParamCollectionAttribute")
READ_ONLY = "IsReadOnlyAttribute"
_DYNAMIC, _TUPLE_NAMES = "DynamicAttribute", "TupleElementNamesAttribute"
_READ = frozenset({EXTENSION, *PARAMS, READ_ONLY, _DYNAMIC, _TUPLE_NAMES})
_PROLOG = 2  # bytes
_NULL = b"\xff"
_NO_HINTS = Hints()


class Attributes:
    """The relevant attributes, by their target. They are recognised by simple names: compilers define some of them in
    the assembly itself."""

    def __init__(self, tables: md.Tables) -> None:
        self._tables = tables

    def has(self, table: int, row: int, *names: str) -> bool:
        """Whether a 0-based row of a table has one of the attributes."""
        return any(name in names for name, _ in self._found.get((table, row), ()))

    def hints(self, table: int, row: int) -> Hints:
        """Return the hints for the type of a parameter, field or property, or of the target at a row."""
        found = dict(self._found.get((table, row), ()))
        if _DYNAMIC not in found and _TUPLE_NAMES not in found:
            return _NO_HINTS
        dynamic = _flags(found[_DYNAMIC]) if _DYNAMIC in found else ()
        return Hints(dynamic, _texts(found.get(_TUPLE_NAMES, b"")))

    @cached_property
    def _found(self) -> dict[tuple[int, int], list[tuple[str, bytes]]]:
        found: dict[tuple[int, int], list[tuple[str, bytes]]] = {}
        constructors = self._constructors
        for parent, constructor, value in self._tables.rows(md.CUSTOM_ATTRIBUTE):
            name = constructors.get(constructor)
            if name is not None:
                table, row = md.coded(parent, "HasCustomAttribute")
                found.setdefault((table, row - 1), []).append((name, self._tables.blob(value)))
        return found

    @cached_property
    def _constructors(self) -> dict[int, str]:
        """Map the CustomAttributeType index of each constructor to its attribute: defined here, or referred to."""
        tables = self._tables
        found: dict[int, str] = {}
        for row, (_, name, *_) in enumerate(tables.rows(md.TYPE_DEF)):
            text = tables.string(name)
            if text in _READ:
                for method in tables.list_of(md.TYPE_DEF, row, column=5, items=md.METHOD_DEF):
                    found[md.uncoded(md.METHOD_DEF, method + 1, "CustomAttributeType")] = text
        for row, (parent, _, _) in enumerate(tables.rows(md.MEMBER_REF), 1):
            table, target = md.coded(parent, "MemberRefParent")
            if table == md.TYPE_REF and target:
                text = tables.string(tables.rows(md.TYPE_REF)[target - 1][1])
                if text in _READ:
                    found[md.uncoded(md.MEMBER_REF, row, "CustomAttributeType")] = text
        return found


def _flags(value: bytes) -> tuple[bool, ...] | None:
    """The argument of a DynamicAttribute; None where it has none, and means all of the type."""
    body = value[_PROLOG:-2]
    if not body:
        return None
    count = int.from_bytes(body[:4], "little")
    return tuple(map(bool, body[4 : 4 + count]))


def _texts(value: bytes) -> tuple[str, ...]:
    """The argument of a TupleElementNamesAttribute."""
    body = value[_PROLOG:]
    count, at = int.from_bytes(body[:4], "little"), 4
    found: list[str] = []
    try:
        for _ in range(min(count, len(body))):
            if body[at : at + 1] == _NULL:
                found.append("")
                at += 1
                continue
            size, start = md.compressed(body, at)
            found.append(body[start : start + size].decode("utf-8"))
            at = start + size
    except (IndexError, ValueError) as error:
        raise NotAnAssembly("The assembly's metadata is damaged.", reason=repr(error)) from error
    return tuple(found)
