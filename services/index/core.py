"""The state that the parts of one index share: the published revision, and the store behind it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from services.index.aliases import Aliases
from services.index.build.project_cache import ProjectRequest
from services.index.build.units import IndexPlan
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.renumber import is_sparse, numbers_under, packed, renumbered
from services.index.catalog.store import Store
from services.index.graph.graph import Graph
from services.index.index_snapshot import IndexSnapshot, Shared
from services.index.search.finder import Engine, Finder, in_this_process
from services.index.symbols.identities import Conflicts
from services.index.symbols.placed import HashRules
from services.model import SearchAnswer, SearchHit, SymbolRef
from services.msbuild import ProjectInfo
from services.settings import IndexSettings
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.index.search.searcher import SearchProcess

_DATABASE = "index.db"


class IndexCore:
    """Core of an index. `lock`: taken around queries to objects that learn while they answer, and while columns
    shared by revisions grow; `plan`: of the last refresh; `unsaved`: whether the catalogue has changed since it was
    stored; `rebuilt`: names of damaged stored data that is being rebuilt; `save_error`: why the index was not stored
    for the next start; `unreadable`: restored assemblies by their path among packages, each with its package and the
    reason.

    One thread at a time, under the lock of `Refresher`, makes the next revision and publishes it. Readers take the
    published one, for one query each, or for several with `reading`."""

    def __init__(self, root: Root, state: StateFolder, *, settings: IndexSettings, start: str | None) -> None:
        self.root = root
        self.settings = settings
        self.rules = HashRules(settings.hash_internal, settings.hash_docs)
        self.request = ProjectRequest(start, settings.target_framework)
        # Snapshots are made and extended by one thread (lock order: ARCHITECTURE).
        self.lock = threading.RLock()
        self.store = Store(state.path(_DATABASE))
        self.rebuilt: dict[str, None] = {}
        self.save_error = ""
        self.unreadable: dict[str, tuple[str, str]] = {}
        self.aliases = Aliases(state)
        self.plan: IndexPlan | None = None
        self.recent: Mapping[str, float] = {}
        self.state = "empty"
        self.refreshed_at = 0.0
        self.unsaved = False
        self.has_complete_pass = False
        """Whether a pass has come to its end, in this process or before: from then on readers see whole passes only."""
        self._search_process: SearchProcess | None = None
        note = Conflicts(state).note
        self._shared = Shared(
            root,
            self.store,
            self.lock,
            note,
            self._recency,
            self.aliases.follow,
            self.defines,
            self.rules,
        )
        self._pinned = threading.local()
        self.published = self.new_snapshot(Catalogue())

    def new_snapshot(self, catalogue: Catalogue) -> IndexSnapshot:
        """A revision that has nothing to do with those before."""
        return IndexSnapshot(self._shared, catalogue, Finder(self._engine, self._note_remade))

    def adopt(self, revision: IndexSnapshot) -> None:
        """Publishes a revision that has nothing to do with those before."""
        self.publish(revision)
        self.has_complete_pass = not revision.catalogue.is_empty

    # Readers

    @property
    def now(self) -> IndexSnapshot:
        """The revision that this thread reads, or else the last one."""
        return getattr(self._pinned, "revision", None) or self.published

    @contextmanager
    def reading(self) -> Iterator[IndexSnapshot]:
        """All questions of this thread are about one revision: the last one, or that of the `reading` around this
        one."""
        if getattr(self._pinned, "revision", None) is not None:
            yield self.now
            return
        self._pinned.revision = self.published
        try:
            yield self.now
        finally:
            self._pinned.revision = None

    @contextmanager
    def exclusive(self) -> Iterator[IndexSnapshot]:
        """Like `reading`, with the lock for objects that learn while they answer."""
        with self.reading() as revision, self.lock:
            yield revision

    # The writer

    def publish(self, revision: IndexSnapshot) -> None:
        """Readers take this one from now on; the thread that publishes it reads it at once."""
        with self.lock:
            self.published = revision
        if getattr(self._pinned, "revision", None) is not None:
            self._pinned.revision = revision

    def publish_graph(self, of: IndexSnapshot, graph: Graph, *, whole: bool) -> bool:
        """Publish dependencies computed for a revision; returns whether they are still valid: not where changed files
        or projects have since given names another meaning. `whole`: whether they are complete."""
        with self.lock:
            now = self.published
            if now.graph.moment is not of.graph.moment or now.graph.origin is not of.graph.origin:
                return False
            related_at = of.catalogue.version if whole else now.related_at
            self.published = now.with_graph(graph, related_at)
        pinned = getattr(self._pinned, "revision", None)
        if pinned is not None and pinned.catalogue is of.catalogue:
            self._pinned.revision = pinned.with_graph(graph, related_at)
        return True

    def take_dependencies(self) -> None:
        """Have the revision that this thread reads hold the dependencies that another thread has worked out of it."""
        pinned, now = getattr(self._pinned, "revision", None), self.published
        if pinned is not None and pinned is not now and pinned.catalogue is now.catalogue:
            self._pinned.revision = now

    def base(self, projects: Sequence[ProjectInfo]) -> IndexSnapshot:
        """Return the revision that the next one is made from: the last one, under the numbers of these projects.
        Removed projects remain at the end until the pass has taken their files out."""
        last = self._compact(self.published)
        names, paths = [project.name for project in projects], [project.path for project in projects]
        known = last.project_paths
        if names == last.catalogue.projects and known == paths:
            return last
        if names == last.catalogue.projects:
            return last.after(last.catalogue, projects=last.projects, project_paths=paths)
        if not known:
            empty = Catalogue()
            empty.projects = names
            made = self.new_snapshot(empty)
            made.with_projects(None, paths)
            self.has_complete_pass = False
            return made
        paths, numbers = numbers_under(known, paths)
        names += [last.catalogue.projects[known.index(path)] for path in paths[len(names) :]]
        with self.lock:
            catalogue = renumbered(last.catalogue, names, numbers)
        return last.renumbered(catalogue, Finder(self._engine, self._note_remade), paths)

    def _compact(self, last: IndexSnapshot) -> IndexSnapshot:
        """Return the revision without removed rows, where these are the larger part."""
        if not last.is_related or not is_sparse(last.catalogue):
            return last
        with self.lock:
            catalogue, numbers = packed(last.catalogue)
        return last.packed(catalogue, Finder(self._engine, self._note_remade), numbers)

    def defines(self, project: int, path: str) -> frozenset[str]:
        """The preprocessor symbols that a project reads a file with; none where it is not known any more."""
        infos = self.now.infos
        return infos[project].symbols(path) if project < len(infos) else frozenset()

    # Search

    def _note_remade(self, what: str) -> None:
        self.rebuilt[what] = None

    def _engine(self) -> Engine:
        if self._search_process is None:
            return in_this_process()
        from services.index.search.searcher import ProcessEngine

        return ProcessEngine(self._search_process)

    def search_in_worker(self) -> None:
        """Searches in a process of its own from now on, where one can be started."""
        from services.index.search.searcher import SearchProcess

        apart = SearchProcess()
        if apart.start():
            self._search_process = apart
            self.published.finder.change_engine()

    def close(self) -> None:
        """Ends the process that searches and closes the store."""
        if self._search_process is not None:
            self._search_process.stop()
        self.store.close()

    def _recency(self, id_: str) -> float:
        return self.recent.get(id_, 0.0)


def search(core: IndexCore, query: str, *, limit: int) -> SearchAnswer:
    """The best symbols for what was typed (SPEC section 5)."""
    began = time.perf_counter()
    with core.reading() as now:
        return _answer(core, now, query, limit=limit, began=began)


def _answer(core: IndexCore, now: IndexSnapshot, query: str, *, limit: int, began: float) -> SearchAnswer:
    answer = now.finder.find(now.catalogue, query, limit=limit, recent=_recent_rows(core, now))
    hits: dict[str, SearchHit] = {}  # by id: a partial type has a row for each part
    with core.lock:
        for hit in answer.hits:
            ref = now.describer.row_ref(hit.number, hit.name)
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
        advice="" if hits else _advice(now, query),
    )


def _advice(now: IndexSnapshot, query: str) -> str:
    from services.index.search import parse, unknown

    return unknown(parse(query), now.catalogue.projects)


def _recent_rows(core: IndexCore, now: IndexSnapshot) -> dict[int, float]:
    rows: dict[int, float] = {}
    with core.lock:
        for id_, weight in core.recent.items():
            found = now.resolver.resolve(id_).found
            if found:
                placed = found[0].member or found[0].whole.primary
                rows[now.catalogue.file(placed.file).rows[0] + placed.at] = weight
    return rows


def _shifted(positions: tuple[int, ...], ref: SymbolRef) -> tuple[int, ...]:
    """Positions in a simple name as positions in the label, which may begin with an explicit interface."""
    at = ref.label.find("(")
    head = ref.label if at < 0 else ref.label[:at]
    shift = head.rfind(".") + 1
    return tuple(position + shift for position in positions) if shift else positions
