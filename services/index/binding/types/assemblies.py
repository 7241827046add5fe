"""Types of assemblies: their members as symbols and their bases, from the external table or, failing that, by the names
that the framework's and the packages' lists have."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from services.index.binding.types.reader import from_table
from services.index.binding.types.symbol import (
    CONSTRUCTOR,
    EXPLICIT,
    IMPLICIT,
    INDEXER,
    Bound,
    Parameter,
    Signature,
    Symbol,
)
from services.index.binding.types.types import EXTERNAL, AnyType, Type, named
from services.index.external.restored import RestoredTypes
from services.index.external.table import ExternalTable, MemberRow, ParameterRow, TypeParameterRow, TypeRow
from services.index.names.framework import FrameworkType, namespace_of
from services.model import Kind

_KINDS = {
    "m": Kind.METHOD,
    "c": Kind.CONSTRUCTOR,
    "o": Kind.OPERATOR,
    "i": Kind.INDEXER,
    "p": Kind.PROPERTY,
    "f": Kind.FIELD,
    "e": Kind.EVENT,
}
_FLAGS = {"s": "static", "a": "abstract", "v": "virtual", "o": "override", "x": "extension", "p": "protected"}
SIGNS = {
    "op_Addition": "+", "op_Subtraction": "-", "op_Multiply": "*", "op_Division": "/", "op_Modulus": "%",
    "op_Equality": "==", "op_Inequality": "!=", "op_LessThan": "<", "op_GreaterThan": ">", "op_LessThanOrEqual": "<=",
    "op_GreaterThanOrEqual": ">=", "op_BitwiseAnd": "&", "op_BitwiseOr": "|", "op_ExclusiveOr": "^",
    "op_LeftShift": "<<", "op_RightShift": ">>", "op_UnsignedRightShift": ">>>", "op_LogicalNot": "!",
    "op_OnesComplement": "~", "op_UnaryNegation": "-", "op_UnaryPlus": "+", "op_Increment": "++",
    "op_Decrement": "--", "op_True": "true", "op_False": "false",
}  # fmt: skip
CONVERTING = {"op_Implicit": IMPLICIT, "op_Explicit": EXPLICIT}


class Visible(NamedTuple):
    """External types visible to one kind of project. `sources`: of the table, the most trusted first; `packages`:
    names of packages it refers to, folded; `restored`: packages found on this machine; `foreign`: entries of name
    lists for a type."""

    sources: tuple[str, ...]
    packages: frozenset[str]
    restored: RestoredTypes | None
    foreign: Callable[[str], FrameworkType | None]


class Assemblies:
    """Assemblies visible to one kind of project."""

    def __init__(self, table: ExternalTable, seen: Visible) -> None:
        self._table = table
        self._sources, self._packages, self._restored, self._foreign = seen
        self._rows: dict[str, TypeRow | None] = {}
        self._listed: dict[str, FrameworkType | None] = {}
        self._symbols: dict[str, dict[str, list[Symbol]]] = {}
        self._extensions: dict[str, list[tuple[str, Symbol]]] = {}
        self._bases: dict[str, tuple[tuple[Type, ...], bool]] = {}

    def row(self, fqn: str) -> TypeRow | None:
        """A type of the table."""
        if fqn not in self._rows:
            restored = self._restored.types(fqn) if self._restored is not None else []
            self._rows[fqn] = self._best(restored, fqn) if restored else next(self._found(fqn), None)
        return self._rows[fqn]

    def _best(self, restored: Sequence[TypeRow], fqn: str) -> TypeRow | None:
        """Return the row of a restored package, except for assemblies of the framework. Types declared by two
        packages are unknown: the compiler rejects them."""
        assemblies = {row.assembly for row in restored}
        framework = self._table.types(self._sources[0], fqn)
        newer = next((row for row in framework if row.assembly in assemblies), None)
        return newer or (restored[0] if len(restored) == 1 else None)

    def _found(self, fqn: str) -> Iterator[TypeRow]:
        for source in self._sources:
            rows = self._table.types(source, fqn)
            if rows:
                yield max(rows, key=lambda row: self._is_near(row.assembly))

    def _is_near(self, assembly: str) -> int:
        """How sure it is that a package of the project has an assembly: the longest name that both begin with."""
        folded = assembly.casefold()
        return max((len(name) for name in self._packages if _belongs(folded, name)), default=0)

    def listed(self, fqn: str) -> FrameworkType | None:
        """A type that only lists of names have. Of one that two restored packages declare it has no bases."""
        if fqn not in self._listed:
            self._listed[fqn] = self._foreign(fqn)
        return self._listed[fqn]

    def kind_of(self, fqn: str) -> str:
        """class, struct, interface, enum, delegate; empty where nothing is known."""
        row = self.row(fqn)
        if row is not None:
            return "class" if row.kind == "record" else row.kind
        listed = self.listed(fqn)
        return listed.kind.value if listed is not None else ""

    def is_static(self, fqn: str) -> bool:
        """Whether a type is a static class."""
        row = self.row(fqn)
        return row is not None and "static" in row.flags

    def is_sealed(self, fqn: str) -> bool:
        """Whether no class derives from it."""
        row = self.row(fqn)
        return row is not None and "sealed" in row.flags

    def knows_members(self, fqn: str) -> bool:
        """Whether the members of a type are known."""
        return self.row(fqn) is not None

    def bases(self, fqn: str) -> tuple[tuple[Type, ...], bool]:
        """The direct bases, class first, with the type's own parameters as `!0`; whether they are known."""
        known = self._bases.get(fqn)
        if known is None:
            known = self._bases[fqn] = self._read_bases(fqn)
        return known

    def _read_bases(self, fqn: str) -> tuple[tuple[Type, ...], bool]:
        row = self.row(fqn)
        if row is not None:
            texts = (*((row.base,) if row.base else ()), *row.interfaces)
        else:
            listed = self.listed(fqn)
            if listed is None:
                return (), False
            texts = listed.base_types
        read = (from_table(text) for text in texts)
        return tuple(base for base in read if isinstance(base, Type)), True

    def symbols(self, fqn: str) -> dict[str, list[Symbol]]:
        """The members of a type by name."""
        known = self._symbols.get(fqn)
        if known is None:
            known = self._symbols[fqn] = {}
            row = self.row(fqn)
            if row is not None:
                for symbol in _symbols(row):
                    known.setdefault(symbol.name, []).append(symbol)
        return known

    def extensions(self, name: str) -> list[tuple[str, Symbol]]:
        """(namespace, method) of the extension methods of that name."""
        known = self._extensions.get(name)
        if known is None:
            known = self._extensions[name] = []
            restored = self._restored.extending(name) if self._restored is not None else []
            for fqn in dict.fromkeys(row.fqn for row in (*restored, *self._table.extending(name))):
                found = self.symbols(fqn).get(name, ()) if self.row(fqn) is not None else ()
                space = namespace_of(fqn)
                known += [(space, symbol) for symbol in found if symbol.is_extension]
        return known


