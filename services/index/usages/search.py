"""Usages of one symbol over the whole workspace, file by file."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import NamedTuple, Protocol

import msgspec
from msgspec.structs import replace

from services.concurrency.cancellation import until
from services.concurrency.latest import LRUCache
from services.errors import CodeCortexError, UsageError
from services.index.binding.facts import Facts
from services.index.binding.files import FileBinder
from services.index.binding.unimplemented import Unimplemented, overriding_nothing, unimplemented
from services.index.build.worker import as_utf8, parsed_text
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Records
from services.index.compiled import compilations, projects_of
from services.index.graph.packing import NamedType, naming
from services.index.names.names import Names
from services.index.symbols.placed import FoundSymbol, TypeWithMembers
from services.index.usages.bound_texts import (
    LEFT_OUT,
    BoundTexts,
    as_utf8_if_marked,
    meant,
    named_elsewhere,
    names_left_out,
    unbound,
)
from services.index.usages.links import link
from services.index.usages.mentions import MentionReader
from services.index.usages.places import (
    FileFacts,
    Meanings,
    NameMeaning,
    declarator,
    line_of,
    line_text,
    offsets,
    word_at,
)
from services.index.usages.target import UsageTarget
from services.model import Grade, Kind, Progress
from services.msbuild import ProjectInfo
from services.syntax.parse.branches import lex_file
from services.syntax.parse.lexer import Lexed, shown_again
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import text_hash
from services.workspace.files.root import Root

_REPORTED_EVERY = 100  # files
_MARK = b"\xef\xbb\xbf"
_LONGEST_SNIPPET = 400  # characters
_ANSWERS = 4
_MOST_KEPT = 40_000  # usages of an answer that is cached
Report = Callable[[Progress], None]


class StoredResults(Protocol):
    """Stored results about files; None where there are none."""

    def places(self, file: int) -> bytes | None:
        """Return the packed places where a file names types."""
        ...

    def members(self, file: int) -> bytes:
        """Return the packed places where a file names members and can mean nothing else, as far as they are known."""
        ...

    def reaches(self, file: int, index: int) -> bool | None:
        """Whether a file names or uses a type."""
        ...

    def refused(self) -> Mapping[int, tuple[int, ...]]:
        """Return the files in which the parser refuses something, whose names the places lack."""
        ...


class UsagePlace(msgspec.Struct, frozen=True):
    """Place of a usage. `start`, `end`: its name's offsets; `declaration`: the one around it, -1 outside; `reason`:
    why it does not fit."""

    start: int
    end: int
    kind: str
    grade: Grade
    declaration: int
    reason: str = ""


class SourceUsage(msgspec.Struct, frozen=True):
    """A usage in a file: `line` from 1; `column`, `end_column`: characters of the line, from 0, end exclusive;
    `snippet`: the line, which begins with its character `snippet_start` where it is very long; `reason`: why the place
    does not fit the symbol, where it does not."""

    line: int
    column: int
    end_column: int
    snippet: str
    snippet_start: int
    kind: str
    grade: Grade
    declaration: int
    reason: str = ""


class FileUsages(msgspec.Struct, frozen=True):
    """The usages in one file, in order. `file`: its index in the catalogue; `framework`: the target framework that
    alone compiles it, empty where its project's own one does."""

    file: int
    path: str
    spots: tuple[SourceUsage, ...]
    framework: str = ""


class _UsageRequest(NamedTuple):
    """Search request: the symbol and the searched scope. `type`: that of the symbol, or itself, by its index."""

    wanted: UsageTarget
    type: int
    files: Sequence[tuple[int, FileEntry]]
    crefs: bool


