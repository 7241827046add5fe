"""The members of an assembly's types (ECMA-335 II.22.15, II.22.26, II.22.34)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from services.index.framework import tables as md
from services.index.framework.facts import MemberFact, is_writable
from services.index.framework.signature import Signature
from services.model import Kind

_ACCESS, _STATIC, _SPECIAL = 0x7, 0x10, 0x800
_VISIBLE = (4, 5, 6)
"""Protected, protected internal and public (II.23.1.5, II.23.1.10)."""
_GENERIC = 0x10
_GETTER_OR_SETTER = 0x3


class MemberRows:
    """Reads the members of one assembly; `name_of` as for Signature."""

    def __init__(self, tables: md.Tables, name_of: Callable[[int], str]) -> None:
        self._tables = tables
        self._name_of = name_of

    def of(self, row: int) -> Iterator[MemberFact]:
        """Visible methods, fields, properties and indexers of the 0-based row of TypeDef; accessors are not methods."""
        for field in _range(self._tables.rows(md.TYPE_DEF), row, 4, len(self._tables.rows(md.FIELD))):
            yield from self._field(field)
        for method in _range(self._tables.rows(md.TYPE_DEF), row, 5, len(self._tables.rows(md.METHOD_DEF))):
            yield from self._method(method)
        for property_ in self._properties.get(row, ()):
            yield from self._property(property_)

    def _field(self, row: int) -> Iterator[MemberFact]:
        flags, name, blob = self._tables.rows(md.FIELD)[row]
        text = self._tables.string(name)
        if flags & _ACCESS in _VISIBLE and not flags & _SPECIAL and is_writable(text):
            signature = Signature(self._tables.blob(blob), self._name_of)
            signature.number()
            yield MemberFact(text, Kind.FIELD, bool(flags & _STATIC), signature.type())

    def _method(self, row: int) -> Iterator[MemberFact]:
        _, _, flags, name, blob, _ = self._tables.rows(md.METHOD_DEF)[row]
        text = self._tables.string(name)
        if flags & _ACCESS in _VISIBLE and not flags & _SPECIAL and is_writable(text):
            signature = Signature(self._tables.blob(blob), self._name_of)
            if signature.number() & _GENERIC:
                signature.number()
            count = signature.number()
            returned = signature.type()
            receiver = signature.type() if count and row in self._extensions else None
            yield MemberFact(text, Kind.METHOD, bool(flags & _STATIC), returned, receiver)

    def _property(self, row: int) -> Iterator[MemberFact]:
        _, name, blob = self._tables.rows(md.PROPERTY)[row]
        text = self._tables.string(name)
        flags = [self._tables.rows(md.METHOD_DEF)[method][2] for method in self._accessors.get(row, ())]
        if is_writable(text) and any(flag & _ACCESS in _VISIBLE for flag in flags):
            signature = Signature(self._tables.blob(blob), self._name_of)
            signature.number()
            kind = Kind.INDEXER if signature.number() else Kind.PROPERTY
            yield MemberFact(text, kind, bool(flags[0] & _STATIC), signature.type())

    @cached_property
    def _properties(self) -> dict[int, range]:
        maps = self._tables.rows(md.PROPERTY_MAP)
        count = len(self._tables.rows(md.PROPERTY))
        return {owner - 1: _range(maps, number, 1, count) for number, (owner, _) in enumerate(maps)}

    @cached_property
    def _accessors(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for semantics, method, association in self._tables.rows(md.METHOD_SEMANTICS):
            table, row = md.coded(association, "HasSemantics")
            if table == md.PROPERTY and semantics & _GETTER_OR_SETTER:
                found.setdefault(row - 1, []).append(method - 1)
        return found

    @cached_property
    def _extensions(self) -> frozenset[int]:
        """0-based rows of the methods marked with ExtensionAttribute."""
        marked: set[int] = set()
        for parent, constructor, _ in self._tables.rows(md.CUSTOM_ATTRIBUTE):
            table, row = md.coded(parent, "HasCustomAttribute")
            if table == md.METHOD_DEF and constructor in self._extension_constructors:
                marked.add(row - 1)
        return frozenset(marked)

    @cached_property
    def _extension_constructors(self) -> frozenset[int]:
        """CustomAttributeType indexes of the constructors of ExtensionAttribute: defined here, or referred to."""
        methods = len(self._tables.rows(md.METHOD_DEF))
        types = self._tables.rows(md.TYPE_DEF)
        found: set[int] = set()
        for row, (_, name, *_) in enumerate(types):
            if self._tables.string(name) == "ExtensionAttribute":
                found.update((method + 1) << 3 | 2 for method in _range(types, row, 5, methods))
        for row, (parent, _, _) in enumerate(self._tables.rows(md.MEMBER_REF), 1):
            table, target = md.coded(parent, "MemberRefParent")
            if table == md.TYPE_REF and self._referred(target) == "ExtensionAttribute":
                found.add(row << 3 | 3)
        return frozenset(found)

    def _referred(self, row: int) -> str:
        return self._tables.string(self._tables.rows(md.TYPE_REF)[row - 1][1])


def _range(rows: list[tuple[int, ...]], row: int, column: int, count: int) -> range:
    """0-based rows of the list that begins at `column` of `row` and ends where that of the next begins (II.22)."""
    start = rows[row][column] - 1
    end = rows[row + 1][column] - 1 if row + 1 < len(rows) else count
    return range(max(start, 0), min(end, count))
