"""Persistence of an index between two starts.

Values of an index that are too large to be read whole at each start: mapped, a start pays for what it looks at.
"""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Callable
from contextlib import suppress

import msgspec

from services.concurrency.gc_pause import paused_collector
from services.decoding import decode_msgpack
from services.errors import CodeCortexError, ReadOnly
from services.index.build.project_cache import Evaluated
from services.index.build.refresh import changed_since
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.snapshot import frozen, thawed
from services.index.catalog.store import DamagedError, Store
from services.index.core import IndexCore
from services.index.graph.graph import Graph
from services.index.index_snapshot import IndexSnapshot
from services.workspace.files.durable import checksum_of
from services.workspace.files.mapped import mapped
from services.workspace.files.openers import held
from services.workspace.state import StateFolder

_FOLDER = "large"
_YOUNG = 60.0
"""Seconds for which a file without a row is not removed: another process may be about to write the row."""

_Told = tuple[str, int, int]
"""(file, bytes, checksum)."""


class LostError(Exception):
    """A value that should be there is not, or is not what was written."""


class LargeValues:
    """Named values, each in a file of its own that is never overwritten; a row of the store names the file, so that a
    value is valid from the moment its row is written until it is deleted."""

    def __init__(self, store: Store, state: StateFolder) -> None:
        self._store = store
        self._state = state

    def keep(self, name: str, value: bytes) -> memoryview | None:
        """Writes a value, where other processes can read the store, and gives it back as it lies there, mapped; None
        where it does not. Raises ReadOnly, WorkspaceError."""
        if not self._store.is_lasting:
            return None
        file, checksum = f"{_FOLDER}/{name}-{os.urandom(8).hex()}", zlib.crc32(value)
        self._state.write(file, value)
        self._store.keep(name, msgspec.msgpack.encode((file, len(value), checksum)))
        self._sweep(name)
        return self._mapped(file, checksum)

    def kept(self, name: str) -> memoryview | None:
        """Return a value, or None where there is none. The memory remains valid even if the file is removed. Raises
        msgspec.MsgspecError where the row names no file, LostError where its content was changed."""
        for _ in range(2):  # another process may take a later one's place between the two steps
            told = self._store.value(name)
            if told is None:
                return None
            file, size, checksum = decode_msgpack(_Told, told)
            found = self._mapped(file, checksum)
            if found is not None and len(found) == size:
                return found
        raise LostError(name)

    def _mapped(self, file: str, checksum: int) -> memoryview | None:
        with (
            suppress(OSError, ValueError),
            held(os.fspath(self._state.path(file)), os.O_RDONLY | os.O_NOFOLLOW) as descriptor,
        ):
            if checksum_of(descriptor) == checksum:
                return memoryview(mapped(descriptor))
        return None

    def _sweep(self, name: str) -> None:
        """Remove files without a row."""
        with suppress(OSError, ReadOnly, DamagedError):
            told = self._store.value(name)
            current = decode_msgpack(_Told, told)[0] if told is not None else ""
            for other in self._state.names(_FOLDER):
                file = f"{_FOLDER}/{other}"
                if other.startswith(f"{name}-") and file != current and self._age(file) > _YOUNG:
                    self._state.remove(file)

    def _age(self, file: str) -> float:
        return time.time() - self._state.path(file).stat().st_mtime


_SNAPSHOT = "catalogue"
_ENCODING = "encoding"
_PROJECTS = "projects"
_GRAPH = "graph"
_IDS = "ids"
_SETTLED = "settled"
_COLUMNS = "search"
_OF_THE_CATALOGUE = (_SNAPSHOT, _GRAPH, _IDS, _SETTLED)

_Settled = tuple[str, bytes]
"""Marker of a finished catalogue: the name of its lineage, and the digest of the plan."""


