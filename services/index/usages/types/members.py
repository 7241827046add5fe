"""What members a type has, its own and inherited ones: workspace and framework alike."""

from __future__ import annotations

from collections.abc import Iterator

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.index.framework.facts import IMPLICIT_BASES, MemberFact
from services.index.framework.members import MemberTable
from services.index.framework.table import FrameworkTable
from services.index.names.constraints import bounds
from services.index.names.context import Context
from services.index.names.names import Names
from services.index.names.space import Known
from services.index.symbols.implicit import implicit_members
from services.index.symbols.partials import halves_of, merged
from services.index.usages.types.member import Candidate, Lookup, Member
from services.index.usages.types.types import (
    ARRAY,
    OBJECT,
    AnyType,
    Assigned,
    TupleType,
    Type,
    TypeParameter,
    TypeReader,
    framework,
    substituted,
)
from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration

_MOST_BASES = 64
_OF_ARRAYS = tuple(
    f"System.Collections.Generic.{name}`1[!0]"
    for name in ("IList", "ICollection", "IReadOnlyList", "IReadOnlyCollection", "IEnumerable")
)
"""What an array implements beside what `System.Array` says."""
CALLABLE = frozenset({Kind.METHOD, Kind.CONSTRUCTOR})
CONSTRUCTOR = ".ctor"
INDEXER = "this[]"


