"""One workspace with everything the program can do with it: what every face calls.

The encoding that the settings declare for files that are not Unicode.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

import services
from services.bench.indexed import Opening, of_one_revision, silent
from services.bench.windowed import Windowed
from services.concurrency.lazy import made, once
from services.errors import UsageError
from services.measures import FAILURES, QUEUE, RESOLVE, alarms, memory_mb, p95
from services.model import (
    ExportAnswer,
    GrepAnswer,
    GrepFile,
    Notice,
    OutlineAnswer,
    Progress,
    ResolveAnswer,
    SourceRange,
    Status,
    Structure,
    Symbol,
    TypeDetail,
    UsagesAnswer,
)
from services.settings import FileSettings, Settings
from services.workspace.files.root import Root
from services.workspace.scan.git import branch
from services.workspace.text import usable_encoding

if TYPE_CHECKING:
    from services.bench.queries.sources import Grep
    from services.source.grep.search import Tally
    from services.syntax.colour.highlight import Colours


NONE = FileSettings().encoding


def with_usable_encoding(settings: Settings) -> Settings:
    """The settings; without a declared encoding that cannot be used, which is then a notice."""
    if settings.files.encoding == NONE:
        return settings
    try:
        usable_encoding(settings.files.encoding)
    except UsageError as error:
        advice = "Correct files.encoding in the settings; until then such files are shown and not edited."
        notice = Notice(severity="warning", message=error.message, what_to_do=advice)
        return msgspec.structs.replace(settings, files=FileSettings(), notices=(*settings.notices, notice))
    return settings


def declared(settings: Settings) -> str | None:
    """What is declared; None where nothing is."""
    return None if settings.files.encoding == NONE else settings.files.encoding


_MOMENT = 0.1
"""Seconds: who asked often asks again within them."""
_PROJECT_ENDINGS = (".sln", ".slnx", ".slnf", ".csproj")


class Bench(Windowed):
    """All services over one workspace. Every method blocks and may be called from any thread."""

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        settings: Settings,
        in_process: bool = True,
        lasting: bool = True,
        patience: float | None = None,
    ) -> Self:
        """Opens a folder, or the folder of a solution or project file. Nothing is indexed yet.

        `in_process`: whether tokens are counted here; False counts in a helper process; `lasting`: whether this process
        stays as long as the locks it takes, which then lapse with it; `patience`: seconds for which an outline waits
        until dependencies are worked out, None for as long as that takes. Raises WorkspaceError."""
        start = None
        if path.suffix.lower() in _PROJECT_ENDINGS and path.is_file():
            path, start = path.parent, path.name
        settings = with_usable_encoding(settings)
        opening = Opening(
            settings=settings, start=start, in_process=in_process, lasting=lasting, patience=patience
        )
        return cls(Root.open(path, encoding=declared(settings)), opening)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Index

    def warm(self) -> None:
        """Makes what the first question of a kind would wait for."""
        self._index.search("ab", limit=1)
        self._counter.count("ab")

    def search_apart(self) -> None:
        """Searches in a process of its own from now on, where there are processors for two and it can be started: so
        searches of one client do not make the calls of another late."""
        if (os.cpu_count() or 1) > 1:
            self._index.search_apart()

    def watch(self) -> None:
        """Begins to follow the disk and what other processes do here; subscribers are told. Does nothing where it is
        done already."""
        self._sharing.watch()
        self._kept_index.follow(self._sharing.edits.subscribe)
        self._exports.follow(
            self._sharing.edits.subscribe,
            self.on_shared,
            leads=self._leads,
            indexes=self.settings.index.export,
        )

    def listen(self) -> None:
        """Begins to tell what other processes do here, before there is an index. Does nothing where it is done."""
        self._sharing.listen()

    def make_way(self) -> None:
        """Somebody waits for an answer: what is done in the background for nobody rests for a moment."""
        for part in (Bench._exports, Bench._kept_index):
            if (busy := made(self, part)) is not None:
                busy.hold(_MOMENT)

    @of_one_revision
    def resolve(self, path: str) -> ResolveAnswer:
        """Where a symbol path leads (SPEC section 5). A miss answers suggestions."""
        return self._lookup.resolve(path)

    def symbols(
        self,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Symbol]:
        """Every symbol of the workspace, one after the other; first works out what files tell of each other's names.
        Raises Cancelled."""
        self.relate(progress=progress, cancel=cancel)
        yield from self._index.symbols()

    # Symbols

    @of_one_revision
    def outline(self, path: str) -> OutlineAnswer:
        """The outline of a type or member. Raises SymbolNotFound, AmbiguousSymbol."""
        return self._outlines.outline(path)

    @of_one_revision
    def detail(self, path: str) -> TypeDetail:
        """A type, or the type that declares a member. Raises SymbolNotFound, AmbiguousSymbol."""
        return self._outlines.detail(path)

    @of_one_revision
    def token_costs(self, ids: Sequence[str]) -> dict[str, int]:
        """What the outline of each type or member costs; ids that lead nowhere are left out."""
        return self._outlines.costs(ids)

    @of_one_revision
    def usages(
        self,
        path: str,
        *,
        limit: int = 200,
        grade: str = "all",
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> UsagesAnswer:
        """Where a type or member is used; `grade`: `bound`, `related` or `all`. Raises SymbolNotFound,
        AmbiguousSymbol, Cancelled, and UsageError for what is used without a name."""
        from services.bench.queries.lookup import resolved
        from services.bench.queries.outlines import usages_of

        began = time.perf_counter()
        found = self._lookup.found(path)
        with self.measures.timed("usages.find.ms"):
            told = usages_of(
                self._index,
                self._index.usages(found, report=progress, cancel=cancel),
                limit=limit,
                grade=grade,
            )
        return UsagesAnswer(
            resolved=resolved(found),
            symbol=self._lookup.ref(found),
            usages=told.usages,
            total=told.total,
            bound=told.bound,
            related=told.related,
            truncated=told.total > len(told.usages),
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )

    # Source

    @of_one_revision
    def read(
        self,
        object: str,  # noqa: A002
        *,
        start: int | None = None,
        end: int | None = None,
        include: str | None = None,
        version: str = "workingArea",
    ) -> SourceRange:
        """Lines of a file, or of the file that declares a symbol: without `start` and `end` its declaration alone.

        `include`: a part of a type (services/source/read/parts.py), which nothing else has and files and
        members ignore;
        `version`: workingArea, inactive (staged) or active (HEAD). Raises SymbolNotFound, AmbiguousSymbol,
        LineOutOfRange, IncludeNotFound, PathRefused, WorkspaceError, NotText."""
        with self.measures.timed("source.read.ms"):
            return self._sources.read(object, lines=(start, end), include=include, version=version)

    @of_one_revision
    def structure(self, object: str) -> Structure:  # noqa: A002
        """The parts, members and links of a type, or the types of a file. Raises SymbolNotFound, AmbiguousSymbol,
        WorkspaceError."""
        return self._sources.structure(object)

    @of_one_revision
    def grep(
        self,
        grep: Grep,
        object: str | None = None,  # noqa: A002
        *,
        include: str | None = None,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> GrepAnswer:
        """Lines that match, in a file, a symbol, a part of a type, or (no object) every file of the workspace.

        Raises PatternInvalid, Cancelled, and what `read` raises."""
        with self.measures.timed("source.grep.ms"):
            return self._sources.grep(grep, object, include=include, report=progress, cancel=cancel)

    def grep_files(
        self,
        grep: Grep,
        tally: Tally,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[GrepFile]:
        """Files of the workspace with matches, as they are found; `tally` counts along. Raises PatternInvalid at once
        and Cancelled on the way."""
        return self._sources.grep_files(grep, tally, report=progress, cancel=cancel)

    def colours(self, lines: Sequence[str]) -> Colours:
        """The coloured spans of C#, line by line, as they are asked for. `lines`: without their endings."""
        from services.syntax.colour.highlight import Colours

        return Colours(lines)

    @of_one_revision
    def export(
        self,
        paths: Sequence[str] = (),
        *,
        outlines: bool = False,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ExportAnswer:
        """Writes `index.json` and the outlines of the types that `paths` name; of every type, with `outlines`.

        Raises SymbolNotFound, AmbiguousSymbol, ReadOnly, Cancelled."""
        found = None if outlines else [self._lookup.sure(path) for path in paths]
        with self.measures.timed("index.export.ms"):
            return self._exports.export(found, report=progress or silent, cancel=cancel)

    # About itself

    def status(self) -> Status:
        """What is indexed, how well, and how the program is doing."""
        files, types, members = self._index.counts()
        measured, memory = self.measures.summary(), memory_mb()
        return Status(
            root=str(self.root),
            state=self._index.state,
            projects=self._index.projects(),
            files=files,
            types=types,
            members=members,
            quality=self._index.qualities(),
            branch=branch(self.root),
            memory_mb=memory,
            measures=measured,
            watching=self._sharing.state,
            notices=self.notices(),
            cache=self._reader.cache.figures(),
            version=services.__version__,
            uptime_sec=round(self.measures.uptime, 1),
            types_indexed=types,
            p95_resolve_ms=p95(measured, RESOLVE),
            semantic_queue_length=int(self.measures.gauged(QUEUE)),
            recent_semantic_failures=int(self.measures.gauged(FAILURES)),
            alarms=alarms(measured, memory=memory),
        )

    def renewals(self) -> tuple[Notice, ...]:
        """What was found damaged up to now and is made anew or put aside, for whoever asks nothing else: notices of
        parts that nobody needed yet are not among them."""
        curation = made(self, Bench.curation)
        return (
            *self._state.notices,
            *(self.writing.notices() if made(self, Bench.writing) is not None else ()),
            *(curation.notices() if curation is not None else ()),
            *self._index.renewals(),
        )

    @property
    @once
    def _unreadable(self) -> tuple[Notice, ...]:
        from services.bench.unreadable import unreadable

        return unreadable(self._state)

    def notices(self) -> tuple[Notice, ...]:
        """Everything a person should know, most general first."""
        return (
            *self.settings.notices,
            *self.writing.notices(),
            *self.models.notices(),
            *self.curation.notices(),
            *self._state.notices,
            *self._unreadable,
            *self._index.notices(),
            *self._sharing.notices(),
        )