class IndexPersistence:
    """Persistence of one index. The stored data is derived from the files' records, which are authoritative: lost
    data is rebuilt from them."""

    def __init__(self, core: IndexCore, state: StateFolder) -> None:
        self._core = core
        self._large = LargeValues(core.store, state)
        self._columns = state.path(_COLUMNS)
        self._ids_kept = False

    def load(self) -> bool:
        """Load the stored catalogue, if it is whole; returns whether there was one."""
        core = self._core
        try:
            self._check_encoding()
            data = self._large.kept(_SNAPSHOT)
            if data is None:
                return False
            self._take(data)
        except DamagedError as error:
            core.store.clear(str(error))
            core.adopt(core.new_snapshot(Catalogue()))
            core.state = "empty"
        except LostError:
            core.rebuilt["the catalogue"] = None
        except msgspec.MsgspecError:
            core.store.drop(_SNAPSHOT)
        return core.state == "kept"

    def _take(self, data: memoryview) -> None:
        core = self._core
        with paused_collector(for_good=True):
            kept = core.new_snapshot(thawed(data))
            projects = self._kept_projects()
            infos = projects.evaluation.projects if projects is not None else ()
            known = len(infos) == len(kept.catalogue.projects)
            # Each is rebuilt where it is missing, or of another version of the program.
            for take in (self._take_settled, self._take_graph, self._take_ids):
                with suppress(msgspec.MsgspecError):
                    self._try(take, kept)
            kept.with_projects(projects, [info.path for info in infos] if known else [])
        kept.finder.take(self._columns)
        core.adopt(kept)
        core.state = "kept"

    def _try(self, take: Callable[[IndexSnapshot], None], kept: IndexSnapshot) -> None:
        try:
            take(kept)
        except LostError:
            self._core.rebuilt["the dependencies"] = None

    def _check_encoding(self) -> None:
        """Discard records that were read in another encoding."""
        store, declared = self._core.store, (self._core.root.encoding or "").encode()
        if (store.value(_ENCODING) or b"") != declared:
            if store.listed():
                store.clear("another encoding was declared")
            store.keep(_ENCODING, declared)

    def _kept_projects(self) -> Evaluated | None:
        data = self._core.store.value(_PROJECTS)
        with suppress(msgspec.MsgspecError):
            return decode_msgpack(Evaluated, data) if data is not None else None
        return None

    def _take_graph(self, kept: IndexSnapshot) -> None:
        data = self._large.kept(_GRAPH)
        if data is not None:
            # Not of every file: the rest is computed on demand, as after a change.
            kept.related_at = kept.catalogue.version if kept.graph.thaw(data) else 0

    def stored_bodies(self, graph: Graph) -> dict[int, bytes]:
        """Return the edges of bodies that another process has stored meanwhile, of the same files and projects."""
        with suppress(DamagedError, LostError, msgspec.MsgspecError):
            data = self._large.kept(_GRAPH)
            return {} if data is None else graph.bodies_in(data)
        return {}

    def _take_settled(self, kept: IndexSnapshot) -> None:
        data, catalogue = self._core.store.value(_SETTLED), kept.catalogue
        if data is not None:
            lineage, digest = decode_msgpack(_Settled, data)
            if lineage == catalogue.lineage.name:
                catalogue.settled = digest

    def _take_ids(self, kept: IndexSnapshot) -> None:
        data = self._core.store.value(_IDS)
        if data is not None:
            lineage, ids = decode_msgpack(tuple[str, list[str]], data)
            if lineage == kept.catalogue.lineage.name:
                kept.identities.take(ids)
                self._ids_kept = True

    def verify(self) -> None:
        """Check the stored records; where they are damaged, start the store afresh. Raises WorkspaceError."""
        try:
            self._core.store.verify()
        except DamagedError as error:
            self._core.store.clear(str(error))
            self._core.unsaved = True

    def close(self) -> None:
        """Store changes, as far as there is space for them, and close the store."""
        for keep in (self.keep, self._keep_ids, self.keep_columns):
            try:
                keep()
            except DamagedError as error:
                self._core.store.clear(str(error))
            except CodeCortexError as error:
                self._core.save_error = error.message
        self._core.close()

    def keep(self) -> None:
        """Store changes like `save`, if there are any."""
        if self._core.unsaved:
            self.save()

    def save(self) -> None:
        """Store the catalogue, and the finished dependencies.

        No refresh may run at the same time: columns being written cannot grow."""
        core, catalogue = self._core, self._core.published.catalogue
        if core.plan is not None:
            # Which notes, for the next start, that nothing is left to do.
            changed_since(catalogue, core.plan)
        catalogue.lineage.share()
        try:
            self._large.keep(_SNAPSHOT, frozen(catalogue))
            self._keep_settled()
            self._keep_graph()
        except ReadOnly as error:
            # The next start rebuilds it from the stored data; this one continues with its own.
            core.save_error = error.message
            return
        core.unsaved, core.save_error = False, ""

    def save_settled(self) -> None:
        """Store the plan for which nothing is left to do, where the present catalogue is the stored one: a project
        file may change without any change of the catalogue."""
        if not self._core.unsaved:
            self._keep_settled()

    def _keep_settled(self) -> None:
        catalogue = self._core.published.catalogue
        self._core.store.keep(_SETTLED, msgspec.msgpack.encode((catalogue.lineage.name, catalogue.settled)))

    def save_graph(self) -> None:
        """Store the dependencies at once where their catalogue is stored: they took long, and a terminal may be
        closed without notice. Else on closing."""
        if self._core.unsaved:
            return
        with suppress(ReadOnly):
            now = self._core.published
            kept = self._keep_graph()
            if kept is not None:
                self._core.publish_graph(now, now.graph.read_from(kept), whole=now.is_related)

    def _keep_graph(self) -> memoryview | None:
        now = self._core.published
        if now.is_related or len(now.graph):
            return self._large.keep(_GRAPH, now.graph.frozen(whole=now.is_related))
        return None

    def keep_projects(self, projects: Evaluated) -> None:
        """Store an evaluation of the projects."""
        self._core.store.keep(_PROJECTS, msgspec.msgpack.encode(projects))

    def keep_columns(self) -> None:
        """Store the columns of search, unless nearly all are stored."""
        with suppress(OSError):
            now = self._core.published
            if len(now.catalogue):
                now.finder.keep(now.catalogue, self._columns)

    def _keep_ids(self) -> None:
        """Ids for the next start, whose first answer would wait for them."""
        now = self._core.published
        if not self._ids_kept and len(now.catalogue):
            kept = (now.catalogue.lineage.name, now.identities.by_type())
            self._core.store.keep(_IDS, msgspec.msgpack.encode(kept))
            self._ids_kept = True

    def outdate(self) -> None:
        """The catalogue is about to change: should this process end before it is saved, the next one must not take the
        old one."""
        for name in _OF_THE_CATALOGUE:
            self._core.store.drop(name)
        self._ids_kept = False
        self._core.unsaved = True
