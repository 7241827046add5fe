"""Symbols as rows of a list: of a type or member that was read whole, or of a catalogue row with as little reading as
its id permits. `Heads` are types without their members, which cost one declaration a part."""

from __future__ import annotations

import sys
from array import array
from copy import copy

from msgspec import UNSET

from services.concurrency.latest import SharedCache
from services.index.catalog.access import widest
from services.index.catalog.catalogue import KINDS, Catalogue, TypeEntry, plain
from services.index.catalog.file_rows import (
    ACCESSES,
    UNKNOWN_REST,
    label_of,
    made_signatures,
    type_parameters_in,
)
from services.index.catalog.naming import for_people, label
from services.index.catalog.records import Records
from services.index.symbols.identities import Identities
from services.index.symbols.implicit import implicit_members
from services.index.symbols.partials import is_told, parts_of, placed, primary_of
from services.index.symbols.placed import Head, Placed
from services.model import TYPE_KINDS, Kind, SymbolRef
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import ALSO_ELSEWHERE, base32_of, canonical_signature, signature_number

_KEPT_HEADS = 1024
Key = tuple[int, tuple[tuple[int, int], ...], str]
"""A type by its number, its parts and its id: as long as these are the same, so is the type."""


class Heads:
    """Cached heads of types: a search being typed requests the same ones repeatedly."""

    def __init__(self, catalogue: Catalogue, records: Records, identities: Identities) -> None:
        self._catalogue = catalogue
        self._records = records
        self._identities = identities
        self._kept: SharedCache[Key, Head] = SharedCache(_KEPT_HEADS)

    def over(self, catalogue: Catalogue, records: Records, identities: Identities) -> Heads:
        """Return heads for another catalogue with the same numbering; caches are shared."""
        other: Heads = copy(self)
        other._catalogue, other._records, other._identities = catalogue, records, identities
        return other

    def key(self, index: int) -> Key:
        """A changed file is another file to the catalogue, so that the same parts under the same id are the same
        type."""
        parts = self._catalogue.type(index).parts
        return index, parts, self._identities.type_id(index) if parts else ""

    def head(self, index: int) -> Head | None:
        """A type, or None where none of its parts can be read."""
        key = self.key(index)
        found = self._kept.find(key)
        if found is None:
            found = self._made(index)
            if found is not None and len(found.parts) == len(found.entry.parts):
                self._kept.keep(key, found)
        return found

    def _made(self, index: int) -> Head | None:
        entry = self._catalogue.type(index)
        parts = parts_of(self._catalogue, self._records, index)
        if not parts:
            return None
        primary = primary_of(parts)
        modifiers = tuple(dict.fromkeys(word for part in parts for word in part.declaration.modifiers))
        access = widest([part.declaration.access for part in parts])
        is_shell = entry.is_elsewhere and not any(is_told(self._catalogue, *part) for part in entry.parts)
        id_ = self._identities.type_id(index)
        return Head(index, entry, id_, parts, primary, access, modifiers, is_shell)

    def placed(self, file: int, at: int) -> Placed | None:
        """Declaration `at` of a file, or None where it cannot be read."""
        return placed(self._records, file, at)


_KEPT = 4096
_PLAIN = (Kind.CONSTRUCTOR, "()")
"""Kind and rest of a constructor without parameters."""


