"""A type as an outline shows it, and what changed of it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from services.model.base import Value
from services.model.symbols import Quality, Symbol, SymbolRef


class ChangeClass(StrEnum):
    """Why a type changed (SPEC section 6)."""

    ADDED = "added"
    REMOVED = "removed"
    MOVED = "moved"
    STRUCTURE = "structure"
    PUBLIC_BEHAVIOUR = "public behaviour"
    INTERNAL = "internal"
    DOCS = "docs"
    COSMETIC = "cosmetic"


class TypeChange(Value, kw_only=True, frozen=True):
    """One type of a change batch (004 section 3.2).

    `stale`: ids of the other types whose semantics went stale with it: those downstream of it, the nearest first, when
    its structure changed; when only what it does changed, those that depend on it and it on them in a circle."""

    id: str
    fqn: str
    change: ChangeClass
    file: str
    stale: tuple[str, ...] = ()

    @property
    def outline_is_new(self) -> bool:
        """Whether its outline is another one now."""
        return self.change not in (ChangeClass.PUBLIC_BEHAVIOUR, ChangeClass.INTERNAL, ChangeClass.COSMETIC)

    @property
    def semantics_are_stale(self) -> bool:
        """Whether what was written of its meaning may not hold any more."""
        return self.change in (
            ChangeClass.STRUCTURE,
            ChangeClass.PUBLIC_BEHAVIOUR,
            ChangeClass.INTERNAL,
            ChangeClass.REMOVED,
        )


class Part(Value, kw_only=True, frozen=True):
    """One declaration of a type: a partial type has several. `quality` is its file's."""

    file: str
    start_line: int
    end_line: int
    quality: Quality = Quality.EXACT


class TypeLink(Value, kw_only=True, frozen=True):
    """A type named by another. `type_id` is None for one outside the workspace; `count`: how often it is named."""

    fqn: str
    type_id: str | None = None
    count: int = 1


class TypeDetail(Value, kw_only=True, frozen=True):
    """A type with everything an outline shows. `members` are in source order, nested types in `nested`.

    `doc` is the summary as one line; a member's first doc line is in its symbol. `hashes`: structure, impl, doc.
    `depends_on`: what bases and signatures name, `in_bodies`: what bodies and comments do, as far as they were read.
    `obsolete`: the ids that are marked so, of the type itself, its members and the types in it."""

    symbol: Symbol
    parts: tuple[Part, ...]
    members: tuple[Symbol, ...]
    nested: tuple[SymbolRef, ...] = ()
    doc: str | None = None
    hashes: Mapping[str, str] = {}
    depends_on: tuple[TypeLink, ...] = ()
    used_by: tuple[TypeLink, ...] = ()
    in_bodies: tuple[TypeLink, ...] = ()
    obsolete: frozenset[str] = frozenset()


class Documentation(Value, kw_only=True, frozen=True):
    """What a doc comment says, each text on one line, by the name of the parameter or exception that it is of."""

    summary: str | None = None
    type_parameters: Mapping[str, str] = {}
    parameters: Mapping[str, str] = {}
    returns: str | None = None
    exceptions: Mapping[str, str] = {}
