"""The properties of one project, and which of them rest on something that was not understood."""

from __future__ import annotations

from typing import NamedTuple

MAX_LENGTH = 256 * 1024
"""Characters of one value. Doubling a property forty times is a line each, and a terabyte."""
MAX_EXPANDED = 8 * 1024 * 1024
"""Characters that all expansions of one project may come to."""


class NotUnderstoodError(Exception):
    """An expression that cannot be evaluated without MSBuild. The message is the expression."""


class ExpandedText(NamedTuple):
    """An expanded value; `doubt` quotes what in it was not understood (and counts as empty), or is None."""

    value: str
    doubt: str | None = None


EMPTY = ExpandedText("")


class Properties:
    """Property values by name without case. A property that was never set is empty, as in MSBuild."""

    __slots__ = ("_fixed", "_room", "_values")

    def __init__(self, fixed: dict[str, str]) -> None:
        self._values = {name.casefold(): ExpandedText(value) for name, value in fixed.items()}
        self._fixed = frozenset(self._values)
        self._room = MAX_EXPANDED

    def text(self, name: str) -> ExpandedText:
        """The value of `name`, still escaped, with its doubt."""
        return self._values.get(name.casefold(), EMPTY)

    def value(self, name: str) -> str:
        """The value of `name`, unescaped and trimmed."""
        return unescape(self.text(name).value).strip()

    def is_true(self, name: str) -> bool:
        """Whether the value is `true` in any case."""
        return self.value(name).casefold() == "true"

    def spend(self, length: int) -> bool:
        """Account for expanded text; False once a project has made more of it than it can mean."""
        self._room -= length
        return self._room >= 0

    @property
    def exhausted(self) -> bool:
        """Whether more was spent than there was; then no value can be relied on."""
        return self._room < 0

    def put(self, name: str, text: ExpandedText) -> None:
        """Set a property; one given from outside (a global property) stays as it is."""
        folded = name.casefold()
        if folded not in self._fixed:
            self._values[folded] = text


def unescape(text: str) -> str:
    """`%3B` as `;` and so on (MSBuild's escapes: a percent sign and two hexadecimal digits)."""
    if "%" not in text:
        return text
    first, *rest = text.split("%")
    return first + "".join(_unescaped(part) for part in rest)


def _unescaped(part: str) -> str:
    digits = part[:2]
    if len(digits) == 2 and all(digit in "0123456789abcdefABCDEF" for digit in digits):
        return chr(int(digits, 16)) + part[2:]
    return "%" + part


def escape(text: str) -> str:
    """The characters that mean something in a list, escaped."""
    return "".join(f"%{ord(character):02x}" if character in "%*?@$();'" else character for character in text)


def split_list(text: str) -> list[str]:
    """A `;` list: parts trimmed, empty ones dropped, each still escaped. A `;` inside `@(…)` does not
    split."""
    if "@(" not in text:
        return [part for raw in text.split(";") if (part := raw.strip())]
    parts: list[str] = []
    depth = start = 0
    for index, character in enumerate(text):
        if character == "(":
            depth += 1
        elif character == ")":
            depth = max(0, depth - 1)
        elif character == ";" and not depth:
            parts.append(text[start:index])
            start = index + 1
    return [part for raw in (*parts, text[start:]) if (part := raw.strip())]
