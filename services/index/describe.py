"""Symbols and types as values, made from the catalogue and the records of files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from services.index.access import narrowed, widest
from services.index.catalogue import Catalogue, TypeEntry, plain
from services.index.graph.graph import Graph
from services.index.identities import Identities
from services.index.implicit import implicit_members
from services.index.names.binder import Bound
from services.index.names.names import Names
from services.index.naming import for_people, label, member_ids, signature
from services.index.records import Records
from services.model import (
    TYPE_KINDS,
    Access,
    Base,
    Kind,
    Parameter,
    Part,
    Quality,
    Symbol,
    SymbolRef,
    TypeDetail,
    TypeLink,
)
from services.syntax.declaration import Declaration
from services.syntax.docs import first_line, summary
from services.syntax.hashing import base32, combined

_KEPT_WHOLES = 512
_Key = tuple[int, tuple[tuple[int, int], ...], str]


@dataclass(frozen=True, slots=True)
class Placed:
    """A declaration and where it stands. `id` is filled for members."""

    file: int
    at: int
    declaration: Declaration
    implicit: bool = False
    id: str = ""


@dataclass(frozen=True, slots=True)
class Whole:
    """A type with all its parts and members, before it becomes values. `primary` is the part that speaks for it."""

    index: int
    entry: TypeEntry
    id: str
    parts: list[Placed]
    primary: Placed
    access: str
    modifiers: tuple[str, ...]
    members: list[Placed]
    nested: list[Placed]


class Describer:
    """Makes values. Reads the store and, for docs, files; keeps the last few types, because searches ask for the
    same ones again and again. `names`: the binder of now, if any."""

    def __init__(
        self,
        catalogue: Catalogue,
        records: Records,
        identities: Identities,
        names: Callable[[], Names | None] = lambda: None,
    ) -> None:
        self._catalogue = catalogue
        self._records = records
        self._identities = identities
        self._names = names
        self._lock = threading.Lock()
        self._wholes: dict[_Key, Whole] = {}

    def whole(self, index: int) -> Whole | None:
        """A type, or None where none of its parts can be read."""
        entry = self._catalogue.types[index]
        # A changed file is another file to the catalogue, so that the same parts under the same id are the same type.
        key = (index, tuple(entry.parts), self._identities.type_id(index) if entry.parts else "")
        with self._lock:
            found = self._wholes.get(key)
        if found is None:
            found = self._made(index, entry)
            if found is not None and len(found.parts) == len(entry.parts):
                self._keep(key, found)
        return found

    def _keep(self, key: _Key, whole: Whole) -> None:
        with self._lock:
            if len(self._wholes) >= _KEPT_WHOLES:
                self._wholes.pop(next(iter(self._wholes)))
            self._wholes[key] = whole

    def _made(self, index: int, entry: TypeEntry) -> Whole | None:
        # In the order of their files, not in that of their changes: the same sources have the same ids.
        places = sorted(entry.parts, key=lambda part: (self._catalogue.file(part[0]).path, part[1]))
        parts = [placed for part in places if (placed := self._placed(*part)) is not None]
        if not parts:
            return None
        primary = max(parts, key=_speaks)
        modifiers = tuple(dict.fromkeys(word for part in parts for word in part.declaration.modifiers))
        members, nested = self._members(parts)
        identity = self._identities.type_id(index)
        declared = [m.declaration for m in members]
        made = implicit_members(primary.declaration, frozenset(modifiers), declared)
        written = primary.declaration.parameters  # a primary constructor is declared, by its parameters
        members += [
            Placed(primary.file, primary.at, d, not (d.kind is Kind.CONSTRUCTOR and d.parameters is written))
            for d in made
        ]
        ids = member_ids(
            identity, [m.declaration for m in members], entry.fqn, collided=self._identities.collided
        )
        members = [
            Placed(m.file, m.at, m.declaration, m.implicit, id_) for m, id_ in zip(members, ids, strict=True)
        ]
        access = widest([part.declaration.access for part in parts])
        return Whole(index, entry, identity, parts, primary, access, modifiers, members, nested)

    def detail(self, index: int, graph: Graph | None = None) -> TypeDetail | None:
        """A type as outlines show it; what it depends on and what uses it come from `graph`."""
        whole = self.whole(index)
        if whole is None:
            return None
        uses = graph.depends_on(index) if graph is not None else []
        outside = graph.outside(index) if graph is not None else []
        users = graph.used_by(index) if graph is not None else []
        return TypeDetail(
            symbol=self.type_symbol(whole),
            parts=tuple(
                self._part(part) for part in sorted(whole.parts, key=lambda p: p is not whole.primary)
            ),
            members=tuple(self.member_symbol(whole, member) for member in whole.members),
            nested=tuple(ref for placed in whole.nested if (ref := self._nested_ref(placed)) is not None),
            doc=self._doc(whole.primary, whole=True),
            hashes=hashes_of(whole),
            depends_on=(*map(self._link, uses), *(TypeLink(fqn=fqn, count=n) for fqn, n in outside)),
            used_by=tuple(map(self._link, users)),
        )

    def _link(self, counted: tuple[int, int]) -> TypeLink:
        index, count = counted
        fqn = self._catalogue.types[index].fqn
        return TypeLink(fqn=fqn, type_id=self._identities.type_id(index), count=count)

    def type_symbol(self, whole: Whole) -> Symbol:
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
            declaring_type=_outer(whole.entry.fqn),
            file=file.path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=self._catalogue.projects[whole.entry.project],
            signature=_type_signature(whole),
            doc_first_line=self._doc(whole.primary),
            bases=self._bases(whole),
            quality=file.quality,
        )

    def member_symbol(self, whole: Whole, member: Placed) -> Symbol:
        """One of its members."""
        declaration = member.declaration
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
            project=self._catalogue.projects[whole.entry.project],
            signature=signature(declaration),
            doc_first_line=None if member.implicit else self._doc(member),
            quality=file.quality,
        )

    def type_ref(self, whole: Whole) -> SymbolRef:
        """The type as a row of a list."""
        declaration = whole.primary.declaration
        return SymbolRef(
            id=whole.id,
            kind=whole.entry.kind,
            label=label(declaration),
            path=for_people(whole.entry.fqn, declaration.type_parameters),
            container=plain(_container(whole.entry)),
            file=self._catalogue.file(whole.primary.file).path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=self._catalogue.projects[whole.entry.project],
            access=whole.access,
        )

    def member_ref(self, whole: Whole, member: Placed) -> SymbolRef:
        """A member as a row of a list."""
        declaration = member.declaration
        type_parameters = whole.primary.declaration.type_parameters
        return SymbolRef(
            id=member.id,
            kind=declaration.kind,
            label=label(declaration),
            path=f"{for_people(whole.entry.fqn, type_parameters)}.{declaration.name}",
            container=plain(whole.entry.fqn),
            file=self._catalogue.file(member.file).path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=self._catalogue.projects[whole.entry.project],
            access=declaration.access,
        )

    def row_ref(self, row: int) -> SymbolRef | None:
        """The symbol of a catalogue row."""
        columns = self._catalogue.columns
        owner = columns.owner[row]
        whole = self.whole(owner) if owner >= 0 else None
        if whole is None:
            return None
        place = (columns.file[row], columns.declaration[row])
        member = next((m for m in whole.members if (m.file, m.at) == place and not m.implicit), None)
        return self.type_ref(whole) if member is None else self.member_ref(whole, member)

    def symbols_of(self, index: int) -> Iterator[Symbol]:
        """A type and its members."""
        whole = self.whole(index)
        if whole is not None:
            yield self.type_symbol(whole)
            for member in whole.members:
                yield self.member_symbol(whole, member)

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
        names = self._names()
        if names is None or text is None:
            return Bound(None)
        return names.bound(placed.file, placed.at, placed.declaration, text)

    def _bases(self, whole: Whole) -> tuple[Base, ...]:
        names = self._names()
        found: dict[str, Base] = {}
        for part in whole.parts:
            for text in part.declaration.bases:
                bound = names.bound_base(part.file, part.at, text) if names is not None else Bound(None)
                index = bound.head.index if bound.head is not None else None
                type_id = self._identities.type_id(index) if index is not None else None
                found.setdefault(text, Base(text=text, fqn=bound.fqn, type_id=type_id))
        return tuple(found.values())

    def _placed(self, file: int, at: int) -> Placed | None:
        record = self._records.record(file)
        if record is None or at >= len(record.declarations):
            return None
        return Placed(file, at, record.declarations[at])

    def _members(self, parts: list[Placed]) -> tuple[list[Placed], list[Placed]]:
        members: list[Placed] = []
        nested: list[Placed] = []
        for part in parts:
            record = self._records.record(part.file)
            if record is None:
                continue
            for at, declaration in enumerate(record.declarations[part.at + 1 :], part.at + 1):
                if declaration.start >= part.declaration.end:
                    break
                if declaration.parent == part.at:
                    kept = nested if declaration.kind in TYPE_KINDS else members
                    kept.append(Placed(part.file, at, declaration))
        return members, nested

    def _nested_ref(self, placed: Placed) -> SymbolRef | None:
        first, _ = self._catalogue.file(placed.file).rows
        whole = self.whole(self._catalogue.columns.owner[first + placed.at])
        return self.type_ref(whole) if whole is not None else None

    def _part(self, placed: Placed) -> Part:
        file = self._catalogue.file(placed.file)
        return Part(
            file=file.path,
            start_line=placed.declaration.start_line,
            end_line=placed.declaration.end_line,
            quality=Quality(file.quality),
        )

    def _effective(self, whole: Whole) -> str:
        access = whole.access
        outer = _outer(whole.entry.fqn)
        while outer is not None:
            index = self._catalogue.type_at.get((whole.entry.project, outer))
            entry = self._catalogue.types[index] if index is not None else None
            placed = [p for part in entry.parts if (p := self._placed(*part))] if entry is not None else []
            if placed:
                access = narrowed(widest([p.declaration.access for p in placed]), access)
            outer = _outer(outer)
        return access

    def _doc(self, placed: Placed, *, whole: bool = False) -> str | None:
        start, end = placed.declaration.doc
        if start == end:
            return None
        text = self._records.text(placed.file)
        if text is None:
            return None
        return summary(text[start:end]) if whole else first_line(text[start:end])


def hashes_of(whole: Whole) -> dict[str, str]:
    """structure, impl and doc hash of a type (SPEC section 3): of digests whose order does not count."""
    declared = [p.declaration for p in (*whole.parts, *(m for m in whole.members if not m.implicit))]
    return {
        "structure": base32(combined(d.structure for d in declared if d.structure), 8),
        "impl": base32(combined(d.impl for d in declared if d.impl), 8),
        "doc": base32(combined(d.docs for d in declared if d.docs), 8),
    }


def _speaks(part: Placed) -> tuple[bool, bool, bool, int]:
    """The primary part: with a parameter list, a doc comment, a base list, then the longest."""
    d = part.declaration
    return d.parameters is not None, d.doc != (0, 0), bool(d.bases), d.end - d.start


def _outer(fqn: str) -> str | None:
    return fqn.rpartition("+")[0] or None


def _container(entry: TypeEntry) -> str:
    outer = _outer(entry.fqn)
    return outer if outer is not None else entry.fqn.rpartition(".")[0]


def _accessors(declaration: Declaration) -> dict[str, str] | None:
    if not declaration.accessors:
        return None
    return {name: access or declaration.access for name, access in declaration.accessors}


def _type_signature(whole: Whole) -> str:
    merged = msgspec.structs.replace(
        whole.primary.declaration,
        access=whole.access,
        modifiers=tuple(word for word in whole.modifiers if word != "partial"),
    )
    return signature(merged)