class TypeMembers:
    """Members by type. Holds what it has read; made for one version of the catalogue."""

    def __init__(
        self, catalogue: Catalogue, records: Records, names: Names, tables: tuple[FrameworkTable, MemberTable]
    ) -> None:
        self._catalogue = catalogue
        self._records = records
        self._names = names
        self._table, self._facts = tables
        self._own: dict[int, dict[str, list[Member]]] = {}
        self._base_types: dict[int, tuple[tuple[Type, ...], bool]] = {}
        self._bases: dict[Type, tuple[tuple[Type, ...], bool]] = {}
        self._closures: dict[AnyType, tuple[tuple[Type, ...], bool]] = {}
        self.reader = TypeReader(names.binder, names.space, self._table, self.parameters_of, self.kind_of)

    def kind_of(self, index: int) -> Kind:
        """The kind of a workspace type."""
        return self._catalogue.types[index].kind

    def parameters_of(self, index: int) -> tuple[str, ...]:
        """The names of its own type parameters."""
        declaration = self.primary(index)
        return declaration.type_parameters if declaration is not None else ()

    def primary(self, index: int) -> Declaration | None:
        """The first part of a workspace type that can be read."""
        for file, at in self._catalogue.types[index].parts:
            record = self._records.record(file)
            if record is not None:
                return record.declarations[at]
        return None

    def own(self, index: int, name: str) -> list[Member]:
        """The members of that name that a workspace type declares; constructors are `.ctor`."""
        known = self._own.get(index)
        if known is None:
            known = self._own[index] = self._read(index)
        return known.get(name, [])

    def _read(self, index: int) -> dict[str, list[Member]]:
        declared: list[Member] = []
        parts: list[tuple[int, int, Declaration]] = []
        for file, at in self._catalogue.types[index].parts:
            record = self._records.record(file)
            if record is None:
                continue
            owner = record.declarations[at]
            parts.append((file, at, owner))
            for place, declaration in enumerate(record.declarations[at + 1 :], at + 1):
                if declaration.start >= owner.end:
                    break
                if declaration.parent == at and declaration.kind not in TYPE_KINDS:
                    declared.append(Member(index, file, place, declaration))
        found: dict[str, list[Member]] = {}
        for member in _without_contracts(declared):
            found.setdefault(_key(member.declaration), []).append(member)
        if parts:
            file, at, owner = max(
                parts, key=lambda part: (part[2].parameters is not None, bool(part[2].bases))
            )
            modifiers = frozenset(word for _, _, part in parts for word in part.modifiers)
            for made in implicit_members(owner, modifiers, [member.declaration for member in declared]):
                found.setdefault(_key(made), []).append(Member(index, file, at, made))
        return found

    def itself(self, index: int) -> Type:
        """A workspace type as it is inside: with its own type parameters, those of outer types before them."""
        arguments: list[AnyType | None] = []
        around: int | None = index
        while around is not None:
            own = [TypeParameter(name, around) for name in self.parameters_of(around)]
            arguments = [*own, *arguments]
            entry = self._catalogue.types[around]
            around = self._catalogue.type_at.get((entry.project, entry.fqn.rpartition("+")[0]))
        return Type(Known(self._catalogue.types[index].fqn, index), tuple(arguments))

    # Bases

    def bases(self, type_: Type) -> tuple[tuple[Type, ...], bool]:
        """The direct bases with their arguments, the class first; whether all of them are known."""
        known = self._bases.get(type_)
        if known is None:
            known = self._bases[type_] = self._direct(type_)
        return known

    def _direct(self, type_: Type) -> tuple[tuple[Type, ...], bool]:
        if type_.known.index is not None:
            found, whole = self._workspace_bases(type_.known.index)
            assigned = self.assigned(type_)
            return tuple(b for b in (substituted(b, assigned) for b in found) if isinstance(b, Type)), whole
        listed = self._table.get(type_.fqn)
        if listed is None:
            return (), False
        texts = (*listed.base_types, *_OF_ARRAYS) if type_.fqn == ARRAY else listed.base_types
        read = [self.reader.from_table(text, type_.arguments, ()) for text in texts]
        bases = [base for base in read if isinstance(base, Type)]
        implied = listed.implicit_base
        if implied is not None and implied != type_.fqn and not any(self.is_class(b) for b in bases):
            bases.insert(0, framework(implied))
        return tuple(bases), True

    def _workspace_bases(self, index: int) -> tuple[tuple[Type, ...], bool]:
        known = self._base_types.get(index)
        if known is not None:
            return known
        self._base_types[index] = ((), False)
        found: list[Type] = []
        whole = True
        for file, at in self._catalogue.types[index].parts:
            record = self._records.record(file)
            declaration = record.declarations[at] if record is not None else None
            for text in (
                declaration.bases if declaration is not None and self.kind_of(index) is not Kind.ENUM else ()
            ):
                read = self.reader.read(text, self._names.base_context(file, at), own=index)
                if isinstance(read, Type):
                    found.append(read)
                else:
                    whole = False
        implied = IMPLICIT_BASES.get(self._implied_kind(index))
        if implied is not None and not any(self.is_class(base) or self.is_external(base) for base in found):
            found.insert(0, framework(implied))
        self._base_types[index] = (tuple(dict.fromkeys(found)), whole)
        return self._base_types[index]

    def _implied_kind(self, index: int) -> Kind:
        kind = self.kind_of(index)
        return {Kind.RECORD: Kind.CLASS, Kind.RECORD_STRUCT: Kind.STRUCT}.get(kind, kind)

    def is_class(self, type_: Type) -> bool:
        """Whether a type is a class, as far as is known."""
        if type_.known.index is not None:
            return self.kind_of(type_.known.index) in (Kind.CLASS, Kind.RECORD)
        found = self._table.get(type_.fqn)
        return found is not None and found.kind is Kind.CLASS

    def is_interface(self, type_: Type) -> bool:
        """Whether a type is an interface, as far as is known."""
        if type_.known.index is not None:
            return self.kind_of(type_.known.index) is Kind.INTERFACE
        found = self._table.get(type_.fqn)
        return found is not None and found.kind is Kind.INTERFACE

    def is_enum(self, type_: Type) -> bool:
        """Whether a type is an enum, as far as is known."""
        if type_.known.index is not None:
            return self.kind_of(type_.known.index) is Kind.ENUM
        found = self._table.get(type_.fqn)
        return found is not None and found.kind is Kind.ENUM

    def is_delegate(self, type_: Type) -> bool:
        """Whether a type is a delegate, as far as is known."""
        if type_.known.index is not None:
            return self.kind_of(type_.known.index) is Kind.DELEGATE
        found = self._table.get(type_.fqn)
        return found is not None and found.kind is Kind.DELEGATE

    def is_external(self, type_: Type) -> bool:
        """Whether a type is one of a package of which nothing but the name is known."""
        return type_.known.index is None and self._table.get(type_.fqn) is None

    def assigned(self, type_: Type) -> Assigned:
        """The arguments of a workspace type by its type parameters, those of outer types among them."""
        index = type_.known.index
        if index is None or not type_.arguments:
            return {}
        found: dict[TypeParameter, AnyType | None] = {}
        arguments = list(type_.arguments)
        while index is not None and arguments:
            names = self.parameters_of(index)
            for name, argument in zip(reversed(names), reversed(arguments), strict=False):
                found[TypeParameter(name, index)] = argument
            arguments = arguments[: len(arguments) - len(names)]
            entry = self._catalogue.types[index]
            around = self._catalogue.type_at.get((entry.project, entry.fqn.rpartition("+")[0]))
            index = home_of(self._catalogue, around) if around is not None else None
        return found

    def closure(self, type_: AnyType | None) -> tuple[tuple[Type, ...], bool]:
        """A type and all that it derives from or implements, nearest first; whether all of them are known."""
        if type_ is None:
            return (), False
        known = self._closures.get(type_)
        if known is None:
            known = self._closures[type_] = self._closed(type_)
        return known

    def _closed(self, type_: AnyType) -> tuple[tuple[Type, ...], bool]:
        waiting: list[Type] = list(self.roots(type_))
        found: dict[Type, None] = {}
        whole = bool(waiting)
        while waiting and len(found) < _MOST_BASES:
            current = waiting.pop(0)
            if current in found:
                continue
            found[current] = None
            bases, known = self.bases(current)
            whole = whole and known and not self.is_external(current)
            waiting += bases
        return tuple(found), whole

    def roots(self, type_: AnyType | None) -> tuple[Type, ...]:
        """The types whose members an expression of the type has: those of its constraints for a type parameter."""
        if isinstance(type_, Type):
            return (type_,)
        if isinstance(type_, TupleType):
            return (framework(f"System.ValueTuple`{len(type_.elements)}", *type_.elements),)
        if type_ is None or type_.owner < 0:
            return ()
        return (*self._bounds(type_), framework(OBJECT))

    def _bounds(self, parameter: TypeParameter) -> Iterator[Type]:
        for file, at in self._catalogue.types[parameter.owner].parts:
            record = self._records.record(file)
            if record is not None:
                yield from self.bounds_in(
                    record.declarations[at], parameter, self._names.context(file, at), parameter.owner
                )

    def bounds_in(
        self, declaration: Declaration, parameter: TypeParameter, context: Context, own: int
    ) -> Iterator[Type]:
        """The constraints that a declaration puts on a type parameter."""
        for text in bounds(declaration.constraints, parameter.name):
            read = self.reader.read(text, context, own=own)
            if isinstance(read, Type):
                yield read

    # Lookup

    def find(self, types: tuple[Type, ...], name: str, *, hidden: bool = False) -> Lookup:
        """Members of that name as the language looks them up: a class and its bases; an interface and all of its.

        `hidden`: whether private members of bases count."""
        found: list[Candidate] = []
        waiting = list(types)
        seen: set[Type] = set()
        whole = True
        while waiting and len(seen) < _MOST_BASES:
            current = waiting.pop(0)
            if current in seen:
                continue
            seen.add(current)
            own = self._declared(current, name, hidden=hidden or current in types)
            found += [Candidate(member, current) for member in own]
            if own and not all(_is_method(member) for member in own):
                break
            bases, known = self.bases(current)
            external = self.is_external(current)
            if name == CONSTRUCTOR:
                return Lookup(tuple(found), not external)
            if self.is_interface(current):
                whole = whole and known
                waiting += [*bases, framework(OBJECT)]
            else:
                classes = [b for b in bases if not self.is_interface(b)]
                whole = whole and not external and (known or any(map(self.is_class, classes)))
                waiting += classes
        return Lookup(tuple(found), whole)

    def _declared(self, type_: Type, name: str, *, hidden: bool) -> list[Member] | list[MemberFact]:
        if type_.known.index is None:
            return list(self._facts.find(type_.fqn, "Item" if name == INDEXER else name))
        return [
            member
            for member in self.own(type_.known.index, name)
            if not member.declaration.explicit and (hidden or member.declaration.access != "private")
        ]

    def returned(self, member: Member) -> AnyType | None:
        """The type of a workspace member or what it returns, its type parameters in it."""
        declaration = member.declaration
        if declaration.kind is Kind.ENUM_MEMBER:
            return Type(Known(self._catalogue.types[member.index].fqn, member.index))
        return self.read_in(member, declaration.returns) if declaration.returns else None

    def read_in(self, member: Member, text: str) -> AnyType | None:
        """A type text of a member's declaration."""
        context = self._names.context(member.file, member.at, member.declaration.own_parameters)
        return self.reader.read(text, context)

    def facts(self) -> MemberTable:
        """The members of framework types."""
        return self._facts


def _without_contracts(members: list[Member]) -> Iterator[Member]:
    """The members, partial ones once, with the parameters that callers see."""
    halves = halves_of([member.declaration for member in members])
    bodies = {body: contract for contract, body in halves.items()}
    for at, member in enumerate(members):
        if at in bodies:
            declaration = merged(members[bodies[at]].declaration, member.declaration)
            yield Member(member.index, member.file, member.at, declaration)
        elif at not in halves:
            yield member


def _key(declaration: Declaration) -> str:
    if declaration.kind is Kind.CONSTRUCTOR:
        return CONSTRUCTOR if "static" not in declaration.modifiers else ".cctor"
    return declaration.name


def _is_method(member: Member | MemberFact) -> bool:
    kind = member.declaration.kind if isinstance(member, Member) else member.kind
    return kind in (Kind.METHOD, Kind.CONSTRUCTOR, Kind.INDEXER, Kind.EXTENSION_MEMBER)