def _belongs(assembly: str, package: str) -> bool:
    return assembly == package or assembly.startswith(f"{package}.") or package.startswith(f"{assembly}.")


def _arity(fqn: str) -> int:
    return sum(int(part.rpartition("`")[2]) for part in fqn.split("+") if "`" in part)


def _symbols(row: TypeRow) -> Iterator[Symbol]:
    owner = named(row.fqn, *EXTERNAL[: _arity(row.fqn)])
    for member in row.members:
        yield _symbol(member, owner, is_enum=row.kind == "enum")
    if row.call is not None:
        returns, parameters = row.call
        yield Symbol(
            "Invoke",
            Kind.METHOD,
            owner,
            frozenset({"virtual"}),
            lambda: Signature(tuple(map(_parameter, parameters)), from_table(returns)),
        )
    if row.kind == "struct" and not any(m.what == "c" and not m.parameters for m in row.members):
        yield Symbol(CONSTRUCTOR, Kind.CONSTRUCTOR, owner, frozenset(), lambda: Signature((), owner))


def _symbol(row: MemberRow, owner: Type, *, is_enum: bool) -> Symbol:
    flags = {_FLAGS[letter] for letter in row.flags if letter in _FLAGS}
    if is_enum:
        flags.add("static")
    kind, name = _KINDS[row.what], row.name
    if name in SIGNS:
        name = f"operator {SIGNS[name]}"
    elif name in CONVERTING:
        kind, name = Kind.CONVERSION, CONVERTING[name]
    elif kind is Kind.INDEXER:
        name = INDEXER
    access = "protected" if "protected" in flags else "public"
    return Symbol(
        name,
        kind,
        owner,
        frozenset(flags),
        lambda: _signature(row, kind, owner),
        access=access,
        arity=len(row.type_parameters),
    )


def _signature(row: MemberRow, kind: Kind, owner: Type) -> Signature:
    returns: AnyType | None = owner if kind is Kind.CONSTRUCTOR else from_table(row.type)
    parameters = tuple(map(_parameter, row.parameters)) if row.what in "mcoi" else None
    return Signature(parameters, returns, tuple(map(_bound, row.type_parameters)))


def _parameter(row: ParameterRow) -> Parameter:
    words = row.way.replace("?", " ? ").split()
    way = next((word for word in words if word in ("ref", "out", "in")), "")
    return Parameter(row.name, from_table(row.type), way, "params" in words, "?" in words)


def _bound(row: TypeParameterRow) -> Bound:
    types = tuple(t for t in map(from_table, row.bounds) if t is not None)
    return Bound(types, frozenset(row.kinds.split()))
