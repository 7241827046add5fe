"""The order of the window's recent part: by last use, types of active packs weighing more (004 section 8)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from services.prompt.state.state import Entry

PACK_WEIGHT = 1.5


def weighed(recent: Sequence[Entry], types: Collection[str]) -> tuple[Entry, ...]:
    """Recent items, heaviest first. `types`: ids of those in active packs; a member counts as its type.

    An item's weight is how many were used no later than it: that changes with use alone, never with the clock."""
    if not types:
        return tuple(recent)
    weights = {
        entry.key: (len(recent) - at) * (PACK_WEIGHT if _type_of(entry.key) in types else 1)
        for at, entry in enumerate(recent)
    }
    return tuple(sorted(recent, key=lambda entry: -weights[entry.key]))


def _type_of(key: str) -> str:
    kind, _, target = key.partition(":")
    return "_".join(target.split("_")[:2]) if kind in ("type", "member") else ""
