"""Quoted texts, in C# and in embedded languages: ranges, values, and concatenations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from services.prompt.secrets.patterns import expression

# Every branch begins with a quote, which lets the engine pass over what is none.
_LITERAL = expression(
    r"\"\"\"\"*[ \t]*\r?\n(?P<block>[^\n\"]{4,4096})\r?\n[ \t]*\"{3,}"
    r"|\"\"\"\"*(?P<line>[^\"\n]+)\"{3,}"
    r"|\"\"\"\"*"
    r"|\"(?:(?<=@\")|(?<=@\$\"))(?P<exact>(?:[^\"\n]|\"\")*)\""
    r"|\"(?P<body>(?:[^\"\\\n]|\\.)*)\""
    r"|\"(?:[^\"\\\n]|\\.){1000,}"  # never closed: what is in it is not tried again from each quote
    r"|'(?:\\?[^'\n]|\\[ux][0-9a-fA-F]{1,8})'"
    r"|'(?P<single>(?:[^'\\\n\"<>]|''){4,512})'"
    r"|`(?P<tick>[^`\n\"'<>]{4,512})`",
)
_OF_INTERPOLATED = expression(r"\"|\{(?P<nested>[$@]*)\"|\{\{|\}\}|\\.|\{[^{}\"\n]*\}|[^{}\"\\\n]+")
"""What an interpolated text is made of, a hole that a text fills up to the quote of that."""
_JOINED = expression(
    r"(?:/\*.{0,40}?\*/|\s)*(?:\+|&|\)\s*(?:;\s*\w+\s*)?\.Append(?:Line)?\()(?:/\*.{0,40}?\*/|\s)*[$@]*\Z"
)
_LISTED = expression(r"\s*,\s*[$@]*\Z")
_CONCATENATED = expression(
    r"\b(?:Concat(?:<\w+>)?\s*\(|Join(?:<\w+>)?\s*\(\s*(?:(?:\"[^\"\w]?\"|string\.Empty|String\.Empty|'[^'\w]?')\s*,))\s*"
    r"(?:new\s*(?:string|String)?\s*\[\d*\]\s*\{|new\s+List<string>\s*(?:\(\))?\s*\{|\[)?\s*[$@]*\Z"
)
"""What opens a list of texts that are put together."""
_ESCAPE = expression(r"\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{1,4})|(.))")
_PLAIN_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_LONGEST_GAP, _LONGEST_OPENING = 200, 80


class Literal(msgspec.Struct, frozen=True):
    """A text in quotes. `opens`: of the quote and what belongs to it; `start`, `end`: of what is between the quotes;
    `value`: that without its escapes; `template`: parts of it may be filled in."""

    opens: int
    start: int
    end: int
    value: str
    template: bool = False


def literals_in(text: str, begin: int, end: int) -> Iterator[Literal]:
    """The texts in quotes of some lines, in their order; quotes are paired within a line, but for raw texts of one line
    in three."""
    while (match := _LITERAL.search(text, begin, end)) is not None:
        begin = match.end()
        if (kind := match.lastgroup) is None:
            continue
        if (
            match[kind][-3:].rstrip("$@")[-1:] == "{"
            and (parts := _with_holes(text, match.start())) is not None
        ):
            begin = parts[-1].end + 1
            yield from parts
        else:
            yield _literal(match, kind, text)


def _with_holes(text: str, opens: int) -> list[Literal] | None:
    """The parts of an interpolated text of one line with texts in its holes, which open where it does: what is between
    such holes, and the texts that fill one; None where it is no such text."""
    before = _before_quote(text, opens)
    if "$" not in text[before:opens]:
        return None
    parts, start, at = list[Literal](), opens + 1, opens + 1
    while (sign := _OF_INTERPOLATED.match(text, at)) is not None:
        at = sign.end()
        if sign[0] == '"':
            return [*parts, Literal(before, start, at - 1, text[start : at - 1], "{" in text[start : at - 1])]
        if sign["nested"] is None:
            continue
        inner = _with_holes(text, at - 1) or _filling(text, at - 1)
        if inner is None or text[inner[-1].end + 1 : inner[-1].end + 2] != "}":
            return None
        parts.append(Literal(before, start, sign.start(), text[start : sign.start()]))
        parts += [Literal(before, each.start, each.end, each.value, each.template) for each in inner]
        start = at = inner[-1].end + 2
    return None


def _filling(text: str, opens: int) -> list[Literal] | None:
    match = _LITERAL.match(text, opens)
    return [_literal(match, match.lastgroup, text)] if match is not None and match.lastgroup else None


def _before_quote(text: str, opens: int) -> int:
    """Return the start of the prefix of a quote."""
    while opens and text[opens - 1] in "$@":
        opens -= 1
    return opens


def _literal(match: re.Match[str], kind: str, text: str) -> Literal:
    start, end = match.span(kind)
    value = match[kind]
    if kind == "block":
        inner = value.strip()
        start += value.find(inner)
        end, value = start + len(inner), inner
    elif kind == "body" and "\\" in value:
        value = unescaped(value)
    elif kind == "exact" and '""' in value:
        value = value.replace('""', '"')
    opens = _before_quote(text, match.start())
    return Literal(opens, start, end, value, "$" in text[opens : match.start()])


def joined(literals: Iterator[Literal], text: str) -> Iterator[tuple[Literal, ...]]:
    """Literals with those that are joined to them by `+`, or in a list that is put together."""
    group: list[Literal] = []
    for literal in literals:
        if group and not _is_joined(text, group, literal):
            yield tuple(group)
            group = []
        group.append(literal)
    if group:
        yield tuple(group)


def _is_joined(text: str, group: Sequence[Literal], other: Literal) -> bool:
    if other.opens == group[-1].opens:
        return True
    gap = other.opens - group[-1].end
    if not 2 <= gap <= _LONGEST_GAP:
        return False
    between = text[group[-1].end + 1 : other.opens]
    if _JOINED.match(between) is not None:
        return True
    return _LISTED.match(between) is not None and _is_listed(text, group[0].opens)


def _is_listed(text: str, opens: int) -> bool:
    return _CONCATENATED.search(text[max(0, opens - _LONGEST_OPENING) : opens]) is not None


def unescaped(value: str) -> str:
    """A text of source without its escapes, as far as they are C#'s or JSON's."""
    return _ESCAPE.sub(_character, value)


def _character(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code is None:
        return _PLAIN_ESCAPES.get(match[4], match[4])
    number = int(code, 16)
    return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
