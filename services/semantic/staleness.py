"""Whether a note still holds: its recorded hashes against the index, never by what was told (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from services.semantic.values import Note, NotedType


class TypeFacts(NamedTuple):
    """A type as the index has it. `dependencies`: ids of the types it names, as far as known; `group`: ids of all types
    that depend on each other in a circle with it, itself included, sorted."""

    type_id: str
    fqn: str
    structure_hash: str
    impl_hash: str
    xml_doc_hash: str
    dependencies: tuple[str, ...]
    group: tuple[str, ...]

    @property
    def noted(self) -> NotedType:
        """As a note records it."""
        return NotedType(
            type_id=self.type_id,
            fqn=self.fqn,
            structure_hash=self.structure_hash,
            impl_hash=self.impl_hash,
            xml_doc_hash=self.xml_doc_hash,
        )


Facts = Callable[[str], TypeFacts | None]
"""What the index knows of a type; None where there is none of that id."""


def reasons(note: Note, facts: Facts, *, doc_invalidates: bool = False) -> tuple[str, ...]:
    """Why a note may not hold any more, as sentences, each once; none where it does. `doc_invalidates`: whether
    documentation counts."""
    return tuple(dict.fromkeys(_reasons(note, facts, doc_invalidates)))


def _reasons(note: Note, facts: Facts, doc_invalidates: bool) -> Iterator[str]:
    now: Mapping[str, TypeFacts | None] = {id_: facts(id_) for id_ in note.type_ids}
    compared: set[tuple[str, ...]] = set()
    for noted in note.types:
        found = now[noted.type_id]
        if found is None:
            yield f"{noted.fqn} is gone."
            continue
        yield from _own(noted, found, doc_invalidates)
        # All of a circle have it alike: it is compared once, and not once for each of hundreds.
        if found.group not in compared:
            compared.add(found.group)
            yield from _membership(note, found, facts)
    for id_, hash_ in note.dependencies.items():
        found = facts(id_)
        if found is None:
            yield f"{id_}, which it names, is gone."
        elif found.structure_hash != hash_:
            yield f"{found.fqn}, which it names, has another structure."


def _own(noted: NotedType, found: TypeFacts, doc_invalidates: bool) -> Iterator[str]:
    if noted.structure_hash != found.structure_hash:
        yield f"{found.fqn} has another structure."
    elif noted.impl_hash != found.impl_hash:
        yield f"The bodies of {found.fqn} have changed."
    elif doc_invalidates and noted.xml_doc_hash != found.xml_doc_hash:
        yield f"The documentation of {found.fqn} has changed."


def _membership(note: Note, found: TypeFacts, facts: Facts) -> Iterator[str]:
    group = frozenset(found.group)
    for id_ in sorted(group - set(note.type_ids)):
        joined = facts(id_)
        yield f"{joined.fqn if joined is not None else id_} depends on it in a circle now."
    for noted in note.types:
        if noted.type_id not in group and facts(noted.type_id) is not None:
            yield f"{noted.fqn} and {found.fqn} do not depend on each other in a circle any more."
