"""Semantic notes: what a type is for, and whether that still holds (SPEC section 9)."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from services.model.base import Value
from services.model.symbols import Resolved


class NoteState(StrEnum):
    """Where the note of a type is: there is none, one is asked for, is being made, holds, or may not hold any more."""

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
    """The five parts of a note, none of them empty: what the type is for, how it comes and goes, what surprises, what
    it does not do, and how to use it."""

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
    """A conclusion that stands on places in a type. `reasons`: why it may not hold any more."""

    op_id: str
    title: str
    reasons: tuple[str, ...] = ()


class NoteAnswer(Value, kw_only=True, frozen=True):
    """Note on a type. `is_static`: nobody wrote a note, and `fields` are derived from the code;
    `reasons`: why a stale note may not hold; `waiting`: a newer note that a person has not decided about; `last_error`:
    why the last attempt to make one failed; `group`: ids of the types that share the note; `unreadable`: why what is in
    its file is no note; `conclusions`: of investigations whose places are in the type; `resolved`: the symbol
    that was asked for."""

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
