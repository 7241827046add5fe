"""The tables as text: what `build.py` writes and `table.py` and `members.py` read, so that the format is said once.

Lines: `#source` with letter, family, version and package, parted by tabs; `@` with a namespace and what is in it. Of
types, sorted: name, kind letter, source letters and bases, parted by blanks. Of members: `=` with the name of a type,
then a kind letter with the member's name, its type, and the receiver of an extension method, parted by blanks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from services.index.framework.facts import MemberFact, TypeFact
from services.model import Kind

TYPES_FILE, MEMBERS_FILE = "types.txt.xz", "members.txt.xz"
SOURCE, NAMESPACE, OWNER = "#source\t", "@", "="
LinesOf = Callable[[TypeFact], Iterable[str]]

SHAPES: Mapping[str, tuple[Kind, tuple[str, ...]]] = {
    "c": (Kind.CLASS, ()),
    "a": (Kind.CLASS, ("abstract",)),
    "z": (Kind.CLASS, ("sealed",)),
    "t": (Kind.CLASS, ("static",)),
    "s": (Kind.STRUCT, ()),
    "i": (Kind.INTERFACE, ()),
    "e": (Kind.ENUM, ()),
    "d": (Kind.DELEGATE, ()),
}
"""Kind and modifiers by the letter of a type's line."""

_MEMBER_KINDS = {"m": Kind.METHOD, "p": Kind.PROPERTY, "i": Kind.INDEXER, "f": Kind.FIELD}
"""By the letter of a member's line, which is a capital for a static member."""
_MEMBER_LETTERS = {kind: letter for letter, kind in _MEMBER_KINDS.items()}


@dataclass(frozen=True, slots=True)
class Source:
    """Where names come from: `family`, a shared framework or package, and the `package` that ships it."""

    letter: str
    family: str
    version: str
    package: str


def source_line(source: Source) -> str:
    """The line of a source."""
    return f"{SOURCE}{source.letter}\t{source.family}\t{source.version}\t{source.package}"


def parsed_source(line: str) -> Source:
    """The source of such a line."""
    return Source(*line.removeprefix(SOURCE).split("\t"))


def type_line(name: str, shape: str, letters: Iterable[str], bases: Iterable[str]) -> str:
    """The line of a type; `shape` is a key of SHAPES."""
    return " ".join((name, shape, "".join(letters), *bases))


def member_line(member: MemberFact) -> str:
    """The line of a member."""
    letter = _MEMBER_LETTERS[member.kind]
    start = (letter.upper() if member.is_static else letter) + member.name
    return " ".join((start, member.type, *((member.receiver,) if member.receiver else ())))


def parsed_member(line: str) -> MemberFact:
    """The member of such a line."""
    start, returned, *receiver = line.split(" ")
    kind = _MEMBER_KINDS[start[0].lower()]
    return MemberFact(start[1:], kind, start[0].isupper(), returned, receiver[0] if receiver else None)


def blocks(text: str) -> Iterator[tuple[str, str]]:
    """(namespace, its lines) of a whole table."""
    for block in text.split(f"\n{NAMESPACE}")[1:]:
        namespace, _, lines = block.partition("\n")
        yield namespace, lines.rstrip("\n")
