"""Names in branches of `#if` that a configuration leaves out: what they mean there is not known."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from services.syntax.parse.lexer import Lexed, lex

LEFT_OUT = "left out"
"""The kind of a usage in such a branch."""
_MOST_NESTED = 20
_DIRECTIVE = re.compile(rb"#\s*(if|elif|else|endif)\b")
_COMMENT = re.compile(r"\s*//.*")


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
            reason = reason or f"in another configuration: {_condition(lexed, start)}"
            yield LeftOut(start + match.start(), start + match.end(), reason)
        for each in names_left_out(branch, pattern, depth + 1):
            yield LeftOut(start + each.start, start + each.end, each.reason)


def _condition(lexed: Lexed, start: int) -> str:
    """The directive before a branch; of an `#else` with the `#if` that it belongs to."""
    directives = [span for span in lexed.directives if span[1] <= start]
    if not directives:
        return "#if"
    own = _said(lexed, directives[-1])
    if not own.startswith("#else"):
        return own
    depth = 0
    for span in reversed(directives[:-1]):
        found = _DIRECTIVE.match(lexed.source, *span)
        word = found[1] if found is not None else b""
        if word == b"if" and not depth:
            return f"#else of {_said(lexed, span)}"
        depth += (word == b"endif") - (word == b"if")
    return own


def _said(lexed: Lexed, span: tuple[int, int]) -> str:
    text = lexed.source[slice(*span)].decode("utf-8", "replace").strip()
    return " ".join(_COMMENT.sub("", text).split()).replace("# ", "#", 1)
