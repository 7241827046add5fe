"""What the parts of one index share: the catalogue at hand, what is made of it, and the store it is kept in."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from services.index.build.project_cache import Evaluated, Wanted
from services.index.build.units import Plan
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Records
from services.index.catalog.renumber import numbers_under, renumbered
from services.index.catalog.store import Store
from services.index.changes.aliases import Aliases
from services.index.changes.pending import Changing
from services.index.graph.graph import Graph
from services.index.resolve.resolve import Resolver
from services.index.search.finder import Engine, Finder, in_this_process
from services.index.symbols.describe import Describer
from services.index.symbols.identities import Conflicts, Identities
from services.model import SymbolRef
from services.msbuild import ProjectInfo
from services.settings import IndexSettings
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.index.names.names import Names
    from services.index.names.sight import Sight
    from services.index.search.searcher import SearchProcess
    from services.index.usages.search import UsageSearch

_DATABASE = "index.db"


class Holding:
    """`lock`: held around each change of the catalogue, and around questions about one moment of it. `plan`: of the
    last refresh; `projects`: as last evaluated; `graphed`: the version of the catalogue whose dependencies `graph` has,
    -1 for none; `unsaved`: whether the catalogue has changed since it was kept."""

    def __init__(self, root: Root, state: StateFolder, *, settings: IndexSettings, start: str | None) -> None:
        self.root = root
        self.settings = settings
        self.wanted = Wanted(start, settings.target_framework)
        self.lock = threading.RLock()
        self.store = Store(state.path(_DATABASE))
        self.aliases = Aliases(state)
        self._conflicts = Conflicts(state)
        self.plan: Plan | None = None
        self.projects: Evaluated | None = None
        self.recent: Mapping[str, float] = {}
        self.state = "empty"
        self.refreshed_at = 0.0
        self.unsaved = False
        self._sight: Sight | None = None
        self._apart: SearchProcess | None = None
        self.adopt(Catalogue())

    def adopt(self, catalogue: Catalogue) -> None:
        """Takes a catalogue in the place of the one at hand, and makes everything of it anew."""
        self.catalogue = catalogue
        self.records = Records(self.root, self.store, catalogue)
        self.identities = Identities(catalogue, self._conflicts.note)
        self._names: Names | None = None
        self._usages: UsageSearch | None = None
        self.graph = Graph(catalogue, self.records)
        self.graphed = -1
        self.ids_kept = False
        self.describer = Describer(catalogue, self.records, self.identities, self.current_names)
        self.resolver = Resolver(
            catalogue, self.describer, self.identities, self._recency, self.aliases.follow
        )
        self.finder = self._finder(catalogue)
        self.project_paths: list[str] = []
        self.changing = Changing(catalogue, self.describer, whole=not catalogue.is_empty)
        self._paths: tuple[int, dict[str, FileEntry]] = (-1, {})

    def _finder(self, catalogue: Catalogue) -> Finder:
        return Finder(catalogue, self.lock, self.graph, self._engine)

    def _engine(self) -> Engine:
        if self._apart is None:
            return in_this_process()
        from services.index.search.searcher import SearchApart

        return SearchApart(self._apart)

    def search_apart(self) -> None:
        """Searches in a process of its own from now on, where one can be started."""
        from services.index.search.searcher import SearchProcess

        apart = SearchProcess()
        if apart.start():
            self._apart = apart
            self.finder.change_engine()

    def close(self) -> None:
        """Ends the process that searches and closes the store."""
        if self._apart is not None:
            self._apart.stop()
        self.store.close()

    def _recency(self, id_: str) -> float:
        return self.recent.get(id_, 0.0)

    # Projects

    @property
    def infos(self) -> tuple[ProjectInfo, ...]:
        """The projects as last evaluated, by number."""
        return self.projects.evaluation.projects if self.projects is not None else ()

    def take_projects(self, projects: Iterable[ProjectInfo]) -> None:
        """Other projects than before: each row's project number would mean another. Projects that are gone stay at the
        end until the pass has taken their files out (`trim`)."""
        names, now = [], []
        for project in projects:
            names.append(project.name)
            now.append(project.path)
        if names == self.catalogue.projects:
            self.project_paths = now
            return
        known = self.project_paths
        paths, numbers = numbers_under(known, now)
        names += [self.catalogue.projects[known.index(path)] for path in paths[len(names) :]]
        with self.lock:
            if known:
                self._renumber(names, numbers)
            else:
                self.adopt(_empty(names))
            self.project_paths = paths

    def _renumber(self, names: list[str], numbers: dict[int, int]) -> None:
        """The same files under other numbers of their projects: what they name stays what it is."""
        changing, graph, graphed = self.changing, self.graph, self.graphed
        self.adopt(renumbered(self.catalogue, names, numbers))
        self.graph = graph.moved_to(self.catalogue, self.records)
        self.graphed = min(graphed, 0)
        self.finder = self._finder(self.catalogue)
        self.changing = changing.moved_to(self.catalogue, self.describer, numbers)

    def trim(self, projects: int) -> None:
        """Nothing is left of the projects past these."""
        if len(self.catalogue.projects) > projects:
            self.catalogue.projects = self.catalogue.projects[:projects]
            self.project_paths = self.project_paths[:projects]

    # Names

    @property
    def knows_projects(self) -> bool:
        """Whether names can be bound: the projects of the catalogue are evaluated."""
        return bool(self.infos) and [info.path for info in self.infos] == self.project_paths

    def current_names(self) -> Names | None:
        """The binder of the catalogue as it is; none while nothing is known of projects."""
        from services.index.framework.table import load
        from services.index.names.names import Names
        from services.index.names.sight import Sight

        deduced = self.graph.deduced
        known = self._names
        if known is None or known.version != self.catalogue.version or known.deduced is not deduced:
            if not self.knows_projects:
                return None
            infos = self.infos
            if self._sight is None or self._sight.projects is not infos:
                self._sight = Sight(infos)
            self._names = Names(self.catalogue, self.records, self._sight, load(), deduced)
        return self._names

    def forget_names(self) -> None:
        """The next binder is made of the projects as they are then."""
        self._names = None

    def forget_edges(self, projects: set[int]) -> None:
        """In the files of these projects names may mean something else now."""
        if projects:
            self.graph.forget(projects)
            self.graphed = min(self.graphed, 0)

    def usage_search(self) -> UsageSearch | None:
        """The search of the catalogue as it is; none while nothing is known of projects."""
        from services.index.usages.search import UsageSearch

        names = self.current_names()
        if names is None:
            return None
        if self._usages is None or self._usages.names is not names:
            self._usages = UsageSearch(self.root, self.catalogue, self.records, names, self.infos, self.lock)
        return self._usages

    # Files

    def by_path(self) -> dict[str, FileEntry]:
        """The files of the catalogue as it is, by path."""
        if self._paths[0] != self.catalogue.version:
            self._paths = (self.catalogue.version, {e.path: e for e in self.catalogue.live_files()})
        return self._paths[1]

    def row_ref(self, file: int, at: int) -> SymbolRef | None:
        """The symbol of declaration `at` of a file that is there."""
        return self.describer.row_ref(self.catalogue.file(file).rows[0] + at)


def _empty(projects: list[str]) -> Catalogue:
    catalogue = Catalogue()
    catalogue.projects = projects
    return catalogue
