"""Initialisers and expression bodies hidden, so that what the grammar refuses in them hides no declaration."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TOKEN = re.compile(rb"=>|[=!<>+\-*/%&|^?]+=|=|[()\[\];,]|\{\s*+\}|[{}]")
_OPEN, _CLOSE, _ENDS = frozenset({b"(", b"["}), frozenset({b")", b"]"}), frozenset({b";", b"{", b"}"})


def without_initializers(text: bytes) -> bytes:
    """`text` (bodies blank) with what follows each `=` and `=>` outside brackets replaced by one long name, so that
    its node still spans all of it. Same length; newlines in what is replaced are not kept."""
    parts: list[bytes] = []
    done = 0
    for start, end in _initializers(text):
        parts += (text[done:start], b"x" * (end - start))
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def _initializers(text: bytes) -> Iterator[tuple[int, int]]:
    """The ranges, in order. One of several declarators ends at the last comma before the next one's `=`, the last value
    of an enum at the first comma, which may have members without a value behind it."""
    depth = start = comma = first = 0
    for match in _TOKEN.finditer(text):
        token, at = match[0], match.start()
        if token in _OPEN:
            depth += 1
        elif token in _CLOSE:
            depth -= 1
        elif token in _ENDS:
            stop = first if token == b"}" and first > start else at
            if start and stop > start:
                yield start, stop
            depth = start = comma = first = 0
        elif depth == 0 and token == b",":
            comma, first = at, first or at
        elif depth == 0 and token == b"=>" and not start:
            start, comma, first = match.end(), 0, 0
        elif depth == 0 and token == b"=":
            if start and comma > start:
                yield start, comma
            if not start or comma > start:
                start, comma, first = match.end(), 0, 0
