"""The index of one workspace: what is kept, what is in memory, and the questions it answers."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from zlib import crc32

import msgspec

from services.errors import Cancelled, CodeCortexError
from services.index.aliases import Aliases, renamed
from services.index.bulletin import Bulletin
from services.index.catalogue import KINDS, Catalogue, FileEntry, frozen, thawed
from services.index.changing import Changing, told
from services.index.conflicts import Conflicts
from services.index.deadline import Deadline
from services.index.describe import Describer
from services.index.evaluated import Evaluated, Wanted
from services.index.finder import Finder
from services.index.framework.table import load as framework_table
from services.index.graph.graph import Graph
from services.index.identities import Identities
from services.index.names.names import Names
from services.index.quiet import quiet_collector
from services.index.records import Records
from services.index.refresh import Difference, Refresh, Report, difference
from services.index.renumber import differing, numbers_under, renumbered, within_sight
from services.index.resolve import Found, Resolution, Resolver
from services.index.store import DamagedError, Store
from services.index.units import Plan, plan
from services.index.usages.mentions import Mentions
from services.index.usages.search import FileSpots, UsageSearch
from services.model import (
    TYPE_KINDS,
    Definition,
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
from services.syntax.declaration import Declaration
from services.workspace.projects import ProjectInfo
from services.workspace.root import Root
from services.workspace.stamp import FileStamp
from services.workspace.state import StateFolder

_SNAPSHOT = "catalogue"
_ENCODING = "encoding"
_PROJECTS = "projects"
_GRAPH = "graph"
_IDS = "ids"
_COLUMNS = "search"
_RELATED_AT_ONCE = 16
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
        self._wanted = Wanted(start, settings.target_framework)
        self._lock = threading.RLock()
        self._refreshing = threading.Lock()
        self._relating = threading.Lock()
        self._store = Store(state.path(_DATABASE))
        self.bulletin = Bulletin(self._store)
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
        self._ids_kept = False
        self.describer = Describer(catalogue, self.records, self.identities, self._current_names)
        self._resolver = Resolver(
            catalogue, self.describer, self.identities, self._recency, self._aliases.follow
        )
        self._finder = Finder(catalogue, self._lock, self._graph.references)
        self._project_paths: list[str] = []
        self._changing = Changing(catalogue, self.describer, whole=bool(catalogue.units))
        self._paths: tuple[int, dict[str, FileEntry]] = (-1, {})

    def close(self) -> None:
        """Keeps the catalogue for the next start and closes the store."""
        with self._refreshing:
            if self._unsaved:
                self._save()
            self._keep_ids()
            self._keep_columns()
            self._store.close()

    def load(self) -> bool:
        """Takes the kept catalogue, if it is whole; whether there was one. Then questions can be asked at once."""
        try:
            self._check_encoding()
            data = self._store.kept(_SNAPSHOT)
            if data is None:
                return False
            with self._lock:
                with quiet_collector():
                    self._adopt(thawed(data))
                self._projects = self._kept_projects()
                if len(self._infos) == len(self.catalogue.projects):
                    self._project_paths = [info.path for info in self._infos]
                self._take_graph()
                self._take_ids()
                self._finder.take(self._columns)
                self.state = "kept"
        except DamagedError as error:
            self._store.clear(str(error))
        except msgspec.MsgspecError:
            self._store.drop(_SNAPSHOT)
        return self.state == "kept"

    def _take_ids(self) -> None:
        data = self._store.kept(_IDS)
        if data is not None:
            lineage, ids = msgspec.msgpack.decode(data, type=tuple[str, list[str]])
            if lineage == self.catalogue.lineage:
                self.identities.take(ids)
                self._ids_kept = True

    def _keep_ids(self) -> None:
        """Ids for the next start, whose first answer would wait for them."""
        if not self._ids_kept and len(self.catalogue):
            kept = (self.catalogue.lineage, self.identities.kept())
            self._store.keep(_IDS, msgspec.msgpack.encode(kept))
            self._ids_kept = True

    def _check_encoding(self) -> None:
        """What was read in another encoding is read again."""
        declared = (self._root.encoding or "").encode()
        if (self._store.kept(_ENCODING) or b"") != declared:
            if self._store.listed():
                self._store.clear("another encoding was declared")
            self._store.keep(_ENCODING, declared)

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

    def defines(self, project: int) -> frozenset[str]:
        """The preprocessor symbols of a project; none where it is not known any more."""
        infos = self._infos
        return infos[project].defines if project < len(infos) else frozenset()

    def refresh(self, *, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        """Brings everything up to date with the disk, one refresh after the other. Raises Cancelled (what was read is
        kept)."""
        with self._refreshing:
            try:
                with quiet_collector():
                    return self._refresh(report, cancel)
            except DamagedError as error:
                self._store.clear(str(error))
                with self._lock:
                    self._adopt(Catalogue())
                return self._refresh(report, cancel)

    def _refresh(self, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        self.state = "refreshing"
        try:
            report(Progress(phase="Looking for files", done=0, total=None))
            made = plan(self._root, self._wanted, known=self._projects, cancel=cancel)
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
        units = [*found.gone, *((unit.project, unit.path) for unit in found.stale)]
        with self._lock:
            self._changing.begin(units)
        telling = self._telling(units)
        try:
            self._run(made, found, report, cancel)
        except Cancelled:
            with self._lock:
                self._changing.interrupted(units)
            raise
        self._refreshed_at(made)
        with self._lock:
            self._trim(len(made.evaluation.projects))
            before, after = self._changing.end(units)
            answer = told(before, after, self.identities, self._graph)
            self._forget(within_sight(self._infos, telling | self._telling(units)))
        self._aliases.add(renamed(before, after))
        return answer

    def _trim(self, projects: int) -> None:
        """Nothing is left of the projects past these."""
        if len(self.catalogue.projects) > projects:
            self.catalogue.projects = self.catalogue.projects[:projects]
            self._project_paths = self._project_paths[:projects]

    def _telling(self, units: Iterable[tuple[int, str]]) -> set[int]:
        """The projects of these units that hold something which counts for a whole project."""
        places = (self.catalogue.units.get(unit) for unit in units)
        entries = (self.catalogue.files[at] for at in places if at is not None)
        return {entry.project for entry in entries if entry is not None and entry.telling}

    def _forget(self, projects: set[int]) -> None:
        """In the files of these projects names may mean something else now."""
        if projects:
            self._graph.forget(projects)
            self._graphed = min(self._graphed, 0)

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
                self._forget(differing(self._infos, made.evaluation.projects))
            self._projects = made.projects
            self._store.keep(_PROJECTS, msgspec.msgpack.encode(made.projects))

    def _run(self, made: Plan, found: Difference, report: Report, cancel: threading.Event | None) -> None:
        if not found.stale and not found.gone:
            return
        self._store.drop(_SNAPSHOT)
        self._store.drop(_GRAPH)
        self._store.drop(_IDS)
        self._ids_kept = False
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
        """Other projects than before: each row's project number would mean another. Projects that are gone stay at the
        end until the pass has taken their files out."""
        projects = made.evaluation.projects
        names = [project.name for project in projects]
        if names == self.catalogue.projects:
            self._project_paths = [project.path for project in projects]
            return
        known = self._project_paths
        paths, numbers = numbers_under(known, [project.path for project in projects])
        names += [self.catalogue.projects[known.index(path)] for path in paths[len(names) :]]
        with self._lock:
            changing, graph, graphed = self._changing, self._graph, self._graphed
            self._adopt(renumbered(self.catalogue, names, numbers) if known else _empty(names))
            self._project_paths = paths
            if known:
                self._graph = graph.moved_to(self.catalogue, self.records)
                self._graphed = min(graphed, 0)
                self._finder = Finder(self.catalogue, self._lock, self._graph.references)
                self._changing = changing.moved_to(self.catalogue, self.describer, numbers)

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

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Held around several questions whose answers must be of one moment."""
        return self._lock

    def remember(self, recent: Mapping[str, float]) -> None:
        """How much each symbol id was used lately, 0 to 1."""
        self._recent = recent

    @property
    def moment(self) -> tuple[object, ...]:
        """Something that stays the same value as long as every search has the same answer."""
        return self.catalogue, self.catalogue.version, self._graphed, self._recent

    def _recency(self, id_: str) -> float:
        return self._recent.get(id_, 0.0)

    def search(self, query: str, *, limit: int) -> SearchAnswer:
        """As-you-type search (SPEC section 5)."""
        began = time.perf_counter()
        answer = self._finder.find(query, limit=limit, recent=self._recent_rows())
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

    def detail(self, index: int, *, bound: bool = True) -> TypeDetail | None:
        """A type with everything an outline shows. Dependencies are those worked out so far (`relate`). `bound`: with
        the full names of what it names, which the text of an outline does not have."""
        with self._lock:
            describer = self.describer if bound else self.describer.unbound()
            return describer.detail(index, self._graph if self._graphed >= 0 else None)

    @property
    def related_at(self) -> int:
        """The version of the catalogue whose dependencies `detail` tells; -1 for none."""
        return self._graphed

    def relations(self, index: int) -> str:
        """Something that differs where the dependencies of a type do."""
        with self._lock:
            if self._graphed < 0:
                return ""
            graph = self._graph
            told = (graph.depends_on(index), graph.outside(index), graph.used_by(index))
        return f"{crc32(repr(told).encode()):x}"

    @property
    def is_related(self) -> bool:
        """Whether the dependencies of everything are worked out; where there are no projects, none ever are."""
        return self._graphed == self.catalogue.version or not self._infos

    def relate_within(self, seconds: float) -> bool:
        """`relate` as far as it goes in about that time; whether all is worked out. The first time ever, which takes
        long, is left to `relate`, and so is what another thread is at."""
        if not self.is_related and self._graphed >= 0 and not self._relating.locked():
            with suppress(Cancelled):
                self.relate(cancel=Deadline(seconds))
        return self.is_related

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
            search = self._usage_search()
        return iter(()) if search is None else search.find(found, report=report, cancel=cancel)

    def _usage_search(self) -> UsageSearch | None:
        """The search of the catalogue as it is; none while nothing is known of projects."""
        names = self._current_names()
        if names is None:
            return None
        if self._usages is None or self._usages.names is not names:
            self._usages = UsageSearch(
                self._root, self.catalogue, self.records, names, self._infos, self._lock
            )
        return self._usages

    def definition(self, path: str, line: int, column: int) -> Definition:
        """What the name at a place of a file means (`line` from 1, `column` in characters from 0)."""
        with self._lock:
            search, file = self._usage_search(), self._file_of(path)
            if search is None or file is None:
                return Definition(name="", reason=f"{path} is not part of a project that was read.")
            name, meaning, local = search.meaning(file, line, column)
            at = [row for row in meaning.declarations if self.catalogue.files[row[0]] is not None]
            symbols = [self.declared(*row) for row in at[: 1 if meaning.certain else None]]
            if meaning.itself:
                symbols = [self._innermost(file, line)]
            told = tuple(symbol for symbol in symbols if symbol is not None)
            certain = (meaning.certain or meaning.itself) and bool(told or local)
            return Definition(name=name, symbols=told, certain=certain, line=local, reason=meaning.reason)

    def _file_of(self, path: str) -> int | None:
        """The file's index, in the project that has it first."""
        files = [at for (_, file), at in self.catalogue.units.items() if file == path]
        return min(files, key=lambda at: self.catalogue.file(at).shadow, default=None)

    def mentions_in(self, path: str, first: int, last: int) -> Mentions:
        """What lines (1-based, inclusive) of a file refer to."""
        with self._lock:
            search, file = self._usage_search(), self._file_of(path)
            return (
                Mentions()
                if search is None or file is None
                else search.mentions().of_lines(file, first, last)
            )

    def mentions_of(self, places: Iterable[tuple[int, int, Declaration]]) -> Mentions:
        """What the signatures of declarations, each (file, place in it, declaration), name."""
        with self._lock:
            search = self._usage_search()
            return Mentions() if search is None else search.mentions().of_declarations(places)

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

    def types_in(self, path: str, *, nested: bool = False) -> list[int]:
        """The outermost types that a file declares, or all of them, in the order of their lines."""
        with self._lock:
            entry = self._by_path().get(path)
            if entry is None:
                return []
            first, count = entry.rows
            columns = self.catalogue.columns
            rows = (row for row in range(first, first + count) if KINDS[columns.kind[row]] in TYPE_KINDS)
            owners = dict.fromkeys(columns.owner[row] for row in rows)
            types = self.catalogue.types
            return [at for at in owners if at >= 0 and (nested or "+" not in types[at].fqn)]

    def index_of(self, id_: str) -> int | None:
        """The index of the type of a type or member id, or of what has taken its place."""
        with self._lock:
            index = self.identities.find(_of_type(id_))
            if index is None and (replaced := self._aliases.follow(id_)) is not None:
                index = self.identities.find(_of_type(replaced))
            return index

    def stamps_of(self, id_: str) -> list[tuple[str, int, int]]:
        """(path, size, mtime_ns), as indexed, of the files that declare the type of a type or member id."""
        with self._lock:
            index = self.index_of(id_)
            parts = self.catalogue.types[index].parts if index is not None else []
            files = [self.catalogue.file(file) for file in sorted({file for file, _ in parts})]
            return [(file.path, file.size, file.mtime_ns) for file in files]

    def is_stale(self, path: str) -> bool:
        """Whether an indexed file is not on disk as it was indexed. A file that is not indexed is not stale."""
        return self.are_stale((path,))

    def are_stale(self, paths: Iterable[str]) -> bool:
        """Whether any of these files is stale."""
        with self._lock:
            by_path = self._by_path()
        return any((known := by_path.get(path)) is not None and self._differs(known) for path in paths)

    def _differs(self, known: FileEntry) -> bool:
        try:
            stamp = self._root.stat(known.path)
        except CodeCortexError:
            return True
        return (stamp.size, stamp.mtime_ns) != (known.size, known.mtime_ns)

    def _by_path(self) -> dict[str, FileEntry]:
        if self._paths[0] != self.catalogue.version:
            self._paths = (self.catalogue.version, {e.path: e for e in self.catalogue.live_files()})
        return self._paths[1]

    def _current_names(self) -> Names | None:
        """The binder of the catalogue as it is; none while nothing is known of projects."""
        if self._names is None or self._names.version != self.catalogue.version:
            if not self._infos or [info.path for info in self._infos] != self._project_paths:
                return None
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
                target_frameworks=project.target_frameworks,
                files=len(project.files),
                notices=project.notices,
                unknown=project.unknown,
                unknown_examples=project.unknown_examples,
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


def _empty(projects: list[str]) -> Catalogue:
    catalogue = Catalogue()
    catalogue.projects = projects
    return catalogue


def _of_type(id_: str) -> str:
    """The TypeId that a MemberId begins with."""
    return "_".join(id_.split("_")[:2])


def _shifted(positions: tuple[int, ...], ref: SymbolRef) -> tuple[int, ...]:
    """Positions in a simple name as positions in the label, which may begin with an explicit interface."""
    at = ref.label.find("(")
    head = ref.label if at < 0 else ref.label[:at]
    shift = head.rfind(".") + 1
    return tuple(position + shift for position in positions) if shift else positions
