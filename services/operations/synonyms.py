"""Other names of parameters: those that the documents and programs this one replaces have for them. They are taken
wherever arguments are, and listed nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from services.errors import UsageError

_IDS = ("memberId", "id", "typeId")
"""Each names a symbol for sure: where a path is given beside one, the id counts."""

SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "object": (*_IDS, "objectUrl", "objectSourceUrl", "path"),
    "path": (*_IDS, "objectUrl", "objectSourceUrl", "object", "memberPath"),
    "memberPath": (*_IDS, "objectUrl", "objectSourceUrl", "object", "path"),
    "paths": ("path", *_IDS, "object"),
    "scopePaths": ("scope",),
    "limit": ("maxResults",),
    "maxMatches": ("maxResults",),
    "filter": ("filterSpec",),
}
"""By the declared name, those that may stand for it; of several that are given, the first counts where it is an id or
the name of the object, before that of its source."""


def synonyms_of(names: Iterable[str]) -> dict[str, str]:
    """Return the synonyms of the declared parameters `names`, each with the parameter's name."""
    own = frozenset(names)
    known = ((other, name) for name in sorted(own & SYNONYMS.keys()) for other in SYNONYMS[name])
    return {other: name for other, name in known if other not in own}


def declared_names(names: Iterable[str], arguments: Mapping[str, Any], operation: str) -> dict[str, Any]:
    """`arguments` under the names that an operation declares (`names`). What has no other name stays as it is. Raises
    UsageError where one thing is given twice, and not the same."""
    others, answer = synonyms_of(names), dict(arguments)
    for name in frozenset(others[each] for each in others.keys() & answer.keys()):
        given = [
            each for each in (*SYNONYMS[name], name) if each in answer and others.get(each, name) == name
        ]
        answer[name] = _meant(name, {each: answer.pop(each) for each in given}, operation)
    return answer


def _meant(name: str, given: Mapping[str, Any], operation: str) -> Any:
    first, *others = given
    if first not in (*_IDS, "objectUrl") and any(given[each] != given[first] for each in others):
        raise UsageError(f"{operation}: {' and '.join(given)} differ, and both are {name}. Leave one out.")
    return given[first]
