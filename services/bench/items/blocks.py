"""Lines of text that are known again by their hash, wherever in a file they stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.syntax.records.hashing import base32, digest

HASH_LENGTH = 8
"""Characters of the Base32 of a hash."""


def block_at(lines: Sequence[str], content: str, count: int, *, near: int) -> int | None:
    """Where `count` lines with this hash begin in `lines`, 0-based; of several places the one nearest to `near`."""
    first = content.partition("-")[0]
    for at in _outwards(min(near, len(lines) - count), len(lines) - count + 1):
        if base32(digest_of(lines[at]), HASH_LENGTH) == first and hash_of(lines[at : at + count]) == content:
            return at
    return None


def _outwards(middle: int, end: int) -> Iterator[int]:
    """The numbers from 0 to before `end`, the nearest to `middle` first."""
    middle = max(0, middle)
    for distance in range(max(middle + 1, end - middle)):
        if distance <= middle and middle - distance < end:
            yield middle - distance
        if distance and middle + distance < end:
            yield middle + distance


def split_lines(text: str) -> list[str]:
    """Lines without their endings (SAFETY, Bytes: only LF ends a line)."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [line.rstrip("\r") for line in lines]


def hash_of(lines: Sequence[str]) -> str:
    """A hash of lines: what `block_at` looks for."""
    return _joined([digest_of(line) for line in lines])


def digest_of(line: str) -> bytes:
    """A digest of any text."""
    return digest(line.encode("utf-8", "surrogatepass"))


def _joined(digests: Sequence[bytes]) -> str:
    """Of the first line, which is quick to look for, and of all of them."""
    return f"{base32(digests[0], HASH_LENGTH)}-{base32(digest(b''.join(digests)), HASH_LENGTH)}"
