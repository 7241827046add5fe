"""Refreshes of an index: the only writer, which brings it up to date with the disk and returns the changes.

What a refresh changed, type by type and why (SPEC section 6).
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec

from services.concurrency.cancellation import until
from services.concurrency.gc_pause import give_back, paused_collector, thaw_objects
from services.errors import Cancelled, CodeCortexError
from services.index.aliases import TypeState, canonical_key, keys_of, renamed, seen
from services.index.build.refresh import Difference, Refresh, Report, changed_since, difference
from services.index.build.units import IndexPlan, plan
from services.index.build.workers import Crew
from services.index.catalog.catalogue import Catalogue, TypeKey
from services.index.catalog.renumber import differing, within_sight
from services.index.catalog.store import DamagedError
from services.index.core import IndexCore
from services.index.graph.graph import Graph
from services.index.index_snapshot import IndexSnapshot
from services.index.persistence import IndexPersistence
from services.index.symbols.identities import Identities
from services.index.symbols.placed import public_part
from services.model import ChangeClass, Notice, Progress, TypeChange
from services.workspace.files.root import FileStamp


def changes(
    before: Mapping[TypeKey, TypeState], after: Mapping[TypeKey, TypeState]
) -> dict[TypeKey, TypeChange]:
    """Every type that differs, sorted by FQN."""
    found: dict[TypeKey, TypeChange] = {}
    for key in sorted(before.keys() | after.keys(), key=lambda k: (k[1], k[0], k[2])):
        old, new = before.get(key), after.get(key)
        kept = new or old
        assert kept is not None
        change = (
            ChangeClass.ADDED if old is None else ChangeClass.REMOVED if new is None else _class(old, new)
        )
        found[key] = TypeChange(id=kept.id, fqn=key[1], change=change, file=kept.file)
    return found


def _class(old: TypeState, new: TypeState) -> ChangeClass:
    if old.hashes["structure"] != new.hashes["structure"]:
        return ChangeClass.STRUCTURE
    was, now = old.hashes["impl"], new.hashes["impl"]
    if was != now:
        same = public_part(was) == public_part(now)
        return ChangeClass.INTERNAL if same else ChangeClass.PUBLIC_BEHAVIOUR
    if old.hashes["doc"] != new.hashes["doc"]:
        return ChangeClass.DOCS
    return ChangeClass.MOVED if old.file != new.file else ChangeClass.COSMETIC


Units = Iterable[tuple[int, str]]

_BREAKING = frozenset({ChangeClass.STRUCTURE, ChangeClass.REMOVED})
_INNER = frozenset({ChangeClass.PUBLIC_BEHAVIOUR, ChangeClass.INTERNAL})


def compared(
    before: IndexSnapshot, after: IndexSnapshot, units: Units
) -> tuple[dict[TypeKey, TypeState], dict[TypeKey, TypeState]]:
    """Return the types that these units declare, before and after, in two revisions with the same numbers. A symbol
    whose canonical type is another project's in the later one has its key in both, and so has a `file` type whose
    file was renamed."""
    keys = keys_of(before.catalogue, units) | keys_of(after.catalogue, units)
    was = seen(before.catalogue, before.describer, keys)
    now = seen(after.catalogue, after.describer, keys)
    for key in keys:
        old, new = canonical_key(before.catalogue, key), canonical_key(after.catalogue, key)
        if old in was and new in now and old not in now and new not in was:
            was[new] = was.pop(old)
    for old, new in _renamed_files(was.keys() - now.keys(), now.keys() - was.keys()):
        was[new] = was.pop(old)
    return was, now


def _renamed_files(gone: Iterable[TypeKey], come: Iterable[TypeKey]) -> Iterator[tuple[TypeKey, TypeKey]]:
    """The `file` types that went with one file and came with another, each with its only namesake."""
    found: defaultdict[tuple[int, str], tuple[list[TypeKey], list[TypeKey]]] = defaultdict(lambda: ([], []))
    for at, keys in enumerate((gone, come)):
        for key in keys:
            if key[2]:
                found[key[:2]][at].append(key)
    return ((old[0], new[0]) for old, new in found.values() if len(old) == len(new) == 1)


def type_changes(
    before: Mapping[TypeKey, TypeState],
    after: Mapping[TypeKey, TypeState],
    identities: Identities,
    graph: Graph,
) -> tuple[TypeChange, ...]:
    """Return the changes, with the types that became stale by them, as far as `graph` knows the dependencies (004
    section 3.2)."""
    found = changes(before, after)
    catalogue = identities.catalogue
    answer: list[TypeChange] = []
    for key, change in found.items():
        index = catalogue.type_at.get(key)
        stale: Iterable[int] = ()
        if index is not None and change.change in _BREAKING:
            stale = graph.downstream([index])
        elif index is not None and change.change in _INNER:
            stale = graph.group_of(index)
        ids = (identities.type_id(at) for at in stale if at != index)
        answer.append(msgspec.structs.replace(change, stale=tuple(filter(None, ids))))
    return tuple(answer)


_PACKAGES = "Not all restored packages were read. Ask again to go on."
_SELDOM = 20
"""How much longer the first pass reads than it publishes."""
_MANY_CHANGES = 100  # after so many changed types the catalogue is stored at once, not on closing


class _Observer(NamedTuple):
    """Listener of a pass, which may cancel it."""

    report: Report
    cancel: threading.Event | None


class Refresher:
    """Refresher of an index, one pass after the other: the only writer of its revisions. Each pass changes a fork of
    the last catalogue, which is published when the pass has ended; the very first pass, which takes long, publishes
    now and then. `refresh_lock`: taken while one runs; `notices`: of the last pass."""

    def __init__(self, core: IndexCore, persistence: IndexPersistence) -> None:
        self._core = core
        self._persistence = persistence
        self.refresh_lock = threading.Lock()  # one refresh at a time (lock order: ARCHITECTURE)
        self.notices: tuple[Notice, ...] = ()

    def refresh(self, *, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        """Look at every file; returns the changes, type by type. Raises Cancelled (finished work is stored)."""
        core = self._core
        with self.refresh_lock:
            try:
                with paused_collector(for_good=core.published.catalogue.is_empty):
                    return self._refresh(report, cancel)
            except DamagedError as error:
                core.store.clear(str(error))
                core.adopt(core.new_snapshot(Catalogue()))
                return self._refresh(report, cancel)

    def _refresh(self, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        core = self._core
        core.state = "refreshing"
        try:
            report(Progress(phase="Looking for files", done=0, total=None))
            with Crew(core.settings.workers, core.settings.max_file_bytes) as crew:
                scanned = crew.start if self._knows_nothing() else None
                known = core.published.projects
                made = plan(core.root, core.request, known=known, cancel=cancel, scanned=scanned)
                first = core.published.catalogue.is_empty
                base = self._based(made)
                was = base.catalogue.settled
                found = changed_since(base.catalogue, made)
                if base.catalogue.settled != was:
                    self._persistence.save_settled()
                answer = self._apply(base, made, found, _Observer(report, cancel), crew)
        finally:
            core.state = "ready" if core.plan is not None else "partial"
        if core.unsaved and (first or len(answer) > _MANY_CHANGES):
            self._persistence.save()
        if not first and len(answer) > _MANY_CHANGES:
            thaw_objects()
            give_back()
        return answer

    def _based(self, made: IndexPlan) -> IndexSnapshot:
        core = self._core
        base = core.base(made.evaluation.projects)
        if base.catalogue is not core.published.catalogue:
            self._persistence.outdate()
        return base

    def _knows_nothing(self) -> bool:
        """Whether every file will have to be read: then workers are started while projects are evaluated."""
        return self._core.published.catalogue.is_empty and self._core.store.is_empty()

    def read_packages(self, *, cancel: threading.Event | None) -> bool:
        """Read the declarations of restored packages, once a version on this machine; returns whether any were read:
        the next refresh takes them. Runs in the background. Raises Cancelled (finished work is stored)."""
        from services.index.external.restored import read, unread

        core, anything = self._core, False
        left = [each for each in unread(core.published.infos) if each.path not in core.unreadable]
        for each in until(cancel, left, message=_PACKAGES):
            try:
                read(each)
                anything = True
            except (CodeCortexError, OSError) as error:
                reason = error.message if isinstance(error, CodeCortexError) else error.strerror or str(error)
                core.unreadable[each.path] = (f"{each.package} {each.version}", reason)
        return anything

    def update(
        self, paths: Iterable[str], *, report: Report, cancel: threading.Event | None
    ) -> tuple[TypeChange, ...]:
        """Refresh only files that may have changed. Changes that need a whole refresh (project files, new files,
        programs that are projects themselves) lead to one."""
        changed = sorted(set(paths))
        with self.refresh_lock:
            made = self._core.plan
            looked = made.projects.looked if made is not None else {}
            if made is not None and all(path in made.stamps and path not in looked for path in changed):
                known = {path: self._stamp(path) for path in changed}
                made = made.stamped({path: stamp for path, stamp in known.items() if stamp is not None})
                base = self._core.published
                found = difference(base.catalogue, made, only=known)
                return self._apply(base, made, found, _Observer(report, cancel))
        return self.refresh(report=report, cancel=cancel)

    def _stamp(self, path: str) -> FileStamp | None:
        try:
            return self._core.root.stat(path)
        except CodeCortexError:
            return None

    def _apply(
        self,
        base: IndexSnapshot,
        made: IndexPlan,
        found: Difference,
        heard: _Observer,
        crew: Crew | None = None,
    ) -> tuple[TypeChange, ...]:
        """Carry out `found`, and publish the result; returns the changes, type by type (none, if all is new)."""
        core = self._core
        units = [*found.gone, *((unit.project, unit.path) for unit in found.stale)]
        catalogue = self._run(base, made, found, heard, crew)
        paths = base.project_paths[: len(made.evaluation.projects)]
        made_of_it = base.after(catalogue, projects=made.projects, project_paths=paths)
        self._forget_edges(base, made_of_it, units)
        before, after = compared(base, made_of_it, units) if core.has_complete_pass else ({}, {})
        answer = type_changes(before, after, made_of_it.identities, base.graph)
        self._publish(made_of_it, made)
        core.aliases.add(renamed(before, after))
        return answer

    def _publish(self, revision: IndexSnapshot, made: IndexPlan) -> None:
        core, last = self._core, self._core.published
        if not revision.is_as(last):
            core.publish(revision)
        core.plan, core.refreshed_at, core.has_complete_pass = made, time.time(), True
        if last.projects is not made.projects:
            self._persistence.keep_projects(made.projects)

    def _forget_edges(self, base: IndexSnapshot, now: IndexSnapshot, units: Units) -> None:
        """Forget edges in files of projects where names may have changed their meaning: where projects are others
        than before, or inferences that apply to all of one."""
        projects = within_sight(now.infos, _telling(base.catalogue, units) | _telling(now.catalogue, units))
        if base.infos != now.infos:
            projects |= differing(base.infos, now.infos)
        if projects:
            with self._core.lock:
                now.forget_edges(projects)

    def _run(
        self, base: IndexSnapshot, made: IndexPlan, found: Difference, heard: _Observer, crew: Crew | None
    ) -> Catalogue:
        """The catalogue after the pass."""
        core, projects = self._core, len(made.evaluation.projects)
        if not found.stale and not found.gone:
            return base.catalogue if len(base.catalogue.projects) == projects else _trimmed(base, projects)
        self._persistence.outdate()
        with core.lock:
            catalogue = base.catalogue.fork()
        early = None if core.has_complete_pass else _EarlyPublisher(core, base)
        work = Refresh(core.root, core.store, catalogue, made, core.lock, crew=crew, offer=early)
        try:
            work.run(
                found,
                workers=core.settings.workers,
                limit=core.settings.max_file_bytes,
                report=heard.report,
                cancel=heard.cancel,
            )
        except Cancelled:
            if early is not None:
                early.publish(work.catalogue)
            raise
        finally:
            core.published.records.forget()
            self.notices = tuple(work.notices)
        work.catalogue.trim(projects)
        return work.catalogue


class _EarlyPublisher:
    """Gives readers what the very first pass has read so far: often at first, then so seldom that it costs little."""

    def __init__(self, core: IndexCore, base: IndexSnapshot) -> None:
        self._core = core
        self._base = base
        self._next = 0.0

    def __call__(self, catalogue: Catalogue) -> Catalogue:
        """The catalogue to go on with, now that a few files more are in this one."""
        began = time.monotonic()
        if began < self._next:
            return catalogue
        self.publish(catalogue)
        with self._core.lock:
            fork = catalogue.fork()
        ended = time.monotonic()
        self._next = ended + (ended - began) * _SELDOM
        return fork

    def publish(self, catalogue: Catalogue) -> None:
        base = self._base
        now = base.after(catalogue, projects=base.projects, project_paths=base.project_paths)
        self._core.publish(now)


def _trimmed(base: IndexSnapshot, projects: int) -> Catalogue:
    catalogue = base.catalogue.fork()
    catalogue.trim(projects)
    return catalogue


def _telling(catalogue: Catalogue, units: Units) -> set[int]:
    """The projects of these units that hold something which counts for a whole project."""
    places = (catalogue.units.get(unit) for unit in units)
    entries = (catalogue.files[at] for at in places if at is not None)
    return {entry.project for entry in entries if entry is not None and entry.telling}
