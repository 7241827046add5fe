"""The records that a record derives from, found by their names alone: what it inherits decides which of its parameters
make a property, and so must be known whether names are bound or not."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.symbols.declared import members_of
from services.index.symbols.implicit import record_base
from services.index.symbols.placed import Head
from services.index.symbols.refs import Heads
from services.model import Kind
from services.syntax.records.canonical import simple

_DEEPEST = 16
_PROPERTIES = frozenset({Kind.PROPERTY, Kind.FIELD})


class RecordBases:
    """Looks them up in one catalogue."""

    def __init__(self, catalogue: Catalogue, heads: Heads, records: Records) -> None:
        self._catalogue = catalogue
        self._heads = heads
        self._records = records

    def of(self, index: int) -> list[Head]:
        """The bases of a record, the nearest first, as far as they are in the workspace."""
        found: list[Head] = []
        head = self._heads.head(index)
        while head is not None and len(found) < _DEEPEST:
            head = self._base(head)
            if head is None or head.index == index:
                break
            found.append(head)
        return found

    def properties(self, bases: list[Head]) -> frozenset[str]:
        """The names of the properties and fields that heirs of these records inherit."""
        names = frozenset(name for base in bases for name in self._properties(base))
        return names - {"EqualityContract"}  # each record has its own

    def _properties(self, base: Head) -> Iterator[str]:
        yield from (each.name for each in base.primary.declaration.parameters or ())
        for member in members_of(self._records, base.parts)[0]:
            declaration = member.declaration
            is_inherited = declaration.access != "private" and "static" not in declaration.modifiers
            if declaration.kind in _PROPERTIES and is_inherited:
                yield declaration.name

    def _base(self, head: Head) -> Head | None:
        written = next((part for part in head.parts if part.declaration.bases), None)
        text = record_base(written.declaration.bases) if written is not None else None
        if written is None or text is None:
            return None
        name, _, arguments = text.partition("<")
        own = simple(name.rpartition("::")[2].strip(), _count(arguments))
        local = self._catalogue.file(written.file).path
        for around in self._around(head, written.file, written.declaration.scope):
            index = self._record(head.entry.project, around + own, local)
            if index is not None:
                return self._heads.head(index)
        return None

    def _record(self, project: int, fqn: str, local: str) -> int | None:
        """A record of this name, the file's own if it has one, else of the same project."""
        everywhere = ((each, fqn, "") for each in range(len(self._catalogue.projects)))
        for key in ((project, fqn, local), (project, fqn, ""), *everywhere):
            index = self._catalogue.type_at.get(key)
            if index is not None and self._catalogue.type(index).kind is Kind.RECORD:
                return index
        return None

    def _around(self, head: Head, file: int, scope: int) -> Iterator[str]:
        """Iterate over the possible qualifiers of the name: the types around the record, then its namespaces and its
        usings."""
        outer, nested, _ = head.entry.fqn.rpartition("+")
        while nested:
            yield outer + "+"
            outer, nested, _ = outer.rpartition("+")
        record = self._records.record(file)
        while record is not None and scope >= 0:
            namespace, parent, using = msgspec.structs.astuple(record.scopes[scope])
            while namespace:
                yield namespace + "."
                namespace = namespace.rpartition(".")[0]
            yield from (each.name + "." for each in using if not each.alias and not each.static)
            scope = parent
        yield ""


def _count(arguments: str) -> int:
    """How many type arguments there are in `A, B<C, D>>`."""
    depth, count = 0, bool(arguments)
    for letter in arguments:
        depth += (letter in "<([") - (letter in ">)]")
        count += letter == "," and depth == 0
    return int(count)
