"""Member bodies left out, so that the parser reads declarations alone.

With comments, bodies are 75 to 87 % of a file's bytes, and nearly all syntax that the grammar refuses stands in
bodies: parsing the rest is both faster and more often right. What kind of brace opens is told from the text before
it. The parser is slow over blanks (a third of a full parse), so long runs of them are cut and offsets mapped back.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

import msgspec

_BRACE = re.compile(rb"[{}]")
TYPE_HEADER = re.compile(
    rb"\b(?:(?:class|struct|interface|enum|namespace)\s+(?!where\b)[@\\\w\x80-\xff]"
    rb"|record\s+(?:class\s+|struct\s+)?@?[\\\w\x80-\xff]+\s*(?:<[^(){}]{0,999}>\s*)?(?:[(:]|where\b|$))"
    rb"|^\s*extension\s*(?:<[^(){}]{0,999}>\s*)?\("
)
_TYPE_WORDS = (b"class", b"struct", b"interface", b"enum", b"namespace", b"record", b"extension")
_WITHOUT_MEMBERS = (b"namespace", b"enum", b"extension")
ACCESSOR_LIST = re.compile(
    rb"\s*(?:\[[^\]{};]*\]\s*)*(?:(?:private|protected|internal|public|readonly|unsafe|async)\s+)*"
    rb"(?:get|set|init|add|remove)\b"
)
# What a pair of braces holds; others: those of a namespace, an enum or an extension block.
_BODY, _ACCESSORS, _MEMBERS, _OTHERS = range(4)


def _nested(depth: int) -> bytes:
    inner = rb"(?:\{" + _nested(depth - 1) + rb"[^{}]*)*" if depth > 1 else b""
    return rb"[^{}]*" + inner + rb"\}"


# What braces hold, to the depth of most bodies, and the brace that closes it.
_NESTED = re.compile(_nested(5))
_BRACKET = re.compile(rb"[()\[\]]")
_NEXT = re.compile(rb"[(){};]")
_FARTHEST = 4_000  # bytes that are looked back from an arrow
_ARROW = re.compile(rb"=>")
_DECLARATOR = re.compile(rb"(?:,\s*@?[^\W\d]\w*\s*)+(?:=(?![=>])|;)")
_PAIRS = ((b"(", b")"), (b"[", b"]"), (b"{", b"}"))
_GOES_ON = re.compile(rb"\s*[,).?:!=&|+*/%<>^-]")  # no member begins like that
# An attribute may begin a declaration; a bracket alone on its line is part of an expression.
_LINE_BEGINS = re.compile(rb"(?<=\n)[ \t]*(?=[@\w~]|\[[ \t]*\w)")
_INDENT = re.compile(rb"[ \t]*")
_SIGNIFICANT = re.compile(rb"[^\s;{}]")
_SHORT_BODY = 3  # shorter ones parse as they are
_LONG_BLANK = re.compile(rb"[ \t\r\n]{24,}")
_BLANK = bytes(10 if c == 10 else 32 for c in range(256))


class Bodiless(NamedTuple):
    """A file's text with bodies blank, in its own offsets. `types`: the end of the content of each class, struct,
    interface and record, by its start; none where a brace has no partner: then no body is left out."""

    text: bytes
    types: dict[int, int]


class Skeleton(msgspec.Struct):
    """Source as the parser sees it. `full`: the text before long blanks were cut, in the file's own offsets."""

    text: bytes
    full: bytes
    cuts: list[int]
    shifts: list[int]

    def origin(self, offset: int) -> int:
        """The offset in the file of an `offset` in `text`."""
        return offset + self.shifts[bisect_right(self.cuts, offset)]

    def ending(self, offset: int) -> int:
        """The offset in the file of the end of what ends at `offset` in `text`: a blank that was cut may follow it."""
        return offset + self.shifts[bisect_right(self.cuts, offset - 1)]


def without_bodies(clean: bytes) -> Bodiless:
    """`clean` (strings and comments already blank) without what members do."""
    found = _bodies(clean)
    if found is None:
        return Bodiless(clean, {})
    bodies, types = found
    return Bodiless(without_arrow_bodies(blanked(clean, bodies)), types)


def without_arrow_bodies(text: bytes) -> bytes:
    """Return the text with each expression body replaced by a number before its semicolon: the node of the body
    retains its whole range. An arrow inside brackets is a lambda in an initializer and is unchanged; the body of
    another lambda ends before the next declarator too."""
    parts: list[bytes] = []
    done = 0
    for match in _ARROW.finditer(text):
        start, end = match.end(), text.find(b";", match.end())
        if match.start() < done or end - start < _SHORT_BODY:
            continue
        begin = _member_start(text, max(done, start - _FARTHEST), start)
        if _in_brackets(text[begin:start]) or begins_anew(text, begin, (start, end)):
            continue
        end = _next_declarator(text, start, end)
        parts += (text[done:start], text[start : end - 1].translate(_BLANK), b"0")
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def _next_declarator(text: bytes, start: int, end: int) -> int:
    """Return the offset of the comma before the next declarator in the rest of an initializer; `end` where there is
    none."""
    for match in _DECLARATOR.finditer(text, start, end + 1) if text.find(b",", start, end) >= 0 else ():
        before = text[start : match.start()]
        if all(before.count(opens) == before.count(closes) for opens, closes in _PAIRS):
            return match.start()
    return end


