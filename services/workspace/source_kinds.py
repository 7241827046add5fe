"""Kinds of files, by their suffix: C#, markup that holds C#, and what says how they are compiled."""

from __future__ import annotations

CSHARP_SUFFIXES = (".cs", ".csx")
MARKUP_SUFFIXES = (
    *(".razor", ".cshtml", ".xaml", ".axaml", ".aspx", ".ascx", ".master", ".ashx", ".asmx", ".linq"),
)
"""Files in which C# stands beside something else."""
SOURCE_SUFFIXES = (*CSHARP_SUFFIXES, *MARKUP_SUFFIXES)
PROJECT_SUFFIXES = (
    *(".sln", ".slnx", ".slnf", ".csproj", ".props", ".targets", ".projitems", ".shproj"),
    *(".asmdef", ".asmref"),
)


def is_markup(path: str) -> bool:
    """Whether a file is one in which C# stands beside something else."""
    return path.endswith(MARKUP_SUFFIXES) or path.lower().endswith(MARKUP_SUFFIXES)


def is_source(path: str) -> bool:
    """Whether the index reads a file."""
    return path.endswith(".cs") or path.lower().endswith(SOURCE_SUFFIXES)
