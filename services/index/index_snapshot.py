"""Immutable revision of an index, shared by its readers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from functools import cached_property, partial
from typing import TYPE_CHECKING, NamedTuple

from services.concurrency.lazy import lazy
from services.index.build.project_cache import Evaluated
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Defines, Records
from services.index.catalog.renumber import PackedNumbers
from services.index.catalog.store import Store
from services.index.graph.graph import Graph
from services.index.resolve.candidates import TypeNameIndex
from services.index.resolve.resolve import Resolver
from services.index.search.finder import Finder
from services.index.symbols.describe import Describer
from services.index.symbols.identities import Collided, Identities
from services.index.symbols.placed import USUAL_RULES, HashRules
from services.model import SymbolRef
from services.msbuild import ProjectInfo
from services.workspace.files.root import Root

if TYPE_CHECKING:
    from services.index.names.names import Names
    from services.index.names.packages import Deduced
    from services.index.names.visibility import ProjectVisibility
    from services.index.usages.overlay import Overlay, OverlayText
    from services.index.usages.search import UsageSearch


class Shared(NamedTuple):
    """State shared by all revisions of an index. `lock`: around questions to what learns while it answers;
    `recency`: how much an id was used lately; `replaced`: the id that an old one has become;
    `defines`: the preprocessor symbols of a project; `rules`: of hashes."""

    root: Root
    store: Store
    lock: AbstractContextManager[object]
    collided: Collided
    recency: Callable[[str], float]
    replaced: Callable[[str], str | None]
    defines: Defines
    rules: HashRules = USUAL_RULES


class _Binding:
    """Lazy binder of one revision. It does not refer to its readers, so that an earlier revision is freed as soon as
    its last reader ends."""

    def __init__(
        self, of: tuple[Catalogue, Records, Deduced], sight: Callable[[], ProjectVisibility] | None
    ) -> None:
        """`sight`: None where the projects are not those of the catalogue."""
        self._of = of
        self._sight = sight

    def names(self) -> Names | None:
        """The binder; none while nothing is known of projects."""
        return self._names if self._sight is not None else None

    @lazy
    def _names(self) -> Names:
        from services.index.names.names import Names

        assert self._sight is not None
        catalogue, records, inferred = self._of
        return Names(catalogue, records, self._sight(), inferred)


class _VisibilityCache:
    """Cache of the projects' visibility, rebuilt only when projects change."""

    def __init__(self) -> None:
        self._made: ProjectVisibility | None = None

    def of(self, infos: Sequence[ProjectInfo]) -> ProjectVisibility:
        from services.index.names.framework import load
        from services.index.names.visibility import ProjectVisibility

        made = self._made
        if made is None or made.projects is not infos:
            made = self._made = ProjectVisibility(infos, load())
        return made


