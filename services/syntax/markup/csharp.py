"""Ends of C# in other text: of a bracket, of an expression that Razor ends by itself."""

from __future__ import annotations

import re

LITERALS = (
    rb'"{3,}.*?(?:"{3,}|\Z)|\$?@\$?"(?:[^"]|"")*+(?:"|\Z)|\$?"(?:\\.|[^"\\\r\n])*+"|\'(?:\\.|[^\'\\\r\n])++\''
    rb"|//[^\r\n]*+|/\*.*?(?:\*/|\Z)|@\*.*?(?:\*@|\Z)"
)
"""What hides brackets: strings, characters and comments. One that is not closed ends with the text, so that nothing is
read again from each of many beginnings."""
_TOKEN = re.compile(LITERALS + rb"|[()\[\]{}]", re.DOTALL)
_OPENS, _CLOSES = b"([{", b")]}"
_NAME = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_GOES_ON = re.compile(rb"!?\??\.(?=[A-Za-z_\x80-\xff])|!?(?=[(\[])|\?(?=\[)")


class Brackets:
    """Finds where brackets close, with an effort that is bounded by the length of the text."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._effort = 2 * len(source) + 10_000

    def closing(self, at: int) -> int:
        """Behind the bracket that closes the one at `at`; -1 where none does."""
        depth = 0
        for token in _TOKEN.finditer(self._source, at):
            self._effort -= token.end() - at
            at = token.end()
            if self._effort < 0:
                return -1
            if token[0] in _OPENS:
                depth += 1
            elif token[0] in _CLOSES:
                depth -= 1
                if depth <= 0:
                    return token.end()
        self._effort -= len(self._source) - at
        return -1

    def implicit(self, at: int) -> int:
        """Behind the expression that begins with a name at `at`, as far as Razor reads it: members, calls and indexes;
        `at` itself where no name stands there."""
        name = _NAME.match(self._source, at)
        end = name.end() if name is not None else at
        while name is not None and (more := _GOES_ON.match(self._source, end)) is not None:
            if self._source[more.end() : more.end() + 1] in (b"(", b"["):
                closed = self.closing(more.end())
                if closed < 0:
                    return end
                end = closed
            else:
                name = _NAME.match(self._source, more.end())
                end = name.end() if name is not None else end
        return end
