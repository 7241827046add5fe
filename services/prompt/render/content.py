"""Items as text: the content that every format gets, whole or cut to what fits, and the window's formats: Markdown,
XML documents, JSON.

A format makes pieces, and the text is the pieces put together. Every piece ends with a line end and starts with
neither a blank nor `/`. Both shipped encodings always split there (no alternative of their patterns spans a line end
and what follows it, save `/`), so the tokens of the text are exactly the sum of the tokens of its pieces: a piece is
counted once, however often the window is put together.

The window as JSON: `{"items": […], "omitted": […]}`, one element a line, in camelCase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec
from msgspec.structs import replace

from services.concurrency.lazy import expression
from services.errors import UsageError
from services.model import Level
from services.prompt.items import OUTLINES, ItemKind, Rendered, Request
from services.prompt.secrets.masking import Secret

_UNDECODED = (
    "Bytes that could not be decoded stand as \ufffd: declare their encoding by the setting files.encoding."
)


class Content(msgspec.Struct, frozen=True, kw_only=True):
    """`text`: what is shown of the item, at `level`; `cut`: a sentence if that is not all of it; `secrets`: those of
    all of it; `request`: what it was made for."""

    key: str
    kind: ItemKind
    level: Level
    rendered: Rendered
    text: str
    pinned: bool
    cut: str = ""
    secrets: tuple[Secret, ...] = ()
    request: Request | None = None

    @property
    def title(self) -> str:
        """The display name of the kind: `type outline`."""
        return self.kind.titles[self.level]

    @property
    def heading(self) -> str:
        """The heading: kind and location on one line, unless the text contains them."""
        if self.kind.name == "note":
            return "Note"  # its label is its beginning
        label, place = self.rendered.label, self.rendered.detail
        if self.rendered.symbol_id is not None and self.level in OUTLINES:
            level = self.title.removeprefix("type").lstrip(", ")
            more = () if level == "outline" else (level,)
            return in_one_line(" · ".join([place, *more]))  # its text begins with its declaration
        placed = self.rendered.is_source and label not in (place, place.rpartition(":")[0]) and place != ""
        return in_one_line(" · ".join([label, self.title, *([place] if placed else [])]))

    @property
    def state(self) -> str:
        """`pinned` or `recent`."""
        return "pinned" if self.pinned else "recent"

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the text for its reader: sentences."""
        changed = self.rendered.state_detail if self.rendered.changed else ""
        undecoded = _UNDECODED if "\ufffd" in self.text and self.rendered.file is not None else ""
        return tuple(note for note in (changed, undecoded, self.cut) if note)


def in_one_line(text: str) -> str:
    """The text with every run of blanks and line ends as one blank."""
    return " ".join(text.split())


LEAST_LINES = 3
"""Fewer lines than this of an item say less than its entry in the list of what is not shown."""

LEAST_TOKENS = 40
"""In less room than this no cut is tried: a heading and the sentence about the rest fill it."""

LONGEST_TOKEN = 128
"""Characters of the longest token of the shipped encodings, a run of blanks: more text than that cannot fit."""
USUAL_TOKEN = 4
"""Characters of a usual token."""


class RemainingBudget(msgspec.Struct, frozen=True):
    """Remaining budget. `chars` is None where only tokens are limited."""

    tokens: int
    chars: int | None

    def holds(self, tokens: int, chars: int) -> bool:
        """Whether something of this size fits."""
        return tokens <= self.tokens and (self.chars is None or chars <= self.chars)

    def less(self, tokens: int, chars: int) -> RemainingBudget:
        """Return the remaining budget after a piece of this size; may be negative."""
        return RemainingBudget(self.tokens - tokens, None if self.chars is None else self.chars - chars)


