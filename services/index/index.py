"""The index of one workspace: every question about symbols, each answered by the part that knows."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from hashlib import blake2b
from typing import TYPE_CHECKING

from services.concurrency.cancellation import until
from services.index import files
from services.index.build.refresh import Report
from services.index.bulletin import Bulletin
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.core import IndexCore, search
from services.index.dependency_builder import DependencyBuilder
from services.index.files import FileQueries
from services.index.graph.graph import Graph
from services.index.hashes import Hashes
from services.index.persistence import IndexPersistence
from services.index.refresher import Refresher
from services.index.resolve.candidates import namespace_ref, types_of
from services.index.resolve.resolve import FoundSymbol, Resolution
from services.index.symbols.describe import Describer
from services.index.symbols.identities import Identities
from services.index.symbols.partials import in_source_order
from services.model import (
    Notice,
    Project,
    SearchAnswer,
    Symbol,
    SymbolRef,
    TypeChange,
    TypeDetail,
)
from services.msbuild import ProjectInfo
from services.settings import IndexSettings
from services.syntax.records.declaration import Declaration
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.index.binding.types.symbol import Symbol as InheritedSymbol
    from services.index.build.worker_process import WorkerInput
    from services.index.usages.bound_texts import BoundTexts
    from services.index.usages.overlay import Overlay, OverlayText
    from services.index.usages.search import FileUsages


class Index:
    """All questions about symbols. Thread-safe. Each question is about one revision, the last one that a refresh has
    brought to its end; several are within `reading`. `files`: questions about places in files; `dependencies`: which
    types name which."""

    def __init__(
        self, root: Root, state: StateFolder, *, settings: IndexSettings, start: str | None = None
    ) -> None:
        self._core = IndexCore(root, state, settings=settings, start=start)
        self._persistence = IndexPersistence(self._core, state)
        self._refresher = Refresher(self._core, self._persistence)
        self.dependencies = DependencyBuilder(self._core, self._persistence)
        self.files = FileQueries(self._core)
        self.hashes = Hashes(self._core)
        self.bulletin = Bulletin(self._core.store)

    # Coming and going

    def load(self) -> bool:
        """Load the stored catalogue, if it is whole; returns whether there was one. Then queries are possible at
        once."""
        return self._persistence.load()

    def refresh(self, *, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        """Bring everything up to date with the disk, one refresh after the other. Raises Cancelled (finished work is
        stored)."""
        return self._refresher.refresh(report=report, cancel=cancel)

    def read_packages(self, *, cancel: threading.Event | None) -> bool:
        """Reads what restored packages declare, as far as that has not been done on this machine; whether anything was,
        which the next `refresh` takes. Raises Cancelled."""
        return self._refresher.read_packages(cancel=cancel)

    def update(
        self, paths: Iterable[str], *, report: Report, cancel: threading.Event | None
    ) -> tuple[TypeChange, ...]:
        """Refresh only files that may have changed. Changes that need a whole refresh (project files, new files) lead
        to one."""
        return self._refresher.update(paths, report=report, cancel=cancel)

    def close(self) -> None:
        """Store the catalogue for the next start and close the store."""
        with self._refresher.refresh_lock:
            self._persistence.close()

    def keep(self) -> None:
        """Store the catalogue, if it has changed since it was stored. Raises ReadOnly, WorkspaceError."""
        with self._refresher.refresh_lock:
            self._persistence.keep()

    def prepare(self, cancel: threading.Event) -> None:
        """Build in the background whatever the first change would otherwise wait for, and check what is stored. Raises
        Cancelled, WorkspaceError."""
        now = self._core.published
        for _ in until(cancel, now.catalogue.getting_ready(), message="Cancelled while nobody waited."):
            pass
        now.graph.sum_up(cancel)
        self._persistence.verify()

    def search_in_worker(self) -> None:
        """Searches in a process of its own from now on, where one can be started: for a server, whose other calls would
        wait. Takes as long as that process takes to be there."""
        self._core.search_in_worker()

    def when_renamed(self, act: Callable[[], None]) -> None:
        """Have something done after each refresh that found types renamed or moved."""
        self._core.aliases.added = act

    # What is at hand

    @property
    def state(self) -> str:
        """Return `empty`, `kept` (as the last process left it), `refreshing`, `partial` (a first refresh was cut
        short) or `ready`."""
        return self._core.state

    @property
    def refreshed_at(self) -> float:
        """When the last refresh ended, in seconds since the epoch; 0 before the first."""
        return self._core.refreshed_at

    def reading(self) -> AbstractContextManager[object]:
        """Pin one revision for all queries of this thread within the block, even if another one is published."""
        return self._core.reading()

    @property
    def lock(self) -> AbstractContextManager[object]:
        """Pin a revision like `reading`, with the lock for objects that learn while they answer."""
        return self._core.exclusive()

    @property
    def catalogue(self) -> Catalogue:
        """The symbols of a revision; it never changes."""
        return self._core.now.catalogue

    @property
    def records(self) -> Records:
        """Return the records of files, in full."""
        return self._core.now.records

    def worker_input(self) -> WorkerInput | None:
        """Return the input with which a worker process reads the revision; None where other processes cannot."""
        from services.index.build.worker_process import WorkerInput

        return WorkerInput.of(self._core, self._core.now)

    @property
    def identities(self) -> Identities:
        """The ids of types."""
        return self._core.now.identities

    @property
    def describer(self) -> Describer:
        """Makes values of symbols."""
        return self._core.now.describer

    @property
    def moment(self) -> tuple[object, ...]:
        """Something that stays the same value as long as every search has the same answer."""
        now = self._core.now
        return now.catalogue, self._core.recent

    def remember(self, recent: Mapping[str, float]) -> None:
        """How much each symbol id was used lately, 0 to 1."""
        self._core.recent = recent

    # Symbols

    def search(self, query: str, *, limit: int) -> SearchAnswer:
        """Search as you type (SPEC section 5)."""
        return search(self._core, query, limit=limit)

    def resolve(self, path: str) -> Resolution:
        """Resolve a symbol path (SPEC section 5)."""
        with self._core.exclusive() as now:
            return now.resolver.resolve(path)

    def detail(self, index: int, *, bound: bool = True) -> TypeDetail | None:
        """A type with everything an outline shows. Dependencies are those worked out so far (`relate`). `bound`: with
        the full names of what it names, which the text of an outline does not have."""
        with self._core.exclusive():
            describer = self.describer if bound else self.describer.unbound()
            return describer.detail(index, self.dependencies.graph)

    def named_members(self, index: int, name: str) -> TypeDetail | None:
        """A type with its members of one name alone, as the outline of one of them shows it: nothing that is nested in
        it or related to it, and names as they are written."""
        with self._core.exclusive():
            return self.describer.unbound().detail(index, named=name)

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol of one revision (SPEC section 10)."""
        now = self._core.now
        for index in in_source_order(now.catalogue):
            with self._core.lock:
                made = list(now.describer.symbols_of(index))
            yield from made

    def index_of(self, id_: str) -> int | None:
        """The index of the type of a type or member id, or of what has taken its place."""
        find, follow = self._core.now.identities.find, self._core.aliases.follow
        type_id = _of_type(id_)
        index = find(type_id)
        # A member that went in the same batch in which its type was renamed has no alias of its own.
        replaced = follow(id_) or follow(type_id) if index is None else None
        return find(_of_type(replaced)) if replaced is not None else index

    def usages(
        self,
        found: FoundSymbol,
        *,
        nameless: bool = False,
        crefs: bool = True,
        project: str = "",
        within: Callable[[str], bool] | None = None,
        inside: Callable[[Declaration], bool] | None = None,
        report: Report | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[FileUsages]:
        """Iterate over the usages of a type or member, file by file, all of one revision. `nameless`: also where no
        name is written, which operators and conversions always include; `crefs`: whether comments count; `project`:
        among several projects that compile one source, the one whose type is meant; `within`: which files are
        searched, by path, `inside`: which declarations, all where they are left out. Raises Cancelled and UsageError.
        """
        with self._core.exclusive() as now:
            usages = now.usage_search()
        if usages is None:
            return iter(())
        stored = now.graph.bodies if now.is_related else None
        return usages.find(
            found,
            nameless=nameless,
            crefs=crefs,
            project=project,
            within=within,
            inside=inside,
            stored=stored,
            report=report,
            cancel=cancel,
        )

    def bound_texts(self) -> BoundTexts | None:
        """The files with what their names mean; None while nothing is known of projects."""
        with self._core.exclusive() as now:
            usages = now.usage_search()
        stored = now.graph.bodies if now.is_related else None
        return usages.texts(stored) if usages is not None else None

    def with_texts(self, changed: Mapping[str, OverlayText], over: Overlay | None = None) -> Overlay | None:
        """The files as they would be, were some of them to have other texts, by path; None while nothing is known of
        projects. `over`: files of an overlay instead of those on disk. Nothing is written."""
        with self._core.reading() as now:
            return now.with_texts(changed, over)

    def resolve_in(self, overlay: Overlay, path: str) -> Resolution:
        """Resolve a symbol path in the files of an overlay."""
        with self._core.exclusive() as now:
            return now.resolver_in(overlay).resolve(path)

    def left_unimplemented(self, index: int, name: str) -> list[tuple[str, int, str]]:
        """(file, line, member) of each type that derives from a type and lacks what that leaves to it under a name."""
        with self._core.exclusive() as now:
            search = now.usage_search()
            if search is None:
                return []
            graph = now.graph
            found = search.unimplemented(index, name, lambda at: [user for user, _ in graph.used_by(at)])
            return [
                (now.catalogue.file(each.file).path, each.declaration.start_line, _told(each.member))
                for each in found
            ]

    def overriding_nothing(self, index: int, name: str) -> list[tuple[str, int]]:
        """(file, line) of each member of a name with which an heir of a type overrides what no base has."""
        with self._core.exclusive() as now:
            search = now.usage_search()
            if search is None:
                return []
            graph = now.graph
            found = search.overriding_nothing(index, name, lambda at: [user for user, _ in graph.used_by(at)])
            return [(now.catalogue.file(file).path, each.start_line) for file, each in found]

    def compiled_for(self, project: int, index: int) -> int:
        """Return the type that a project sees, among the types of one symbol; all by their indexes."""
        with self._core.exclusive() as now:
            usages = now.usage_search()
        return index if usages is None else usages.names.space.compiled_for(project, index)

    # Dependencies

    @property
    def related_at(self) -> int:
        """Return the version of the catalogue whose dependencies `detail` uses; -1 for none."""
        return self._core.now.related_at

    def graph(self) -> Graph:
        """The dependencies worked out so far."""
        return self._core.now.graph

    @property
    def is_related(self) -> bool:
        """Whether the dependencies of everything are worked out; where there are no projects, none ever are."""
        return self.dependencies.is_done

    # Files

    def value_of(self, file: int, at: int) -> str:
        """The value of declaration `at` of a file, by its index, where it is a constant's; else empty."""
        record = self._core.now.records.record(file)
        return record.every[at].value if record is not None and at < len(record.every) else ""

    def namespace_ref(self, name: str) -> SymbolRef:
        """Return a namespace as a row of a list; it has no file."""
        return namespace_ref(self._core.now.catalogue, name)

    def types_of(self, namespace: str) -> list[str]:
        """The first of the outermost types of a namespace, by their paths."""
        return types_of(self._core.now.catalogue, namespace)

    def stamps_of(self, id_: str) -> list[tuple[str, int, int]]:
        """(path, size, mtime_ns), as indexed, of the files that declare the type of a type or member id."""
        with self._core.reading():
            return self.files.stamps_of(self.index_of(id_))

    def paths(self) -> list[str]:
        """Every file that is indexed."""
        return list(self._core.now.by_path)

    def is_stale(self, path: str) -> bool:
        """Whether an indexed file is not on disk as it was indexed. A file that is not indexed is not stale."""
        return self.files.are_stale((path,))

    @property
    def digest(self) -> bytes | None:
        """Value that is another one as soon as a file, a project or a table of a restored package is; None before the
        first refresh."""
        made = self._core.plan
        if made is None:
            return None
        tables = [each.table for info in self._core.now.infos for each in info.assemblies]
        rest = (tables, self._core.settings.max_file_bytes)
        return made.digest + blake2b(repr(rest).encode("utf-8", "replace"), digest_size=16).digest()

    def defines(self, project: int, path: str) -> frozenset[str]:
        """The preprocessor symbols that a project reads a file with; none where it is not known any more."""
        return self._core.defines(project, path)

    def info(self, project: int) -> ProjectInfo | None:
        """Return the evaluated project; None where it is no longer known."""
        infos = self._core.now.infos
        return infos[project] if project < len(infos) else None

    def counts(self) -> tuple[int, int, int]:
        """Files, types and members."""
        return files.counts(self._core)

    def qualities(self) -> dict[str, int]:
        """How many files have each quality."""
        return files.qualities(self._core)

    def projects(self) -> tuple[Project, ...]:
        """Return the projects of the last refresh; from a stored catalogue, their names alone."""
        return files.projects(self._core)

    def renewals(self) -> tuple[Notice, ...]:
        """Return notices about damaged or outdated parts of the index, which are rebuilt."""
        return files.renewals(self._core)

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices of the last refresh."""
        return files.notices(self._core, self._refresher.notices)


def _told(symbol: InheritedSymbol) -> str:
    """A member with the types of its parameters."""
    name = f"{symbol.owner.fqn}.{symbol.name}".replace("+", ".")
    declaration = symbol.member.declaration if symbol.member is not None else None
    if declaration is None or declaration.parameters is None:
        return name
    return f"{name}({', '.join(each.type for each in declaration.parameters)})"


def _of_type(id_: str) -> str:
    """The TypeId that a MemberId begins with."""
    return "_".join(id_.split("_")[:2])
