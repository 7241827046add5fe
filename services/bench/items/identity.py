"""Identity of a symbol whose id neither the index nor `aliases.json` knows any more.

Lines of text that are known again by their hash, wherever in a file they stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.describe import Placed, TypeWithMembers, hashes_of
from services.prompt.items import Anchor
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import base32, digest
from services.workspace.text import Text

HASH_LENGTH = 8
"""Characters of the Base32 of a hash."""


def block_at(lines: Sequence[str], content: str, count: int, *, near: int) -> int | None:
    """Return the start of `count` lines with this hash in `lines`, 0-based; of several the one closest to the given
    line."""
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
    """Combine the digest of the first line, which is quick to search for, with that of all lines."""
    return f"{base32(digests[0], HASH_LENGTH)}-{base32(digest(b''.join(digests)), HASH_LENGTH)}"


class Identity:
    """Over the source of members. `text_of`: the file that declares a member, None where it cannot be read."""

    def __init__(self, text_of: Callable[[Placed], Text | None]) -> None:
        self._text_of = text_of

    def of(self, found: FoundSymbol) -> dict[str, Any]:
        """Return the properties by which a symbol is recognised again."""
        structure, impl = hashes(found)
        known: dict[str, Any] = {"symbol": found.id, "structure": structure, "impl": impl}
        if found.member is None:
            return known
        name = found.member.declaration.name
        others = tuple(member.id for member in named(found.whole, name) if member.id != found.id)
        likeness = self._likeness(found.member)
        twins = tuple(
            member.id
            for member in _as_long(found.whole, found.member.declaration)
            if member.id != found.id and self._likeness(member) == likeness
        )
        return {**known, "name": name, "overloads": others, "likeness": likeness, "twins": twins}

    def alike(self, whole: TypeWithMembers, anchor: Anchor) -> list[Placed]:
        """Return members equal to an anchor's apart from the name, which did not exist next to it before."""
        if not anchor.likeness:
            return []
        return [
            member
            for member in whole.members
            if not member.implicit
            and member.id not in anchor.twins
            and self._likeness(member) == anchor.likeness
        ]

    def _likeness(self, member: Placed) -> str:
        """A hash of a member's source, blanks and its own name apart; empty where the file cannot be read."""
        declaration = member.declaration
        text = self._text_of(member)
        if text is None or declaration.end_line > text.line_count:
            return ""
        source = text.slice(declaration.start_line, declaration.end_line)
        source = re.sub(rf"\b{re.escape(declaration.name)}\b", "\0", source)
        return base32(digest_of(f"{declaration.kind} {' '.join(source.split())}"), HASH_LENGTH)


def hashes(found: FoundSymbol) -> tuple[str, str]:
    """structure and impl of a symbol (SPEC section 3)."""
    if found.member is not None:
        declaration = found.member.declaration
        return declaration.structure.hex(), declaration.impl.hex()
    its = hashes_of(found.whole.parts, found.whole.members)
    return its["structure"], its["impl"]


def _as_long(whole: TypeWithMembers, like: Declaration) -> list[Placed]:
    """Members of a kind that take as many lines as another."""
    lines = like.end_line - like.start_line
    return [
        member
        for member in whole.members
        if not member.implicit
        and member.declaration.kind == like.kind
        and member.declaration.end_line - member.declaration.start_line == lines
    ]


def named(whole: TypeWithMembers, name: str) -> list[Placed]:
    """The declared members of a type that have a name: its overloads."""
    return [member for member in whole.members if member.declaration.name == name and not member.implicit]