def cut_to(
    room: RemainingBudget, content: Content, *, tokens: int, fits: Callable[[Content], bool]
) -> Content | None:
    """The content with as many of its first lines as fit, or None if fewer than LEAST_LINES do.

    `tokens`: of the whole content; `fits`: whether a cut content fits the room."""
    if room.tokens < LEAST_TOKENS:
        return None
    total = content.text.count("\n") + (not content.text.endswith("\n"))
    lines = content.text[: (room.tokens + 1) * LONGEST_TOKEN].split("\n")[: total - 1]

    def kept(count: int) -> Content:
        text = "".join(f"{line}\n" for line in lines[:count])
        rest = tokens * (len(content.text) - len(text)) // max(1, len(content.text))
        return replace(content, text=text, cut=_sentence(content, count, total, rest))

    count = _most(len(lines), _first_guess(lines, room.tokens), lambda number: fits(kept(number)))
    return kept(count) if count >= LEAST_LINES else None


def grouped(number: int) -> str:
    """`34 567`."""
    return f"{number:,}".replace(",", " ")


def _first_guess(lines: list[str], tokens: int) -> int:
    chars = 0
    for count, line in enumerate(lines):
        chars += len(line) + 1
        if chars > tokens * USUAL_TOKEN:
            return count
    return len(lines)


