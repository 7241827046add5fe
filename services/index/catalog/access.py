"""Accessibility as the language combines it."""

from __future__ import annotations

_SEEN_BY = {
    "public": frozenset({"assembly", "family", "anyone", "both"}),
    "protected internal": frozenset({"assembly", "family", "both"}),
    "protected": frozenset({"family", "both"}),
    "internal": frozenset({"assembly", "both"}),
    "private protected": frozenset({"both"}),
    "file": frozenset({"file"}),
    "private": frozenset(),
}
_BY_SEEN = {seen: name for name, seen in _SEEN_BY.items()}
_RANK = {name: rank for rank, name in enumerate(reversed(_SEEN_BY))}


def narrowed(outer: str, inner: str) -> str:
    """Return the effective access of `inner` inside `outer`: the intersection of both."""
    if outer == "file" or inner == "file":
        return "private" if "private" in (outer, inner) else "file"
    return _BY_SEEN.get(_SEEN_BY[outer] & _SEEN_BY[inner], "private")


def widest(accesses: list[str]) -> str:
    """Return the declared access among the parts of a partial type, rather than a default."""
    return "file" if "file" in accesses else max(accesses, key=_RANK.__getitem__)
