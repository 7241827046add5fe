"""Semantic notes: what a type is for, and whether that still holds, by recorded hashes compared with the index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple, Protocol

from services.model.base import Value
from services.model.symbols import Resolved
from services.prompt.outline.names import type_name


class NoteState(StrEnum):
    """State of a type's note: missing, queued, being generated, valid, or possibly outdated."""

    NONE = "none"
    PENDING = "pending"
    GENERATING = "generating"
    CACHED = "cached"
    STALE = "stale"


class Author(StrEnum):
    """Author of a note. `STATIC`: derived from the code alone."""

    STATIC = "static"
    PERSON = "person"
    AGENT = "agent"
    MODEL = "model"


class NoteFields(Value, kw_only=True, frozen=True):
    """Fields of a note, none of them empty: purpose, lifecycle, surprises, non-goals, and usage."""

    role: str
    lifecycle: str
    edge_cases: str
    limitations: str
    recommendations: str


class NotedType(Value, kw_only=True, frozen=True):
    """A type that a note is about, with its hashes when its source was gathered."""

    type_id: str
    fqn: str
    structure_hash: str
    impl_hash: str
    xml_doc_hash: str = ""


class Provider(Value, kw_only=True, frozen=True):
    """Provider of a note, and its day (ISO 8601). `name`: of the person, agent or model."""

    author: Author
    name: str = ""
    date: str = ""


class Note(Value, kw_only=True, frozen=True):
    """A note. `types`: one, or all of a group that depend on each other in a circle; `dependencies`: the structure hash
    of each type that they name, by id."""

    types: tuple[NotedType, ...]
    dependencies: Mapping[str, str]
    provider: Provider
    fields: NoteFields

    @property
    def type_ids(self) -> tuple[str, ...]:
        """The ids of its types."""
        return tuple(each.type_id for each in self.types)


class LinkedConclusion(Value, kw_only=True, frozen=True):
    """Conclusion with evidence in a type. `reasons`: why it may be outdated."""

    op_id: str
    title: str
    reasons: tuple[str, ...] = ()


class NoteAnswer(Value, kw_only=True, frozen=True):
    """Note on a type. `is_static`: there is no stored note, and `fields` are derived from the code; `reasons`: why
    a stale note may be outdated; `waiting`: a pending note that a person has not decided about; `last_error`:
    why the last attempt to generate one failed; `group`: ids of the types that share the note; `unreadable`: why
    the content of its file is no note; `conclusions`: of investigations with evidence in the type; `resolved`:
    the requested symbol."""

    type_id: str
    fqn: str
    state: NoteState
    fields: NoteFields
    provider: Provider
    text: str
    is_static: bool = False
    reasons: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    waiting: NoteFields | None = None
    last_error: str | None = None
    op_id: str | None = None
    unreadable: str | None = None
    conclusions: tuple[LinkedConclusion, ...] = ()
    resolved: Resolved | None = None


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