def _most(limit: int, guess: int, fits: Callable[[int], bool]) -> int:
    """The greatest number up to `limit` that fits. Found outwards from a guess, since a test costs what it
    counts."""
    low, high, step = 0, limit + 1, max(1, guess // 8)
    probe = guess
    while high - low > 1:
        probe = min(max(probe, low + 1), high - 1)
        if fits(probe):
            low, following = probe, probe + step
        else:
            high, following = probe, probe - step
        bracketed = low > 0 and high <= limit
        probe = (low + high) // 2 if bracketed else following
        step *= 2
    return low


def _sentence(content: Content, kept: int, total: int, rest: int) -> str:
    lines = "1 line" if total - kept == 1 else f"{grouped(total - kept)} lines"
    size = f"{lines}, about {grouped(rest)} tokens"
    if content.rendered.is_source:
        start = content.rendered.start_line or 1
        return f"Cut: lines {start + kept}-{start + total - 1} are not shown ({size})."
    return f"Cut: the rest is not shown ({size})."


# What XML 1.0 cannot carry at all: https://www.w3.org/TR/xml/#charsets
_NOT_XML = expression("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_item(content: Content, *, first: bool) -> str:
    """A `<document>` with its source, what a reader must know of it, and its text."""
    _ = first
    lines = [
        "<document>",
        f"<source>{_escaped(content.heading)}</source>",
        *(f"<note>{_escaped(note)}</note>" for note in content.notes),
        f"<document_content>{_cdata(content.text)}</document_content>",
        "</document>",
    ]
    return "\n".join(lines) + "\n"


def xml_omitted(what: str, key: str | None, *, first: bool) -> str:
    """Return an `<item>` that begins with its key, or the `<rest>`."""
    _ = first
    if key is None:
        return f"<rest>{_escaped(what)}</rest>\n"
    return f"<item>{_escaped(in_one_line(key))} · {_escaped(in_one_line(what))}</item>\n"


def _escaped(text: str) -> str:
    return _NOT_XML.sub(_symbol, text).replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def _cdata(text: str) -> str:
    return f"<![CDATA[{_NOT_XML.sub(_symbol, text).replace(']]>', ']]]]><![CDATA[>')}]]>"


def _symbol(match: re.Match[str]) -> str:
    """The picture of a control character, else the replacement character."""
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"


_BACKTICKS = expression(r"`+")


def markdown_item(content: Content, *, first: bool) -> str:
    """A heading, the text in a fence, and after it what a reader must know of it."""
    _ = first
    notes = "".join(f"{note}\n\n" for note in content.notes)
    return f"## {content.heading}\n\n{fenced(content.text, content.rendered.language)}\n{notes}"


def markdown_omitted(what: str, key: str | None, *, first: bool) -> str:
    """An item of a list, its key first."""
    _ = first
    return f"- {in_one_line(key)} · {in_one_line(what)}\n" if key else f"- {in_one_line(what)}\n"


def fenced(text: str, language: str) -> str:
    """The text in a fence longer than any run of backticks in it, so that nothing in it can close the
    fence."""
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    end = "" if text.endswith("\n") or not text else "\n"
    return f"{fence}{language}\n{text}{end}{fence}\n"


def json_item(content: Content, *, first: bool) -> str:
    """An object with the item's place and text; what does not apply is left out."""
    rendered = content.rendered
    value = {
        "key": content.key,
        "kind": content.title,
        "label": rendered.label,
        "state": content.state,
        "file": rendered.file,
        "startLine": rendered.start_line,
        "endLine": rendered.end_line,
        "note": " ".join(content.notes) or None,
        "text": content.text,
    }
    return _line({name: part for name, part in value.items() if part is not None}, first=first)


def json_omitted(what: str, key: str | None, *, first: bool) -> str:
    """Return an object of an omission, with a key unless it is about the rest."""
    return _line({"what": what, "key": key} if key else {"what": what}, first=first)


def _line(value: object, *, first: bool) -> str:
    import json

    return f"{'' if first else ','}{json.dumps(value, ensure_ascii=False)}\n"


Row = tuple[str, int]
"""Entry of a table of contents: what an item is, and its tokens."""


def markdown_contents(rows: Sequence[Row]) -> str:
    """Return a list under a heading."""
    lines = "".join(f"- {in_one_line(label)} · {tokens} tokens\n" for label, tokens in rows)
    return f"## Contents\n\n{lines}\n"


def xml_contents(rows: Sequence[Row]) -> str:
    """Return an element with a line for each item."""
    lines = "".join(
        f"<entry>{_escaped(in_one_line(label))} · {tokens} tokens</entry>\n" for label, tokens in rows
    )
    return f"<contents>\n{lines}</contents>\n"


class ItemWriter(Protocol):
    """Writer of one item. `first`: no item precedes it."""

    def __call__(self, content: Content, *, first: bool) -> str:
        """The piece."""
        ...


class OmittedWriter(Protocol):
    """Writes one line of what is not shown: a thing with its key, or, without a key, a sentence about the
    rest."""

    def __call__(self, what: str, key: str | None, *, first: bool) -> str:
        """The piece."""
        ...


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """A way to write the window down.

    The text is `head`, items, and `tail`; or `head`, items, `omitted_head`, lines of what is not shown, and
    `listed_tail`."""

    head: str
    item: ItemWriter
    tail: str
    omitted_head: str
    omitted: OmittedWriter
    listed_tail: str
    contents: Callable[[Sequence[Row]], str] | None = None


FORMATS: Mapping[str, Format] = {
    "md": Format(
        head="",
        item=markdown_item,
        tail="",
        omitted_head="## Not shown\n\nAsk for any of it by its key.\n\n",
        omitted=markdown_omitted,
        listed_tail="",
        contents=markdown_contents,
    ),
    "xml": Format(
        head="<documents>\n",
        item=xml_item,
        tail="</documents>\n",
        omitted_head='<omitted note="Ask for any of it by its key.">\n',
        omitted=xml_omitted,
        listed_tail="</omitted>\n</documents>\n",
        contents=xml_contents,
    ),
    "json": Format(
        head='{"items": [\n',
        item=json_item,
        tail='], "omitted": []}\n',
        omitted_head='], "omitted": [\n',
        omitted=json_omitted,
        listed_tail="]}\n",
    ),
}


def format_named(name: str) -> Format:
    """A format by name: md, xml or json. Raises UsageError for another."""
    if name not in FORMATS:
        raise UsageError(f"There is no format {name}; there are {', '.join(FORMATS)}.", format=name)
    return FORMATS[name]
