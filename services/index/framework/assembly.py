"""The types that an assembly offers to a C# program, read from its metadata (ECMA-335 II.22)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from services.errors import NotAnAssembly
from services.index.framework import tables as md
from services.index.framework.facts import (
    IMPLICIT_BASES,
    MemberFact,
    TypeFact,
    is_writable,
    modifiers_of,
    open_name,
)
from services.index.framework.member_rows import MemberRows
from services.index.framework.signature import Signature
from services.model import Kind

_VISIBILITY, _INTERFACE, _ABSTRACT, _SEALED = 0x7, 0x20, 0x80, 0x100
_PUBLIC = (1, 2, 4, 7)
"""Public, nested public, nested protected and nested protected internal (II.23.1.15)."""
_FORWARDER = 0x0020_0000
_KIND_BY_BASE = {base: kind for kind, base in IMPLICIT_BASES.items() if kind is not Kind.CLASS}


class Assembly:
    """One assembly. Raises NotAnAssembly if the image has no metadata, or is damaged where it is read."""

    def __init__(self, image: bytes) -> None:
        self._tables = md.Tables(image)
        self._types = self._tables.rows(md.TYPE_DEF)
        nested = self._tables.rows(md.NESTED_CLASS)
        # II.22.37: an enclosing type precedes those it encloses. What says otherwise could be a circle.
        self._enclosing = {inner - 1: outer - 1 for inner, outer in nested if outer < inner}

    @property
    def name(self) -> str:
        """The simple name: `System.Linq`. Empty for a module that is no assembly."""
        rows = self._tables.rows(md.ASSEMBLY)
        return self._tables.string(rows[0][7]) if rows else ""

    def types(self) -> Iterator[TypeFact]:
        """Public and protected types whose names can be written, in the order of the metadata."""
        try:
            for row in range(len(self._types)):
                if self._is_visible(row):
                    yield self._fact(row)
        except (IndexError, ValueError, RecursionError) as error:
            raise NotAnAssembly("The assembly's metadata is damaged.", reason=repr(error)) from error

    def members(self) -> Iterator[tuple[str, MemberFact]]:
        """(full name of the type, member) of what `types` gives, but for enums: each constant of one has its type."""
        rows = MemberRows(self._tables, self._plain_name)
        try:
            for row in range(len(self._types)):
                if self._is_visible(row) and self._kind(row, self._base_class(row)) is not Kind.ENUM:
                    owner = _joined(*self._type_names[row])
                    yield from ((owner, member) for member in rows.of(row))
        except (IndexError, ValueError, RecursionError) as error:
            raise NotAnAssembly("The assembly's metadata is damaged.", reason=repr(error)) from error

    def forwarded(self) -> Iterator[str]:
        """Full names of the top-level types that this assembly says are found in another (II.6.8)."""
        for flags, _, name, namespace, implementation in self._tables.rows(md.EXPORTED_TYPE):
            table, _ = md.coded(implementation, "Implementation")
            if flags & _FORWARDER and table != md.EXPORTED_TYPE:
                yield _joined(self._tables.string(namespace), self._tables.string(name))

    def _fact(self, row: int) -> TypeFact:
        namespace, name = self._type_names[row]
        base = self._base_class(row)
        kind = self._kind(row, base)
        flags = self._types[row][0]
        return TypeFact(
            namespace=namespace,
            name=name,
            kind=kind,
            modifiers=modifiers_of(kind, abstract=bool(flags & _ABSTRACT), sealed=bool(flags & _SEALED)),
            bases=(*self._named_base(base, kind), *self._visible_interfaces(row)),
            assembly=self.name,
        )

    def _kind(self, row: int, base: str | None) -> Kind:
        if self._types[row][0] & _INTERFACE:
            return Kind.INTERFACE
        if _joined(*self._type_names[row]) == "System.Enum":
            return Kind.CLASS
        return _KIND_BY_BASE.get(base or "", Kind.CLASS)

    def _base_class(self, row: int) -> str | None:
        """The nearest base class a program can name: an internal one is stepped over."""
        for _ in self._types:
            extends = self._types[row][3]
            table, target = md.coded(extends, "TypeDefOrRef")
            if not target:
                return None
            if table != md.TYPE_DEF or self._is_visible(target - 1):
                return self._type_name(extends)
            row = target - 1
        raise NotAnAssembly("The assembly's metadata is damaged.", reason="a class is its own base")

    def _named_base(self, base: str | None, kind: Kind) -> Iterator[str]:
        if base and base != IMPLICIT_BASES.get(kind) and open_name(base) not in self._hidden:
            yield base

    def _visible_interfaces(self, row: int) -> Iterator[str]:
        for coded in self._interfaces.get(row, ()):
            name = self._type_name(coded)
            if open_name(name) not in self._hidden:
                yield name

    @cached_property
    def _interfaces(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for owner, interface in self._tables.rows(md.INTERFACE_IMPL):
            found.setdefault(owner - 1, []).append(interface)
        return found

    @cached_property
    def _type_names(self) -> list[tuple[str, str]]:
        return [self._own_name(row) for row in range(len(self._types))]

    @cached_property
    def _hidden(self) -> frozenset[str]:
        names = enumerate(self._type_names)
        return frozenset(_joined(*name) for row, name in names if not self._is_visible(row))

    def _own_name(self, row: int) -> tuple[str, str]:
        name = self._tables.string(self._types[row][1])
        outer = self._enclosing.get(row)
        if outer is None:
            return self._tables.string(self._types[row][2]), name
        namespace, outer_name = self._own_name(outer)
        return namespace, f"{outer_name}+{name}"

    def _is_visible(self, row: int | None) -> bool:
        while row is not None:
            flags, name = self._types[row][:2]
            if flags & _VISIBILITY not in _PUBLIC or not is_writable(self._tables.string(name)):
                return False
            row = self._enclosing.get(row)
        return True

    def _type_name(self, coded: int) -> str:
        table, row = md.coded(coded, "TypeDefOrRef")
        if table != md.TYPE_SPEC:
            return self._plain_name(coded)
        (blob,) = self._tables.rows(md.TYPE_SPEC)[row - 1]
        return Signature(self._tables.blob(blob), self._plain_name).type()

    def _plain_name(self, coded: int) -> str:
        """Of a definition or a reference; a specification inside a signature could be a circle."""
        table, row = md.coded(coded, "TypeDefOrRef")
        if table == md.TYPE_DEF:
            return _joined(*self._type_names[row - 1])
        if table == md.TYPE_REF:
            return self._reference(row)
        raise NotAnAssembly(
            "A signature in the assembly cannot be read.", reason="a specification inside another"
        )

    def _reference(self, row: int) -> str:
        scope, name, namespace = self._tables.rows(md.TYPE_REF)[row - 1]
        table, outer = md.coded(scope, "ResolutionScope")
        text = self._tables.string(name)
        if table == md.TYPE_REF and outer:
            return f"{self._reference(outer)}+{text}"
        return _joined(self._tables.string(namespace), text)


def _joined(namespace: str, name: str) -> str:
    return f"{namespace}.{name}" if namespace else name
