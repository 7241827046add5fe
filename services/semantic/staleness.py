"""Staleness of notes: recorded hashes are compared with the index, never with notifications (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, Protocol

from services.prompt.outline.names import type_name
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
        """Return the facts as a note records them."""
        return NotedType(
            type_id=self.type_id,
            fqn=self.fqn,
            structure_hash=self.structure_hash,
            impl_hash=self.impl_hash,
            xml_doc_hash=self.xml_doc_hash,
        )


class TypeFactsSource(Protocol):
    """Facts about types in the index."""

    def facts(self, type_id: str) -> TypeFacts | None:
        """A type; None where there is none of that id."""
        ...

    def current(self, type_id: str) -> str | None:
        """The id that a type has now which once had this one."""
        ...


def is_of(note: Note, index: TypeFactsSource) -> bool:
    """Whether the types of a note are unchanged, apart from their dependencies."""
    found = [(each, index.facts(each.type_id)) for each in note.types]
    return all(now is not None and not [*_own(each, now, False)] for each, now in found)


def reasons(note: Note, index: TypeFactsSource, *, doc_invalidates: bool = False) -> tuple[str, ...]:
    """Why a note may not hold any more, as sentences, each once; none where it does. `doc_invalidates`: whether
    documentation counts."""
    return tuple(dict.fromkeys(_reasons(note, index, doc_invalidates)))


def _reasons(note: Note, index: TypeFactsSource, doc_invalidates: bool) -> Iterator[str]:
    compared: set[str] = set()
    for noted in note.types:
        found = index.facts(noted.type_id)
        if found is None:
            yield f"{type_name(noted.fqn)} is gone."
            continue
        yield from _own(noted, found, doc_invalidates)
        # All of a circle have it alike: it is compared once, and not once for each of thousands. A type is in one
        # circle only, so that the first of it tells which.
        if found.group[0] not in compared:
            compared.add(found.group[0])
            yield from _membership(note, found, index)
    for id_, hash_ in note.dependencies.items():
        found = index.facts(id_)
        if found is None:
            yield _without(id_, index)
        elif found.structure_hash != hash_:
            yield f"{type_name(found.fqn)}, which it names, has another structure."


def _without(type_id: str, index: TypeFactsSource) -> str:
    """Return the reason for a type that no longer exists: renamed, moved or deleted."""
    new = index.current(type_id)
    found = index.facts(new) if new is not None else None
    return (
        f"{type_name(found.fqn)}, which it names, was renamed."
        if found is not None
        else f"{type_id}, which it names, is gone."
    )


def _own(noted: NotedType, found: TypeFacts, doc_invalidates: bool) -> Iterator[str]:
    if noted.structure_hash != found.structure_hash:
        yield f"{type_name(found.fqn)} has another structure."
    elif noted.impl_hash != found.impl_hash:
        yield f"The bodies of {type_name(found.fqn)} have changed."
    elif doc_invalidates and noted.xml_doc_hash != found.xml_doc_hash:
        yield f"The documentation of {type_name(found.fqn)} has changed."


def _membership(note: Note, found: TypeFacts, index: TypeFactsSource) -> Iterator[str]:
    group = frozenset(found.group)
    for id_ in sorted(group - set(note.type_ids)):
        joined = index.facts(id_)
        yield f"{type_name(joined.fqn) if joined is not None else id_} depends on it in a circle now."
    for noted in note.types:
        if noted.type_id not in group and index.facts(noted.type_id) is not None:
            yield f"{type_name(noted.fqn)} and {type_name(found.fqn)} do not depend on each other in a circle any more."
