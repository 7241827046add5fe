"""Two states of a public API compared: what came, went and changed, and which of that breaks whom.

The codes and sentences are those of Microsoft's ApiCompat, so that a report reads as its users know it.
"""

from __future__ import annotations

from collections.abc import Mapping

from services.model import TYPE_KINDS, Value
from services.review.api.rules import ApiRules, Breaking
from services.review.api.symbol import ApiSymbol

Api = Mapping[str, ApiSymbol]
_TYPE_WORDS = frozenset({"abstract", "sealed", "static"})


class ApiChange(Value, kw_only=True, frozen=True):
    """A symbol on both sides; None where it is not there."""

    id: str
    before: ApiSymbol | None = None
    after: ApiSymbol | None = None

    @property
    def way(self) -> str:
        """added, removed or changed."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"


class ApiChanges(Value, kw_only=True, frozen=True):
    """Differences of two states of an API, by documentation id."""

    added: tuple[ApiChange, ...] = ()
    removed: tuple[ApiChange, ...] = ()
    changed: tuple[ApiChange, ...] = ()
    breaking: tuple[Breaking, ...] = ()


def compared(old: Api, new: Api, *, name: str = "it") -> ApiChanges:
    """Return the changes of the API from `old` to `new`. `name`: how messages call the new side."""
    added = [ApiChange(id=key, after=new[key]) for key in sorted(new.keys() - old.keys())]
    removed = [ApiChange(id=key, before=old[key]) for key in sorted(old.keys() - new.keys())]
    changed = [
        ApiChange(id=key, before=old[key], after=new[key])
        for key in sorted(old.keys() & new.keys())
        if _differ(old[key], new[key])
    ]
    breaking = ApiRules(old, new, name).broken()
    return ApiChanges(
        added=tuple(added), removed=tuple(removed), changed=tuple(changed), breaking=tuple(breaking)
    )


def _differ(old: ApiSymbol, new: ApiSymbol) -> bool:
    if old.kind in TYPE_KINDS:
        return (
            old.bases != new.bases
            or old.words & _TYPE_WORDS != new.words & _TYPE_WORDS
            or old.signature != new.signature
        )
    return old.signature != new.signature
