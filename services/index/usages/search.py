"""Usages of one symbol over the whole workspace, file by file."""

from __future__ import annotations

import re
import threading
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from services.concurrency.cancellation import until
from services.errors import CodeCortexError, UsageError
from services.index.build.worker import as_utf8
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Records
from services.index.framework.members import load as member_table
from services.index.framework.table import load as framework_table
from services.index.names.names import Names
from services.index.symbols.placed import Found, Whole
from services.index.usages.judge import Judge, MemberJudge, TypeJudge
from services.index.usages.meaning import Meaning, MeaningJudge, line_of, offsets, word_at
from services.index.usages.mentions import MentionReader
from services.index.usages.places import INDEX_PATTERN, FilePlaces, Place, name_pattern
from services.index.usages.types.conversions import Conversions
from services.index.usages.types.delegates import Delegates
from services.index.usages.types.extensions import Extensions
from services.index.usages.types.member import Member
from services.index.usages.types.members import TypeMembers
from services.index.usages.types.typed import Tools
from services.model import Grade, Kind, Progress
from services.msbuild import ProjectInfo
from services.syntax.bodies.crefs import crefs_in
from services.syntax.parse.lexer import lex
from services.syntax.records.hashing import text_hash
from services.workspace.files.root import Root

_NAMELESS = {
    Kind.OPERATOR: "An operator",
    Kind.CONVERSION: "A conversion",
    Kind.DESTRUCTOR: "A destructor",
}
"""What is used without a name, as sentences begin with it."""

_REPORTED_EVERY = 100  # files
_LONGEST_SNIPPET = 400  # characters
Report = Callable[[Progress], None]


@dataclass(frozen=True, slots=True)
class Spot:
    """A usage in a file: `line` from 1; `column`, `end_column`: characters of `snippet`, from 0, end exclusive."""

    line: int
    column: int
    end_column: int
    snippet: str
    kind: str
    grade: Grade
    declaration: int


@dataclass(frozen=True, slots=True)
class FileSpots:
    """The usages in one file, in order. `file`: its index in the catalogue."""

    file: int
    path: str
    spots: tuple[Spot, ...]


class UsageSearch:
    """Searches for usages. Made for one version of the catalogue; what it learns of types it keeps."""

    def __init__(
        self,
        root: Root,
        catalogue: Catalogue,
        records: Records,
        names: Names,
        projects: Sequence[ProjectInfo],
        lock: AbstractContextManager[object],
    ) -> None:
        facts = member_table()
        members = TypeMembers(catalogue, records, names, (framework_table(), facts))
        self._tools = Tools(
            names,
            members,
            Extensions(catalogue, records, facts),
            Delegates(members, names),
            Conversions(members),
        )
        self.names = names
        self._root = root
        self._catalogue = catalogue
        self._records = records
        self._names = names
        self._projects = projects
        self._lock = lock

    @property
    def version(self) -> int:
        """The version of the catalogue that this is for."""
        return self._names.version

    def mentions(self) -> MentionReader:
        """What reads the other way: what a stretch of source refers to."""
        return MentionReader(self._catalogue, self._records, self._tools, tuple(self._projects))

    def find(
        self, found: Found, *, report: Report | None = None, cancel: threading.Event | None = None
    ) -> Iterator[FileSpots]:
        """Every file with usages, those of the declaring project first, then by project and path. A refresh that runs
        beside may make it end early: ask again. Raises Cancelled, and UsageError for what is used without a name."""
        wanted = _Wanted(found, self._names, self._tools.members)
        files = self._files(found.whole)
        asked = until(cancel, enumerate(files), message="The search for usages was cancelled.")
        for done, (file, entry) in asked:
            if report is not None and done % _REPORTED_EVERY == 0:
                report(Progress(phase="Looking for usages", done=done, total=len(files)))
            data = self._text(entry)
            if data is None or not wanted.may_be_in(data, entry.project):
                continue
            with self._lock:
                if self._catalogue.version != self.version:
                    return
                spots = self._spots(file, entry, data, wanted)
            if spots:
                yield FileSpots(file, entry.path, spots)

    def meaning(self, file: int, line: int, column: int) -> tuple[str, Meaning, int | None]:
        """The name at a place of a file (by its index; `column`: characters from 0), what it means, and the line where
        it is declared if it is a local. The name is empty where none stands there."""
        entry = self._catalogue.file(file)
        data, record = self._text(entry), self._records.record(file)
        text = as_utf8(data, entry.path, self._root.encoding) if data is not None else b""
        if record is None or text_hash(text) != record.file_hash:
            return "", Meaning(reason="The file has changed. Refresh and ask again."), None
        lines = text.split(b"\n", line)
        shown = lines[line - 1].decode("utf-8", "replace") if len(lines) >= line else ""
        columns = word_at(shown, column)
        if columns is None:
            return "", Meaning(), None
        name = shown[columns[0] : columns[1]].removeprefix("@")
        judge = MeaningJudge(name, self._tools, lambda index: self._catalogue.types[index].parts)
        places = FilePlaces(self._tools, judge, file, record, entry.project)
        span = offsets(text, line, columns)
        lexed = lex(text, self._projects[entry.project].defines)
        cref = next((each for each in crefs_in(text, lexed.docs) if each.start <= span[0] < each.end), None)
        for _ in places.judged(lexed, [span]) if cref is None else places.in_cref(lexed, cref, span):
            pass
        meaning = judge.meaning or Meaning()
        return name, meaning, line_of(text, meaning.local) if meaning.local is not None else None

    def _files(self, whole: Whole) -> list[tuple[int, FileEntry]]:
        """Files of projects that see one that compiles the type."""
        space, project = self._names.space, whole.entry.project
        seeing = {at for at in range(len(self._projects)) if space.sees_type(at, whole.index)}
        seen = [
            (at, entry)
            for at, entry in enumerate(self._catalogue.files)
            if entry is not None and not entry.shadow and entry.project in seeing
        ]
        return sorted(seen, key=lambda each: (each[1].project != project, each[1].project, each[1].path))

    def _text(self, entry: FileEntry) -> bytes | None:
        try:
            return as_utf8_if_marked(self._root.read(entry.path)[0], entry.path)
        except CodeCortexError:
            return None

    def _spots(self, file: int, entry: FileEntry, data: bytes, wanted: _Wanted) -> tuple[Spot, ...]:
        record = self._records.record(file)
        text = as_utf8(data, entry.path, self._root.encoding)
        if record is None or text_hash(text) != record.file_hash:
            return ()
        symbols = self._projects[entry.project].defines
        places = FilePlaces(self._tools, wanted.judge, file, record, entry.project)
        pattern = wanted.pattern(entry.project, [using for scope in record.scopes for using in scope.usings])
        found = sorted(places.find(text, symbols, pattern), key=lambda place: place.start)
        return tuple(_spots(text, found))


