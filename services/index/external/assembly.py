"""The types that an assembly offers to a C# program, read from its metadata (ECMA-335 II.22)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

from services.errors import NotAnAssembly
from services.index.external import metadata as md
from services.index.external.member_rows import MemberRows
from services.index.external.signature import SignatureReader
from services.index.external.table import TypeParameterRow, TypeRow
from services.index.names.framework import IMPLICIT_BASES, is_writable, open_name
from services.model import Kind

_VISIBILITY, _INTERFACE, _ABSTRACT, _SEALED = 0x7, 0x20, 0x80, 0x100
_PUBLIC = (1, 2, 4, 7)
"""Public, nested public, nested protected and nested protected internal (II.23.1.15)."""
_FORWARDER = 0x0020_0000
_KINDS = {base: kind.value for kind, base in IMPLICIT_BASES.items() if kind is not Kind.CLASS}
_IMPLICIT = frozenset(IMPLICIT_BASES.values()) - {"System.MulticastDelegate"}
_KIND_OF_TYPE, _VALUE, _NEW = 0x4, 0x8, 0x10
"""Constraints `class`, `struct`, `new()` (II.23.1.7)."""
_VALUE_TYPE = "System.ValueType"


class Assembly:
    """Assembly. Raises NotAnAssembly if the image has no metadata, or is damaged where it is read."""

    def __init__(self, image: bytes) -> None:
        self._tables = md.Tables(image)
        self._types = self._tables.rows(md.TYPE_DEF)
        nested = self._tables.rows(md.NESTED_CLASS)
        # II.22.37: an enclosing type precedes its nested types. Any other order could be a cycle.
        self._enclosing = {inner - 1: outer - 1 for inner, outer in nested if outer < inner}

    @property
    def name(self) -> str:
        """The simple name: `System.Linq`. Empty for a module that is no assembly."""
        rows = self._tables.rows(md.ASSEMBLY)
        return self._tables.string(rows[0][7]) if rows else ""

    def types(self) -> Iterator[TypeRow]:
        """Public and protected types whose names can be written, with their members, in the order of the metadata."""
        try:
            for row in range(len(self._types)):
                if self._is_visible(row):
                    yield self._row(row)
        except (IndexError, ValueError, RecursionError) as error:
            raise NotAnAssembly("The assembly's metadata is damaged.", reason=repr(error)) from error

    def forwarded(self) -> Iterator[str]:
        """Full names of the top-level types that this assembly forwards to another (II.6.8)."""
        for flags, _, name, namespace, implementation in self._tables.rows(md.EXPORTED_TYPE):
            table, _ = md.coded(implementation, "Implementation")
            if flags & _FORWARDER and table != md.EXPORTED_TYPE:
                yield _joined(self._tables.string(namespace), self._tables.string(name))

    def _row(self, row: int) -> TypeRow:
        base = self._base_class(row)
        kind = self._kind(row, base)
        is_named = base and base not in _IMPLICIT and open_name(base) not in self._hidden
        return TypeRow(
            self._type_names[row],
            self.name,
            kind,
            _flags(kind, self._types[row][0]),
            self._parameters_of(md.TYPE_DEF, row),
            base if base and is_named else "",
            tuple(self._visible_interfaces(row)),
            self._members.call(row) if kind == "delegate" else None,
            tuple(self._members.of(row)) if kind != "delegate" else (),
        )

    @cached_property
    def _members(self) -> MemberRows:
        return MemberRows(
            self._tables,
            name_of=self._plain_name,
            type_of=self._type_name,
            parameters_of=self._parameters_of,
        )

    def _kind(self, row: int, base: str | None) -> str:
        if self._types[row][0] & _INTERFACE:
            return "interface"
        if self._type_names[row] == "System.Enum":
            return "class"
        return _KINDS.get(base or "", "class")

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

    def _parameters_of(self, table: int, row: int) -> tuple[TypeParameterRow, ...]:
        """The own type parameters of a type or method: those of enclosing types are listed before them."""
        every = self._generic.get((table, row), [])
        outer = self._enclosing.get(row) if table == md.TYPE_DEF else None
        around = 0 if outer is None else len(self._generic.get((table, outer), ()))
        return tuple(self._type_parameter(each) for each in every[around:])

    @cached_property
    def _generic(self) -> dict[tuple[int, int], list[int]]:
        """0-based rows of type parameters by the table and 0-based row of what has them."""
        found: dict[tuple[int, int], list[int]] = defaultdict(list)
        for at, (_, _, owner, _) in enumerate(self._tables.rows(md.GENERIC_PARAM)):
            table, row = md.coded(owner, "TypeOrMethodDef")
            found[table, row - 1].append(at)
        return found

    def _type_parameter(self, row: int) -> TypeParameterRow:
        _, flags, _, name = self._tables.rows(md.GENERIC_PARAM)[row]
        bounds = [self._type_name(coded) for coded in self._constraints.get(row, ())]
        kinds = ["class"] if flags & _KIND_OF_TYPE else []
        kinds += ["struct"] if flags & _VALUE else ["new"] if flags & _NEW else []
        seen = (b for b in bounds if b != _VALUE_TYPE and open_name(b) not in self._hidden)
        return TypeParameterRow(self._tables.string(name), tuple(seen), " ".join(kinds))

    @cached_property
    def _constraints(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = defaultdict(list)
        for owner, constraint in self._tables.rows(md.GENERIC_PARAM_CONSTRAINT):
            found[owner - 1].append(constraint)
        return found

    @cached_property
    def _type_names(self) -> list[str]:
        return [self._own_name(row) for row in range(len(self._types))]

    @cached_property
    def _hidden(self) -> frozenset[str]:
        return frozenset(name for row, name in enumerate(self._type_names) if not self._is_visible(row))

    def _own_name(self, row: int) -> str:
        name = self._tables.string(self._types[row][1])
        outer = self._enclosing.get(row)
        if outer is None:
            return _joined(self._tables.string(self._types[row][2]), name)
        around = self._own_name(outer)
        self._tables.spend(len(around))
        return f"{around}+{name}"

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
        return SignatureReader(self._tables.blob(blob), self._plain_name).type()

    def _plain_name(self, coded: int) -> str:
        """Return the name of a definition or a reference; a specification inside a signature could be a cycle."""
        table, row = md.coded(coded, "TypeDefOrRef")
        if table == md.TYPE_DEF:
            self._tables.spend(len(self._type_names[row - 1]))
            return self._type_names[row - 1]
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


def _flags(kind: str, flags: int) -> str:
    """Return the flags in the table's notation: an abstract and sealed class is `static`."""
    if kind == "class" and flags & _ABSTRACT and flags & _SEALED:
        return "static"
    return "abstract" if flags & _ABSTRACT else "sealed" if flags & _SEALED else ""


def _joined(namespace: str, name: str) -> str:
    return f"{namespace}.{name}" if namespace else name
