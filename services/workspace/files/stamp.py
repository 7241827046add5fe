"""What a file looked like when it was last looked at, without reading it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

Sign = tuple[int, int, int] | None
"""Of a file or folder: other than before where it was replaced, or written to, or an entry came or went; None where
there is none."""


class FileStamp(NamedTuple):
    """A regular file at one moment. Tens of thousands are made, hence a plain tuple; sorts by path.

    `path`: relative to the root, with `/`; `size`: bytes; `mtime_ns`: nanoseconds since 1970. Two equal
    stamps mean that nothing is known to have changed, not that nothing has: whoever writes compares bytes.
    """

    path: str
    size: int
    mtime_ns: int


def sign(path: Path) -> Sign:
    """That of a path, links followed."""
    with suppress(OSError):
        found = path.stat()
        return found.st_mtime_ns, found.st_size, found.st_ino
    return None