class UsageSearch:
    """Search for usages. Made for one version of the catalogue; it caches types that it has learnt."""

    def __init__(
        self,
        root: Root,
        catalogue: Catalogue,
        records: Records,
        names: Names,
        projects: Sequence[ProjectInfo],
        lock: AbstractContextManager[object],
    ) -> None:
        self._binder = FileBinder(catalogue, records, names, projects)
        self._facts = FileFacts(self._binder)
        self.names = names
        self._root = root
        self._catalogue = catalogue
        self._records = records
        self._names = names
        self._projects = projects
        self._lock = lock
        self._answers: LRUCache[tuple[str, bool, bool], tuple[FileUsages, ...]] = LRUCache(_ANSWERS)

    @property
    def version(self) -> int:
        """The version of the catalogue that this is for."""
        return self._names.version

    def texts(self, stored: StoredResults | None = None) -> BoundTexts:
        """The files of the workspace with what their names mean. `stored`: as of `find`."""
        projects = tuple(self._projects)
        return BoundTexts(
            self._root, self._catalogue, self._records, projects, self._facts, self._lock, stored=stored
        )

    def unimplemented(
        self, index: int, name: str, users: Callable[[int], Iterable[int]]
    ) -> Iterator[Unimplemented]:
        """The types that derive from a type and lack what it leaves to them under a name. `users`: who names one."""
        return unimplemented(self._catalogue, self._binder.tools, (index, name), users)

    def overriding_nothing(
        self, index: int, name: str, users: Callable[[int], Iterable[int]]
    ) -> Iterator[tuple[int, Declaration]]:
        """The members of a name, each (file, declaration), with which heirs of a type override what no base has."""
        return overriding_nothing(self._catalogue, self._binder.tools, (index, name), users)

    def mentions(self) -> MentionReader:
        """Return the reader for the opposite direction: the symbols that a range of source refers to."""
        return MentionReader(self._catalogue, self._records, self._names, self._facts, tuple(self._projects))

    def find(
        self,
        found: FoundSymbol,
        *,
        nameless: bool = False,
        crefs: bool = True,
        project: str = "",
        within: Callable[[str], bool] | None = None,
        inside: Callable[[Declaration], bool] | None = None,
        stored: StoredResults | None = None,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[FileUsages]:
        """Iterate over every file with usages, those of the declaring project first, then by project and path.
        `nameless`, `crefs`: as of `UsageTarget`; `project`: among several projects that compile one source, the one
        whose type is meant; `within`: which files are searched, `inside`: which declarations of them; `stored`:
        stored results about files. A concurrent refresh may end it early: repeat it. Raises Cancelled and UsageError.
        """
        key = (found.id, nameless, crefs)
        is_whole = within is None and inside is None and not project
        if is_whole and (known := self._answers.find(key)) is not None:
            yield from known
            return
        world = self._binder.tools(found.whole.entry.project).world
        wanted = UsageTarget(found, self._names, world, nameless=nameless, crefs=crefs)
        files = [each for each in self._files(found.whole, project) if within is None or within(each[1].path)]
        answer: list[FileUsages] = []
        reported = self._reported(files, report, cancel)
        for each in self._find(
            _UsageRequest(wanted, found.whole.index, files, crefs), reported, stored, inside
        ):
            answer.append(each)
            yield each
        if is_whole:
            self._keep(key, answer)

    def _keep(self, key: tuple[str, bool, bool], answer: list[FileUsages]) -> None:
        if self._catalogue.version == self.version and sum(len(a.spots) for a in answer) <= _MOST_KEPT:
            self._answers.keep(key, tuple(answer))

    def _reported(
        self, files: Sequence[tuple[int, FileEntry]], report: Report | None, cancel: threading.Event | None
    ) -> Iterator[int]:
        """The places of files in a list, one after the other. Raises Cancelled."""
        for done in until(cancel, range(len(files)), message="The search for usages was cancelled."):
            if report is not None and done % _REPORTED_EVERY == 0:
                report(Progress(phase="Looking for usages", done=done, total=len(files)))
            yield done

    def _find(
        self,
        asked: _UsageRequest,
        places: Iterator[int],
        stored: StoredResults | None,
        inside: Callable[[Declaration], bool] | None,
    ) -> Iterator[FileUsages]:
        wanted, files = asked.wanted, asked.files
        told: set[tuple[str, int, int]] = set()
        for done in places:
            file, entry = files[done]
            is_kept = (
                stored is not None and wanted.is_type and inside is None and file not in stored.refused()
            )
            kept = stored.places(file) if stored is not None and is_kept else None
            named = naming(kept, asked.type) if kept is not None else None
            if named is not None and not named and not entry.variant:
                continue
            data = self._text(entry)
            if data is None or (named is None and not self._may_be_in(data, file, asked, stored)):
                continue
            with self._lock:
                if self._catalogue.version != self.version:
                    return
                if named is None:
                    spots = self._spots(file, entry, data, wanted, inside)
                else:
                    named = [each for each in named if asked.crefs or each.kind != "cref"]
                    spots = self._looked_up(file, entry, data, named, asked.type)
                if entry.variant and inside is None and not self._is_shared_with_next(files, done):
                    first = done  # texts of one file stand side by side
                    while first and files[first - 1][1].path == entry.path:
                        first -= 1
                    texts = [each for _, each in files[first : done + 1]]
                    spots += self._left_out(file, texts, data, wanted)
            if self._is_shared(files, done):
                spots = tuple(each for each in spots if (entry.path, each.line, each.column) not in told)
                told.update((entry.path, each.line, each.column) for each in spots)
            if spots:
                ordered = sorted(spots, key=lambda spot: (spot.line, spot.column))
                yield FileUsages(file, entry.path, tuple(ordered), self._framework(entry))

    def _framework(self, entry: FileEntry) -> str:
        if entry.project >= len(self._projects):
            return ""
        return self._projects[entry.project].other_framework(entry.path)

    def _left_out(
        self, file: int, texts: Sequence[FileEntry], data: bytes, wanted: UsageTarget
    ) -> tuple[SourceUsage, ...]:
        """The names in branches of `#if` that each project leaves out: what they mean there is not known. `texts`: the
        file as every project compiles it, the last one's being `file`."""
        entry = texts[-1]
        record = self._records.record(file)
        text = parsed_text(data, entry.path, self._root.encoding)
        if record is None or text_hash(text) != record.file_hash or not wanted.may_be_in(text, entry.project):
            return ()
        names = wanted.names(entry.project, [using for scope in record.scopes for using in scope.usings])
        if names is None:
            return ()
        found = [
            {
                each.start: each
                for each in names_left_out(lex_file(text, self._projects[of.project].symbols(of.path)), names)
            }
            for of in texts
        ]
        own = named_elsewhere(text, record, names)
        places = [
            UsagePlace(each.start, each.end, LEFT_OUT, Grade.NAME_MATCH, -1, each.reason)
            for start, each in found[-1].items()
            if start not in own and all(start in other for other in found[:-1])
        ]
        return tuple(_spots(self._shown(data, entry), places, wanted.kind))

    def _may_be_in(self, data: bytes, file: int, asked: _UsageRequest, stored: StoredResults | None) -> bool:
        if asked.wanted.may_be_in(data, self._catalogue.file(file).project):
            return True
        reaches = stored.reaches(file, asked.type) if stored is not None else None
        return reaches is not False and asked.wanted.may_construct(data)

    def _looked_up(
        self, file: int, entry: FileEntry, data: bytes, named: Sequence[NamedType], index: int
    ) -> tuple[SourceUsage, ...]:
        """Return the places of a file that are known to name the type `index`."""
        text = parsed_text(data, entry.path, self._root.encoding)
        if text_hash(text) != self._records.file_hash(file):
            return ()
        places: dict[tuple[int, int], UsagePlace] = {}
        doubtful = any(not each.sure for each in named)
        lexed = lex_file(text, self._projects[entry.project].symbols(entry.path)) if doubtful else None
        for each in named:
            key = (each.start, each.end)
            if key not in places or each.sure:
                grade = Grade.BOUND if each.sure else Grade.NAME_MATCH
                reason = "" if lexed is None or each.sure else self._reason(file, lexed, each, index)
                places[key] = UsagePlace(*key, each.kind, grade, each.declaration, reason)
        ordered = sorted(places.values(), key=lambda place: place.start)
        return tuple(_spots(self._shown(data, entry), ordered, Kind.CLASS))

    def _reason(self, file: int, lexed: Lexed, named: NamedType, index: int) -> str:
        """Return why a place does not fit a type, which is not stored; its declaration is bound."""
        facts = self._facts.of(file, named.declaration, lexed).facts
        return next(
            (
                each.reason
                for each in facts
                if each.target == index and each.start == named.start and each.reason
            ),
            "",
        )

    def _shown(self, data: bytes, entry: FileEntry) -> bytes:
        """The text of a file as people see it, of the length of what was parsed."""
        return as_utf8(data, entry.path, self._root.encoding)

    def _is_shared(self, files: Sequence[tuple[int, FileEntry]], at: int) -> bool:
        """Whether a file is looked through once more, as another project compiles it."""
        near = (*files[max(0, at - 1) : at], *files[at + 1 : at + 2])
        return any(entry.path == files[at][1].path for _, entry in near)

    def _is_shared_with_next(self, files: Sequence[tuple[int, FileEntry]], at: int) -> bool:
        """Whether the file after it is another text of the same."""
        return any(entry.path == files[at][1].path for _, entry in files[at + 1 : at + 2])

    def meaning(self, files: Sequence[int], line: int, column: int) -> tuple[str, NameMeaning, int | None]:
        """Return the name at a place of a file, its meaning, and the line of the declaration of a local. The name is
        empty where there is none. `files`: the file's index for each text of it, of which the first that the
        preprocessor leaves the place to is used; `column`: characters from 0."""
        entry = self._catalogue.file(files[0])
        data, record = self._text(entry), self._records.record(files[0])
        text = parsed_text(data, entry.path, self._root.encoding) if data is not None else b""
        if record is None or text_hash(text) != record.file_hash:
            return "", NameMeaning(reason="The file has changed. Refresh and ask again."), None
        shown = line_text(text, line)
        columns = word_at(shown, column)
        if columns is None:
            return "", NameMeaning(), None
        name = shown[columns[0] : columns[1]].removeprefix("@")
        start, end = offsets(text, line, columns)
        start += text.startswith(b"@", start)
        file, lexed = self._text_of(files, text, (start, end))
        record = self._records.record(file) or record
        around = self._facts.around(file, lexed, record, [start])
        meaning = Meanings(self._catalogue, self._records, self._names.space).of(
            next(iter(around.items())), (start, end), file
        )
        local = line_of(text, meaning.local) if meaning.local is not None else None
        return name, self._said(meaning, name), local

    def _text_of(self, files: Sequence[int], text: bytes, span: tuple[int, int]) -> tuple[int, Lexed]:
        """The first of a file's texts that the preprocessor leaves a place to; of one that it leaves to none, the
        first."""
        every = [
            (file, lex_file(text, self._projects[entry.project].symbols(entry.path)))
            for file, entry in ((each, self._catalogue.file(each)) for each in files)
        ]
        return next((each for each in every if not each[1].clean[slice(*span)].isspace()), every[0])

    def _said(self, meaning: NameMeaning, name: str) -> NameMeaning:
        """With a sentence where there is no declaration."""
        return replace(meaning, reason=meaning.reason.format(name=name)) if meaning.reason else meaning

    def _files(self, whole: TypeWithMembers, compiled_by: str) -> list[tuple[int, FileEntry]]:
        """Files of projects that see one that compiles the type, or this one of those: each once, and once more for
        each other text that the preprocessor leaves of it, behind the first. Raises UsageError."""
        space, project, local = self._names.space, whole.entry.project, whole.entry.local
        local = "" if whole.entry.is_elsewhere else local
        seeing = {at for at in range(len(self._projects)) if space.sees_type(at, whole.index)}
        if compiled_by:
            chosen = self._compiled(whole, compiled_by)
            seeing = {at for at in seeing if space.compiled_for(at, whole.index) == chosen}
        seen = [
            (at, entry)
            for at, entry in enumerate(self._catalogue.files)
            if entry is not None and entry.project in seeing and local in ("", entry.path)
        ]
        seen.sort(
            key=lambda each: (each[1].shadow, each[1].project != project, each[1].project, each[1].path)
        )
        if not seen or not seen[-1][1].shadow:
            return seen
        texts: dict[str, dict[str, tuple[int, FileEntry]]] = {}
        for at, entry in seen:
            texts.setdefault(entry.path, {}).setdefault(entry.variant, (at, entry))
        return [each for same in texts.values() for each in same.values()]

    def _compiled(self, whole: TypeWithMembers, project: str) -> int:
        """The type as a project compiles it. Raises UsageError where it does not."""
        catalogue = self._catalogue
        for at in compilations(catalogue, whole.index):
            if catalogue.projects[catalogue.type(at).project] == project:
                return at
        compiling = ", ".join(projects_of(catalogue, whole.index))
        raise UsageError(f"{project} does not compile {whole.entry.name}. These do: {compiling}.")

    def _text(self, entry: FileEntry) -> bytes | None:
        try:
            return as_utf8_if_marked(self._root.read(entry.path)[0], entry.path)
        except CodeCortexError:
            return None

    def _spots(
        self,
        file: int,
        entry: FileEntry,
        data: bytes,
        wanted: UsageTarget,
        inside: Callable[[Declaration], bool] | None,
    ) -> tuple[SourceUsage, ...]:
        record = self._records.record(file)
        text = parsed_text(data, entry.path, self._root.encoding)
        if record is None or text_hash(text) != record.file_hash:
            return ()
        pattern = wanted.pattern(entry.project, [using for scope in record.scopes for using in scope.usings])
        lexed = lex_file(text, self._projects[entry.project].symbols(entry.path))
        offsets_ = [match.start() for match in pattern.finditer(shown_again(lexed.code))]
        if b"cref" in text:
            for start, end in lexed.docs:
                offsets_ += [match.start() for match in pattern.finditer(lexed.source, start, end)]
        places: dict[tuple[int, int], UsagePlace] = {}
        known: set[int] = set()
        for at, facts in self._facts.around(file, lexed, record, offsets_, inside).items():
            around = partial(declarator, record.declarations, at)
            _take(places, wanted, facts, around)
            known.update(meant(facts) if wanted.is_elsewhere else ())
        if wanted.is_elsewhere:
            for start, end in unbound(lexed, record, pattern, known):
                places.setdefault((start, end), UsagePlace(start, end, "name", Grade.NAME_MATCH, -1))
        ordered = sorted(places.values(), key=lambda place: place.start)
        return tuple(_spots(self._shown(data, entry), ordered, wanted.kind))


def _take(
    places: dict[tuple[int, int], UsagePlace], wanted: UsageTarget, facts: Facts, around: Callable[[int], int]
) -> None:
    """Adds the places of a declaration that use the symbol, or may. `around`: the declaration at an offset."""
    for fact in facts.facts:
        grade = wanted.grade(fact)
        key = (fact.start, fact.end)
        if grade is not None and (key not in places or grade == Grade.BOUND):
            places[key] = UsagePlace(fact.start, fact.end, fact.kind, grade, around(fact.start), fact.reason)
    for loose in facts.loose:
        if (loose.start, loose.end) not in places and wanted.may_be(loose):
            key = (loose.start, loose.end)
            places[key] = UsagePlace(
                loose.start, loose.end, loose.kind, Grade.NAME_MATCH, around(loose.start)
            )


def _spots(text: bytes, places: Sequence[UsagePlace], of: Kind) -> Iterator[SourceUsage]:
    if not places:
        return
    first = len(_MARK) if text.startswith(_MARK) else 0
    line, counted = 1, 0
    for place in places:
        if place.start < counted:
            line, counted = 1, 0
        line += text.count(b"\n", counted, place.start)
        counted = place.start
        begin = max(first, text.rfind(b"\n", 0, place.start) + 1)
        end = text.find(b"\n", begin)
        whole = text[begin : end if end >= 0 else len(text)].rstrip(b"\r")
        start = place.start - text.startswith(b"@", place.start - 1)  # of an escaped name
        column = len(text[begin:start].decode("utf-8", "replace"))
        length = len(text[start : place.end].decode("utf-8", "replace"))
        shown = whole.decode("utf-8", "replace")
        cut = max(0, column + length - _LONGEST_SNIPPET) if len(shown) > _LONGEST_SNIPPET else 0
        snippet = shown[cut : cut + _LONGEST_SNIPPET]
        kind = link(text, place.start, place.end, of=of) or place.kind
        yield SourceUsage(
            line, column, column + length, snippet, cut, kind, place.grade, place.declaration, place.reason
        )  # fmt: skip
