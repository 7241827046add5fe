"""What a file looked like when it was last looked at, without reading it."""

from __future__ import annotations

from typing import NamedTuple


class FileStamp(NamedTuple):
    """A regular file at one moment. Tens of thousands are made, hence a plain tuple; sorts by path.

    `path`: relative to the root, with `/`; `size`: bytes; `mtime_ns`: nanoseconds since 1970. Two equal
    stamps mean that nothing is known to have changed, not that nothing has: whoever writes compares bytes.
    """

    path: str
    size: int
    mtime_ns: int
