"""Bringing an index up to date with the disk, and telling what that changed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from typing import NamedTuple

from services.concurrency.gc_pause import quiet_collector
from services.errors import Cancelled, CodeCortexError
from services.index.build.refresh import Difference, Refresh, Report, changed_since, difference
from services.index.build.units import Plan, plan
from services.index.build.workers import Crew
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.renumber import differing, within_sight
from services.index.catalog.store import DamagedError
from services.index.changes.aliases import renamed
from services.index.changes.pending import told
from services.index.holding import Holding
from services.index.keeping import Keeping
from services.model import Notice, Progress, TypeChange
from services.workspace.files.root import FileStamp

_MANY_CHANGES = 100  # past so many changed types the catalogue is kept at once, not on closing


class _Heard(NamedTuple):
    """Who hears of a pass, and may stop it."""

    report: Report
    cancel: threading.Event | None


class Bringing:
    """One index's refreshes, one after the other. `still`: held while one runs; `notices`: what the last one met."""

    def __init__(self, held: Holding, keeping: Keeping) -> None:
        self._held = held
        self._keeping = keeping
        self.still = threading.Lock()
        self.notices: tuple[Notice, ...] = ()

    def refresh(self, *, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        """Looks at every file; what changed, type by type. Raises Cancelled (what was read is kept)."""
        held = self._held
        with self.still:
            try:
                with quiet_collector(for_good=held.catalogue.is_empty):
                    return self._refresh(report, cancel)
            except DamagedError as error:
                held.store.clear(str(error))
                with held.lock:
                    held.adopt(Catalogue())
                return self._refresh(report, cancel)

    def _refresh(self, report: Report, cancel: threading.Event | None) -> tuple[TypeChange, ...]:
        held = self._held
        held.state = "refreshing"
        try:
            report(Progress(phase="Looking for files", done=0, total=None))
            with Crew(held.settings.workers) as crew:
                scanned = crew.start if self._knows_nothing() else None
                made = plan(held.root, held.wanted, known=held.projects, cancel=cancel, scanned=scanned)
                self._take_projects(made)
                first = held.catalogue.is_empty
                was = held.catalogue.settled
                found = changed_since(held.catalogue, made)
                if held.catalogue.settled != was:
                    self._keeping.save_settled()
                answer = self._bring(made, found, _Heard(report, cancel), crew)
        finally:
            held.state = "ready" if held.plan is not None else "partial"
        if held.unsaved and (first or len(answer) > _MANY_CHANGES):
            self._keeping.save()
        return answer

    def _take_projects(self, made: Plan) -> None:
        held = self._held
        before = held.catalogue
        held.take_projects(made.evaluation.projects)
        if held.catalogue is not before:
            self._keeping.outdate()

    def _knows_nothing(self) -> bool:
        """Whether every file will have to be read: then workers are started while projects are evaluated."""
        return self._held.catalogue.is_empty and self._held.store.is_empty()

    def update(
        self, paths: Iterable[str], *, report: Report, cancel: threading.Event | None
    ) -> tuple[TypeChange, ...]:
        """As refresh, for files that are said to have changed; the rest is not looked at. What only a whole refresh
        can tell (project files, new files) leads to one."""
        changed = sorted(set(paths))
        made = self._held.plan
        if made is None or any(path not in made.stamps for path in changed):
            return self.refresh(report=report, cancel=cancel)
        with self.still:
            known = {path: self._stamp(path) for path in changed}
            made = made.stamped({path: stamp for path, stamp in known.items() if stamp is not None})
            found = difference(self._held.catalogue, made, only=known)
            return self._bring(made, found, _Heard(report, cancel))

    def _stamp(self, path: str) -> FileStamp | None:
        try:
            return self._held.root.stat(path)
        except CodeCortexError:
            return None

    def _bring(
        self, made: Plan, found: Difference, heard: _Heard, crew: Crew | None = None
    ) -> tuple[TypeChange, ...]:
        """Does what `found` says; what changed, type by type (nothing, when all is new)."""
        held = self._held
        units = [*found.gone, *((unit.project, unit.path) for unit in found.stale)]
        with held.lock:
            held.changing.begin(units)
        telling = self._telling(units)
        try:
            self._run(made, found, heard, crew)
        except Cancelled:
            with held.lock:
                held.changing.interrupted(units)
            raise
        self._take_plan(made)
        with held.lock:
            held.trim(len(made.evaluation.projects))
            before, after = held.changing.end(units)
            answer = told(before, after, held.identities, held.graph)
            held.forget_edges(within_sight(held.infos, telling | self._telling(units)))
        held.aliases.add(renamed(before, after))
        return answer

    def _telling(self, units: Iterable[tuple[int, str]]) -> set[int]:
        """The projects of these units that hold something which counts for a whole project."""
        catalogue = self._held.catalogue
        places = (catalogue.units.get(unit) for unit in units)
        entries = (catalogue.files[at] for at in places if at is not None)
        return {entry.project for entry in entries if entry is not None and entry.telling}

    def _take_plan(self, made: Plan) -> None:
        held = self._held
        held.plan, held.refreshed_at = made, time.time()
        if held.projects is not made.projects:
            if held.infos != made.evaluation.projects:
                held.forget_names()
                held.forget_edges(differing(held.infos, made.evaluation.projects))
            held.projects = made.projects
            self._keeping.keep_projects(made.projects)

    def _run(self, made: Plan, found: Difference, heard: _Heard, crew: Crew | None) -> None:
        if not found.stale and not found.gone:
            return
        held = self._held
        self._keeping.outdate()
        work = Refresh(held.root, held.store, held.catalogue, made, held.lock, crew)
        try:
            work.run(
                found,
                workers=held.settings.workers,
                limit=held.settings.max_file_bytes,
                report=heard.report,
                cancel=heard.cancel,
            )
        finally:
            held.records.forget()
            self.notices = tuple(work.notices)