class Refs:
    """Maker of rows, which caches the last ones, since a search being typed finds most of them again."""

    def __init__(self, catalogue: Catalogue, heads: Heads) -> None:
        self._catalogue = catalogue
        self._heads = heads
        self._kept: SharedCache[int, tuple[Key, SymbolRef]] = SharedCache(_KEPT)

    def over(self, catalogue: Catalogue, heads: Heads) -> Refs:
        """Return refs for another catalogue with the same numbering; caches are shared."""
        other: Refs = copy(self)
        other._catalogue, other._heads = catalogue, heads
        return other

    def type_ref(self, head: Head) -> SymbolRef:
        """A type as a row of a list."""
        declaration = head.primary.declaration
        return SymbolRef(
            id=head.id,
            kind=head.entry.kind,
            label=label(declaration),
            path=for_people(head.entry.fqn, declaration.type_parameters),
            container=plain(_container(head.entry)),
            file=self._catalogue.file(head.primary.file).path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=self._catalogue.projects[head.entry.project],
            access=head.access,
            condition=declaration.condition or UNSET,
        )

    def member_ref(self, head: Head, member: Placed) -> SymbolRef:
        """A member of that type as a row of a list."""
        declaration = member.declaration
        type_parameters = head.primary.declaration.type_parameters
        return SymbolRef(
            id=member.id,
            kind=declaration.kind,
            label=label(declaration),
            path=f"{for_people(head.entry.fqn, type_parameters)}.{declaration.name}",
            container=plain(head.entry.fqn),
            file=self._catalogue.file(member.file).path,
            start_line=declaration.start_line,
            end_line=declaration.end_line,
            project=self._catalogue.projects[head.entry.project],
            access=declaration.access,
            condition=declaration.condition or UNSET,
        )

    def of_row(self, row: int, name: str | None = None) -> SymbolRef | None:
        """Return the symbol of a catalogue row; None where the whole type is needed. `name`: its simple name; where
        that is known, columns contain nearly all."""
        owner = self._catalogue.columns.owner[row]
        if owner < 0:
            return None
        key = self._heads.key(owner)
        kept = self._kept.find(row)
        if kept is not None and kept[0] == key:
            return kept[1]
        found = None if name is None else self._listed(row, key, name)
        found = found or self._made(row, owner)
        if found is not None:
            self._kept.keep(row, (key, found))
        return found

    def _made(self, row: int, owner: int) -> SymbolRef | None:
        columns = self._catalogue.columns
        head = self._heads.head(owner)
        if head is None or len(head.parts) != len(head.entry.parts):
            return None
        placed = self._heads.placed(columns.file[row], columns.declaration[row])
        if placed is None:
            return None
        if placed.declaration.kind in TYPE_KINDS:
            return self.type_ref(head)
        number = columns.signature[row]
        if self._is_shared(head.entry, number) or _is_made(head, placed.declaration, number):
            return None
        id_ = f"{head.id}_{base32_of(number)}"
        return self.member_ref(head, Placed(placed.file, placed.at, placed.declaration, id=id_))

    def _listed(self, row: int, key: Key, name: str) -> SymbolRef | None:
        """From columns alone; None where it takes declarations to know it."""
        columns, catalogue = self._catalogue.columns, self._catalogue
        entry, rest = catalogue.type(key[0]), self._rest(row)
        head = self._rest_of_type(entry)
        if rest is None or head is None or entry.is_elsewhere:
            return None
        kind, number = KINDS[columns.kind[row]], columns.signature[row]
        is_type = kind in TYPE_KINDS
        if not is_type and (
            self._is_shared(entry, number) or _may_be_made(entry, head, number, (kind, rest))
        ):
            return None
        path = for_people(entry.fqn, type_parameters_in(head))
        return SymbolRef(
            id=key[2] if is_type else f"{key[2]}_{base32_of(number)}",
            kind=kind,
            label=label_of(name, rest),
            path=path if is_type else f"{path}.{name}",
            container=plain(_container(entry) if is_type else entry.fqn),
            file=catalogue.file(columns.file[row]).path,
            start_line=columns.line[row],
            end_line=columns.line[row] + columns.lines[row],
            project=catalogue.projects[entry.project],
            access=ACCESSES[columns.access[row]],
        )

    def _rest(self, row: int) -> str | None:
        at = self._catalogue.columns.rest[row]
        return None if at == UNKNOWN_REST else self._catalogue.rests.text(at)

    def _rest_of_type(self, entry: TypeEntry) -> str | None:
        """Return the rest of the label of a type of one part: for several, their declarations decide which is
        canonical."""
        if len(entry.parts) != 1:
            return None
        file, at = entry.parts[0]
        return self._rest(self._catalogue.file(file).rows[0] + at)

    def _is_shared(self, entry: TypeEntry, number: int) -> bool:
        """Whether other declarations affect an id: another half of the member, or members of that number."""
        if number & ALSO_ELSEWHERE:
            return True
        columns, count = self._catalogue.columns, 0
        for file in {file for file, _ in entry.parts}:
            first, rows = self._catalogue.file(file).rows
            numbers = columns.signature[first : first + rows]
            count += _count(numbers, number) + _count(numbers, number | ALSO_ELSEWHERE)
        return count > 1


def _count(numbers: array[int], number: int) -> int:
    """How often the number is there."""
    # Comparing numbers one by one takes thirty times as long as a search for the bytes, which may span two.
    found = numbers.tobytes().count(number.to_bytes(numbers.itemsize, sys.byteorder))
    return numbers.count(number) if found > 1 else found


def _may_be_made(entry: TypeEntry, head: str, number: int, member: tuple[Kind, str]) -> bool:
    """Whether an implicit member, if it were there, might have a member's number under another signature. `head`: the
    rest of the type; `member`: kind and rest."""
    made = made_signatures(entry.fqn, entry.name, head)
    if made is None:
        return True
    return member != _PLAIN and any(signature_number(each) == number for each in made)


def _is_made(head: Head, declaration: Declaration, number: int) -> bool:
    """Whether an implicit member, if it were there, would have this number under another signature."""
    made = implicit_members(head.primary.declaration, frozenset(head.modifiers), [])
    signatures = {canonical_signature(each, head.entry.fqn) for each in made}
    clashing = {each for each in signatures if signature_number(each) == number}
    return bool(clashing - {canonical_signature(declaration, head.entry.fqn)}) if clashing else False


def outer(fqn: str) -> str | None:
    """The FQN of the type around one."""
    return fqn.rpartition("+")[0] or None


def _container(entry: TypeEntry) -> str:
    around = outer(entry.fqn)
    return around if around is not None else entry.fqn.rpartition(".")[0]
