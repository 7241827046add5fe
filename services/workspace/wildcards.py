"""Names with wildcards as regular expressions: `*` is any run of characters, `?` is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count


def wildcards(*segments: str, character: str = ".") -> str:
    """Build a regular expression for segments separated by dots. `character`: an expression for a character that a
    wildcard may match.

    The texts between the first and the last star of a segment match at their first occurrence, without backtracking,
    so that many stars cost no more than a few."""
    groups = count(1)
    return r"\.".join(_segment(each, character, groups) for each in segments)


def _segment(segment: str, character: str, groups: Iterator[int]) -> str:
    first, *rest = (re.escape(piece).replace(r"\?", character) for piece in segment.split("*"))
    if not rest:
        return first
    return (
        first
        + "".join(_found_once(f"{character}*?{each}", groups) for each in rest[:-1])
        + f"{character}*{rest[-1]}"
    )


def _found_once(expression: str, groups: Iterator[int]) -> str:
    """An atomic group: what a look-ahead has matched is not matched again in another way."""
    name = f"g{next(groups)}"
    return f"(?=(?P<{name}>{expression}))(?P={name})"
