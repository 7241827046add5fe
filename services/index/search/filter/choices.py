"""Filters whose values are taken from a list: kinds, access and projects (SPEC section 5)."""

from __future__ import annotations

from collections.abc import Sequence

from services.index.search.match.alphabet import fold
from services.index.search.match.columns import ACCESSES, KINDS
from services.index.search.match.query import SearchQuery
from services.model import Kind

_MOST_NAMED = 12
_SEPARATORS = str.maketrans("", "", "-_")
_KINDS = [str(kind).replace(" ", "") for kind in KINDS]
_ACCESSES = [access.replace(" ", "") for access in ACCESSES]


def chosen(field: str, value: str, projects: Sequence[str]) -> list[bool]:
    """Which kinds, access levels or projects a filter means, in their order: the one of that name, else those that
    begin with it, or for projects have it in them. `value`: folded."""
    if field == "in":
        names = [fold(name) for name in projects]
        begun = [value in name for name in names]
    else:
        names = _KINDS if field == "kind" else _ACCESSES
        value = value.translate(_SEPARATORS)
        begun = [name.startswith(value) for name in names]
    exact = [name == value for name in names]
    return exact if any(exact) else begun


def unknown(query: SearchQuery, projects: Sequence[str]) -> str:
    """Return an error for filters that match no existing value; empty where all match."""
    return " ".join(
        _no_such(field, value, projects)
        for field, value in query.filters
        if field != "ns" and not any(chosen(field, value, projects))
    )


def _no_such(field: str, value: str, projects: Sequence[str]) -> str:
    if field == "in":
        names = sorted(set(projects))
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        there = "there is" if len(names) == 1 else "there are"
        return f"No project has {value!r} in its name: {there} {', '.join(names[:_MOST_NAMED])}{more}."
    known = [kind for kind in KINDS if kind is not Kind.NAMESPACE] if field == "kind" else ACCESSES
    names = [name.replace(" ", "-") for name in known]
    return f"No {field} begins with {value!r}: there are {', '.join(names)}."
