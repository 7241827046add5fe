"""Values of planned edits: places, replacements, and problems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from services.workspace.source_kinds import MARKUP_SUFFIXES, PROJECT_SUFFIXES

OTHER_LANGUAGES = (*MARKUP_SUFFIXES, *PROJECT_SUFFIXES)


class Replacement(msgspec.Struct, frozen=True, order=True):
    """Replacement of bytes `start` to `end` of a file, in UTF-8, by `text`. `named`: whether it replaces the symbol's
    name, rather than adding text."""

    path: str
    start: int
    end: int
    text: str
    named: bool = True


class Place(msgspec.Struct, frozen=True, order=True):
    """A place that a person decides on. `reason`: why it is not changed by itself; `code`: whether it is C# code that
    may mean the symbol, and not a string, a comment or another language; `text`: what would stand there, empty where it
    cannot be changed."""

    path: str
    start: int
    end: int
    reason: str
    code: bool = True
    text: str = ""

    def replacement(self) -> Replacement:
        """The replacement that a person may accept."""
        return Replacement(self.path, self.start, self.end, self.text)


class Problem(msgspec.Struct, frozen=True, order=True):
    """Place at which an edit would change more than was requested."""

    path: str
    start: int
    message: str


class Plan(msgspec.Struct):
    """An edit before it is written. `texts`: by path, the UTF-8 texts that offsets count in; `moves`: files that move,
    to their new paths; `left`: places (path, offset) that a person left out; `made`: new files; `created`: what
    the edit adds, as it is declared; `renamed`: the old and the new name of what other languages may name too;
    `named`: places (path, offset) of project files that name a file which moves, with its path."""

    title: str
    replacements: list[Replacement] = msgspec.field(default_factory=list)
    doubtful: list[Place] = msgspec.field(default_factory=list)
    problems: list[Problem] = msgspec.field(default_factory=list)
    texts: dict[str, bytes] = msgspec.field(default_factory=dict)
    moves: dict[str, str] = msgspec.field(default_factory=dict)
    left: list[tuple[str, int]] = msgspec.field(default_factory=list)
    made: dict[str, bytes] = msgspec.field(default_factory=dict)
    created: str = ""
    renamed: tuple[str, str] = ("", "")
    named: dict[tuple[str, int], str] = msgspec.field(default_factory=dict)

    def by_path(self) -> Mapping[str, Sequence[Replacement]]:
        """The replacements of each file, in order."""
        found: dict[str, list[Replacement]] = {}
        for each in sorted(set(self.replacements)):
            found.setdefault(each.path, []).append(each)
        return found

    def of_csharp(self) -> Plan:
        """The plan without files of other languages."""
        kept = [each for each in self.replacements if not each.path.lower().endswith(OTHER_LANGUAGES)]
        return replace(self, replacements=kept)

    def leave_file(self, path: str, reason: str) -> None:
        """Changes nothing in a file: its places are left to a person."""
        left = [each for each in self.replacements if each.path == path]
        self.replacements = [each for each in self.replacements if each.path != path]
        self.doubtful += [Place(path, each.start, each.end, reason) for each in left if each.named]
        self.moves.pop(path, None)

    def leave_named_files(self) -> None:
        """Moves no file that a project file names where that goes on to name it: the project would lose it."""
        changed = {(each.path, each.start) for each in self.replacements}
        for place, path in self.named.items():
            if place not in changed:
                self.moves.pop(path, None)

    def changed_texts(self) -> dict[str, bytes]:
        """The new texts of the files in which something is replaced, by path."""
        return {path: _replaced(self.texts[path], each) for path, each in self.by_path().items()}


def _replaced(text: bytes, replacements: Sequence[Replacement]) -> bytes:
    parts: list[bytes] = []
    at = 0
    for each in replacements:
        parts += [text[at : each.start], each.text.encode()]
        at = each.end
    return b"".join([*parts, text[at:]])
