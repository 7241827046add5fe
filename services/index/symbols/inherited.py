"""Inherited parts of a description: the comment that `<inheritdoc/>` means, and the records that a record derives
from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import msgspec

from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.names.space import Bound
from services.index.names.type_text import unqualified
from services.index.symbols.implicit import record_base
from services.index.symbols.partials import members_of
from services.index.symbols.placed import Head, Placed, TypeWithMembers
from services.index.symbols.refs import Heads
from services.model import Kind
from services.syntax.records.docs import inherited_from
from services.syntax.records.hashing import simple

if TYPE_CHECKING:
    from services.index.names.names import Names

_DEEPEST = 16
_MOST_BASES = 64


class InheritedDocs:
    """Finder of inherited comments. `names`: the current binder, if any; `whole_of`: a type by its index;
    `comment_of`: the comment of a declaration, if any."""

    def __init__(
        self,
        names: Callable[[], Names | None],
        whole_of: Callable[[int], TypeWithMembers | None],
        comment_of: Callable[[Placed], bytes | None],
    ) -> None:
        self._names = names
        self._whole_of = whole_of
        self._comment_of = comment_of

    def comment(self, whole: TypeWithMembers, placed: Placed, comment: bytes) -> bytes | None:
        """The comment that `comment`, of a type's primary part or of one of its members, takes over; None where it
        takes over none, or one that is not known."""
        for _ in range(_DEEPEST):
            cref = inherited_from(comment)
            if cref is None:
                return comment
            found = self._source(whole, placed, cref)
            if found is None:
                return None
            whole, placed, comment = found
        return None

    def _source(
        self, whole: TypeWithMembers, placed: Placed, cref: str
    ) -> tuple[TypeWithMembers, Placed, bytes] | None:
        names = self._names()
        if names is None:
            return None
        sources = self._named(names, whole, placed, cref) if cref else self._above(names, whole, placed)
        for holder, source in sources:
            comment = self._comment_of(source)
            if comment is not None and source is not placed:
                return holder, source, comment
        return None

    # What a reference names

    def _named(
        self, names: Names, whole: TypeWithMembers, placed: Placed, cref: str
    ) -> Iterator[tuple[TypeWithMembers, Placed]]:
        path, bracket, parameters = cref.partition("(")
        path = path.partition(":")[2] if path[1:2] == ":" else path
        path = path.replace("{", "<").replace("}", ">")
        type_ = None if bracket else self._type(names, placed, path)
        if type_ is not None:
            yield type_, type_.primary
            return
        outer, _, name = path.rpartition(".")
        holder = self._type(names, placed, outer) if outer else whole
        if holder is None:
            return
        wanted = _types(parameters) if bracket else None
        found = [m for m in holder.members if m.declaration.name == name.partition("<")[0] and not m.implicit]
        if wanted is not None:
            found = [member for member in found if len(member.declaration.parameters or ()) == len(wanted)]
            found.sort(key=lambda member: _parameter_types(member) != wanted)
        yield from ((holder, member) for member in found)

    def _type(self, names: Names, placed: Placed, text: str) -> TypeWithMembers | None:
        return self._of(names.bound(placed.file, placed.at, placed.declaration, text))

    def _of(self, bound: Bound) -> TypeWithMembers | None:
        index = bound.head.index if bound.head is not None else None
        return self._whole_of(index) if index is not None else None

    # What a declaration overrides or implements

    def _above(
        self, names: Names, whole: TypeWithMembers, placed: Placed
    ) -> Iterator[tuple[TypeWithMembers, Placed]]:
        is_member = placed is not whole.primary
        explicit = placed.declaration.explicit if is_member else ""
        if explicit:
            holder = self._type(names, placed, explicit)
            yield from _alike(holder, placed) if holder is not None else ()
            return
        for holder in self._bases(names, whole):
            if is_member:
                yield from _alike(holder, placed)
            else:
                yield holder, holder.primary

    def _bases(self, names: Names, whole: TypeWithMembers) -> Iterator[TypeWithMembers]:
        """Iterate over the base types and interfaces of a type, the closest first."""
        waiting = [whole.index]
        seen = {whole.index}
        while waiting and len(seen) < _MOST_BASES:
            for bound in names.bases(waiting.pop(0)):
                index = bound.head.index if bound.head is not None else None
                if index is None or index in seen:
                    continue
                seen.add(index)
                waiting.append(index)
                base = self._whole_of(index)
                if base is not None:
                    yield base


def _alike(holder: TypeWithMembers, placed: Placed) -> list[tuple[TypeWithMembers, Placed]]:
    """Return the members of a base that a member corresponds to: of its kind, name and number of parameters, those
    with the same types first."""
    own = placed.declaration
    found = [
        member
        for member in holder.members
        if member.declaration.kind is own.kind
        and (member.declaration.name == own.name or own.kind is Kind.CONSTRUCTOR)
        and len(member.declaration.parameters or ()) == len(own.parameters or ())
        and len(member.declaration.type_parameters) == len(own.type_parameters)
    ]
    types = _parameter_types(placed)
    found.sort(key=lambda member: _parameter_types(member) != types)
    return [(holder, member) for member in found]


def _parameter_types(member: Placed) -> list[str]:
    return [unqualified(parameter.type) for parameter in member.declaration.parameters or ()]


def _types(parameters: str) -> list[str]:
    """The types that a reference names: two in `int, Dictionary{A, B})`."""
    text = parameters.strip().removesuffix(")")
    depth = start = 0
    found: list[str] = []
    for at, letter in enumerate(f"{text},"):
        depth += (letter in "{<[(") - (letter in "}>])")
        if letter == "," and depth == 0:
            found.append(text[start:at])
            start = at + 1
    types = (each.replace("{", "<").replace("}", ">").rstrip("@") for each in found if each.strip())
    return [unqualified(each) for each in types]


_DEEPEST_BASE = 16
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
        while head is not None and len(found) < _DEEPEST_BASE:
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
