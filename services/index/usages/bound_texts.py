"""Files of a workspace as their projects compile them, with what their names mean, and the names in branches of `#if`
that are left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

import msgspec

from services.errors import CodeCortexError
from services.index.binding.facts import Facts
from services.index.binding.types.symbol import MemberKey
from services.index.binding.types.world import World
from services.index.build.worker import as_utf8
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Records
from services.index.graph.packing import NamedType, member_places, naming, type_places
from services.index.usages.places import FileFacts, name_pattern
from services.msbuild import ProjectInfo
from services.syntax.parse.branches import condition_of, lex_file
from services.syntax.parse.lexer import Lexed, lex, shown_again
from services.syntax.records.declaration import FileRecord
from services.syntax.records.hashing import text_hash
from services.syntax.records.words import KEYWORDS
from services.workspace.files.root import Root
from services.workspace.source_kinds import is_markup


class StoredPlaces(Protocol):
    """Stored results about files."""

    def places(self, file: int) -> bytes | None:
        """Return the packed places where a file names types; None where they are unknown."""
        ...

    def members(self, file: int) -> bytes:
        """Return the packed places where a file names members and can mean nothing else, as far as they are known."""
        ...


class CompiledText(msgspec.Struct, frozen=True):
    """A file as one project compiles it. `file`: its index in the catalogue; `text`: UTF-8, in which offsets count."""

    file: int
    entry: FileEntry
    text: bytes
    lexed: Lexed
    record: FileRecord

    @property
    def path(self) -> str:
        """Return the path of the file."""
        return self.entry.path

    def word(self, start: int, end: int) -> str:
        """The source between two offsets."""
        return self.text[start:end].decode("utf-8", "replace")


def as_utf8_if_marked(data: bytes, path: str) -> bytes:
    """Files in UTF-16 as UTF-8, in which names can be found; all others as they are."""
    return as_utf8(data, path) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else data


class BoundTexts:
    """The files of one version of the catalogue. Not thread-safe but for the `lock` around what learns."""

    def __init__(
        self,
        root: Root,
        catalogue: Catalogue,
        records: Records,
        projects: tuple[ProjectInfo, ...],
        facts: FileFacts,
        lock: AbstractContextManager[object],
        *,
        stored: StoredPlaces | None = None,
    ) -> None:
        """`stored`: what was bound of files before."""
        self._root = root
        self.catalogue = catalogue
        self.records = records
        self.projects = projects
        self._facts = facts
        self.lock = lock
        self._stored = stored
        self.stale: set[str] = set()
        """Files that were looked at and are not as they were indexed."""
        self._known: dict[int, CompiledText | None] = {}

    def world_of(self, project: int) -> World:
        """The types that a project sees."""
        return self._facts.world(project)

    def text(self, file: int, words: Collection[bytes] = ()) -> CompiledText | None:
        """Return the text of a file; None where it has changed since indexing, contains none of `words`, or is markup:
        what stands there is C# in part."""
        if file not in self._known:
            if is_markup(self.catalogue.file(file).path):
                return None
            data = self._read(file)
            if data is None or (words and not any(word in data for word in words)):
                return None
            self._known[file] = self._compiled(file, data)
        found = self._known[file]
        if found is not None and words and not any(word in found.text for word in words):
            return None
        return found

    def _read(self, file: int) -> bytes | None:
        given = self.records.given(file)
        if given is not None:
            return given
        path = self.catalogue.file(file).path
        try:
            return as_utf8_if_marked(self._root.read(path)[0], path)
        except CodeCortexError:
            return None

    def _compiled(self, file: int, data: bytes) -> CompiledText | None:
        entry, record = self.catalogue.file(file), self.records.record(file)
        text = as_utf8(data, entry.path, self._root.encoding)
        if record is None or text_hash(text) != record.file_hash:
            self.stale.add(entry.path)
            return None
        return CompiledText(
            file, entry, text, lex_file(text, self.projects[entry.project].symbols(entry.path)), record
        )

    def holding(
        self, words: Collection[str], *, within: Collection[str] | None = None
    ) -> Iterator[CompiledText]:
        """Iterate over the files that contain one of these words: each once, and once more for each other text that
        the preprocessor leaves of it. The file of the project that owns it comes before those that share it.
        `within`: paths of the files to look at, all where it is left out."""
        looked_for = [word.encode() for word in words]
        seen: set[tuple[str, str]] = set()
        files = [
            (at, entry)
            for at, entry in enumerate(self.catalogue.files)
            if entry is not None and (within is None or entry.path in within)
        ]
        files.sort(key=lambda each: (each[1].shadow, each[1].path))
        for at, entry in files:
            if (entry.path, entry.variant) in seen:
                continue
            seen.add((entry.path, entry.variant))
            found = self.text(at, looked_for)
            if found is not None:
                yield found

    def occurrences(self, text: CompiledText, words: Collection[str]) -> list[int]:
        """Return the offsets of names in code and in documentation comments, and of keywords in code, in order."""
        keywords = KEYWORDS.intersection(words)
        pattern = name_pattern(frozenset(words), constructions=False)
        found = {match.start() for match in pattern.finditer(shown_again(text.lexed.code))}
        for each in keywords:
            found.update(
                match.start() for match in re.finditer(rb"\b" + each.encode() + rb"\b", text.lexed.clean)
            )
        for start, end in text.lexed.docs:
            found.update(match.start() for match in pattern.finditer(text.lexed.source, start, end))
        return sorted(found)

    def naming(self, text: CompiledText, index: int) -> Sequence[NamedType] | None:
        """Return the stored places where a file names a type; None where there are none."""
        kept = self._stored.places(text.file) if self._stored is not None else None
        return naming(kept, index) if kept is not None else None

    def settled(self, text: CompiledText) -> dict[int, MemberKey | None]:
        """Return the stored places of a file whose names can mean one symbol alone, by offset: the member that they
        mean, None for a type. Others have to be bound."""
        if self._stored is None:
            return {}
        found: dict[int, MemberKey | None] = dict.fromkeys(type_places(self._stored.places(text.file) or b""))
        return {**found, **member_places(self._stored.members(text.file))}

    def facts(self, text: CompiledText, offsets: Iterable[int]) -> dict[int, Facts]:
        """Return the facts of the declarations around these offsets, by declaration; -1 for text outside all."""
        with self.lock:
            return self._facts.around(text.file, text.lexed, text.record, offsets)

    def facts_of(self, text: CompiledText, at: int) -> Facts:
        """Return the facts of one declaration."""
        with self.lock:
            return self._facts.of(text.file, at, text.lexed)


