"""Names that no door ever opens: git's own folder and the program's files, however they are spelled.

The spellings are those git refuses in a tree (`is_ntfs_dotgit`, `is_hfs_dotgit`): file systems that fold
case, drop trailing dots and blanks, ignore some code points or know alternate streams would open the same
folder for them.
"""

from __future__ import annotations

import functools

from services.concurrency.lazy import expression

SHARED_FOLDER = ".context"
"""Readable files of the program, in the repository."""
STATE_FOLDER = ".codecortex-state"
"""The program's private state in the person's own folder. The name is unusual, so that it is recognised wherever a
workspace contains that folder."""

_HFS_IGNORABLE = expression("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_REASONS = {
    ".git": "it is git's own folder",
    "git~1": "it is git's own folder under a short name",
    SHARED_FOLDER: "it holds the program's own files",
    "contex~1": "it holds the program's own files under a short name",
    STATE_FOLDER: "it holds the program's own state",
    "codeco~1": "it holds the program's own state under a short name",
}


@functools.lru_cache(maxsize=16_384)
def protected(component: str) -> str | None:
    """Why a path with this component is refused, as a clause (`it is git's own folder`); None where it is
    not.
    """
    for piece in component.split("\\"):
        bare = _HFS_IGNORABLE.sub("", piece).partition(":")[0].rstrip(". ").lower()
        if reason := _REASONS.get(bare):
            return reason
    return None


def is_utf8(path: str) -> bool:
    """Whether a path is one of characters. What is not holds halves of surrogate pairs, which no database takes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
