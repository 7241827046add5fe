"""One workspace with everything the program can do with it: what every face calls."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Self

import services
from services.bench.content import Content
from services.bench.measures import Measures, memory_mb
from services.bench.sources import Grep, Sources
from services.bench.usage import Usage
from services.bench.usages import usages_of
from services.bench.writing import Writing
from services.errors import AmbiguousSymbol, CodeCortexError, SymbolNotFound
from services.index.index import Index
from services.index.resolve import Found, Resolution
from services.index.units import PROJECT_SUFFIXES
from services.model import (
    GrepAnswer,
    GrepFile,
    Notice,
    OutlineAnswer,
    Progress,
    ResolveAnswer,
    Resolved,
    SearchAnswer,
    SourceRange,
    Span,
    Status,
    Structure,
    Symbol,
    SymbolRef,
    TypeChange,
    TypeDetail,
    UsagesAnswer,
    Window,
)
from services.prompt.budget import Budget, WindowOptions
from services.prompt.counter_process import CounterProcess
from services.prompt.items import KINDS, ItemKey
from services.prompt.tokenizers import EncodingCounter, counter_for
from services.prompt.window import PromptWindow
from services.settings import Settings
from services.source.grep.search import Tally
from services.source.ledger import FILE as JOURNAL
from services.source.reader import Reader, place_of
from services.workspace.git import branch
from services.workspace.root import Root
from services.workspace.state import StateFolder
from services.workspace.watch import Batch, Watcher

Subscriber = Callable[[tuple[TypeChange, ...]], None]
_PROJECT_ENDINGS = (".sln", ".slnx", ".slnf", ".csproj")
IGNORE_FILES = (".gitignore", ".codecortexignore")
_CANDIDATES = 50


class Bench:
    """All services over one workspace. Every method blocks and may be called from any thread."""

    def __init__(
        self, root: Root, *, settings: Settings, in_process: bool, start: str | None, lasting: bool = True
    ) -> None:
        self._root = root
        self._state = StateFolder.open(root)
        self.settings = settings
        self.root = root.path
        self.name = Path(start).stem if start else root.path.name
        self.measures = Measures()
        self._subscribers: list[Subscriber] = []
        self._watcher: Watcher | None = None
        self._watch_notices: tuple[Notice, ...] = ()
        self._usage = Usage(self._state)
        self._index = Index(root, self._state, settings=settings.index, start=start)
        self._index.remember(self._usage.weights())
        self._reader = Reader(root, settings.cache)
        self._content = Content(self._index, root, self._reader)
        self._sources = Sources(
            root, self._index, self._reader, find=self._found, max_matches=settings.cache.max_matches
        )
        self._writing = Writing(
            root,
            self._state.path(JOURNAL),
            reader=self._reader,
            sources=self._sources,
            settings=settings.cache,
            lasting=lasting,
        )
        self._writing.recover()
        # A person at a screen does not wait for dependencies to be worked out; whoever asks once does.
        self._waits = in_process
        self._base = EncodingCounter() if in_process else CounterProcess()
        self._counter = counter_for(settings.window.model, self._base)
        self._window = PromptWindow(self._state, self._content, options=self._options())
        self._costs: dict[str, tuple[str, int]] = {}

    @classmethod
    def open(cls, path: Path, *, settings: Settings, in_process: bool = True, lasting: bool = True) -> Self:
        """Opens a folder, or the folder of a solution or project file. Nothing is indexed yet.

        `in_process`: whether tokens are counted here; False counts in a helper process; `lasting`: whether this process
        stays as long as the locks it takes, which then lapse with it. Raises WorkspaceError."""
        start = None
        if path.suffix.lower() in _PROJECT_ENDINGS and path.is_file():
            path, start = path.parent, path.name
        return cls(Root.open(path), settings=settings, in_process=in_process, start=start, lasting=lasting)

    def close(self) -> None:
        """Keeps what is kept and lets go of everything else."""
        if self._watcher is not None:
            self._watcher.close()
        if isinstance(self._base, CounterProcess):
            self._base.close()
        self._writing.close()
        self._index.close()
        self._state.close()
        self._root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

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
        """Brings the index up to date with the disk and tells subscribers. Raises Cancelled, Busy."""
        with self.measures.timed("index.refresh.ms"):
            return self._tell(self._index.refresh(report=progress or _silent, cancel=cancel))

    def relate(
        self,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> bool:
        """Works out which types name which, for outlines and ranking; quick where little has changed. Whether anything
        had. Raises Cancelled."""
        with self.measures.timed("index.relate.ms"):
            return self._index.relate(report=progress or _silent, cancel=cancel)

    def watch(self) -> None:
        """Begins to follow the disk: each batch of changes is brought in and told to subscribers. Does nothing where
        it is done already."""
        if self._watcher is None:
            self._watcher = Watcher(self.root, self._changed, matters=_matters)
            self._watcher.start()

    def _changed(self, batch: Batch) -> None:
        """Brings a batch in. What goes wrong is said in `notices`; the next batch, or look, tries again."""
        try:
            if batch.everything or not all(path.lower().endswith(".cs") for path in batch.paths):
                self.refresh()
            else:
                self._tell(self._index.update(batch.paths, report=_silent, cancel=None))
        except CodeCortexError as error:
            message = f"Changes on disk could not be followed: {error.message}"
            self._watch_notices = (Notice(severity="warning", message=message, what_to_do="Refresh (r)."),)
        else:
            self._watch_notices = ()

    def _tell(self, changes: tuple[TypeChange, ...]) -> tuple[TypeChange, ...]:
        for subscriber in tuple(self._subscribers) if changes else ():
            subscriber(changes)
        return changes

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Calls back with what each refresh changed, on the refreshing thread; returns how to stop."""
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        """As-you-type search; an empty query lists what was recently used."""
        with self.measures.timed("symbol.search.ms"):
            return self._index.search(query, limit=limit)

    def resolve(self, path: str) -> ResolveAnswer:
        """Where a symbol path leads (SPEC section 5). A miss answers suggestions."""
        resolution = self._resolution(path)
        if len(resolution.found) == 1:
            found = resolution.found[0]
            return ResolveAnswer(
                query=path, how=resolution.how, resolved=_resolved(found), symbol=self._ref(found)
            )
        return ResolveAnswer(
            query=path,
            how=resolution.how,
            candidates=tuple(map(self._ref, resolution.found[:_CANDIDATES])),
            suggestions=resolution.suggestions,
        )

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol of the workspace."""
        return self._index.symbols()

    # Symbols

    def outline(self, path: str) -> OutlineAnswer:
        """The outline of a type or member. Raises SymbolNotFound, AmbiguousSymbol."""
        if self._waits:
            self.relate()
        found = self._found(path)
        with self.measures.timed("outline.gen.ms"):
            outlined = self._content.outline(found)
        if outlined is None:
            raise SymbolNotFound(f"{path!r} has just gone. Refresh and search again.", suggestions=[])
        text = outlined[1]
        return OutlineAnswer(
            resolved=_resolved(found),
            symbol=self._ref(found),
            text=text,
            tokens=self._counter.count(text),
            approximate=not self._counter.exact,
        )

    def detail(self, path: str) -> TypeDetail:
        """A type, or the type that declares a member. Raises SymbolNotFound, AmbiguousSymbol."""
        detail = self._index.detail(self._found(path).whole.index)
        if detail is None:
            raise SymbolNotFound(f"{path!r} has just gone. Refresh and search again.", suggestions=[])
        return detail

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
        found = self._found(path)
        with self.measures.timed("usages.find.ms"):
            told = usages_of(
                self._index,
                self._index.usages(found, report=progress, cancel=cancel),
                limit=limit,
                grade=grade,
            )
        return UsagesAnswer(
            resolved=_resolved(found),
            symbol=self._ref(found),
            usages=told.usages,
            total=told.total,
            bound=told.bound,
            truncated=told.total > len(told.usages),
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )

    def token_costs(self, ids: Sequence[str]) -> dict[str, int]:
        """What the outline of each type or member costs; ids that lead nowhere are left out."""
        texts: dict[str, tuple[str, str]] = {}
        costs: dict[str, int] = {}
        for id_ in ids:
            version = self._content.item_version(_symbol_key(id_))
            if version is None:
                continue
            known = self._costs.get(id_)
            if known is not None and known[0] == version:
                costs[id_] = known[1]
                continue
            found = self._index.resolve(id_).found
            outlined = self._content.outline(found[0]) if found else None
            if outlined is not None:
                texts[id_] = (version, outlined[1])
        counts = self._counter.count_many([text for _, text in texts.values()]) if texts else []
        for (id_, (version, _)), count in zip(texts.items(), counts, strict=True):
            self._costs[id_] = (version, count)
            costs[id_] = count
        return costs

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

    def highlight(self, text: str) -> tuple[tuple[Span, ...], ...]:
        """The coloured spans of each line of C#."""
        from services.syntax.highlight import highlight

        return highlight(text)

    # Prompt window

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        """The prompt window, after every file it is made from was looked at again."""
        self._verify()
        with self.measures.timed("prompt.render.ms"):
            window = self._window.window(format=format)
        self.measures.add(
            "prompt.budget.usage.ratio", window.tokens / window.budget if window.budget else 0.0
        )
        return window

    def pin(self, path: str, *, force: bool = False) -> Window:
        """Pins a symbol, a file or a range. Raises SymbolNotFound, AmbiguousSymbol, BudgetExceeded."""
        return self._window.pin(self._key(path), force=force)

    def unpin(self, path: str) -> Window:
        """Makes a pinned item a recent one. Raises UsageError if it is not pinned."""
        return self._window.unpin(self._key(path))

    def dismiss(self, path: str) -> Window:
        """Takes an item out of the window. Raises UsageError if it is not in it."""
        return self._window.dismiss(self._key(path))

    def visit(self, path: str) -> None:
        """Counts a symbol as used now: it rises in searches and enters the window's recent part."""
        key = self._key(path)
        if key.kind in ("type", "member"):
            self._usage.visit(key.target)
            self._index.remember(self._usage.weights())
        self._window.visit(key)

    def pinned_ids(self) -> frozenset[str]:
        """The symbol ids of what is pinned."""
        return frozenset(key.partition(":")[2] for key in self._window.pinned_keys())

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
            watching=self._watcher.state if self._watcher is not None else "off",
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
            *self._window.notices(),
            *self._index.notices(),
            *self._watch_notices,
        )

    def _options(self) -> WindowOptions:
        window = self.settings.window
        budget = Budget(tokens=window.budget, max_chars=window.max_chars, soft=window.soft_budget)
        return WindowOptions(model=window.model, counter=self._counter, budget=budget)

    def _verify(self) -> None:
        """Refreshes the index where a file of the window is not as it was indexed: nothing stale is rendered."""
        keys = [ItemKey.parse(key) for key in self._window.all_keys()]
        if any(self._index.is_stale(path) for key in keys for path in self._content.files_of(key)):
            self.refresh()

    def _is_file(self, path: str) -> bool:
        return self._sources.is_file(path)

    def _key(self, path: str) -> ItemKey:
        """The window key of what people write: a key itself, a symbol, a file or a range of one."""
        if path.partition(":")[0] in KINDS and ":" in path:
            return ItemKey.parse(path)
        place = place_of(path)
        if self._is_file(place.path):
            file = self._root.normalise(place.path)
            if place.start is not None and place.end is not None:
                return ItemKey.of_range(file, place.start, place.end)
            return ItemKey("file", file)
        return _symbol_key(self._found(path).id)

    def _resolution(self, path: str) -> Resolution:
        with self.measures.timed("symbol.resolve.ms"):
            place = place_of(path)
            if place.start is not None and self._is_file(place.path):
                ref = self._index.enclosing(self._root.normalise(place.path), place.start)
                return self._index.resolve(ref.id) if ref is not None else Resolution()
            return self._index.resolve(path)

    def _found(self, path: str) -> Found:
        """The one symbol of a path, its files looked at again first. Raises SymbolNotFound, AmbiguousSymbol, Busy."""
        found = self._only(path)
        if any(map(self._index.is_stale, self._content.files_of(_symbol_key(found.id)))):
            self.refresh()
            found = self._only(path)
        return found

    def _only(self, path: str) -> Found:
        """The one symbol of a path, as indexed."""
        resolution = self._resolution(path)
        if len(resolution.found) == 1:
            return resolution.found[0]
        if resolution.found:
            candidates = [_candidate(self._ref(found)) for found in resolution.found[:_CANDIDATES]]
            raise AmbiguousSymbol(
                f"{path!r} may mean {len(resolution.found)} symbols. Name one by its id, or write more of its path.",
                candidates=candidates,
            )
        close = list(resolution.suggestions)
        hint = f" Did you mean {', '.join(close[:3])}?" if close else " Search for a part of its name."
        raise SymbolNotFound(f"{path!r} not found.{hint}", suggestions=close)

    def _ref(self, found: Found) -> SymbolRef:
        describer = self._index.describer
        if found.member is None:
            return describer.type_ref(found.whole)
        return describer.member_ref(found.whole, found.member)


def _matters(path: str) -> bool:
    return path.lower().endswith((".cs", *PROJECT_SUFFIXES)) or path.rpartition("/")[2] in IGNORE_FILES


def _silent(_: Progress) -> None:
    """A report nobody reads."""


def _symbol_key(id_: str) -> ItemKey:
    return ItemKey("member" if id_.count("_") > 1 else "type", id_)


def _resolved(found: Found) -> Resolved:
    path = found.whole.entry.fqn
    if found.member is None:
        return Resolved(path=path, type_id=found.whole.id)
    return Resolved(
        path=f"{path}.{found.member.declaration.name}", type_id=found.whole.id, member_id=found.member.id
    )


def _candidate(ref: SymbolRef) -> dict[str, str]:
    type_id, _, member = ref.id[2:].partition("_")
    answer = {"path": f"{ref.container}.{ref.label}".lstrip("."), "typeId": f"T_{type_id}"}
    return answer | ({"memberId": ref.id} if member else {})