WORD = re.compile(rb"@?[A-Za-z_\x80-\xff][\w\x80-\xff]*")
"""An identifier in UTF-8 source."""


LEFT_OUT = "left out"
"""The kind of a usage in such a branch."""
_MOST_NESTED = 20


class LeftOut(NamedTuple):
    """A name in a branch. `start`, `end`: offsets of the name in the file; `reason`: which branch it is."""

    start: int
    end: int
    reason: str


def names_left_out(lexed: Lexed, pattern: re.Pattern[bytes], depth: int = 0) -> Iterator[LeftOut]:
    """Iterate over what a pattern finds in the branches that are left out, but for their comments and strings."""
    for start, end in lexed.left_out if depth < _MOST_NESTED else ():
        if pattern.search(lexed.source, start, end) is None:
            continue
        branch = lex(lexed.source[start:end])
        reason = ""
        for match in pattern.finditer(branch.clean):
            reason = reason or f"in another configuration: {condition_of(lexed, start)}"
            yield LeftOut(start + match.start(), start + match.end(), reason)
        for each in names_left_out(branch, pattern, depth + 1):
            yield LeftOut(start + each.start, start + each.end, each.reason)


def named_elsewhere(text: bytes, record: FileRecord, pattern: re.Pattern[bytes]) -> frozenset[int]:
    """Where declarations of another configuration have a name that the pattern finds."""
    found = (
        pattern.search(text, each.start, each.end)
        for each in record.elsewhere
        if each.condition and pattern.fullmatch(each.name.lstrip("@").encode())
    )
    return frozenset(match.start() for match in found if match is not None)


def meant(facts: Facts) -> Iterator[int]:
    """Iterate over the places of names that mean something which is known."""
    yield from (each.start for each in (*facts.facts, *facts.locals))
    yield from (start for start, what in facts.others.items() if what != "foreign")


def unbound(
    lexed: Lexed, record: FileRecord, pattern: re.Pattern[bytes], known: Container[int]
) -> Iterator[tuple[int, int]]:
    """Iterate over the names in code that neither mean anything which is known nor are those of declarations."""
    declared = {
        match.start()
        for each in record.declarations
        if pattern.fullmatch(each.name.lstrip("@").encode())
        and (match := pattern.search(lexed.clean, each.start, each.end)) is not None
    }
    for match in pattern.finditer(lexed.clean):
        if match.start() not in known and match.start() not in declared:
            yield match.span()