def begins_anew(text: bytes, begin: int, within: tuple[int, int]) -> bool:
    """Whether a line `within` a member that begins after `begin` is indented no more than that: a statement before it
    may lack its semicolon."""
    start, end = within
    if text.find(b"\n", start, end) < 0:
        return False
    first = _SIGNIFICANT.search(text, max(begin, text.rfind(b"{", begin, start)), end)
    if first is None:
        return False
    line = _INDENT.match(text, text.rfind(b"\n", 0, first.start()) + 1)
    column = line.end() - line.start() if line is not None else 0
    return any(match.end() - match.start() <= column for match in _LINE_BEGINS.finditer(text, start, end))


def _member_start(text: bytes, least: int, end: int) -> int:
    """Return the start of the member around `end`, or `least`: after a semicolon, or after a brace that closes more
    than a part of an expression, such as the block of a lambda."""
    least = max(least, text.rfind(b";", least, end))
    brace = text.rfind(b"}", least, end)
    while brace >= 0 and _GOES_ON.match(text, brace + 1, end) is not None:
        brace = text.rfind(b"}", least, brace)
    return max(least, brace)


def compact(full: bytes) -> Skeleton:
    """`full` with each long run of blanks cut to its first character."""
    parts: list[bytes] = []
    cuts: list[int] = []
    shifts = [0]
    done = size = 0
    for match in _LONG_BLANK.finditer(full):
        start, end = match.span()
        part = full[done : start + 1]
        parts.append(part)
        size += len(part)
        done = end
        cuts.append(size)
        shifts.append(end - size)
    parts.append(full[done:])
    return Skeleton(b"".join(parts), full, cuts, shifts)


def blanked(text: bytes, ranges: list[tuple[int, int]]) -> bytes:
    """Return `text` with the ranges replaced by spaces and newlines preserved."""
    parts: list[bytes] = []
    done = 0
    for start, end in ranges:
        parts += (text[done:start], text[start:end].translate(_BLANK))
        done = end
    parts.append(text[done:])
    return b"".join(parts)


def closing(text: bytes, at: int) -> int:
    """Return the offset of the brace that closes the pair whose content starts at `at`; -1 where there is none."""
    nested = _NESTED.match(text, at)
    if nested is not None:
        return nested.end() - 1
    depth = 1
    for match in _BRACE.finditer(text, at):
        depth += 1 if text[match.start()] == 0x7B else -1
        if depth == 0:
            return match.start()
    return -1


def _in_brackets(header: bytes) -> bool:
    """Whether a bracket of `header` is still open at its end; what it closes from before does not count."""
    depth = 0
    for bracket in reversed(_BRACKET.findall(header)):
        depth += 1 if bracket in b")]" else -1
        if depth < 0:
            return True
    return False


def _bodies(clean: bytes) -> tuple[list[tuple[int, int]], dict[int, int]] | None:
    """The ranges to blank and those of types' contents, or None where the braces do not balance.

    An accessor list is kept, and the bodies in it are not, so that accessors and their accessibility survive."""
    bodies: list[tuple[int, int]] = []
    types: dict[int, int] = {}
    kept: list[tuple[int, int]] = []  # of each open kept brace, what it holds and where its content starts
    at = last = 0  # where the header before the next brace begins
    while (match := _BRACE.search(clean, at)) is not None:
        at = match.end()
        if match[0] == b"}":
            if not kept:
                return None
            content, start = kept.pop()
            if content == _MEMBERS:
                types[start] = at - 1
            last = at
            continue
        content = _opened(kept, clean, last, at)
        is_argument = content == _MEMBERS and _in_arguments(clean, last, at)
        if content != _BODY and not is_argument:
            kept.append((content, at))
            last = at
            continue
        end = closing(clean, at)
        if end < 0:
            return None
        bodies.append((at, end))
        at = end + 1
        if is_argument:
            clean = blanked(clean, bodies[-1:])  # its semicolons end no header
        else:
            last = at
    return None if kept else (bodies, types)


def _in_arguments(clean: bytes, last: int, at: int) -> bool:
    """Whether the brace before `at` is in the base arguments of a type, as in `class A(int? x) : B(x is { })`: in
    parentheses that are closed after it, before any semicolon. Otherwise one is missing."""
    header = clean[max(last, clean.rfind(b";", last, at) + 1) : at - 1]
    found = TYPE_HEADER.search(header)
    since = found.start() if found is not None else 0
    depth = header.count(b"(", since) - header.count(b")", since)
    end = closing(clean, at) if depth > 0 else -1
    while end >= 0:
        match = _NEXT.search(clean, end + 1)
        sign = match[0] if match is not None else b";"
        if match is None or sign in (b";", b"}"):
            return False
        end = closing(clean, match.end()) if sign == b"{" else match.start()
        depth += {b"(": 1, b")": -1}.get(sign, 0)
        if depth == 0:
            return True
    return False


def _opened(kept: list[tuple[int, int]], clean: bytes, last: int, at: int) -> int:
    """Return the kind of block that the brace before `at` opens, after a header that starts at `last`."""
    if kept and kept[-1][0] == _ACCESSORS:
        return _BODY
    header = clean[last : at - 1]
    header = header[header.rfind(b";") + 1 :].strip()  # mostly the blanks of a doc comment
    # Few headers have such a word at all, and looking for words costs a tenth of the expression.
    for word in _TYPE_WORDS:
        if word in header:
            found = TYPE_HEADER.search(header)
            if found is not None:
                return _OTHERS if found[0].startswith(_WITHOUT_MEMBERS) else _MEMBERS
            break
    if header.endswith((b")", b">=")) or ACCESSOR_LIST.match(clean, at) is None:
        return _BODY
    return _ACCESSORS
