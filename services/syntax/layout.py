"""Braces that are missing, found by the layout of the lines, and text with stretches replaced, whose offsets lead
back."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple


class Splice(NamedTuple):
    """Replacement of the `size` bytes at `at` by `text`."""

    at: int
    size: int
    text: bytes


class Spliced:
    """Text with `splices` applied. Several at one place apply in the order in which they are given."""

    def __init__(self, text: bytes, splices: Iterable[Splice]) -> None:
        self.text = text
        self._starts = [0]  # where a stretch begins, in the new text
        self._origins = [0]  # and in the old one, which an inserted stretch has none of its own
        self._own = [True]
        ordered = sorted(splices, key=lambda each: each.at)
        if ordered:
            self._apply(ordered)

    def _apply(self, splices: list[Splice]) -> None:
        parts: list[bytes] = []
        done = size = 0
        for at, gone, new in splices:
            parts += (self.text[done:at], new)
            size += max(0, at - done)
            done = max(done, at + gone)
            if len(new) != gone:
                self._begin(size, at, own=False)
                self._begin(size + len(new), done, own=True)
            size += len(new)
        self.text = b"".join((*parts, self.text[done:]))

    def _begin(self, start: int, origin: int, *, own: bool) -> None:
        self._starts.append(start)
        self._origins.append(origin)
        self._own.append(own)

    def origin(self, offset: int) -> int:
        """The offset in the old text of an `offset` in the new one."""
        at = bisect_right(self._starts, offset) - 1
        return self._origins[at] + (offset - self._starts[at] if self._own[at] else 0)

    def ending(self, offset: int) -> int:
        """The offset in the old text of the end of what ends at `offset` in the new one."""
        at = bisect_right(self._starts, offset - 1) - 1
        return self._origins[at] + (offset - self._starts[at] if self._own[at] else 0)


_LINE = re.compile(rb"[^\n]+")
_BRACE = re.compile(rb"[{}]")
_TAB = 4
_FILLING = b" \t\r\f\v"
# With these a line goes on with an expression, or is no statement of the block it stands in.
_GOES_ON = re.compile(rb"""[)\].,:?=&|+*/%<>^"$-]|@["$]|(?:case|default|where|else|while)\b|\w+\s*:(?!:)""")
_NO_HEADER = re.compile(rb"[^\w\[@~(]")
_HEADER_GOES_ON = re.compile(rb"[:.?,=&|+({)]|where\b")
_ENDS_OPEN = b"(=&|?+.[<"
_DECLARES = re.compile(
    rb"(?:public|private|protected|internal|static|class|struct|interface|enum|record|namespace)\b"
)
_MOST_MISTAKES = 6
_MOST_LOST = 100  # braces of a row that may lack their partners
_FARTHEST = 2_000  # lines, or bytes, that are looked back


class _Line(NamedTuple):
    """`start`, `end`: without blanks around; `column`: where it begins, tabs counted as four."""

    start: int
    end: int
    column: int


class _Open(NamedTuple):
    """A brace that is open. `columns`: of its line and of the statement that it belongs to; `least`: what it holds
    stands deeper; `inline`: whether something follows it on its line; `lines`: how many there were before its own."""

    at: int
    columns: tuple[int, int]
    least: int
    inline: bool
    lines: int


def missing_braces(clean: bytes) -> list[Splice]:
    """Return the splices that balance the braces of a text (strings and comments blank); none where they balance."""
    if _is_balanced(clean):
        return []
    found = _Layout(clean, trusting=True).run()
    most = _MOST_MISTAKES + abs(clean.count(b"}") - clean.count(b"{"))
    # What is laid out in no way, or in one of its own, says nothing.
    return found if len(found) <= most else _Layout(clean, trusting=False).run()


def _is_balanced(clean: bytes) -> bool:
    depth = 0
    for brace in _BRACE.finditer(clean):
        depth += 1 if brace[0] == b"{" else -1
        if depth < 0:
            return False
    return depth == 0


def line_column(text: bytes, start: int) -> int:
    """Return the column of the text at `start`, tabs counted as four."""
    begin = text.rfind(b"\n", 0, start) + 1
    if begin == 0:
        return 0  # the blanks may be a byte order mark
    indent = text[begin:start]
    return len(indent) + (_TAB - 1) * indent.count(b"\t")


class _Layout:
    def __init__(self, clean: bytes, *, trusting: bool) -> None:
        """`trusting`: whether columns count."""
        self._trusting = trusting
        self._clean = clean
        self._opens: list[_Open] = []
        self._lines: list[_Line] = []
        self._splices: list[Splice] = []
        self._statement = 0  # the column in which the statement of now begins
        self._needless = clean.count(b"}") - clean.count(b"{")

    def run(self) -> list[Splice]:
        fresh = True
        for match in _LINE.finditer(self._clean):
            line = self._read(match)
            if line is None:
                continue
            if fresh:
                self._statement = line.column
            self._take(line)
            self._lines.append(line)
            fresh = self._clean[line.end - 1] in b";{}"
        self._close(len(self._opens))
        return self._splices

    def _read(self, match: re.Match[bytes]) -> _Line | None:
        text = match[0]
        rest = text.lstrip(_FILLING)
        if not rest:
            return None
        size = len(rest.rstrip(_FILLING))
        indent = len(text) - len(rest)
        column = indent + (_TAB - 1) * text.count(b"\t", 0, indent)
        start = match.start() + indent
        if match.start() == 0:
            column = 0  # the blanks may be a byte order mark
        return _Line(start, start + size, column)

    def _take(self, line: _Line) -> None:
        clean = self._clean
        if self._trusting and self._begins(line):
            self._close(self._left_by(line))
        for brace in _BRACE.finditer(clean, line.start, line.end):
            at = brace.start()
            if brace[0] == b"{":
                self._open(at, line)
            elif at == line.start:
                self._closed_first(line)
            else:
                self._closed_later(at, line)

    def _begins(self, line: _Line) -> bool:
        """Whether a statement or declaration begins with this line, according to its neighbour and its first word."""
        clean = self._clean
        if clean[line.start] == 0x7D or _GOES_ON.match(clean, line.start) is not None:
            return False
        if not self._lines:
            return True
        last = clean[self._lines[-1].end - 1]
        return last not in _ENDS_OPEN and (last != 0x2C or _DECLARES.match(clean, line.start) is not None)

    def _left_by(self, line: _Line) -> int:
        """Return the number of open braces whose content is never indented as little as this line."""
        count = 0
        for each in reversed(self._opens):
            if line.column > each.least:
                break
            count += 1
        return count

    def _open(self, at: int, line: _Line) -> None:
        first = at == line.start
        columns = (line.column, line.column if first else self._statement)
        least = -1 if self._is_namespace(at) else min(columns)
        self._opens.append(_Open(at, columns, least, at + 1 < line.end, len(self._lines)))
        self._statement = line.column

    def _is_namespace(self, at: int) -> bool:
        """Whether the block is a namespace, whose content often has the same column."""
        least = max(0, at - _FARTHEST)
        before = max(self._clean.rfind(sign, least, at) for sign in (b";", b"{", b"}"))
        return self._clean.find(b"namespace", max(least, before + 1), at) >= 0

    def _close(self, count: int) -> None:
        """Closes the innermost braces behind the last line."""
        if count:
            end = self._lines[-1].end if self._lines else 0
            self._splices.append(Splice(end, 0, b"}" * count))
            del self._opens[-count:]

    def _closed_first(self, line: _Line) -> None:
        """A brace that begins its line."""
        opens, column = self._opens, line.column
        if opens and (column == opens[-1].columns[1] or not self._trusting):
            opens.pop()
            return
        header = self._header(line)
        if header is not None:
            self._splices.append(Splice(header, 0, b"{"))
            self._needless -= 1
            return
        for above, each in enumerate(islice(reversed(opens), _MOST_LOST)):
            if column in each.columns:
                self._close(above)
                opens.pop()
                return
            if min(each.columns) <= column:
                break
        if opens:
            opens.pop()
        else:
            self._leave_out(line.start)

    def _closed_later(self, at: int, line: _Line) -> None:
        """A brace behind something else on its line."""
        opens = self._opens
        follows = self._clean[line.start : at].rstrip(_FILLING).endswith(b"}")
        fits = bool(opens) and (opens[-1].at >= line.start or opens[-1].inline or follows)
        if opens and (fits or self._needless <= 0):
            opens.pop()
        else:
            self._leave_out(at)

    def _leave_out(self, at: int) -> None:
        self._splices.append(Splice(at, 1, b" "))
        self._needless -= 1

    def _header(self, closing: _Line) -> int | None:
        """Return the end of the header whose braces this line closes and nothing opened; None where there is no
        header."""
        if not self._trusting:
            return None
        first = self._opens[-1].lines + 1 if self._opens else 0
        if self._needless <= 0 or (self._opens and closing.column <= min(self._opens[-1].columns)):
            return None
        for at in range(len(self._lines) - 1, max(first, len(self._lines) - _FARTHEST) - 1, -1):
            line = self._lines[at]
            if line.column > closing.column or _NO_HEADER.match(self._clean, line.start) is not None:
                continue
            return self._header_end(at) if line.column == closing.column else None
        return None

    def _header_end(self, at: int) -> int:
        depth = 0
        for number in range(at, len(self._lines)):
            line = self._lines[number]
            text = self._clean[line.start : line.end]
            depth += text.count(b"(") - text.count(b")")
            after = self._lines[number + 1].start if number + 1 < len(self._lines) else len(self._clean)
            if (
                depth <= 0
                and text[-1] not in _ENDS_OPEN
                and _HEADER_GOES_ON.match(self._clean, after) is None
            ):
                return line.end
        return self._lines[at].end
