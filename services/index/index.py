"""The index of one workspace: what is kept, what is in memory, and the questions it answers."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import msgspec

from services.errors import Busy, CodeCortexError
from services.index.aliases import Aliases, renamed
from services.index.catalogue import KINDS, Catalogue, FileEntry, frozen, thawed
from services.index.changes import changes
from services.index.conflicts import Conflicts
from services.index.describe import Describer
from services.index.evaluated import Evaluated
from services.index.finder import Finder
from services.index.framework.table import load as framework_table
from services.index.graph.graph import Graph
from services.index.identities import Identities
from services.index.names.names import Names
from services.index.quiet import quiet_collector
from services.index.records import Records
from services.index.refresh import Difference, Refresh, Report, difference
from services.index.resolve import Found, Resolution, Resolver
from services.index.seen import Seen, TypeKey, keys_of, seen
from services.index.store import DamagedError, Store
from services.index.units import Plan, plan
from services.index.usages.search import FileSpots, UsageSearch
from services.model import (
    TYPE_KINDS,
    Notice,
    Progress,
    Project,
    SearchAnswer,
    SearchHit,
    Symbol,
    SymbolRef,
    TypeChange,
    TypeDetail,
)
from services.settings import IndexSettings
from services.workspace.projects import ProjectInfo
from services.workspace.root import Root
from services.workspace.stamp import FileStamp
from services.workspace.state import StateFolder

_SNAPSHOT = "catalogue"
_PROJECTS = "projects"
_GRAPH = "graph"
_COLUMNS = "search"
_RELATED_AT_ONCE = 16
_PARTS = 50  # hits asked for beyond the limit, for parts of one type
_MOST_LOSSY = 20
_NO_CSHARP = "There are no C# files here."
_MANY_CHANGES = 100  # past so many changed types the catalogue is kept at once, not on closing
_DATABASE = "index.db"


class Index:
    """All questions about symbols. Thread-safe; a refresh may run beside questions, which see whole files."""

    def __init__(
        self, root: Root, state: StateFolder, *, settings: IndexSettings, start: str | None = None
    ) -> None:
        self._root = root
        self._settings = settings
        self._start = start
        self._lock = threading.RLock()
        self._refreshing = threading.Lock()
        self._relating = threading.Lock()
        self._store = Store(state.path(_DATABASE))
        self._conflicts = Conflicts(state)
        self._aliases = Aliases(state)
        self._columns = state.path(_COLUMNS)
        self._plan: Plan | None = None
        self._notices: tuple[Notice, ...] = ()
        self._unsaved = False
        self._projects: Evaluated | None = None
        self._recent: Mapping[str, float] = {}
        self.state = "empty"
        self.refreshed_at = 0.0
        self._adopt(Catalogue())

    def _adopt(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.records = Records(self._root, self._store, catalogue)
        self.identities = Identities(catalogue, self._conflicts.note)
        self._names: Names | None = None
        self._usages: UsageSearch | None = None
        self._graph = Graph(catalogue, self.records)
        self._graphed = -1
        self.describer = Describer(catalogue, self.records, self.identities, self._current_names)
        self._resolver = Resolver(
            catalogue, self.describer, self.identities, self._recency, self._aliases.follow
        )
        self._finder = Finder(catalogue, self._lock, self._graph.references)
        self._paths: tuple[int, dict[str, FileEntry]] = (-1, {})

    def close(self) -> None:
        """Keeps the catalogue for the next start and closes the store."""
        with self._refreshing:
            if self._unsaved:
                self._save()
            self._keep_columns()
            self._store.close()

    def load(self) -> bool:
        """Takes the kept catalogue, if it is whole; whether there was one. Then questions can be asked at once."""
        try:
            data = self._store.kept(_SNAPSHOT)
            if data is None:
                return False
            with self._lock:
                with quiet_collector():
                    self._adopt(thawed(data))
                self._projects = self._kept_projects()
                self._take_graph()
                self._finder.take(self._columns)
                self.state = "kept"
        except DamagedError as error:
            self._store.clear(str(error))
        except msgspec.MsgspecError:
            self._store.drop(_SNAPSHOT)
        return self.state == "kept"

    def _take_graph(self) -> None:
        data = self._store.kept(_GRAPH)
        if data is not None:
            self._graph.thaw(data)
            self._graphed = self.catalogue.version

    def _kept_projects(self) -> Evaluated | None:
        data = self._store.kept(_PROJECTS)
        with suppress(msgspec.MsgspecError):
            return msgspec.msgpack.decode(data, type=Evaluated) if data is not None else None
        return None

    @property
    def _infos(self) -> tuple[ProjectInfo, ...]:
        return self._projects.evaluation.projects if self._projects is not None else ()

    def refresh(self, *, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        """Brings everything up to date with the disk. Raises Cancelled (what was read is kept) and Busy (another
        refresh is under way)."""
        if not self._refreshing.acquire(blocking=False):
            raise Busy("The index is being refreshed already. Wait for it, or cancel it.", progress=None)
        try:
            with quiet_collector():
                return self._refresh(report, cancel)
        except DamagedError as error:
            self._store.clear(str(error))
            with self._lock:
                self._adopt(Catalogue())
            return self._refresh(report, cancel)
        finally:
            self._refreshing.release()

    def _refresh(self, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        self.state = "refreshing"
        try:
            report(Progress(phase="Looking for files", done=0, total=None))
            made = plan(self._root, start=self._start, known=self._projects, cancel=cancel)
            self._take_projects(made)
            first = not self.catalogue.units
            answer = self._bring(made, difference(self.catalogue, made), report, cancel)
        finally:
            self.state = "ready" if self._plan is not None else "partial"
        if self._unsaved and (first or len(answer) > _MANY_CHANGES):
            self._save()
        return answer

    def _bring(
        self, made: Plan, found: Difference, report: Report, cancel: threading.Event | None
    ) -> tuple[TypeChange, ...]:
        """Does what `found` says; what changed, type by type (nothing, when all is new)."""
        first = not self.catalogue.units
        units = [*found.gone, *((unit.project, unit.path) for unit in found.stale)]
        before = {} if first else self._seen(units)
        self._run(made, found, report, cancel)
        self._refreshed_at(made)
        if first:
            return ()
        after = self._seen(units) | self._still(before)
        self._aliases.add(renamed(before, after))
        return changes(before, after)

    def update(
        self, paths: Iterable[str], *, report: Report, cancel: threading.Event | None
    ) -> tuple[TypeChange, ...]:
        """As refresh, for files that are said to have changed; the rest is not looked at. What only a whole refresh
        can tell (project files, new files) leads to one."""
        changed = sorted(set(paths))
        made = self._plan
        if made is None or any(path not in made.stamps for path in changed):
            return self.refresh(report=report, cancel=cancel)
        with self._refreshing:
            known = {path: self._stamp(path) for path in changed}
            stamps = made.stamps | {path: stamp for path, stamp in known.items() if stamp is not None}
            found = difference(self.catalogue, replace(made, stamps=stamps), only=known)
            return self._bring(replace(made, stamps=stamps), found, report, cancel)

    def _stamp(self, path: str) -> FileStamp | None:
        try:
            return self._root.stat(path)
        except CodeCortexError:
            return None

    def _refreshed_at(self, made: Plan) -> None:
        self._plan, self.refreshed_at = made, time.time()
        if self._projects is not made.projects:
            if self._infos != made.evaluation.projects:
                self._names = None
            self._projects = made.projects
            self._store.keep(_PROJECTS, msgspec.msgpack.encode(made.projects))

    def _run(self, made: Plan, found: Difference, report: Report, cancel: threading.Event | None) -> None:
        if not found.stale and not found.gone:
            return
        self._store.drop(_SNAPSHOT)
        self._store.drop(_GRAPH)
        self._unsaved = True
        work = Refresh(self._root, self._store, self.catalogue, made, self._lock)
        try:
            work.run(
                found,
                workers=self._settings.workers,
                limit=self._settings.max_file_bytes,
                report=report,
                cancel=cancel,
            )
        finally:
            self.records.forget()
            self._notices = tuple(work.notices)

    def _take_projects(self, made: Plan) -> None:
        """Other projects than before: every row's project number would mean another, so start from the store."""
        names = [project.name for project in made.evaluation.projects]
        if names != self.catalogue.projects:
            fresh = Catalogue()
            fresh.projects = names
            with self._lock:
                self._adopt(fresh)

    def _seen(self, units: list[tuple[int, str]]) -> dict[TypeKey, Seen]:
        with self._lock:
            return seen(self.catalogue, self.describer, keys_of(self.catalogue, units))

    def _still(self, before: dict[TypeKey, Seen]) -> dict[TypeKey, Seen]:
        with self._lock:
            return seen(self.catalogue, self.describer, before)

    def _save(self) -> None:
        with self._lock:
            data = frozen(self.catalogue)
        self._store.keep(_SNAPSHOT, data)
        if self._graphed == self.catalogue.version:
            self._store.keep(_GRAPH, self._graph.frozen())
        self._unsaved = False

    def _keep_columns(self) -> None:
        with suppress(OSError):
            if len(self.catalogue):
                self._finder.keep(self._columns)

    # Questions

    def remember(self, recent: Mapping[str, float]) -> None:
        """How much each symbol id was used lately, 0 to 1."""
        self._recent = recent

    def _recency(self, id_: str) -> float:
        return self._recent.get(id_, 0.0)

    def search(self, query: str, *, limit: int) -> SearchAnswer:
        """As-you-type search (SPEC section 5)."""
        began = time.perf_counter()
        answer = self._finder.find(query, limit=limit + _PARTS, recent=self._recent_rows())
        hits: dict[str, SearchHit] = {}  # by id: a partial type has a row for each part
        with self._lock:
            for hit in answer.hits:
                ref = self.describer.row_ref(hit.number)
                if ref is not None and ref.id not in hits:
                    positions = _shifted(hit.name_positions, ref)
                    hits[ref.id] = SearchHit(symbol=ref, score=hit.score, positions=positions)
                if len(hits) >= limit:
                    break
        return SearchAnswer(
            query=query,
            hits=tuple(hits.values()),
            total=answer.total,
            searched=answer.searched,
            elapsed_ms=round((time.perf_counter() - began) * 1000, 2),
        )

    def _recent_rows(self) -> dict[int, float]:
        rows: dict[int, float] = {}
        with self._lock:
            for id_, weight in self._recent.items():
                found = self._resolver.resolve(id_).found
                if found:
                    placed = found[0].member or found[0].whole.primary
                    rows[self.catalogue.file(placed.file).rows[0] + placed.at] = weight
        return rows

    def resolve(self, path: str) -> Resolution:
        """Where a symbol path leads (SPEC section 5)."""
        with self._lock:
            return self._resolver.resolve(path)

    def detail(self, index: int) -> TypeDetail | None:
        """A type with everything an outline shows. Dependencies are those worked out so far (`relate`)."""
        with self._lock:
            return self.describer.detail(index, self._graph if self._graphed >= 0 else None)

    def relate(self, *, report: Report | None = None, cancel: threading.Event | None = None) -> bool:
        """Works out which types name which, as far as files have changed since the last time; whether anything had.
        Raises Cancelled (what was worked out is kept)."""
        with self._relating:
            names = self._current_names()
            if names is None or self._graphed == self.catalogue.version:
                return False
            graph, version = self._graph, self.catalogue.version
            while (left := graph.update(names, self._lock, most=_RELATED_AT_ONCE, cancel=cancel)) > 0:
                if report is not None:
                    report(Progress(phase="Relating types", done=len(graph), total=len(graph) + left))
            self._graphed = version
            self._unsaved = True
            self._keep_columns()
            return True

    def usages(
        self, found: Found, *, report: Report | None = None, cancel: threading.Event | None = None
    ) -> Iterator[FileSpots]:
        """The usages of a type or member, file by file. Raises Cancelled, UsageError."""
        with self._lock:
            names = self._current_names()
            search = self._usages
            if names is None:
                return iter(())
            if search is None or search.names is not names:
                search = UsageSearch(self._root, self.catalogue, self.records, names, self._infos, self._lock)
                self._usages = search
        return search.find(found, report=report, cancel=cancel)

    def declared(self, file: int, at: int) -> SymbolRef | None:
        """The symbol of declaration `at` of a file, by its index; None where it has gone, or `at` is negative."""
        with self._lock:
            entry = self.catalogue.files[file]
            if entry is None or at < 0:
                return None
            return self.describer.row_ref(entry.rows[0] + at)

    def graph(self) -> Graph:
        """The dependencies worked out so far."""
        return self._graph

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol (SPEC section 10), types as they are when their turn comes."""
        describer = self.describer
        for index, _ in list(self.catalogue.live_types()):
            with self._lock:
                made = list(describer.symbols_of(index))
            yield from made

    def enclosing(self, path: str, line: int) -> SymbolRef | None:
        """The innermost symbol at a line of a file."""
        with self._lock:
            for (_, file), at in self.catalogue.units.items():
                if file == path:
                    return self._innermost(at, line)
        return None

    def _innermost(self, at: int, line: int) -> SymbolRef | None:
        record = self.records.record(at)
        best = None
        for number, declaration in enumerate(record.declarations if record is not None else ()):
            if declaration.start_line <= line <= declaration.end_line:
                best = number
        return None if best is None else self.describer.row_ref(self.catalogue.file(at).rows[0] + best)

    def stamps_of(self, id_: str) -> list[tuple[str, int, int]]:
        """(path, size, mtime_ns), as indexed, of the files that declare the type of a type or member id."""
        with self._lock:
            index = self.identities.find(_of_type(id_))
            if index is None and (replaced := self._aliases.follow(id_)) is not None:
                index = self.identities.find(_of_type(replaced))
            parts = self.catalogue.types[index].parts if index is not None else []
            files = [self.catalogue.file(file) for file in sorted({file for file, _ in parts})]
            return [(file.path, file.size, file.mtime_ns) for file in files]

    def is_stale(self, path: str) -> bool:
        """Whether an indexed file is not on disk as it was indexed. A file that is not indexed is not stale."""
        with self._lock:
            known = self._by_path().get(path)
        if known is None:
            return False
        try:
            stamp = self._root.stat(path)
        except CodeCortexError:
            return True
        return (stamp.size, stamp.mtime_ns) != (known.size, known.mtime_ns)

    def _by_path(self) -> dict[str, FileEntry]:
        if self._paths[0] != self.catalogue.version:
            self._paths = (self.catalogue.version, {e.path: e for e in self.catalogue.live_files()})
        return self._paths[1]

    def _current_names(self) -> Names | None:
        """The binder of the catalogue as it is; none while nothing is known of projects."""
        if not self._infos or len(self._infos) != len(self.catalogue.projects):
            return None
        if self._names is None or self._names.version != self.catalogue.version:
            self._names = Names(self.catalogue, self.records, self._infos, framework_table())
        return self._names

    # Figures

    def counts(self) -> tuple[int, int, int]:
        """Files, types and members."""
        with self._lock:
            types = sum(1 for _ in self.catalogue.live_types())
            kinds = {code for code, kind in enumerate(KINDS) if kind in TYPE_KINDS}
            columns = self.catalogue.columns
            dead = columns.dead
            members = sum(1 for row, code in enumerate(columns.kind) if code not in kinds and not dead[row])
            return len({path for _, path in self.catalogue.units}), types, members

    def qualities(self) -> dict[str, int]:
        """How many files have each quality."""
        with self._lock:
            return dict(
                Counter(str(entry.quality) for entry in self.catalogue.live_files() if not entry.shadow)
            )

    def projects(self) -> tuple[Project, ...]:
        """The projects of the last refresh; of a kept catalogue their names alone."""
        made = self._plan
        if made is None:
            return tuple(Project(name=name, path="") for name in self.catalogue.projects)
        return tuple(
            Project(
                name=project.name,
                path=project.path,
                target_framework=project.target_framework,
                files=len(project.files),
                notices=project.notices,
            )
            for project in made.evaluation.projects
        )

    def notices(self) -> tuple[Notice, ...]:
        """What a person should know of the last refresh."""
        made = self._plan
        found = (*(made.notices if made is not None else ()), *self._notices, *self._lossy_notices())
        if made is not None and not made.stamps:
            advice = "Open a folder that holds some, or look into .gitignore and .codecortexignore."
            found = (Notice(severity="warning", message=_NO_CSHARP, what_to_do=advice), *found)
        if self._store.renewed:
            why = f"The index was built anew: {self._store.renewed}."
            found = (
                Notice(severity="information", message=why, what_to_do="Nothing you made was in it."),
                *found,
            )
        return found

    def _lossy_notices(self) -> list[Notice]:
        with self._lock:
            paths = sorted({entry.path for entry in self.catalogue.live_files() if entry.lossy})
        advice = "Save it as UTF-8; until then it is shown with replacement characters and cannot be edited."
        return [
            Notice(severity="warning", message=f"{path} is not UTF-8.", what_to_do=advice, file=path)
            for path in paths[:_MOST_LOSSY]
        ]


def _of_type(id_: str) -> str:
    """The TypeId that a MemberId begins with."""
    return "_".join(id_.split("_")[:2])


def _shifted(positions: tuple[int, ...], ref: SymbolRef) -> tuple[int, ...]:
    """Positions in a simple name as positions in the label, which may begin with an explicit interface."""
    at = ref.label.find("(")
    head = ref.label if at < 0 else ref.label[:at]
    shift = head.rfind(".") + 1
    return tuple(position + shift for position in positions) if shift else positions
