"""The window as XML: `<documents>` of `<document>`, contents as CDATA, so that source reads as it is."""

from __future__ import annotations

import re

from services.prompt.render.content import Content, in_one_line

# What XML 1.0 cannot carry at all: https://www.w3.org/TR/xml/#charsets
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def item(content: Content, *, first: bool) -> str:
    """A `<document>` with its source, what a reader must know of it, and its text."""
    _ = first
    attributes = {"key": content.key, "kind": content.title, "state": content.state}
    lines = [
        "<document " + " ".join(f"{name}={_quoted(value)}" for name, value in attributes.items()) + ">",
        f"<source>{_escaped(content.heading)}</source>",
        *(f"<note>{_escaped(note)}</note>" for note in content.notes),
        f"<document_content>{_cdata(content.text)}</document_content>",
        "</document>",
    ]
    return "\n".join(lines) + "\n"


def omitted(what: str, key: str | None, *, first: bool) -> str:
    """A `<document>` without content, or the `<rest>`."""
    _ = first
    if key is None:
        return f"<rest>{_escaped(what)}</rest>\n"
    return f"<document key={_quoted(key)}>{_escaped(in_one_line(what))}</document>\n"


def _escaped(text: str) -> str:
    return _NOT_XML.sub(_symbol, text).replace("&", "&amp;").replace(">", "&gt;").replace("<", "&lt;")


def _quoted(text: str) -> str:
    """As `xml.sax.saxutils.quoteattr`, whose module takes the network's with it: tens of milliseconds of a start."""
    text = _escaped(text).replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")
    if '"' not in text:
        return f'"{text}"'
    return "'" + text + "'" if "'" not in text else '"' + text.replace('"', "&quot;") + '"'


def _cdata(text: str) -> str:
    return f"<![CDATA[{_NOT_XML.sub(_symbol, text).replace(']]>', ']]]]><![CDATA[>')}]]>"


def _symbol(match: re.Match[str]) -> str:
    """The picture of a control character, else the replacement character."""
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\ufffd"
