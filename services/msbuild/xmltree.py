"""XML to a small tree with line numbers. A document type, an entity, absurd depth or size are refused:
project files have none, and all four are ways to make a reader hang.

JSON as .NET's tools write and read it: comments and trailing commas are allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.parsers import expat

import msgspec

MAX_BYTES = 4 * 1024 * 1024
MAX_ELEMENTS = 100_000
MAX_DEPTH = 64


class XmlError(ValueError):
    """The file is not XML that will be read. `line` is 1-based, or None where it is about the whole file."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class XmlElement(msgspec.Struct):
    """Element: its local name, its attributes, its child elements and all text directly inside it."""

    name: str
    line: int
    attributes: dict[str, str] = msgspec.field(default_factory=dict)
    children: list[XmlElement] = msgspec.field(default_factory=list)
    text: str = ""

    def attribute(self, name: str) -> str:
        """The attribute's value, or `""`."""
        return self.attributes.get(name, "")

    def below(self, name: str) -> Iterator[XmlElement]:
        """Yield the elements of that name below this one, in document order."""
        for each in self.children:
            if each.name == name:
                yield each
            yield from each.below(name)


class _Builder:
    def __init__(self, most_elements: int) -> None:
        self.most_elements = most_elements
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.data
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse
        self.stack: list[tuple[XmlElement, list[str]]] = []
        self.count = 0
        self.root: XmlElement | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        element = XmlElement(name.rpartition(":")[2], self.parser.CurrentLineNumber, attributes)
        if len(self.stack) >= MAX_DEPTH:
            raise XmlError("elements are nested too deeply", element.line)
        self.count += 1
        if self.count > self.most_elements:
            raise XmlError("there are too many elements", element.line)
        if self.stack:
            self.stack[-1][0].children.append(element)
        else:
            self.root = element
        self.stack.append((element, []))

    def end(self, _name: str) -> None:
        element, texts = self.stack.pop()
        element.text = "".join(texts)

    def data(self, text: str) -> None:
        self.stack[-1][1].append(text)  # added to a text of megabytes it would be copied each time

    def refuse(self, *_ignored: object) -> None:
        raise XmlError("document types and entities are refused", self.parser.CurrentLineNumber)


def parse(content: bytes, *, most_bytes: int = MAX_BYTES, most_elements: int = MAX_ELEMENTS) -> XmlElement:
    """Return the root element. Raises XmlError, also for more bytes or elements than are taken."""
    if len(content) > most_bytes:
        raise XmlError(f"the file is too large: it has more than {most_bytes >> 20} MB")
    builder = _Builder(most_elements)
    try:
        builder.parser.Parse(content, True)
    except expat.ExpatError as error:
        raise XmlError(expat.ErrorString(error.code), error.lineno) from None
    except (LookupError, ValueError) as error:
        raise error if isinstance(error, XmlError) else XmlError(f"unknown encoding: {error}") from None
    if builder.root is None:
        raise XmlError("there is no element")
    return builder.root


# No alternative that begins can fail at the end of the text, so neither pattern ever reads a text twice.
_STRING = r'"[^"\\]*(?:\\.?[^"\\]*)*(?:"|\Z)'
_COMMENT = re.compile(_STRING + r"|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_COMMA_BEFORE_END = re.compile(_STRING + r"|,(?=\s{0,1000}[}\]])", re.DOTALL)


def plain(text: str) -> str:
    """`text` without comments and trailing commas; strings stay as they are."""
    without_comments = _COMMENT.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)
    return _COMMA_BEFORE_END.sub(lambda match: match[0] if match[0][0] == '"' else "", without_comments)