class IndexSnapshot:
    """A catalogue with all that answers questions about it. Nothing in it changes but what it has learnt. `related_at`:
    the version of the catalogue whose dependencies `graph` has, -1 for none; `projects`: as evaluated for it;
    `project_paths`: of its projects, by number, none where they are not known."""

    def __init__(self, shared: Shared, catalogue: Catalogue, finder: Finder) -> None:
        self._shared = shared
        self.catalogue = catalogue
        self.finder = finder
        self.records = Records(
            shared.root, shared.store, catalogue, defines=shared.defines, rules=shared.rules
        )
        self.identities = Identities(catalogue, shared.collided)
        self.graph = Graph(catalogue, self.records)
        self.related_at = -1
        self.projects: Evaluated | None = None
        self.project_paths: list[str] = []
        self._type_names = TypeNameIndex(catalogue)
        self._sights = _VisibilityCache()
        self.describer = Describer(catalogue, self.records, self.identities)
        self._answer_anew()

    def after(
        self, catalogue: Catalogue, *, projects: Evaluated | None, project_paths: list[str]
    ) -> IndexSnapshot:
        """Return the next revision, with the same numbers; dependencies are unchanged."""
        other: IndexSnapshot = copy(self)
        other.catalogue, other.projects, other.project_paths = catalogue, projects, project_paths
        other.records = self.records.over(catalogue)
        other.identities = self.identities.after(catalogue)
        other.graph = self.graph.over(catalogue, other.records)
        other._type_names = self._type_names.after(catalogue)
        other._answer_anew()
        return other

    def renumbered(self, catalogue: Catalogue, finder: Finder, project_paths: list[str]) -> IndexSnapshot:
        """Return the revision for a catalogue that has other numbers for projects: the meaning of names
        is unchanged."""
        other = IndexSnapshot(self._shared, catalogue, finder)
        other.graph = self.graph.moved_to(catalogue, other.records)
        other.related_at = min(self.related_at, 0)
        other.with_projects(self.projects, project_paths)
        return other

    def packed(self, catalogue: Catalogue, finder: Finder, numbers: PackedNumbers) -> IndexSnapshot:
        """Return this revision, whose dependencies are all known, for the packed catalogue."""
        other = IndexSnapshot(self._shared, catalogue, finder)
        other.graph = self.graph.packed_to(catalogue, other.records, numbers)
        other.related_at = 0 if other.graph.left() else catalogue.version
        other.with_projects(self.projects, self.project_paths)
        return other

    def with_projects(self, projects: Evaluated | None, project_paths: list[str]) -> None:
        """Set the projects; only before publication."""
        self.projects, self.project_paths = projects, project_paths
        self._answer_anew()

    def with_graph(self, graph: Graph, related_at: int) -> IndexSnapshot:
        """Return the same revision with other dependencies."""
        other: IndexSnapshot = copy(self)
        other.graph, other.related_at = graph.over(self.catalogue, self.records), related_at
        if graph.inferred is not self.graph.inferred:
            other._answer_anew()
        return other

    def forget_edges(self, projects: set[int]) -> None:
        """In the files of these projects names may mean something else than before. Only until it is published."""
        self.graph = self.graph.fork()
        self.graph.forget(projects)
        self.related_at = min(self.related_at, 0)

    def _answer_anew(self) -> None:
        self._usages: UsageSearch | None = None
        self.__dict__.pop("by_path", None)
        sight = partial(self._sights.of, self.infos) if self.knows_projects else None
        self.names = _Binding((self.catalogue, self.records, self.graph.inferred), sight).names
        self.describer = self.describer.over(self.catalogue, self.records, self.identities, self.names)
        self.resolver = self._resolver()

    def _resolver(self) -> Resolver:
        shared = self._shared
        return Resolver(
            self.catalogue,
            self.describer,
            self.identities,
            self._type_names,
            shared.recency,
            shared.replaced,
            is_loose=lambda project: self.project_paths[project : project + 1] == ["."],
        )

    def is_as(self, other: IndexSnapshot) -> bool:
        """Whether all answers equal those of the other revision."""
        return (
            self.catalogue is other.catalogue
            and self.projects is other.projects
            and self.project_paths == other.project_paths
        )

    @property
    def is_related(self) -> bool:
        """Whether the dependencies of all its files are worked out."""
        return self.related_at == self.catalogue.version

    @property
    def infos(self) -> tuple[ProjectInfo, ...]:
        """The projects as last evaluated, by number."""
        return self.projects.evaluation.projects if self.projects is not None else ()

    @property
    def knows_projects(self) -> bool:
        """Whether names can be bound: the projects of the catalogue are evaluated."""
        return bool(self.infos) and [info.path for info in self.infos] == self.project_paths

    def usage_search(self) -> UsageSearch | None:
        """The search for usages; none while nothing is known of projects."""
        made = self._usages or self.own_usage_search()
        with self._shared.lock:
            if self._usages is None:
                self._usages = made
            return self._usages

    def own_usage_search(self) -> UsageSearch | None:
        """Return a search for a pass over every file, like `usage_search`: its cache is freed with it."""
        from services.index.usages.search import UsageSearch

        names, shared = self.names(), self._shared
        if names is None:
            return None
        return UsageSearch(shared.root, self.catalogue, self.records, names, self.infos, shared.lock)

    def with_texts(self, changed: Mapping[str, OverlayText], over: Overlay | None = None) -> Overlay | None:
        """These files as they would be with other texts, by path; none while nothing is known of projects. `over`: an
        overlay whose files are meant instead."""
        from services.index.usages.overlay import OverlayBuilder

        if not self.knows_projects:
            return None
        catalogue, records = (
            (over.texts.catalogue, over.texts.records) if over is not None else (self.catalogue, self.records)
        )
        with self._shared.lock:
            builder = OverlayBuilder(self._shared.root, catalogue, records, self.infos)
            return builder.build(changed, self._sights.of(self.infos), self.graph.inferred, self._shared.lock)

    def resolver_in(self, overlay: Overlay) -> Resolver:
        """The resolver of an overlay's symbols."""
        catalogue, names = overlay.texts.catalogue, overlay.names
        identities = Identities(catalogue, self._shared.collided)
        describer = self.describer.over(catalogue, overlay.texts.records, identities, lambda: names)
        return Resolver(catalogue, describer, identities, TypeNameIndex(catalogue))

    @cached_property
    def by_path(self) -> dict[str, FileEntry]:
        """The files by path."""
        return {entry.path: entry for entry in self.catalogue.live_files()}

    def row_ref(self, file: int, at: int) -> SymbolRef | None:
        """The symbol of declaration `at` of a file that is there."""
        return self.describer.row_ref(self.catalogue.file(file).rows[0] + at)
