"""Source text by what people write: a file, lines of one, a symbol or a part of it; read, searched or described."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from services.bench.queries.lookup import Lookup, of_one_revision
from services.errors import IncludeNotFound, NotClassObject, NotText, UsageError
from services.index.index import Index
from services.measures import Measures
from services.model import GrepAnswer, GrepFile, GrepMatch, Progress, SourcePiece, SourceRange, Structure
from services.settings import CacheSettings
from services.source.grep_lines import is_binary
from services.source.grep_pattern import compiled
from services.source.grep_search import MOST_CONTEXT, GrepRequest, GrepTotals, Hide, grep_files, grep_text
from services.source.journal.actor import agent
from services.source.read.objects import Objects, ObjectView, file_structure, type_structure
from services.source.read.parts import Include
from services.source.read.reader import SourceReader, is_written_like_file, parse_location
from services.source.read.token import Version
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.syntax.highlight import Colours


class Grep(msgspec.Struct, frozen=True, kw_only=True):
    """Grep request. `most`: matches; None: as many as the settings allow. `globs`: file patterns, separated by
    commas; `literal`: the pattern is plain text; `word`: whole words only."""

    pattern: str
    case_insensitive: bool = False
    context: int = 0
    most: int | None = None
    globs: str = ""
    literal: bool = False
    word: bool = False

    @property
    def expression(self) -> str:
        """The pattern as an expression."""
        written = re.escape(self.pattern) if self.literal else self.pattern
        return rf"\b(?:{written})\b" if self.word and written else written


class Sources:
    """Source text by what people write. `hide`: what of a text no agent's grep may match now."""

    def __init__(
        self,
        root: Root,
        index: Index,
        reader: SourceReader,
        *,
        lookup: Lookup,
        settings: CacheSettings,
        measures: Measures,
        hide: Callable[[], Hide],
    ) -> None:
        self._root = root
        self._index = index
        self._reader = reader
        self._lookup = lookup
        self._settings = settings
        self._measures = measures
        self._objects = Objects(index, reader)
        self._hide = hide

    def names_file(self, name: str, version: str) -> bool:
        """Whether a file, or lines of one, is meant; git may have one that is gone from the working area. Raises as
        SourceReader.is_file."""
        path = parse_location(name).path
        if self._reader.is_file(path):
            return True
        return version != Version.WORKING and is_written_like_file(path)

    @of_one_revision
    def read(
        self,
        name: str,
        *,
        start: int | None = None,
        end: int | None = None,
        include: str | None = None,
        version: str = Version.WORKING,
    ) -> SourceRange:
        """Lines of a file, or of the file that declares a symbol: without `start` and `end` its declaration alone.

        `include`: a part of a type (services/source/read/parts.py), which nothing else has and files and members
        ignore; `version`: workingArea, inactive (staged) or active (HEAD). Raises SymbolNotFound, AmbiguousSymbol,
        LineOutOfRange, IncludeNotFound, PathRefused, WorkspaceError, NotText."""
        view = _view((start, end), include, version)
        with self._measures.timed("source.read.ms"):
            return self._read(name, view)

    def _read(self, name: str, view: ObjectView) -> SourceRange:
        place = parse_location(name)
        if self.names_file(place.path, view.version):
            start = view.start if view.start is not None else place.start
            end = view.end if view.end is not None else place.end
            path = self._root.normalise(place.path)
            return self._reader.read(path, start=start, end=end, version=view.version)
        return msgspec.structs.replace(self._objects.read(self._lookup.source(name), view), object=name)

    def pieces(self, name: str, include: str | None) -> tuple[SourcePiece, ...]:
        """Return the source ranges of a symbol, its primary file first; nothing counts as read, and nothing is
        guessed. Raises NotClassObject for a part of a member, IncludeNotFound, SymbolNotFound, AmbiguousSymbol."""
        found = self._lookup.sure_source(name)
        view = _view((None, None), include, Version.WORKING)
        if include is not None and found.member is not None:
            message = f"{name} is a member, which has no parts. Leave includeType out."
            raise NotClassObject(message, object=name, includeType=include)
        main = ObjectView(include=Include.MAIN)
        first = self._objects.lines(found, main) if found.member is None and include is None else ()
        return (*first, *self._objects.lines(found, view))

    @of_one_revision
    def structure(self, name: str) -> Structure:
        """The parts, members and links of a type, or the types of a file. Raises SymbolNotFound, AmbiguousSymbol,
        WorkspaceError."""
        place = parse_location(name)
        if place.start is None and self._reader.is_file(place.path):
            return file_structure(self._index, self._reader, self._root.normalise(place.path))
        return type_structure(self._index, self._objects, self._reader, self._lookup.source(name))

    @of_one_revision
    def grep(
        self,
        grep: Grep,
        name: str | None = None,
        *,
        include: str | None = None,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> GrepAnswer:
        """Lines that match, in a file, a symbol, a part of a type, or (no name) every file of the workspace.

        Raises PatternInvalid, Cancelled, and what `read` raises."""
        with self._measures.timed("source.grep.ms"):
            if name is not None:
                return self._grep_object(grep, name, include, cancel)
            return self._grep_everywhere(grep, progress, cancel)

    def _grep_everywhere(
        self, grep: Grep, progress: Callable[[Progress], None] | None, cancel: threading.Event | None
    ) -> GrepAnswer:
        tally = GrepTotals()
        files = list(self.grep_files(grep, tally, progress=progress, cancel=cancel))
        return GrepAnswer(
            pattern=grep.pattern,
            matches=tuple(match for file in files for match in file.matches),
            match_count=tally.matches,
            line_count=tally.lines,
            truncated=tally.truncated,
            timed_out=tally.timed_out,
            searched=tally.searched,
            binary=tally.binary,
            long_lines=tally.long_lines,
        )

    def grep_files(
        self,
        grep: Grep,
        tally: GrepTotals,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[GrepFile]:
        """Files of the workspace with matches, as they are found; `tally` counts along. Raises PatternInvalid at once
        and Cancelled on the way."""
        wanted = self.request_of(grep)
        return grep_files(self._root, wanted, globs=grep.globs, tally=tally, report=progress, cancel=cancel)

    def colours(self, lines: Sequence[str]) -> Colours:
        """Return the highlighted spans of C#, computed line by line on demand. `lines`: without their endings."""
        from services.syntax.highlight import Colours

        return Colours(lines)

    def _grep_object(
        self, grep: Grep, name: str, include: str | None, cancel: threading.Event | None
    ) -> GrepAnswer:
        if grep.globs:
            raise UsageError(
                "Globs choose files of the workspace; an object is searched whole. Leave one out."
            )
        wanted = self.request_of(grep)
        place = parse_location(name)
        part, kind = None, "file"
        if self._reader.is_file(place.path):
            path = self._root.normalise(place.path)
            first, last = self._reader.bounds(path, start=place.start, end=place.end)
            pieces = (SourcePiece(file=path, start_line=first, end_line=last),)
        else:
            found = self._lookup.source(name)
            view = _view((None, None), include, Version.WORKING)
            pieces = self._objects.lines(found, view)
            part = include if found.member is None else None
            kind = str(found.whole.entry.kind if found.member is None else found.member.declaration.kind)
        answer = self._grep_pieces(wanted, pieces, cancel)
        return msgspec.structs.replace(answer, object=name, object_type=kind, include_type=part)

    def _grep_pieces(
        self,
        wanted: GrepRequest,
        pieces: tuple[SourcePiece, ...],
        cancel: threading.Event | None,
    ) -> GrepAnswer:
        """Matches in stretches of lines, file by file."""
        tally = GrepTotals()
        matches: list[GrepMatch] = []
        for path in dict.fromkeys(piece.file for piece in pieces):
            data = self._reader.content(path)[1].data
            if is_binary(data):
                raise NotText(f"The file {path!r} is binary. Open it with another program.", path=path)
            ranges = sorted((piece.start_line, piece.end_line) for piece in pieces if piece.file == path)
            left = replace(wanted, most=wanted.most - len(matches))
            found = grep_text(path, data, left, ranges=ranges, cancel=cancel, tally=tally)
            matches += found.matches
            tally.truncated |= found.truncated
        return GrepAnswer(
            pattern=wanted.pattern.text,
            matches=tuple(matches),
            match_count=len(matches),
            line_count=sum(piece.end_line - piece.start_line + 1 for piece in pieces),
            truncated=tally.truncated,
            timed_out=tally.timed_out,
            searched=len({piece.file for piece in pieces}),
            long_lines=tally.long_lines,
        )

    def request_of(self, grep: Grep) -> GrepRequest:
        """Return the request of a grep, with the limits of the settings. Raises UsageError, PatternInvalid."""
        if not 0 <= grep.context <= MOST_CONTEXT:
            raise UsageError(f"Context is from 0 to {MOST_CONTEXT} lines, not {grep.context}.")
        most = self._settings.max_matches if grep.most is None else grep.most
        if most < 1:
            raise UsageError(f"At least one match has to be wanted, not {most}.")
        pattern = compiled(grep.expression, case_insensitive=grep.case_insensitive)
        deadline = time.monotonic() + self._settings.grep_timeout / 1000
        hide = self._hide() if agent() is not None else None
        return GrepRequest(pattern, grep.context, most, deadline, self._root.encoding, hide)


def _view(lines: tuple[int | None, int | None], include: str | None, version: str) -> ObjectView:
    """Words as values. Raises IncludeNotFound, UsageError."""
    if include is not None and include not in list(Include):
        available = [str(each) for each in Include]
        message = f"There is no part {include!r}. Parts are {', '.join(available)}."
        raise IncludeNotFound(message, includeType=include, available=available)
    if version not in list(Version):
        raise UsageError(f"There is no version {version!r}. Versions are {', '.join(Version)}.")
    part = Include(include) if include is not None else None
    return ObjectView(include=part, start=lines[0], end=lines[1], version=Version(version))
