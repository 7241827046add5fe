"""The window as XML: `<documents>` of `<document>`, contents as CDATA, so that source reads as it is."""

from __future__ import annotations

import re

from services.prompt.render.content import Content, in_one_line

# What XML 1.0 cannot carry at all: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def item(content: Content, *, first: bool) -> str:
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


def omitted(what: str, key: str | None, *, first: bool) -> str:
    """An `<item>` that begins with what to ask for it by, or the `<rest>`."""
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
