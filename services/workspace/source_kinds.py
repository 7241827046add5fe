"""Kinds of files, by their suffix: C#, markup that contains C#, and project files."""

from __future__ import annotations

CSHARP_SUFFIXES = (".cs", ".csx")
MARKUP_SUFFIXES = (
    *(".razor", ".cshtml", ".xaml", ".axaml", ".aspx", ".ascx", ".master", ".ashx", ".asmx", ".linq"),
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


def is_source(path: str) -> bool:
    """Whether the index reads a file."""
    return path.endswith(".cs") or path.lower().endswith(SOURCE_SUFFIXES)
