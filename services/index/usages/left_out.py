"""Names in branches of `#if` that a configuration leaves out, and of what is declared in such: what they mean is not
known."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from typing import NamedTuple

from services.index.binding.facts import Facts
from services.syntax.parse.branches import condition_of
from services.syntax.parse.lexer import Lexed, lex
from services.syntax.records.declaration import FileRecord

LEFT_OUT = "left out"
"""The kind of a usage in such a branch."""
_MOST_NESTED = 20


class LeftOut(NamedTuple):
    """A name in a branch. `start`, `end`: offsets of the name in the file; `reason`: which branch it is."""

    start: int
    end: int
    reason: str


def names_left_out(lexed: Lexed, pattern: re.Pattern[bytes], depth: int = 0) -> Iterator[LeftOut]:
    """Iterate over what a pattern finds in the branches that are left out, but for their comments and strings."""
    for start, end in lexed.left_out if depth < _MOST_NESTED else ():
        if pattern.search(lexed.source, start, end) is None:
            continue
        branch = lex(lexed.source[start:end])
        reason = ""
        for match in pattern.finditer(branch.clean):
            reason = reason or f"in another configuration: {condition_of(lexed, start)}"
            yield LeftOut(start + match.start(), start + match.end(), reason)
        for each in names_left_out(branch, pattern, depth + 1):
            yield LeftOut(start + each.start, start + each.end, each.reason)


def named_elsewhere(text: bytes, record: FileRecord, pattern: re.Pattern[bytes]) -> frozenset[int]:
    """Where declarations of another configuration have a name that the pattern finds."""
    found = (
        pattern.search(text, each.start, each.end)
        for each in record.elsewhere
        if each.condition and pattern.fullmatch(each.name.lstrip("@").encode())
    )
    return frozenset(match.start() for match in found if match is not None)


def meant(facts: Facts) -> Iterator[int]:
    """Iterate over the places of names that mean something which is known."""
    yield from (each.start for each in (*facts.facts, *facts.locals))
    yield from (start for start, what in facts.others.items() if what != "foreign")


def unbound(
    lexed: Lexed, record: FileRecord, pattern: re.Pattern[bytes], known: Container[int]
) -> Iterator[tuple[int, int]]:
    """Iterate over the names in code that neither mean anything which is known nor are those of declarations."""
    declared = {
        match.start()
        for each in record.declarations
        if pattern.fullmatch(each.name.lstrip("@").encode())
        and (match := pattern.search(lexed.clean, each.start, each.end)) is not None
    }
    for match in pattern.finditer(lexed.clean):
        if match.start() not in known and match.start() not in declared:
            yield match.span()
