"""Types that the workspace declares: their members as symbols, their bases, their type parameters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property

from services.index.binding.types.reader import TypeReader
from services.index.binding.types.symbol import (
    CONSTRUCTOR,
    INDEXER,
    Bound,
    Member,
    Parameter,
    Signature,
    Symbol,
)
from services.index.binding.types.types import (
    CALLEE,
    IN_METHOD,
    AnyType,
    Type,
    TypeParameter,
    named,
    substituted,
)
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.index.names.names import Names
from services.index.names.space import Context, Known
from services.index.names.type_text import bounds
from services.index.symbols.implicit import implicit_members
from services.index.symbols.partials import halves_of, merged, twins_of
from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration, ParameterRecord
from services.syntax.records.hashing import canonical_signature

_VALUES = frozenset({Kind.STRUCT, Kind.ENUM, Kind.RECORD_STRUCT, Kind.UNION})
_STATIC_KINDS = frozenset({Kind.CONSTANT, Kind.ENUM_MEMBER, Kind.CONVERSION})
_KINDS = re.compile(r"\b(class|struct|unmanaged|new\s*\(\s*\)|notnull)")
_MOST_BASES = 64
_PRIORITY = "OverloadResolutionPriority"


class Workspace:
    """Members by type. Holds what it has read; made for one version of the catalogue.

    Types are known by the homes of their symbols. What a project declares in one of them is read where it compiles it,
    and told where the home does if that declares it too."""

    def __init__(
        self, catalogue: Catalogue, records: Records, names: Names, seen: Mapping[int, Sequence[int]]
    ) -> None:
        """`seen`: of types that projects compile differently, the compilation that is looked at, then all others, the
        home of the symbol first of these."""
        self.catalogue = catalogue
        self.records = records
        self.names = names
        self._seen = seen
        self._symbols: dict[int, dict[str, list[Symbol]]] = {}
        self._itself: dict[int, Type] = {}
        self._bases: dict[int, tuple[tuple[Type, ...], bool]] = {}
        self._reading: set[int] = set()
        self._outer: dict[int, int | None] = {}
        self._parameters: dict[int, tuple[str, ...]] = {}
        self.reader: TypeReader

    @cached_property
    def type_names(self) -> frozenset[str]:
        """The simple names of all types."""
        return frozenset(entry.name for _, entry in self.catalogue.live_types() if not entry.is_elsewhere)

    def kind_of(self, index: int) -> Kind:
        """The kind of a type."""
        return self.catalogue.types[index].kind

    def is_value(self, index: int) -> bool:
        """Whether a type is a value type."""
        return self.kind_of(index) in _VALUES

    def parameters_of(self, index: int) -> tuple[str, ...]:
        """The names of its own type parameters."""
        known = self._parameters.get(index)
        if known is None:
            declaration = self.primary(index)
            known = self._parameters[index] = declaration.type_parameters if declaration is not None else ()
        return known

    def primary(self, index: int) -> Declaration | None:
        """The first part that can be read."""
        return next((declaration for _, _, declaration in self.parts(index)), None)

    def parts(self, index: int) -> Iterator[tuple[int, int, Declaration]]:
        """Yield the parts of a type that can be read, with their places."""
        return self._parts(self._seen.get(index, (index,))[0])

    def _parts(self, compilation: int) -> Iterator[tuple[int, int, Declaration]]:
        for file, at in self.catalogue.types[compilation].parts:
            record = self.records.record(file)
            if record is not None:
                yield file, at, record.every[at]

    def is_static(self, index: int) -> bool:
        """Whether a type is a static class."""
        return any("static" in declaration.modifiers for _, _, declaration in self.parts(index))

    def outer(self, index: int) -> int | None:
        """The type around a type."""
        if index not in self._outer:
            around = self.catalogue.enclosing(self.catalogue.types[index])
            self._outer[index] = home_of(self.catalogue, around) if around is not None else None
        return self._outer[index]

    def itself(self, index: int) -> Type:
        """A type as it is inside: with its own type parameters, those of outer types before them."""
        known = self._itself.get(index)
        if known is None:
            arguments: list[AnyType | None] = []
            around: int | None = index
            while around is not None:
                arguments = [*(TypeParameter(n, around) for n in self.parameters_of(around)), *arguments]
                around = self.outer(around)
            fqn = self.catalogue.types[index].fqn
            known = self._itself[index] = Type(Known(fqn, index), tuple(arguments))
        return known

    def assigned(self, type_: Type) -> dict[TypeParameter, AnyType | None]:
        """The arguments of a type by its type parameters, those of outer types among them."""
        assert type_.index is not None
        if not type_.arguments:
            return {}
        own = self.itself(type_.index).arguments
        pairs = zip(own, type_.arguments, strict=False)
        return {each: argument for each, argument in pairs if isinstance(each, TypeParameter)}

    def bases(self, index: int) -> tuple[tuple[Type, ...], bool]:
        """The direct bases that are written; whether all of them are known, but for interfaces: the first alone may
        be a class."""
        known = self._bases.get(index)
        if known is None:
            self._bases[index] = ((), False)
            self._reading.add(index)
            known = self._bases[index] = self._read_bases(index)
            self._reading.discard(index)
        return known

    def inherited(self, type_: Type, fqn: str) -> Type | None:
        """The base of a type, or itself, that has a full name; none through a type whose bases are just being read."""
        waiting = [type_]
        seen: set[Type] = set()
        while waiting and len(seen) < _MOST_BASES:
            current = waiting.pop(0)
            if current.fqn == fqn:
                return current
            if current in seen or current.index is None or current.index in self._reading:
                continue
            seen.add(current)
            assigned = self.assigned(current)
            bases = (substituted(base, assigned) for base in self.bases(current.index)[0])
            waiting += [base for base in bases if isinstance(base, Type)]
        return None

    def _read_bases(self, index: int) -> tuple[tuple[Type, ...], bool]:
        found: dict[Type, None] = {}
        whole = True
        if self.kind_of(index) is Kind.ENUM:
            return (), True
        for file, at, declaration in self.parts(index):
            for place, text in enumerate(declaration.bases):
                read = self.reader.read(text, self.names.base_context(file, at), own=index)
                if isinstance(read, Type):
                    found[read] = None
                elif not place and self.kind_of(index) is not Kind.INTERFACE:
                    whole = False
        return tuple(found), whole

    def bounds_of(self, parameter: TypeParameter) -> Bound:
        """The constraints of a type's parameter."""
        for file, at, declaration in self.parts(parameter.owner):
            if declaration.constraints:
                context = self.names.context(file, at)
                return self.bound_in(declaration.constraints, parameter.name, context, own=parameter.owner)
        return Bound()

    def bound_in(self, constraints: str, name: str, context: Context, *, own: int = IN_METHOD) -> Bound:
        """Read the `where` clauses of one type parameter."""
        types: list[AnyType] = []
        kinds: set[str] = set()
        for text in bounds(constraints, name):
            read = self.reader.read(text, context, own=own)
            if read is not None:
                types.append(read)
        for clause in constraints.split("where ")[1:]:
            parameter, _, listed = clause.partition(":")
            if parameter.strip() == name:
                kinds.update(word.partition("(")[0].strip() for word in _KINDS.findall(listed))
        return Bound(tuple(types), frozenset(kinds))

    # Members

    def symbols(self, index: int) -> dict[str, list[Symbol]]:
        """The members that a type declares, by name; constructors are `.ctor`, indexers `this[]`."""
        known = self._symbols.get(index)
        if known is None:
            known = self._symbols[index] = {}
            for member in self._members(index):
                known.setdefault(_key(member.declaration), []).append(self.symbol(member))
        return known

    def _members(self, index: int) -> Iterator[Member]:
        first, *others = self._seen.get(index, (index,))
        parts, declared = list(self._parts(first)), self._declared(first, index)
        yield from self._where_told(index, list(_without_contracts(declared)), others)
        if parts:
            file, at, owner = max(parts, key=lambda p: (p[2].parameters is not None, bool(p[2].bases)))
            modifiers = frozenset(word for _, _, part in parts for word in part.modifiers)
            inherited = self._not_made_again(index, owner)
            for made in implicit_members(owner, modifiers, [member.declaration for member in declared]):
                if made.name not in inherited:
                    yield Member(index, file, at, made)

    def _declared(self, compilation: int, index: int) -> list[Member]:
        """Return the members that one compilation of a type declares, with halves of partial members separate."""
        found: list[Member] = []
        for file, at, owner in self._parts(compilation):
            record = self.records.record(file)
            assert record is not None
            for place, declaration in enumerate(record.every[at + 1 :], at + 1):
                if declaration.start >= owner.end:
                    break
                if declaration.parent == at and declaration.kind not in TYPE_KINDS:
                    found.append(Member(index, file, place, declaration))
        return found

    def _where_told(self, index: int, members: Sequence[Member], others: Sequence[int]) -> Iterator[Member]:
        """Members of one compilation, each where the first of `others` that declares it does."""
        fqn, places = self.catalogue.types[index].fqn, dict[str, Member]()
        for other in others:
            for member in _without_contracts(self._declared(other, index)):
                places.setdefault(canonical_signature(member.declaration, fqn), member)
        for member in members:
            yield places.get(canonical_signature(member.declaration, fqn), member) if places else member

    def _not_made_again(self, index: int, owner: Declaration) -> frozenset[str]:
        """The names of what a record inherits from a record, and does not make again: properties of its parameters'
        names, and `ToString` where that is sealed."""
        if owner.kind is not Kind.RECORD or not owner.bases:
            return frozenset()
        found: set[str] = set()
        seen = {index}
        bases = list(self.bases(index)[0])
        while bases:
            base = bases.pop()
            if base.index is None or base.index in seen or self.kind_of(base.index) is not Kind.RECORD:
                continue
            seen.add(base.index)
            for name, symbols in self.symbols(base.index).items():
                if any(s.kind in (Kind.PROPERTY, Kind.FIELD) and s.access != "private" for s in symbols):
                    found.add(name)
                if name == "ToString" and any("sealed" in s.flags for s in symbols):
                    found.add(name)
            bases += self.bases(base.index)[0]
        return frozenset(found - {"EqualityContract"})

    def symbol(self, member: Member) -> Symbol:
        """The symbol of a member."""
        declaration = member.declaration
        flags = set(declaration.modifiers)
        if declaration.kind in _STATIC_KINDS:
            flags.add("static")
        if member.is_extension or member.is_of_block:
            flags.add("extension")
        if declaration.explicit:
            flags.add("explicit")
        in_interface = self.kind_of(member.index) is Kind.INTERFACE
        if in_interface and declaration.body == (0, 0) and declaration.kind not in _STATIC_KINDS:
            flags.add("abstract")
        kind = declaration.kind
        if kind is Kind.EXTENSION_MEMBER:
            kind = Kind.METHOD if declaration.parameters is not None else Kind.PROPERTY
        return Symbol(
            _key(declaration),
            kind,
            self.itself(member.index),
            frozenset(flags),
            lambda: self._signature(member),
            member,
            self._priority(member),
            "public" if in_interface and declaration.access == "" else declaration.access,
            len(declaration.own_parameters),
        )

    def may_use(self, symbol: Symbol, context: Context) -> bool:
        """Whether a member is accessible at a place; of assemblies nothing is listed that is not."""
        owner = symbol.owner.index
        return owner is None or self.names.space.may_use(context, owner, symbol.access)

    def receiver_of(self, member: Member) -> AnyType | None:
        """Return the type that the extension block of a member extends, its type parameters as `!!0`."""
        received = member.declaration.receiver
        own = member.declaration.own_parameters
        if received is None:
            return None
        context = self.names.context(member.file, member.at, own)
        places = {TypeParameter(name, IN_METHOD): CALLEE[at] for at, name in enumerate(own[: len(CALLEE)])}
        texts = member.declaration.block_constraints
        with self.reader.bounded({name: self.bound_in(texts, name, context) for name in own}):
            return substituted(self.reader.read(received.type, context), places)

    def _priority(self, member: Member) -> int:
        if not any(_PRIORITY in text for text in member.declaration.attributes):
            return 0
        text = self.records.text(member.file)
        written = text[member.declaration.start : member.declaration.end] if text is not None else b""
        found = re.search(rb"OverloadResolutionPriority(?:Attribute)?\s*\(\s*(-?\d+)", written)
        return int(found[1]) if found is not None else 0

    def _signature(self, member: Member) -> Signature:
        declaration = member.declaration
        own = declaration.own_parameters
        context = self.names.context(member.file, member.at, own)
        places = {TypeParameter(name, IN_METHOD): CALLEE[at] for at, name in enumerate(own[: len(CALLEE)])}

        def read(text: str) -> AnyType | None:
            return substituted(self.reader.read(text, context), places)

        constraints = f"{declaration.block_constraints} {declaration.constraints}"
        bounds_ = [self.bound_in(constraints, name, context) for name in own]
        expected = dict(zip(own, bounds_, strict=True))
        if "override" in declaration.modifiers or declaration.explicit:
            # There `T?` is a nullable value, unless it is said to be none (C# specification 15.2.5).
            said = {name for name in own if re.search(rf"\b{name}\s*:\s*(?:class|default)\b", constraints)}
            expected = {name: Bound(kinds=frozenset({"struct"})) for name in own if name not in said}
        with self.reader.bounded(expected):
            returns, parameters = self._types(member, read)
        placed = tuple(
            Bound(tuple(filter(None, (substituted(t, places) for t in bound.types))), bound.kinds)
            for bound in bounds_
        )
        return Signature(parameters, returns, placed, len(declaration.block))

    def _types(
        self, member: Member, read: Callable[[str], AnyType | None]
    ) -> tuple[AnyType | None, tuple[Parameter, ...] | None]:
        """Return the return type and the parameters of a member."""
        declaration = member.declaration
        returns = read(declaration.returns) if declaration.returns else named("System.Void")
        if declaration.kind is Kind.ENUM_MEMBER or declaration.kind is Kind.CONSTRUCTOR:
            returns = self.itself(member.index)
        listed = declaration.parameters
        parameters = None
        if listed is not None or member.is_of_block:
            parameters = tuple(_parameter(each, read(each.type)) for each in member.parameters)
        return returns, parameters


def _parameter(record: ParameterRecord, type_: AnyType | None) -> Parameter:
    words = record.modifier.split()
    way = "out" if "out" in words else "in" if "in" in words or "readonly" in words else ""
    way = way or ("ref" if "ref" in words else "")
    return Parameter(record.name.lstrip("@"), type_, way, "params" in words, bool(record.default))


def _without_contracts(members: Sequence[Member]) -> Iterator[Member]:
    """The members, partial ones once, with the parameters that callers see."""
    halves = halves_of([member.declaration for member in members])
    bodies = {body: contract for contract, body in halves.items()}
    twins = twins_of([(member.file, member.declaration) for member in members])
    for at, member in enumerate(members):
        if at in twins and at not in bodies and at not in halves:
            continue
        if at in bodies:
            declaration = merged(members[bodies[at]].declaration, member.declaration)
            yield Member(member.index, member.file, member.at, declaration)
        elif at not in halves:
            yield member


def _key(declaration: Declaration) -> str:
    if declaration.kind is Kind.CONSTRUCTOR:
        return CONSTRUCTOR if "static" not in declaration.modifiers else ".cctor"
    return INDEXER if declaration.kind is Kind.INDEXER else declaration.name.lstrip("@")
