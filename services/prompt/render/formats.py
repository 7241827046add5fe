"""The window's formats: Markdown, XML documents, JSON.

A format makes pieces, and the text is the pieces put together. Every piece ends with a line end and starts
with neither a blank nor `/`. Both shipped encodings always split there (no alternative of their patterns
spans a line end and what follows it, save `/`), so the tokens of the text are exactly the sum of the tokens
of its pieces: a piece is counted once, however often the window is put together.

The window as JSON: `{"items": […], "omitted": […]}`, one element a line, in camelCase.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from services.errors import UsageError
from services.prompt.render.content import Content, in_one_line

# What XML 1.0 cannot carry at all: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


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


_BACKTICKS = re.compile(r"`+")


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
