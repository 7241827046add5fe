"""Semantic notes: what a type is for, and whether that still holds (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from services.model.base import Value
from services.model.symbols import Resolved


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