class _Wanted:
    """What is looked for: names, and the judge of their places."""

    def __init__(self, found: Found, names: Names, members: TypeMembers) -> None:
        self._names = names
        index = found.whole.index
        self._construct = self._indexes = False
        self._type_name = found.whole.entry.name
        self.judge: Judge
        if found.member is None:
            self.judge = TypeJudge(index, names, members)
            self._simple = _with_short(self._type_name)
        else:
            declaration = found.member.declaration
            if declaration.kind in _NAMELESS:
                raise UsageError(
                    f"{_NAMELESS[declaration.kind]} is used without a name: its usages cannot be looked for."
                )
            self.judge = MemberJudge(Member(index, found.member.file, found.member.at, declaration), members)
            self._construct = declaration.kind is Kind.CONSTRUCTOR
            self._indexes = declaration.kind is Kind.INDEXER
            self._simple = _with_short(self._type_name) if self._construct else frozenset({declaration.name})
        self._of_types = found.member is None or self._construct
        self._words = {}
        self._patterns = {}

    def may_be_in(self, data: bytes, project: int) -> bool:
        """Whether a file of the project holds any of the names."""
        words = self._words.get(project)
        if words is None:
            names = {"["} if self._indexes else self._of_project(project)
            words = self._words[project] = [name.encode() for name in names]
        return any(word in data for word in words)

    def pattern(self, project: int, usings: Sequence) -> re.Pattern[bytes]:
        """What finds the names in a file with these using directives."""
        if self._indexes:
            return INDEX_PATTERN
        names = self._of_project(project) | self._aliases(usings)
        if names not in self._patterns:
            self._patterns[names] = name_pattern(names, constructions=self._construct)
        return self._patterns[names]

    def _of_project(self, project: int) -> frozenset[str]:
        return self._simple | self._aliases(self._names.global_usings(project))

    def _aliases(self, usings: Sequence) -> frozenset[str]:
        if not self._of_types:
            return frozenset()
        return frozenset(u.alias for u in usings if u.alias and self._type_name in u.name)


def _with_short(name: str) -> frozenset[str]:
    """The name of a type, and what an attribute is written as."""
    short = name.removesuffix("Attribute")
    return frozenset({name, short} if short else {name})


def as_utf8_if_marked(data: bytes, path: str) -> bytes:
    """Files in UTF-16 as UTF-8, in which names can be found; all others as they are."""
    return as_utf8(data, path) if data.startswith((b"\xff\xfe", b"\xfe\xff")) else data


def _spots(text: bytes, places: Sequence[Place]) -> Iterator[Spot]:
    if not places:
        return
    starts = [0]
    while (at := text.find(b"\n", starts[-1])) >= 0:
        starts.append(at + 1)
    for place in places:
        line = bisect_right(starts, place.start)
        begin = starts[line - 1]
        end = text.find(b"\n", begin)
        whole = text[begin : end if end >= 0 else len(text)].rstrip(b"\r")
        start = place.start - text.startswith(b"@", place.start - 1)  # of an escaped name
        column = len(text[begin:start].decode("utf-8", "replace"))
        length = len(text[start : place.end].decode("utf-8", "replace"))
        shown = whole.decode("utf-8", "replace")
        cut = max(0, column + length - _LONGEST_SNIPPET) if len(shown) > _LONGEST_SNIPPET else 0
        snippet = shown[cut : cut + _LONGEST_SNIPPET]
        yield Spot(
            line, column - cut, column - cut + length, snippet, place.kind, place.grade, place.declaration
        )
