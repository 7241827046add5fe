"""The window's formats: Markdown, XML documents, JSON.

A format makes pieces, and the text is the pieces put together. Every piece ends with a line end and starts
with neither a blank nor `/`. Both shipped encodings always split there (no alternative of their patterns
spans a line end and what follows it, save `/`), so the tokens of the text are exactly the sum of the tokens
of its pieces: a piece is counted once, however often the window is put together.

The window as JSON: `{"items": […], "omitted": […]}`, one element a line, in camelCase.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from services.errors import UsageError
from services.prompt.render import format_markdown, format_xml
from services.prompt.render.content import Content


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
    """An object that says what, with a key unless it is about the rest."""
    return _line({"what": what, "key": key} if key else {"what": what}, first=first)


def _line(value: object, *, first: bool) -> str:
    return f"{'' if first else ','}{json.dumps(value, ensure_ascii=False)}\n"


class ItemWriter(Protocol):
    """Writes one item. `first`: no other stands before it."""

    def __call__(self, content: Content, *, first: bool) -> str:
        """The piece."""
        ...


class OmittedWriter(Protocol):
    """Writes one line of what is not shown: a thing with its key, or, without a key, a sentence about the
    rest."""

    def __call__(self, what: str, key: str | None, *, first: bool) -> str:
        """The piece."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way to write the window down.

    The text is `head`, items, and `tail`; or `head`, items, `omitted_head`, lines of what is not shown, and
    `listed_tail`."""

    head: str
    item: ItemWriter
    tail: str
    omitted_head: str
    omitted: OmittedWriter
    listed_tail: str


FORMATS: Mapping[str, Format] = {
    "md": Format(
        head="",
        item=format_markdown.item,
        tail="",
        omitted_head="## Not shown\n\nAsk for any of it by its key.\n\n",
        omitted=format_markdown.omitted,
        listed_tail="",
    ),
    "xml": Format(
        head="<documents>\n",
        item=format_xml.item,
        tail="</documents>\n",
        omitted_head='<omitted note="Ask for any of it by its key.">\n',
        omitted=format_xml.omitted,
        listed_tail="</omitted>\n</documents>\n",
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
