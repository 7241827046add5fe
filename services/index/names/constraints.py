"""The types in the constraint clauses of a declaration."""

from __future__ import annotations

from collections.abc import Iterator

_WORDS = frozenset({"class", "class?", "struct", "notnull", "unmanaged", "default", "allows ref struct"})


def types_in(constraints: str) -> Iterator[str]:
    """The types that all clauses list, without `class`, `new()` and the like."""
    for clause in constraints.split("where ")[1:]:
        yield from _types(clause.partition(":")[2])


def bounds(constraints: str, name: str) -> Iterator[str]:
    """Iterate over bounds like types_in, for the clause `where name : …` alone."""
    for clause in constraints.split("where ")[1:]:
        parameter, _, listed = clause.partition(":")
        if parameter.strip() == name:
            yield from _types(listed)


def _types(listed: str) -> Iterator[str]:
    depth = start = 0
    for at, char in enumerate(f"{listed},"):
        depth += (char in "<(") - (char in ">)")
        if char == "," and depth == 0:
            text = listed[start:at].strip()
            start = at + 1
            if text and text not in _WORDS and not text.endswith("()"):
                yield text
