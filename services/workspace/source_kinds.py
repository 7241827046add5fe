"""Kinds of files, by their suffix: C#, markup that contains C#, and project files."""

from __future__ import annotations

import re

from services.concurrency.lazy import expression

_NAMED_SO = expression(r"\.(?:designer|generated|g|g\.i)\.cs\Z", re.IGNORECASE)
_SAYS_SO = expression(r"\ufeff?(?:\s*//[^\n]*\n)*?\s*(?://[^\n]*|/\*[^/]*)<auto-?generated", re.IGNORECASE)


def is_generated(path: str, text: str) -> bool:
    """Whether a tool wrote a C# file, by the marks that Roslyn's analyzers go by: the end of its name, or the comment
    that it begins with."""
    return _NAMED_SO.search(path) is not None or _SAYS_SO.match(text) is not None


QUERY_HEADER = expression(rb"(?:\xef\xbb\xbf)?\s*<Query\b(?:[^>]*/>|.*?</Query>)", re.DOTALL)
"""The XML that a query of LINQPad begins with, and the mark of its encoding."""
SCRIPT = ".csx"
QUERY = ".linq"
CSHARP_SUFFIXES = (".cs", SCRIPT)
MARKUP_SUFFIXES = (
    *(".razor", ".cshtml", ".xaml", ".axaml", ".aspx", ".ascx", ".master", ".ashx", ".asmx", QUERY),
)
"""Suffixes of markup files with embedded C#."""
SOURCE_SUFFIXES = (*CSHARP_SUFFIXES, *MARKUP_SUFFIXES)
PROJECT_SUFFIXES = (
    *(".sln", ".slnx", ".slnf", ".csproj", ".props", ".targets", ".projitems", ".shproj"),
    *(".asmdef", ".asmref"),
)


def is_markup(path: str) -> bool:
    """Whether a file is markup with embedded C#."""
    return path.endswith(MARKUP_SUFFIXES) or path.lower().endswith(MARKUP_SUFFIXES)


def is_script(path: str) -> bool:
    """Whether functions outside of types are members, as in a script or a LINQPad query."""
    return path.lower().endswith((SCRIPT, QUERY))


def is_query(path: str) -> bool:
    """Whether a file is a query of LINQPad."""
    return path.lower().endswith(QUERY)


def is_source(path: str) -> bool:
    """Whether the index reads a file."""
    return path.endswith(".cs") or path.lower().endswith(SOURCE_SUFFIXES)
