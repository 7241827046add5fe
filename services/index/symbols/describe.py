"""Symbols and types as values, made from the catalogue and the records of files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING

import msgspec

from services.concurrency.latest import SharedCache
from services.index.catalog.access import narrowed, widest
from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.catalog.naming import member_ids, short_member_ids, signature
from services.index.catalog.records import Records
from services.index.compiled import compilations, home_of, projects_of
from services.index.graph.graph import Graph
from services.index.names.space import Bound
from services.index.symbols.attributes import run_time_attributes
from services.index.symbols.identities import Identities
from services.index.symbols.implicit import implicit_bases, implicit_members
from services.index.symbols.inherited import InheritedDocs, RecordBases
from services.index.symbols.partials import (
    Declared,
    elsewhere,
    is_told,
    joined,
    joined_variants,
    members_of,
    projects_declaring,
    variants_of,
)
from services.index.symbols.placed import Head, Placed, TypeWithMembers, hashes_of
from services.index.symbols.refs import Heads, Key, Refs, outer
from services.model import (
    Access,
    Base,
    Documentation,
    Kind,
    Parameter,
    Quality,
    Symbol,
    SymbolRef,
    TypeDetail,
    TypeLink,
    TypePart,
)
from services.syntax.records.declaration import Declaration
from services.syntax.records.docs import documentation, first_line, summary
from services.syntax.records.hashing import ALSO_ELSEWHERE, canonical_signature, signature_number

if TYPE_CHECKING:
    from services.index.names.names import Names

_KEPT_WHOLES = 512


def _no_names() -> Names | None:
    return None


class Describer:
    """Maker of symbol values. Reads the store and, for docs, files; caches the last few types, since searches request
    the same ones repeatedly. `names`: the current binder, if any."""

    def __init__(
        self,
        catalogue: Catalogue,
        records: Records,
        identities: Identities,
        names: Callable[[], Names | None] = _no_names,
    ) -> None:
        self._catalogue = catalogue
        self._records = records
        self._identities = identities
        self.names = names
        self._wholes: SharedCache[tuple[Key, ...], TypeWithMembers] = SharedCache(_KEPT_WHOLES)
        self._heads = Heads(catalogue, records, identities)
        self.refs = Refs(catalogue, self._heads)
        self._record_bases = RecordBases(catalogue, self._heads, records)

    def unbound(self) -> Describer:
        """Return a describer that binds no names, with the same caches: for text, which contains names as written,
        and need not wait for a binder after each change."""
        other: Describer = copy(self)
        other.names = _no_names
        return other

    def over(
        self,
        catalogue: Catalogue,
        records: Records,
        identities: Identities,
        names: Callable[[], Names | None],
    ) -> Describer:
        """Return a describer for another catalogue with the same numbering; caches of types are shared."""
        other: Describer = copy(self)
        other._catalogue, other._records, other._identities = catalogue, records, identities
        other.names = names
        other._heads = self._heads.over(catalogue, records, identities)
        other.refs = self.refs.over(catalogue, other._heads)
        other._record_bases = RecordBases(catalogue, other._heads, records)
        return other

    def whole(self, index: int) -> TypeWithMembers | None:
        """Return the canonical type of a symbol, or None where none of its parts can be read."""
        index = home_of(self._catalogue, index)
        entry = self._catalogue.types[index]
        others = variants_of(self._catalogue, index)
        every = compilations(self._catalogue, index) if others else (index,)
        key = tuple(map(self._heads.key, every))
        if entry.kind is Kind.RECORD:
            # It is another record where what it inherits is.
            key = (*key, *(self._heads.key(base.index) for base in self._record_bases.of(index)))
        found = self._wholes.find(key)
        if found is None:
            found = self._made(index, entry, others)
            lasts = not entry.is_elsewhere  # whether its members count may change without it
            if lasts and found is not None and len(found.parts) == len(entry.parts):
                self._wholes.keep(key, found)
        return found

    def _members(self, index: int) -> list[Placed]:
        """Return the members that a type declares in its own project."""
        head = self._heads.head(index)
        return joined(self._declared(head)[0]) if head is not None else []

    def _declared(self, head: Head) -> tuple[list[Placed], list[Placed]]:
        """What the parts of a type declare: members, and types. Of another configuration, what no project compiles."""
        found = members_of(self._records, head.parts)
        if not head.entry.is_elsewhere:
            return found
        members, nested = (
            [each for each in every if is_told(self._catalogue, each.file, each.at)] for every in found
        )
        return members, nested

    def _made(self, index: int, entry: TypeEntry, others: Sequence[int]) -> TypeWithMembers | None:
        for file, _ in entry.parts:
            self._records.record(file)  # all of it is needed soon: its head is not read alone first
        head = self._heads.head(index)
        if head is None:
            return None
        members, nested = self._declared(head)
        members = joined(members)
        declaring: Declared = {}
        if others:
            found = {at: self._members(at) for at in others}
            members, declaring = joined_variants(self._catalogue, index, members, found)
        declared = [m.declaration for m in members]
        made = implicit_members(head.primary.declaration, frozenset(head.modifiers), declared)
        made = [] if head.is_shell else made
        if entry.kind is Kind.RECORD:
            inherited = self._record_bases.properties(self._record_bases.of(index))
            made = [each for each in made if each.kind is not Kind.PROPERTY or each.name not in inherited]
        written = head.primary.declaration.parameters  # a primary constructor is declared, by its parameters
        members += [
            Placed(
                head.primary.file,
                head.primary.at,
                d,
                not (d.kind is Kind.CONSTRUCTOR and d.parameters is written),
            )
            for d in made
        ]
        members = [
            Placed(m.file, m.at, m.declaration, m.implicit, id_, m.contract)
            for m, id_ in zip(members, self._ids(head, members, len(declared)), strict=True)
        ]
        return TypeWithMembers(
            index,
            entry,
            head.id,
            head.parts,
            head.primary,
            head.access,
            head.modifiers,
            head.is_shell,
            members,
            nested,
            declaring,
        )

    def _ids(self, head: Head, members: list[Placed], declared: int) -> list[str]:
        """Return the ids of a type's members, of which the first `declared` are in the catalogue."""
        columns, fqn = self._catalogue.columns, head.entry.fqn
        numbers = [
            signature_number(canonical_signature(m.declaration, fqn))
            if at >= declared or m.contract is not None
            else columns.signature[self._catalogue.file(m.file).rows[0] + m.at] & ~ALSO_ELSEWHERE
            for at, m in enumerate(members)
        ]
        declarations = [m.declaration for m in members]
        return short_member_ids(head.id, numbers) or member_ids(
            head.id, declarations, fqn, collided=self._identities.collided
        )

    def hashes_of(self, whole: TypeWithMembers) -> dict[str, str]:
        """structure, impl and doc hash of a type, as the settings have it."""
        return hashes_of(whole.parts, whole.members, self._records.rules)

    def detail(
        self, index: int, graph: Graph | None = None, *, named: str | None = None
    ) -> TypeDetail | None:
        """A type as outlines show it; what it depends on and what uses it come from `graph`. `named`: with the members
        of this name alone, without the types in it."""
        whole = self.whole(index)
        if whole is None:
            return None
        members = [m for m in whole.members if named is None or m.declaration.name == named]
        shells = [whole, *self._shells(whole.index)]
        projects = {of.index: projects_of(self._catalogue, of.index) for of in shells}
        own = [(whole, member) for member in members]
        others = [
            (of, member)
            for of in shells[1:]
            for member in of.members
            if named is None or member.declaration.name == named
        ]
        uses = self._there(graph.depends_on(index)) if graph is not None else []
        outside = sorted(graph.outside(index), key=_by_count) if graph is not None else []
        users = self._there(graph.used_by(index)) if graph is not None else []
        bodies = self._there(graph.in_bodies(index)) if graph is not None else []
        return TypeDetail(
            symbol=self.type_symbol(whole),
            parts=tuple(
                self._part(part) for part in sorted(whole.parts, key=lambda p: p is not whole.primary)
            ),
            members=tuple(self._member(of, member, projects[of.index]) for of, member in [*own, *others]),
            nested=() if named is not None else tuple(each for of in shells for each in self._nested(of)),
            doc=self._doc(whole, whole.primary, summary),
            hashes=self.hashes_of(whole),
            depends_on=(*map(self._link, uses), *(TypeLink(fqn=fqn, count=n) for fqn, n in outside)),
            used_by=tuple(map(self._link, users)),
            in_bodies=tuple(map(self._link, bodies)),
            obsolete=frozenset(self._obsolete(whole, members, () if named is not None else whole.nested)),
            attributes=self._attributes(whole, members),
        )

    def _shells(self, index: int) -> Iterator[TypeWithMembers]:
        """What another configuration declares in a type."""
        for at in elsewhere(self._catalogue, index):
            whole = self.whole(at)
            if whole is not None and whole.is_shell:
                yield whole

    def _obsolete(
        self, whole: TypeWithMembers, members: Iterable[Placed], nested: Iterable[Placed]
    ) -> Iterator[str]:
        """The ids of those that are, of the type itself, its members and the types in it."""
        if any(part.is_obsolete for part in whole.parts):
            yield whole.id
        yield from (member.id for member in members if member.is_obsolete)
        refs = (self._nested_ref(placed) for placed in nested if placed.is_obsolete)
        yield from (ref.id for ref in refs if ref is not None)

    def _attributes(self, whole: TypeWithMembers, members: Iterable[Placed]) -> dict[str, tuple[str, ...]]:
        """Return the attributes of the type and its members that matter at run time, by id."""
        found = {whole.id: [each for part in whole.parts for each in self._marks(part)]}
        for member in members:
            if not member.implicit and member.declaration.attributes:
                found[member.id] = [
                    *self._marks(member),
                    *(self._marks(member.contract) if member.contract else ()),
                ]
        return {id_: tuple(dict.fromkeys(its)) for id_, its in found.items() if its}

    def _marks(self, placed: Placed) -> tuple[str, ...]:
        if not placed.declaration.attributes:
            return ()
        text = self._records.text(placed.file)
        return run_time_attributes(text, placed.declaration) if text is not None else ()

    def _there(self, counted: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
        """Return the existing types: dependencies may still name removed ones; equal counts are ordered by name, not
        by age."""
        types = self._catalogue.types
        there = [(index, count) for index, count in counted if types[index].parts]
        return sorted(there, key=lambda pair: (-pair[1], types[pair[0]].fqn, types[pair[0]].project))

    def _link(self, counted: tuple[int, int]) -> TypeLink:
        index, count = counted
        fqn = self._catalogue.types[index].fqn
        return TypeLink(fqn=fqn, type_id=self._identities.type_id(index), count=count)

    def type_symbol(self, whole: TypeWithMembers) -> Symbol:
        """The type itself."""
        declaration = whole.primary.declaration
        file = self._catalogue.file(whole.primary.file)
        return Symbol(
            id=whole.id,
            kind=whole.entry.kind,
            fqn=whole.entry.fqn,
            name=declaration.name,
            arity=whole.entry.arity,
            type_parameters=declaration.type_parameters,
            parameters=self._parameters(whole.primary) if whole.entry.kind is Kind.DELEGATE else None,
            return_type=declaration.returns,
            return_type_fqn=self._bound(whole.primary, declaration.returns).fqn,
            accessibility=Access(declared=whole.access, effective=self._effective(whole)),
            modifiers=whole.modifiers,
            declaring_type=outer(whole.entry.fqn),
            file=file.path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=self._catalogue.projects[whole.entry.project],
            projects=projects_of(self._catalogue, whole.index),
            signature=_type_signature(whole),
            doc_first_line=self._doc(whole, whole.primary),
            bases=self._bases(whole),
            quality=file.quality,
            condition=declaration.condition or msgspec.UNSET,
        )

    def _member(self, whole: TypeWithMembers, member: Placed, every: tuple[str, ...]) -> Symbol:
        """Return the symbol of a member. `every`: the projects that compile its type."""
        declaration = member.declaration
        projects = projects_declaring(every, whole, member)
        file = self._catalogue.file(member.file)
        effective = (
            "private" if declaration.explicit else narrowed(self._effective(whole), declaration.access)
        )
        return Symbol(
            id=member.id,
            kind=declaration.kind,
            fqn=f"{whole.entry.fqn}.{declaration.name}",
            name=declaration.name,
            arity=len(declaration.type_parameters),
            type_parameters=declaration.type_parameters,
            parameters=self._parameters(member),
            return_type=declaration.returns,
            return_type_fqn=self._bound(member, declaration.returns).fqn,
            accessors=_accessors(declaration),
            accessibility=Access(declared=declaration.access, effective=effective),
            modifiers=declaration.modifiers,
            declaring_type=whole.entry.fqn,
            explicit_interface=declaration.explicit or None,
            implicit=member.implicit,
            file=file.path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=projects[0],
            projects=projects,
            signature=signature(declaration),
            doc_first_line=None if member.implicit else self._doc(whole, member),
            quality=file.quality,
            condition=declaration.condition or msgspec.UNSET,
        )

    def row_ref(self, row: int, name: str | None = None) -> SymbolRef | None:
        """The symbol of a catalogue row; quicker where its simple name is known."""
        return self.refs.of_row(row, name) or self._of_whole(row)

    def _of_whole(self, row: int) -> SymbolRef | None:
        columns = self._catalogue.columns
        owner = columns.owner[row]
        whole = self.whole(owner) if owner >= 0 else None
        if whole is None:
            return None
        place = (columns.file[row], columns.declaration[row])
        member = next((m for m in whole.members if m.stands_at(*place) and not m.implicit), None)
        return self.refs.type_ref(whole) if member is None else self.refs.member_ref(whole, member)

    def symbols_of(self, index: int) -> Iterator[Symbol]:
        """A type and its members."""
        whole = self.whole(index)
        if whole is not None:
            if not whole.is_shell:
                yield self.type_symbol(whole)
            every = projects_of(self._catalogue, whole.index)
            for member in whole.members:
                yield self._member(whole, member, every)

    def _parameters(self, placed: Placed) -> tuple[Parameter, ...] | None:
        if placed.declaration.parameters is None:
            return None
        return tuple(
            Parameter(
                type=p.type,
                type_fqn=self._bound(placed, p.type).fqn,
                modifier=p.modifier or None,
                name=p.name,
            )
            for p in placed.declaration.parameters
        )

    def _bound(self, placed: Placed, text: str | None) -> Bound:
        names = self.names()
        if names is None or text is None:
            return Bound(None)
        return names.bound(placed.file, placed.at, placed.declaration, text)

    def _bases(self, whole: TypeWithMembers) -> tuple[Base, ...]:
        names = self.names()
        found: dict[str, Base] = {}
        for part in whole.parts:
            for text in part.declaration.bases:
                bound = names.bound_base(part.file, part.at, text) if names is not None else Bound(None)
                index = bound.head.index if bound.head is not None else None
                type_id = self._identities.type_id(index) if index is not None else None
                found.setdefault(text, Base(text=text, fqn=bound.fqn, type_id=type_id))
        return (*found.values(), *implicit_bases(whole, [base.fqn for base in found.values()]))

    def _nested(self, whole: TypeWithMembers) -> tuple[SymbolRef, ...]:
        return tuple(ref for placed in whole.nested if (ref := self._nested_ref(placed)) is not None)

    def _nested_ref(self, placed: Placed) -> SymbolRef | None:
        first, _ = self._catalogue.file(placed.file).rows
        whole = self.whole(self._catalogue.columns.owner[first + placed.at])
        return self.refs.type_ref(whole) if whole is not None else None

    def _part(self, placed: Placed) -> TypePart:
        file = self._catalogue.file(placed.file)
        return TypePart(
            file=file.path,
            start_line=placed.declaration.start_line,
            end_line=placed.declaration.end_line,
            quality=Quality(file.quality),
        )

    def _effective(self, whole: TypeWithMembers) -> str:
        access = whole.access
        around = self._catalogue.enclosing(whole.entry)
        while around is not None:
            entry = self._catalogue.types[around]
            placed = [p for part in entry.parts if (p := self._heads.placed(*part))]
            if placed:
                access = narrowed(widest([p.declaration.access for p in placed]), access)
            around = self._catalogue.enclosing(entry)
        return access

    def documentation(self, whole: TypeWithMembers, placed: Placed) -> Documentation:
        """Return the documentation of the type, or of one of its members."""
        comment = None if placed.implicit else self._comment(placed)
        found = self._inherited().comment(whole, placed, comment) if comment is not None else None
        return documentation(found) if found is not None else Documentation()

    def _doc(
        self, whole: TypeWithMembers, placed: Placed, read: Callable[[bytes], str | None] = first_line
    ) -> str | None:
        comment = self._comment(placed)
        if comment is None:
            return None
        found = self._inherited().comment(whole, placed, comment)
        return read(found) if found is not None else None

    def _inherited(self) -> InheritedDocs:
        # Not cached: the two would form a cycle, and an earlier revision would wait for the collector.
        return InheritedDocs(self.names, self.whole, self._comment)

    def _comment(self, placed: Placed) -> bytes | None:
        """The doc comment of a declaration, that of the contract where a body has none."""
        start, end = placed.declaration.doc
        if start == end:
            return self._comment(placed.contract) if placed.contract is not None else None
        text = self._records.text(placed.file)
        return text[start:end] if text is not None else None


def _by_count(counted: tuple[str, int]) -> tuple[int, str]:
    """Most often first, then by name."""
    return -counted[1], counted[0]


def _accessors(declaration: Declaration) -> dict[str, str] | None:
    if not declaration.accessors:
        return None
    return {name: access or declaration.access for name, access in declaration.accessors}


def _type_signature(whole: TypeWithMembers) -> str:
    """Return the signature of all its parts: any part may have the constraints, and they are equal in all."""
    written = (part.declaration.constraints for part in (whole.primary, *whole.parts))
    merged = msgspec.structs.replace(
        whole.primary.declaration,
        access=whole.access,
        constraints=next(filter(None, written), ""),
        modifiers=tuple(word for word in whole.modifiers if word != "partial"),
    )
    return signature(merged)
