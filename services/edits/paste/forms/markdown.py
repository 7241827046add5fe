"""An answer as Markdown: its fences, taken out of quotes and lists, and the words between them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import msgspec

from services.errors import UsageError

_OPENING = re.compile(r"(?P<before>(?:[ \t]|>|[-*+] |\d{1,3}[.)] )*)(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_QUOTE = re.compile(r" {0,3}> ?")
_NUMBER = re.compile(r" {0,9}(?P<number>\d{1,6})(?: ?\|(?: |$)|→|\t|:(?: |$))")
_DIFFS = ("diff", "patch", "udiff")
MARKDOWN = ("markdown", "md")
"""Languages of a fence that holds a text with fences."""
_MAILED = 0.8
"""The part of the lines of a text that must be quoted for all of it to count as quoted."""
_DEEPEST = 5
"""Quotes within quotes that are looked into."""


class Fence(msgspec.Struct, frozen=True):
    """Fenced block. `line`: of its first line, from 1; `info`: the text after the opening fence."""

    line: int
    info: str
    lines: tuple[str, ...]

    @property
    def language(self) -> str:
        """First word of the info string, lower case."""
        return re.split(r"[\s:{,]", self.info.strip(), maxsplit=1)[0].lower()


class Words(msgspec.Struct, frozen=True):
    """Text outside of fences. `line`: of its first line, from 1."""

    line: int
    lines: tuple[str, ...]


Block = Fence | Words


def blocks_of(lines: Sequence[str]) -> list[Block]:
    """The answer's fences and the words between them. Raises UsageError for a fence that does not end: the answer was
    cut off."""
    found: list[Block] = []
    words: list[str] = []
    at = 0
    while at < len(lines):
        opening = _OPENING.fullmatch(lines[at])
        if opening is None or "`" in opening["info"]:
            words.append(lines[at])
            at += 1
            continue
        if words:
            found.append(Words(at - len(words) + 1, tuple(words)))
            words = []
        end = _end_of(lines, at, opening)
        content = _unwrapped(lines[at + 1 : end], opening["before"])
        found.append(Fence(at + 2, opening["info"].strip(), tuple(content)))
        at = end + 1
    if words:
        found.append(Words(at - len(words) + 1, tuple(words)))
    return found


def unquoted(lines: Sequence[str]) -> list[str]:
    """The lines without the `>` of a text that is quoted as a whole, as in a mail."""
    lines = list(lines)
    for _ in range(_DEEPEST):
        said = [line for line in lines if line.strip()]
        quoted = [line for line in said if _QUOTE.match(line) and not line.startswith(">>>>")]
        if not said or len(quoted) < len(said) * _MAILED:
            break
        lines = [_without_quotes(line, 1) for line in lines]
    return lines


def unnumbered(lines: Sequence[str]) -> Sequence[str]:
    """The lines without the numbers before them, where all have one and they count up, as in what tools read."""
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(each["number"]) for each in found if each is not None]
    if len(numbers) < max(2, len(lines)) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return lines
    return [line[each.end() :] for line, each in zip(lines, found, strict=True) if each is not None]


def _end_of(lines: Sequence[str], at: int, opening: re.Match[str]) -> int:
    """The index of the line that closes a fence."""
    fence, quotes = opening["fence"], min(opening["before"].count(">"), _DEEPEST)
    is_diff = opening["info"].strip().lower().startswith(_DIFFS)
    indent = len(opening["before"].expandtabs(4))
    for end in range(at + 1, len(lines)):
        line = _without_quotes(lines[end], quotes)
        bare = line.strip()
        if len(bare) < len(fence) or set(bare) != {fence[0]}:
            continue
        if quotes == 0 and is_diff and len(line) - len(line.lstrip()) > indent:
            continue  # context of a diff begins with a blank
        return end
    raise UsageError(
        f"The answer ends within the fence that begins at its line {at + 1}: it was cut off. Paste all of it.",
        line=at + 1,
    )


def _unwrapped(lines: Sequence[str], before: str) -> Iterable[str]:
    """Return the content of a fence without the quote marks and the indentation of its container."""
    quotes = min(before.count(">"), _DEEPEST)
    bare = [_without_quotes(line, quotes) for line in lines]
    behind = before.rpartition(">")[2] if quotes else before
    indent = len(behind.expandtabs(4)) - (1 if quotes and behind.startswith(" ") else 0)
    if indent > 0 and any(line.strip() and line[:indent].strip() for line in bare):
        indent = 0  # the fence alone is indented
    return (line[indent:] for line in bare)


def _without_quotes(line: str, depth: int) -> str:
    for _ in range(depth):
        if (quote := _QUOTE.match(line)) is None:
            break
        line = line[quote.end() :]
    return line
