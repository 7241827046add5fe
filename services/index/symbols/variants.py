"""A symbol that projects compile from the same files with other preprocessor symbols: what each of them declares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from services.index.catalog.catalogue import Catalogue, TypeEntry
from services.index.compiled import compilations, projects_of
from services.index.symbols.placed import Placed, TypeWithMembers
from services.syntax.records.canonical import canonical_signature

Declared = Mapping[str, frozenset[str]]
"""Signatures by the name of the project that declares them."""


def variants_of(catalogue: Catalogue, home: int) -> list[int]:
    """The compilations of a symbol for which the preprocessor leaves other text than for its home."""
    texts = _texts(catalogue, catalogue.type(home))
    others = compilations(catalogue, home)[1:]
    return [at for at in others if _texts(catalogue, catalogue.type(at)) != texts]


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


def projects_declaring(catalogue: Catalogue, whole: TypeWithMembers, member: Placed) -> tuple[str, ...]:
    """The names of the projects that compile a member, that of its home first."""
    every = projects_of(catalogue, whole.index)
    if not whole.declared or member.implicit:
        return every
    signed = canonical_signature(member.declaration, whole.entry.fqn)
    return tuple(name for name in every if signed in whole.declared.get(name, ())) or every


def _texts(catalogue: Catalogue, entry: TypeEntry) -> frozenset[tuple[str, str]]:
    files = (catalogue.file(file) for file, _ in entry.parts)
    return frozenset((file.path, file.variant) for file in files)
