"""A symbol that projects compile from the same files with other preprocessor symbols: what each of them declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.catalog.file_rows import KINDS
from services.index.catalog.records import Records
from services.index.compiled import compilations, home_of, projects_of
from services.index.symbols.placed import Placed, TypeWithMembers
from services.model import TYPE_KINDS
from services.syntax.records.hashing import ALSO_ELSEWHERE, canonical_signature

Declared = Mapping[str, frozenset[str]]
"""Signatures by the name of the project that declares them."""


def variants_of(catalogue: Catalogue, home: int) -> list[int]:
    """The compilations of a symbol for which the preprocessor leaves other text than for its home."""
    texts = _texts(catalogue, catalogue.type(home))
    others = compilations(catalogue, home)[1:]
    return [at for at in others if _texts(catalogue, catalogue.type(at)) != texts]


def is_told(catalogue: Catalogue, file: int, at: int) -> bool:
    """Whether a declaration has a row that counts."""
    return not catalogue.columns.dead[catalogue.file(file).rows[0] + at]


def elsewhere(catalogue: Catalogue, home: int) -> Iterator[int]:
    """The types that enclose what another configuration declares in a type."""
    entry, projects = (
        catalogue.type(home),
        {catalogue.type(at).project for at in compilations(catalogue, home)},
    )
    for at in () if entry.is_elsewhere else catalogue.by_fqn.get(entry.fqn, ()):
        other = catalogue.type(at)
        if other.is_elsewhere and other.parts and other.project in projects:
            yield at


def joined_variants(
    catalogue: Catalogue, home: int, own: Sequence[Placed], others: Mapping[int, Sequence[Placed]]
) -> tuple[list[Placed], Declared]:
    """The members that a home declares, behind them those that only its variants (`others`: theirs) declare; and what
    each project declares."""
    fqn = catalogue.type(home).fqn
    known = frozenset(canonical_signature(member.declaration, fqn) for member in own)
    every, declared = list(own), dict.fromkeys(projects_of(catalogue, home), known)
    seen = set(known)
    for at, members in others.items():
        signed = [(canonical_signature(member.declaration, fqn), member) for member in members]
        every += [member for signature, member in signed if signature not in seen]
        declared[catalogue.projects[catalogue.type(at).project]] = frozenset(text for text, _ in signed)
        seen.update(text for text, _ in signed)
    return every, declared


def differing(catalogue: Catalogue, records: Records) -> Mapping[int, Sequence[int]]:
    """The types of which not every project that compiles them declares the same members and bases, by their homes: all
    compilations of each."""
    found: dict[int, Sequence[int]] = {}
    for home in dict.fromkeys(home_of(catalogue, at) for at in _shared(catalogue)):
        every = compilations(catalogue, home)
        if len({_declares(catalogue, records, at) for at in every}) > 1:
            found[home] = every
    return found


def _shared(catalogue: Catalogue) -> Iterator[int]:
    """Types in files that another project holds: only these may be other ones there."""
    columns = catalogue.columns
    for entry in catalogue.live_files():
        if entry.shadow:
            first, count = entry.rows
            rows = range(first, first + count)
            yield from (columns.owner[row] for row in rows if KINDS[columns.kind[row]] in TYPE_KINDS)


def _declares(catalogue: Catalogue, records: Records, index: int) -> frozenset[object]:
    """Members and bases of one compilation."""
    columns, found = catalogue.columns, set[object]()
    for file, at in catalogue.type(index).parts:
        first, count = catalogue.file(file).rows
        for row in range(first, first + count):
            if columns.owner[row] == index and KINDS[columns.kind[row]] not in TYPE_KINDS:
                found.add((columns.name[row], columns.kind[row], columns.signature[row] & ~ALSO_ELSEWHERE))
        declaration = records.declaration(file, at)
        found.update(declaration.bases if declaration is not None else ())
    return frozenset(found)


def projects_declaring(every: tuple[str, ...], whole: TypeWithMembers, member: Placed) -> tuple[str, ...]:
    """Return the names of the projects that compile a member, of `every` that compiles its type, in their order."""
    if not whole.declared or member.implicit:
        return every
    signed = canonical_signature(member.declaration, whole.entry.fqn)
    return tuple(name for name in every if signed in whole.declared.get(name, ())) or every


def _texts(catalogue: Catalogue, entry: TypeEntry) -> frozenset[tuple[str, str]]:
    files = (catalogue.file(file) for file, _ in entry.parts)
    return frozenset((file.path, file.variant) for file in files)
