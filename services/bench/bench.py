"""One workspace with everything the program can do with it: what every face calls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

import services
from services.bench.advice import Advice
from services.bench.choice import Choices
from services.bench.content import Content
from services.bench.copying import Copying
from services.bench.curation import Curation, Ground
from services.bench.encodings import declared, with_usable_encoding
from services.bench.exports import Exports
from services.bench.followed import follower
from services.bench.kept import KeptAnswers
from services.bench.lookup import Lookup, resolved
from services.bench.measures import Measures, memory_mb
from services.bench.models import Models
from services.bench.outlines import Outlines
from services.bench.packs import Packs
from services.bench.patching import Patching
from services.bench.places import Places
from services.bench.presets import Presets
from services.bench.proposals import Proposals
from services.bench.sharing import Sharing, Subscriber, TopicSubscriber
from services.bench.sources import Grep, Sources
from services.bench.topics import WINDOW
from services.bench.turns import Turns
from services.bench.undo import WindowUndo
from services.bench.usage import Usage
from services.bench.usages import usages_of
from services.bench.writing import Writing
from services.index.index import Index
from services.index.resolve import Found
from services.model import (
    ExportAnswer,
    GrepAnswer,
    GrepFile,
    Notice,
    OutlineAnswer,
    Progress,
    ResolveAnswer,
    SearchAnswer,
    SourceRange,
    Status,
    Structure,
    Symbol,
    TypeChange,
    TypeDetail,
    UsagesAnswer,
    Window,
)
from services.prompt.counter_process import CounterProcess
from services.prompt.tokenizers import EncodingCounter
from services.prompt.values import Calibration
from services.settings import Settings
from services.source.diffs.changes import Changes
from services.source.grep.search import Tally
from services.source.ledger import FILE as JOURNAL
from services.source.reader import Reader
from services.source.reads import FILE as READS
from services.source.reads import Reads
from services.workspace.git import branch
from services.workspace.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.syntax.colours import Colours

_PROJECT_ENDINGS = (".sln", ".slnx", ".slnf", ".csproj")
_CANDIDATES = 50


class Bench:
    """All services over one workspace. Every method blocks and may be called from any thread."""

    def __init__(
        self,
        root: Root,
        *,
        settings: Settings,
        in_process: bool,
        start: str | None,
        lasting: bool = True,
        patience: float | None = None,
    ) -> None:
        self._root = root
        self._state = StateFolder.open(root)
        self.settings = settings
        self.root = root.path
        self.name = Path(start).stem if start else root.path.name
        self.measures = Measures()
        self._turns = Turns(self._state)
        self.proposals = Proposals(self._state)
        self._usage = Usage(self._state)
        self._index = Index(root, self._state, settings=settings.index, start=start)
        self._index.remember(self._usage.weights())
        self._sharing = Sharing(self.root, self._state, self._index, refresh=self.refresh)
        self._reads = Reads(self._state.path(READS))
        self._reader = Reader(root, settings.cache, reads=self._reads)
        self._content = Content(self._index, root, self._reader)
        self._sources = Sources(root, self._index, self._reader, find=self._find, settings=settings.cache)
        self._lookup = Lookup(
            root, self._index, self._content, self._sources, measures=self.measures, refresh=self.refresh
        )
        self.changes = Changes(root)
        self.places = Places(root, self._index, refresh=self.refresh, named=self._lookup.named)
        self._writing = Writing(
            root,
            self._state.path(JOURNAL),
            ensure=self._state.ensure,
            reader=self._reader,
            sources=self._sources,
            settings=settings.cache,
            lasting=lasting,
        )
        self._writing.recover()
        self.patching = Patching(self._state, self._reader, self._writing)
        # A person at a screen does not wait for dependencies to be worked out; whoever asks once does.
        self._patience = patience if in_process else 0.0
        self._base = EncodingCounter() if in_process else CounterProcess()
        self.models = Models(settings.window, self._base)
        self._choices = Choices(self._state, settings.window)
        self.models.choose(*self._choices.read())
        self._counter = self.models.options().counter
        self._outlines = Outlines(
            self._index,
            self._content,
            self._lookup,
            counter=lambda: self._counter,
            measures=self.measures,
            patience=self._patience,
            relate=self.relate,
        )
        ground = Ground(
            root=root,
            state=self._state,
            index=self._index,
            reader=self._reader,
            sources=self._sources,
            content=self._content,
            usage=self._usage,
            measures=self.measures,
            find=self._lookup.found,
            refresh=self.refresh,
            relate=self._relate_for_window,
        )
        self._curation = Curation(ground, options=self.models.options())
        self.packs = Packs(self._index, self._state, counter=lambda: self._counter, relate=self.relate)
        self.packs.join(self._curation)
        self._exports = Exports(self._index, self._state, self._content, packs=self.packs)
        self.advice = Advice(ground, self._curation, self.packs, relate=self.relate)
        self.copying = Copying(self._curation, self.models, self._state, workspace=self.name)
        self.presets = Presets(self._curation, self._state)
        self.undo = WindowUndo(self._curation)
        self._sharing.topics.subscribe(self._follow_choice)
        self._found_before: KeptAnswers[SearchAnswer] = KeptAnswers(lambda: self._index.moment)

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
        return cls(
            Root.open(path, encoding=declared(settings)),
            settings=settings,
            in_process=in_process,
            start=start,
            lasting=lasting,
            patience=patience,
        )

    def close(self) -> None:
        """Keeps what is kept and lets go of everything else."""
        self._sharing.close()
        self._exports.close()
        self._curation.kept.close()
        if isinstance(self._base, CounterProcess):
            self._base.close()
        self._writing.close()
        self._reads.close()
        self._index.close()
        self._state.close()
        self._root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def calibrate(self, model: str, actual: int) -> Calibration:
        """Takes `actual` as the tokens that a model counted for the window as it is, and counts better from then on.
        Raises UsageError where that cannot be, or the model is counted exactly; ReadOnly."""
        text = self.window(format=self.settings.window.format).text
        made = self.models.calibrate(model, actual, text=text)
        self._use_model()
        return made

    def choose(self, model: str | None, budget: int | None) -> Window:
        """Render the window for another model or budget from now on, here and in what else is open on the workspace;
        None: what the settings say. Raises UsageError, ReadOnly."""
        self.models.choose(model, budget)
        self._use_model()
        self._choices.keep(model, budget)
        return self.window()

    def take(self, settings: Settings) -> None:
        """Other settings from now on, as far as they are about the window; the rest counts when it is opened again."""
        self.settings = settings
        self._choices = Choices(self._state, settings.window)
        self.models.take(settings.window)
        self.models.choose(*self._choices.read())
        self._use_model()

    def _follow_choice(self, topics: frozenset[str]) -> None:
        """Somebody in another process may have chosen."""
        if WINDOW in topics:
            self.models.choose(*self._choices.read())
            self._use_model()

    def _use_model(self) -> None:
        options = self.models.options()
        self._counter = options.counter
        self._curation.use(options)

    @property
    def state(self) -> StateFolder:
        """The program's own files of this workspace."""
        return self._state

    @property
    def writing(self) -> Writing:
        """Locks, writes and their history."""
        return self._writing

    # Index

    def load(self) -> bool:
        """Takes the kept index if there is one: then everything can be asked at once."""
        with self.measures.timed("index.load.ms"):
            return self._index.load()

    def refresh(
        self,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> tuple[TypeChange, ...]:
        """Brings the index up to date with the disk and tells subscribers. Where another process is at it, waits and
        takes what it made. Raises Cancelled."""
        report, cancel = _heard(progress, cancel)
        with self.measures.timed("index.refresh.ms"), self._turns.turn(report, cancel) as waited:
            if waited and self._index.state == "empty":
                self._index.load()
            return self._sharing.tell(self._index.refresh(report=report, cancel=cancel))

    def warm(self) -> None:
        """Makes what the first question of a kind would wait for."""
        self._index.search("ab", limit=1)
        self._counter.count("ab")

    def sum_up(self) -> None:
        """Makes what the first outline would wait for, once `relate` is done."""
        self._index.sum_up()

    def relate(
        self,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> bool:
        """Works out which types name which, for outlines and ranking; quick where little has changed. Whether anything
        had. Raises Cancelled."""
        report, cancel = _heard(progress, cancel)
        with self.measures.timed("index.relate.ms"):
            return self._index.relate(report=report, cancel=cancel)

    @property
    def is_related(self) -> bool:
        """Whether nobody has to wait for `relate`."""
        return self._index.is_related

    def _relate_for_window(self) -> None:
        """`relate`, but for a person at a screen, who sees what is known and the rest when it is. A window that is
        handed over is whole."""
        if self._patience != 0.0:
            self.relate()

    def watch(self) -> None:
        """Begins to follow the disk and what other processes do here; subscribers are told. Does nothing where it is
        done already."""
        self._sharing.watch()
        if self.settings.index.export:
            self._exports.follow(self.subscribe, leads=lambda: self._sharing.state != "following")

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with what each refresh changed, on the refreshing thread; returns how to stop."""
        return self._sharing.changes.subscribe(callback)

    def on_shared(self, callback: TopicSubscriber) -> Callable[[], None]:
        """Calls back with the topics (services/bench/topics.py) that this or another process changed, on a thread of
        its own, once `watch` was called; returns how to stop."""
        return self._sharing.topics.subscribe(callback)

    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        """As-you-type search; an empty query lists what was recently used."""
        began = time.perf_counter()
        with self.measures.timed("symbol.search.ms"):
            found = self._found_before.get((query, limit), lambda: self._index.search(query, limit=limit))
        return msgspec.structs.replace(found, elapsed_ms=round((time.perf_counter() - began) * 1000, 2))

    def resolve(self, path: str) -> ResolveAnswer:
        """Where a symbol path leads (SPEC section 5). A miss answers suggestions."""
        return self._lookup.resolve(path)

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol of the workspace."""
        return self._index.symbols()

    # Symbols

    def outline(self, path: str) -> OutlineAnswer:
        """The outline of a type or member. Raises SymbolNotFound, AmbiguousSymbol."""
        return self._outlines.outline(path)

    def detail(self, path: str) -> TypeDetail:
        """A type, or the type that declares a member. Raises SymbolNotFound, AmbiguousSymbol."""
        return self._outlines.detail(path)

    def token_costs(self, ids: Sequence[str]) -> dict[str, int]:
        """What the outline of each type or member costs; ids that lead nowhere are left out."""
        return self._outlines.costs(ids)

    def usages(
        self,
        path: str,
        *,
        limit: int = 200,
        grade: str = "all",
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> UsagesAnswer:
        """Where a type or member is used; `grade` `bound` leaves name matches out. Raises SymbolNotFound,
        AmbiguousSymbol, Cancelled, and UsageError for what is used without a name."""
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
            truncated=told.total > len(told.usages),
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )

    # Source

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

        `include`: a part of a type (services/source/parts.py), which nothing else has and files and members ignore;
        `version`: workingArea, inactive (staged) or active (HEAD). Raises SymbolNotFound, AmbiguousSymbol,
        LineOutOfRange, IncludeNotFound, PathRefused, WorkspaceError, NotText."""
        with self.measures.timed("source.read.ms"):
            return self._sources.read(object, lines=(start, end), include=include, version=version)

    def structure(self, object: str) -> Structure:  # noqa: A002
        """The parts, members and links of a type, or the types of a file. Raises SymbolNotFound, AmbiguousSymbol,
        WorkspaceError."""
        return self._sources.structure(object)

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
        from services.syntax.colours import Colours

        return Colours(lines)

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
        found = None if outlines else [self._lookup.found(path) for path in paths]
        with self.measures.timed("index.export.ms"):
            return self._exports.export(found, report=progress or _silent, cancel=cancel)

    # Prompt window

    @property
    def curation(self) -> Curation:
        """The prompt window with everything that can be done to it."""
        return self._curation

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        """The prompt window, after every file it is made from was looked at again."""
        return self._curation.window(format=format)

    def pin(
        self,
        path: str,
        *,
        level: str | None = None,
        members: Sequence[str] = (),
        force: bool = False,
    ) -> Window:
        """Pins a symbol, a file or a range. Raises as Curation.pin."""
        return self._curation.pin(path, level=level, members=members, force=force)

    def unpin(self, path: str) -> Window:
        """Makes a pinned item a recent one. Raises UsageError if it is not pinned."""
        return self._curation.unpin(path)

    def dismiss(self, path: str) -> Window:
        """Takes an item out of the window. Raises UsageError if it is not in it."""
        return self._curation.dismiss(path)

    def set_level(self, path: str, level: str, *, members: Sequence[str] = (), force: bool = False) -> Window:
        """Shows an item of the window with more or less detail. Raises as Curation.set_level."""
        return self._curation.set_level(path, level, members=members, force=force)

    def move(self, path: str, *, before: str | None = None, after: str | None = None) -> Window:
        """Moves a pinned item among the pinned ones. Raises as Curation.move."""
        return self._curation.move(path, before=before, after=after)

    def visit(self, path: str) -> None:
        """Counts a symbol as used now: it rises in searches and enters the window's recent part."""
        self._curation.visit(path)

    def pinned_ids(self) -> frozenset[str]:
        """The symbol ids of what is pinned."""
        return self._curation.pinned_ids()

    def _find(self, path: str) -> Found:
        """What `sources` looks symbols up with: it is made before the lookup, which asks it for files."""
        return self._lookup.source(path)

    # About itself

    def status(self) -> Status:
        """What is indexed, how well, and how the program is doing."""
        files, types, members = self._index.counts()
        return Status(
            root=str(self.root),
            state=self._index.state,
            projects=self._index.projects(),
            files=files,
            types=types,
            members=members,
            quality=self._index.qualities(),
            branch=branch(self.root),
            memory_mb=memory_mb(),
            measures=self.measures.summary(),
            watching=self._sharing.state,
            notices=self.notices(),
            cache=self._reader.cache.figures(),
            version=services.__version__,
        )

    def notices(self) -> tuple[Notice, ...]:
        """Everything a person should know, most general first."""
        return (
            *self.settings.notices,
            *self._state.notices,
            *self._writing.notices(),
            *self.models.notices(),
            *self._curation.notices(),
            *self._index.notices(),
            *self._sharing.notices(),
        )


def _heard(
    progress: Callable[[Progress], None] | None, cancel: threading.Event | None
) -> tuple[Callable[[Progress], None], threading.Event | None]:
    """Who is told and who may end it: those who are named, else whoever follows this thread."""
    follows = follower()
    return progress or follows.progress or _silent, cancel if cancel is not None else follows.cancel


def _silent(_: Progress) -> None:
    """A report nobody reads."""
