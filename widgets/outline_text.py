"""How the Markdown of an outline is coloured, and which of its words are names of types that lead
somewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.model import Span

_HEADING = re.compile(r"#{1,6}\s")
_MEMBER = re.compile(r"\s*[-+*~]\s|\s{2,}\S|```|\s*\|")
_LABEL = re.compile(r"\s*(?:[-*]\s+)?(?P<label>[A-Z*][\w *]{0,30}?)(?::|\s{2,})")
_TOKEN = re.compile(
    r"(?P<code>`[^`]+`)"
    r'|(?P<string>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>\b\d[\d_.]*\b)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)(?P<call>(?=\(|<[\w\s,.?<>\[\]]{0,80}>\())?"
    r"|(?P<punctuation>[()<>\[\]{},;?])"
)
_TYPE_NAME = re.compile(r"(?!T(?:[A-Z]\w*)?$)[^\W\d_a-z]\w+")  # `T` and `TKey` are type parameters
_MEMBER_WORDS = """
    abstract async bool byte char class const decimal delegate double dynamic enum event explicit extern
    file fixed float get implicit in init int interface internal long new nint notnull nuint null object
    operator out override params partial private protected public readonly record ref required sbyte
    scoped sealed set short static string struct this uint ulong unmanaged unsafe ushort virtual void
    volatile where
"""
_KEYWORDS = frozenset(_MEMBER_WORDS.split())
_FENCE = "```"


@dataclass(frozen=True, slots=True)
class OutlineLine:
    """Colours and links of one line of an outline. A link is a `Span` whose style is `type`."""

    spans: tuple[Span, ...] = ()
    links: tuple[Span, ...] = ()


def read_outline(lines: Sequence[str]) -> list[OutlineLine]:
    """The colours and links of each line.

    Names are links where names stand: in members, after labels (`DependsOn  A, B`), in code. Prose has none
    but in backticks.
    """
    read, fenced = [], False
    for line in lines:
        if line.startswith(_FENCE):
            fenced = not fenced
            read.append(OutlineLine((Span(start=0, end=len(line), style="comment"),)))
        elif not fenced and _HEADING.match(line):
            read.append(OutlineLine((Span(start=0, end=len(line), style="heading"),)))
        else:
            read.append(_read_line(line, names=fenced))
    return read


def _read_line(line: str, *, names: bool) -> OutlineLine:
    spans, start = [], 0
    if label := None if names else _LABEL.match(line):
        spans.append(Span(start=label.start("label"), end=label.end("label"), style="heading"))
        start, names = label.end(), True
    names = names or _MEMBER.match(line) is not None
    links: list[Span] = []
    for match in _TOKEN.finditer(line, start):
        span = _span(match, names=names)
        if span is not None:
            spans.append(span)
            links += [span] if span.style == "type" else []
    return OutlineLine(tuple(spans), tuple(links))


def _span(match: re.Match[str], *, names: bool) -> Span | None:
    style, (start, end) = match.lastgroup or "", match.span()
    if style == "code":
        inner = match.group()[1:-1]
        if inner.isidentifier() and inner[0].isupper():
            return Span(start=start + 1, end=end - 1, style="type")
    elif not names:
        return None
    elif style == "name":
        style = _name_style(match.group())
    elif style == "call":
        style = "method"
    return Span(start=start, end=end, style=style) if style else None


def _name_style(name: str) -> str:
    if name in _KEYWORDS:
        return "keyword"
    return "type" if _TYPE_NAME.fullmatch(name.rpartition(".")[2]) else ""
