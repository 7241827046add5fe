"""Head of a source file: the directives before its code, and whether statements begin it.

Sources: "File-based apps" of the .NET documentation (`#:` and `#!` lines), "C# scripting" (`#load`, `#r`)."""

from __future__ import annotations

import re
from typing import NamedTuple

_MOST = 64 * 1024
"""Bytes of a file that its head is looked for in."""
_DIRECTIVE = re.compile(rb"[ \t]*#(?::[ \t]*(\w+)|(load|r)\b)[ \t]*([^\r\n]*)")
_SKIPPED = re.compile(
    rb"\s+|//[^\r\n]*|/\*.*?(?:\*/|\Z)|\#[^\r\n]*"
    rb"|(?:global\s+)?using\s+(?!var\b)(?:static\s+|unsafe\s+)*[\w.:@]+\s*(?:<[^;(){}]*>)?\s*(?:=[^;]*)?;"
    rb"|extern\s+alias\s+\w+\s*;|\[\s*(?:assembly|module)\s*:[^\]]*\]",
    re.DOTALL,
)
_DECLARES = re.compile(
    rb"\[|\}|namespace\b"
    rb"|(?:(?:public|internal|private|protected|static|sealed|abstract|partial|unsafe|readonly|ref|file|new)\s+)*"
    rb"(?:class|struct|interface|enum|delegate(?!\s*[*{(])|record(?=\s+[\w@])|extension(?=\s*[<(]))\b"
)
_EVERY_LINE = re.compile(rb"^[^\r\n]*", re.MULTILINE)


class Directive(NamedTuple):
    """Directive: its name (`package`, `load` …), its arguments, and its line."""

    name: str
    value: str
    line: int


def directives(content: bytes) -> list[Directive]:
    """The `#:`, `#load` and `#r` lines before the first line of code."""
    found: list[Directive] = []
    head = content[:_MOST].removeprefix(b"\xef\xbb\xbf")
    for number, match in enumerate(_EVERY_LINE.finditer(head), 1):
        line = match[0].strip()
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            name, value = directive[1] or directive[2], directive[3].strip().strip(b'"')
            found.append(Directive(_text(name).casefold(), _text(value), number))
        elif line and not line.startswith((b"#", b"//", b"/*", b"*", b"using ")):
            break
    return found


def is_file_app(content: bytes) -> bool:
    """Whether a file declares itself a program: by a `#!` or a `#:` line."""
    head = content.removeprefix(b"\xef\xbb\xbf")
    return head.startswith(b"#!") or (b"#:" in head[:_MOST] and bool(directives(content)))


def begins_with_statements(content: bytes) -> bool:
    """Whether the first thing in a file, behind directives and usings, is a statement: no compilation has two such
    files."""
    head = content[:_MOST].removeprefix(b"\xef\xbb\xbf")
    at = 0
    while (match := _SKIPPED.match(head, at)) is not None:
        at = match.end()
    return at < len(head) and _DECLARES.match(head, at) is None


def _text(value: bytes) -> str:
    return value.decode("utf-8", "replace")
