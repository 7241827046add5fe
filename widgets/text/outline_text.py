"""How the text of an outline is coloured, and which of its words are names of types that lead somewhere.

It goes by the look of a line, as a reader does, so that it also serves outlines of other makers: what is indented
or begins as a declaration of C# does is code, a line of words over a block is its title, `- Extends: …` and
`// used by …` name types; the rest is prose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from services.model import Span

_HEADING = re.compile(r"#{1,6}\s")
_TITLE = re.compile(r"\s*[A-Z]\w*(?: \w+)*$")
_LABEL = re.compile(r"(?:- )?(?P<label>[A-Z]\w*(?: \w+)?)(?::|\s{2,})")
_NAMING_LABELS = frozenset({"Extends", "Implements", "DependsOn", "Used by", "In"})
_CODE = re.compile(
    r"(?:\s{2,}|\t)\S|[{}]$|\[\w|(?:public|protected|internal|private|static) \S|"
    r"(?:[a-z]+ )*(?:class|struct|record|interface|enum|union|delegate) \w"
)
_COMMENT = re.compile(r"// (?:(?P<label>used by [\d ]+types?:|in|overload:) )?")
_TOKEN = re.compile(
    r"(?P<comment>//.*)"
    r"|(?P<code>`[^`]+`)"
    r'|(?P<string>"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$))'
    r"|(?P<number>\b\d[\d_.]*\b)"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)"
    r"(?:(?P<call>(?=\(|<[\w\s,.?<>\[\]]{0,80}>\())|(?P<member>(?=\s*(?:[{=]|$|//))))?"
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
_VALUES = "Values"
"""The title over the values of an enum, whose names are no types."""


class OutlineLine(Struct, frozen=True):
    """Colours and links of one line of an outline. A link is a `Span` whose style is `type`."""

    spans: tuple[Span, ...] = ()
    links: tuple[Span, ...] = ()


def read_outline(lines: Sequence[str]) -> list[OutlineLine]:
    """The colours and links of each line.

    Names are links where names stand: in code, and after labels that are followed by names. Prose has none but in
    backticks.
    """
    read: list[OutlineLine] = []
    fenced, title = False, ""
    for row, line in enumerate(lines):
        if line.startswith(_FENCE):
            fenced = not fenced
            read.append(_whole(line, "comment"))
        elif not fenced and (_HEADING.match(line) or _is_title(lines, row)):
            title = line.strip()
            read.append(_whole(line, "heading"))
        elif (comment := _COMMENT.match(line)) is not None:
            read.append(_read_comment(line, comment))
        elif fenced or _CODE.match(line):
            read.append(_read(line, 0, names=title != _VALUES))
        else:
            read.append(_read_prose(line))
    return read


def _is_title(lines: Sequence[str], row: int) -> bool:
    """Words alone on a line that begins a paragraph and has code under it, at once or after a blank line."""
    if _TITLE.match(lines[row]) is None or (row and lines[row - 1].strip()):
        return False
    under = [line for line in lines[row + 1 : row + 3] if line.strip()]
    return bool(under) and _CODE.match(under[0]) is not None


def _whole(line: str, style: str) -> OutlineLine:
    return OutlineLine((Span(start=0, end=len(line), style=style),) if line else ())


def _read_comment(line: str, comment: re.Match[str]) -> OutlineLine:
    """Parse a comment line: it may introduce names of types."""
    if not comment["label"]:
        return _whole(line, "comment")
    rest = _read(line, comment.end(), names=True, ends_names=False)
    return OutlineLine((Span(start=0, end=comment.end(), style="comment"), *rest.spans), rest.links)


def _read_prose(line: str) -> OutlineLine:
    label = _LABEL.match(line)
    if label is None or not (line.startswith("- ") or label["label"] in _NAMING_LABELS):
        return _read(line, 0, names=False)
    rest = _read(line, label.end(), names=label["label"] in _NAMING_LABELS, ends_names=False)
    head = Span(start=label.start("label"), end=label.end("label"), style="heading")
    return OutlineLine((head, *rest.spans), rest.links)


def _read(line: str, start: int, *, names: bool, ends_names: bool = True) -> OutlineLine:
    """`names`: whether capitalised words are types; `ends_names`: whether the last one is what is declared."""
    spans: list[Span] = []
    for match in _TOKEN.finditer(line, start):
        style, (first, end) = _style(match, names=names, ends_names=ends_names), match.span()
        if style == "type" and match.lastgroup == "code":
            first, end = first + 1, end - 1
        if style:
            spans.append(Span(start=first, end=end, style=style))
    return OutlineLine(tuple(spans), tuple(span for span in spans if span.style == "type"))


def _style(match: re.Match[str], *, names: bool, ends_names: bool) -> str:
    group, text = match.lastgroup or "", match.group()
    if group == "code":
        return "type" if _TYPE_NAME.fullmatch(text[1:-1]) else "code"
    if not names:
        return ""
    if text in _KEYWORDS:
        return "keyword"
    if group == "call":
        return "method"
    declared = (
        group == "member" and ends_names and not match.string.startswith((": ", ", "), match.start() - 2)
    )
    if group in ("name", "member"):
        return "type" if not declared and _TYPE_NAME.fullmatch(text.rpartition(".")[2]) else ""
    return group
