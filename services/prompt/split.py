"""A text in numbered parts, for chats that take only so much at once.

A part begins with a line that numbers it, and says what it goes on with where that began in a part before; it ends with
a whole line. Where a part ends within a fence (Markdown) or a
CDATA section (XML), that is closed at its end and opened again at the start of the next. What lies between is the text:
`"".join(part.content for part in parts)` is what was split.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from services.errors import UsageError

_FENCE = re.compile(r" {0,3}(?P<run>`{3,}|~{3,})(?P<info>[^\n]*)\n?")
_HEADING = re.compile(r"(?:## (?P<md>[^\n]+)|<source>(?P<xml>[^\n]*)</source>|<document>)\n?")
_CDATA_START, _CDATA_END = "<![CDATA[", "]]>"
MOST_PARTS = 999
_LONGEST_TITLE = 120

Count = Callable[[str], int]


class Part(msgspec.Struct, frozen=True):
    """A part of `total`. `head`: numbers it and opens what the part before closed; `tail`: closes what is open."""

    number: int
    total: int
    head: str
    content: str
    tail: str

    @property
    def text(self) -> str:
        """The text handed over."""
        return self.head + self.content + self.tail


class _Open(msgspec.Struct, frozen=True):
    """Blocks to close at the end of a part, and to reopen in the next. `about`: the heading above its last line."""

    close: str = ""
    open: str = ""
    about: str = ""


class _Cut(msgspec.Struct, frozen=True):
    """A stretch of lines, with what is open before and after it."""

    lines: Sequence[str]
    before: _Open
    after: _Open

    def part(self, number: int, total: int) -> Part:
        """The stretch as a part of so many."""
        content = "".join(self.lines)
        end = "\n" if self.after.close and not content.endswith("\n") else ""
        goes_on = self.before.about if _begins(self.lines[0]) is None or self.before.close else ""
        head = _title(number, total, goes_on) + self.before.open
        return Part(number, total, head, content, end + self.after.close)


def split(text: str, *, most: int, count: Count, form: str) -> tuple[Part, ...]:
    """`text` in parts of at most `most` tokens each as `count` counts them, its own text where it is so small.

    `form`: md or xml, whose fences are closed and opened. Raises UsageError (`details`: needed, line) where a single
    line takes more than a part holds, and for JSON, of which a part is none."""
    needed = count(text)
    if needed <= most:
        return (Part(1, 1, "", text, ""),)
    if form == "json":
        raise UsageError(
            f"JSON is not split: a part of it is no JSON, and all of it takes {needed} tokens. Copy Markdown (md) or "
            f"XML (xml) in parts, or allow parts of {needed} tokens.",
            needed=needed,
        )
    lines = _lines(text)
    states = _states(lines, form)
    cuts: list[_Cut] = []
    start = 0
    while start < len(lines):
        cut = _longest(lines, states, start, most=most, count=count)
        cuts.append(cut)
        start += len(cut.lines)
        if len(cuts) > MOST_PARTS:
            raise UsageError(
                f"The text takes more than {MOST_PARTS} parts of {most} tokens. Allow larger parts."
            )
    return tuple(cut.part(number, len(cuts)) for number, cut in enumerate(cuts, start=1))


def _longest(lines: Sequence[str], states: Sequence[_Open], start: int, *, most: int, count: Count) -> _Cut:
    """The longest stretch from `start` whose part fits: by doubling, then halving between."""

    def cut(size: int) -> _Cut:
        return _Cut(lines[start : start + size], states[start], states[start + size])

    def fits(size: int) -> bool:
        # The widest title: how many parts there will be is not known yet.
        return count(cut(size).part(MOST_PARTS, MOST_PARTS).text) <= most

    if not fits(1):
        needed = count(cut(1).part(MOST_PARTS, MOST_PARTS).text)
        raise UsageError(
            f"Line {start + 1} alone takes {needed} tokens with what goes around it; a part holds {most}. "
            f"Allow parts of {needed} tokens.",
            needed=needed,
            line=start + 1,
        )
    left = len(lines) - start
    low, high = 1, 2
    while high <= left and fits(high):
        low, high = high, high * 2
    high = min(high, left + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return cut(low)


def _title(number: int, total: int, goes_on: str) -> str:
    return f"Part {number} of {total}" + (f", continuing {goes_on}" if goes_on else "") + "\n\n"


def _begins(line: str) -> str | None:
    """Return the heading that a line begins; None where it is no heading."""
    match = _HEADING.fullmatch(line)
    return (match["md"] or match["xml"] or "")[:_LONGEST_TITLE] if match is not None else None


def _lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _states(lines: Sequence[str], form: str) -> list[_Open]:
    """Return the open blocks before each line, and after the last."""
    follow = {"md": _in_markdown, "xml": _in_xml}.get(form)
    state = _Open()
    states = [state]
    for line in lines:
        about = _begins(line) if not state.close else None
        state = follow(line, state) if follow is not None else state
        state = replace(state, about=about) if about is not None else state
        states.append(state)
    return states


def _in_markdown(line: str, state: _Open) -> _Open:
    """CommonMark section 4.5: a fence ends with one at least as long, of the same character, with nothing behind."""
    match = _FENCE.fullmatch(line)
    if match is None:
        return state
    run, info = match["run"], match["info"]
    if not state.close:
        return state if run[0] == "`" and "`" in info else _Open(f"{run}\n", f"{run}{info}\n", state.about)
    closes = run[0] == state.close[0] and len(run) >= len(state.close) - 1 and not info.strip()
    return _Open(about=state.about) if closes else state


def _in_xml(line: str, state: _Open) -> _Open:
    at, inside = 0, bool(state.close)
    while True:
        found = line.find(_CDATA_END if inside else _CDATA_START, at)
        if found < 0:
            ends = (f"{_CDATA_END}\n", _CDATA_START) if inside else ("", "")
            return _Open(*ends, about=state.about)
        at, inside = found + 3, not inside
