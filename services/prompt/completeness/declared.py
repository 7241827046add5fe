"""Declarations that an outline shows of a type: the ones whose signatures name other types."""

from __future__ import annotations

from collections.abc import Iterator

from services.index.index import Index
from services.index.symbols.describe import TypeWithMembers
from services.index.usages.mentions import Mentions
from services.syntax.records.declaration import Declaration

_SEEN = frozenset({"public", "protected", "protected internal"})


def outlined(whole: TypeWithMembers) -> Iterator[tuple[int, int, Declaration]]:
    """(file, place, declaration) of a type's parts and of its members that others see."""
    for part in whole.parts:
        yield part.file, part.at, part.declaration
    for member in whole.members:
        declaration = member.declaration
        if declaration.access in _SEEN and not declaration.explicit and not member.implicit:
            yield member.file, member.at, declaration


def named_by_outline(index: Index, whole: TypeWithMembers) -> Mentions:
    """The types that the outline of a type names."""
    return index.files.mentions_of(outlined(whole))


def is_seen(whole: TypeWithMembers) -> bool:
    """Whether others see the type."""
    return whole.access in _SEEN
