"""Edges of the declarations of one file."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from zlib import crc32

from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.index.graph.by_file import FileEdges
from services.index.names.names import Names
from services.index.names.space import Bound
from services.index.names.type_text import attribute_classes, identifiers, types_in
from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration, FileRecord, Using


def edges_of(catalogue: Catalogue, names: Names, file: int, record: FileRecord) -> FileEdges:
    """Binds every type text of a file's declarations."""
    first = catalogue.file(file).rows[0]
    inside: Counter[tuple[int, int]] = Counter()
    outside: Counter[tuple[int, str]] = Counter()
    mentioned: set[str] = set()
    inferred: set[tuple[str, int, str]] = set()
    homes: dict[int, int] = {}
    for at, declaration in enumerate(record.declarations):
        owner = catalogue.columns.owner[first + at]
        if owner < 0:
            continue
        if owner not in homes:
            homes[owner] = home_of(catalogue, owner)
        owner = homes[owner]
        if declaration.kind in TYPE_KINDS:
            mentioned.update(names.foreign(file, at))
        for text, bound in _bound_texts(names, file, at, declaration):
            mentioned.update(identifiers(text))
            inferred.update(bound.inferred)
            for known in bound.types:
                if known.index is None:
                    outside[(owner, known.fqn)] += 1
                elif known.index != owner:
                    inside[(owner, known.index)] += 1
    mentioned |= _behind_aliases(mentioned, record, names.global_usings(catalogue.file(file).project))
    return FileEdges(
        tuple((a, b, n) for (a, b), n in inside.items()),
        tuple((a, b, n) for (a, b), n in outside.items()),
        tuple(sorted(mentioned)),
        tuple(sorted(inferred)),
        signatures=_signatures(record.declarations),
    )


_BY_OWNER = frozenset({Kind.CONSTRUCTOR, Kind.INDEXER, Kind.OPERATOR, Kind.CONVERSION})
"""Members without a written name: dependents name their type instead."""


def _signatures(declarations: Sequence[Declaration]) -> bytes:
    """Hash the visible part of each declaration; for an interface, including its members, since an implementation
    depends on all of them. The bases of a type stand under the word for its members, one by one."""
    seen = [_seen(each) for each in declarations]
    for each, own in zip(declarations, tuple(seen), strict=True):
        if each.parent >= 0 and declarations[each.parent].kind is Kind.INTERFACE:
            seen[each.parent] += own
    named = (
        declarations[each.parent] if each.kind in _BY_OWNER and each.parent >= 0 else each
        for each in declarations
    )
    pairs = {(_hash(d.name), crc32(own)) for d, own in zip(named, seen, strict=True)}
    for each in declarations:
        if each.kind in TYPE_KINDS:
            bases = {name for text in each.bases for name in identifiers(text)} or {""}
            own = _hash(members_of(each.name.lstrip("@")))
            pairs.update((own, _hash(base)) for base in bases)
    return array("I", [number for pair in sorted(pairs) for number in pair]).tobytes()


def members_of(name: str) -> str:
    """Return the word for the members of types of this name, among the words of the bodies that use one of them."""
    return f":{name}"


def inherited(
    catalogue: Catalogue, records: Records, came: Collection[int], gone: Collection[tuple[int, int]]
) -> set[int]:
    """Return the hashes of the words for members of types whose heirs have other bases now: a name in a body may mean
    another member through an heir that the body does not name. `came`, `gone`: hashes as of signatures, those that
    came without what they hash."""
    waiting: set[int] = set()
    left = {name for name, _ in gone}
    for _, entry in catalogue.live_types():
        own = _hash(members_of(entry.name))
        if own in left or (own in came and len(entry.parts) > 1):
            waiting.add(_hash(entry.name))
            waiting.update(base for name, base in gone if name == own)
    if not waiting:  # most changes are none of bases
        return set()
    names: dict[int, list[TypeEntry]] = defaultdict(list)
    for _, entry in catalogue.live_types():
        names[_hash(entry.name)].append(entry)
    reached: set[int] = set()
    while waiting:
        reached.add(name := waiting.pop())
        for entry in names[name]:
            declared = (records.declaration(file, at) for file, at in entry.parts)
            bases = (text for each in declared if each is not None for text in each.bases)
            waiting |= {_hash(name) for text in bases for name in identifiers(text)} - reached
    return {_hash(members_of(entry.name)) for name in reached for entry in names[name]}


def _hash(word: str) -> int:
    return crc32(word.encode())


def _seen(declaration: Declaration) -> bytes:
    parameters = [f"{p.modifier} {p.type} {p.name} {bool(p.default)}" for p in declaration.parameters or ()]
    words = (
        declaration.kind.value,
        declaration.access,
        declaration.name,
        declaration.returns or "",
        declaration.constraints,
        declaration.explicit,
        declaration.receiver.type if declaration.receiver is not None else "",
        *declaration.modifiers,
        "<",
        *declaration.type_parameters,
        ":",
        *declaration.bases,
        "(",
        *parameters,
    )
    return "|".join(words).encode() + declaration.structure


def _behind_aliases(mentioned: set[str], record: FileRecord, global_usings: Iterable[Using]) -> set[str]:
    """Return the names in the targets of the aliases among `mentioned`."""
    usings = (*global_usings, *(using for scope in record.scopes for using in scope.usings))
    return {
        name
        for using in usings
        if using.alias and using.alias in mentioned
        for name in identifiers(using.name)
    }


def _bound_texts(names: Names, file: int, at: int, declaration: Declaration) -> Iterator[tuple[str, Bound]]:
    for text in declaration.bases if declaration.kind in TYPE_KINDS else ():
        yield text, names.bound_base(file, at, text)
    for text in texts_of(declaration):
        yield text, names.bound(file, at, declaration, text)
    for text in declaration.attributes:
        with_suffix, as_written = attribute_classes(text)
        bound = names.bound(file, at, declaration, with_suffix)
        if bound.head is None:
            bound = names.bound(file, at, declaration, as_written)
        yield text, Bound(bound.fqn, bound.types, bound.head)  # which of its names is meant is unknown


def texts_of(declaration: Declaration) -> Iterator[str]:
    """The type texts of a declaration's signature: result, parameters, receiver, constraints."""
    if declaration.returns:
        yield declaration.returns
    for parameter in declaration.parameters or ():
        yield parameter.type
    if declaration.receiver is not None and declaration.receiver.type:
        yield declaration.receiver.type
    yield from types_in(declaration.constraints)
