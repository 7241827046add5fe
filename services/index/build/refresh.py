"""Refresh pass, which brings store and catalogue up to date with the disk."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import chain

import msgspec

from services.index.build.units import IndexPlan, Unit, reveal
from services.index.build.worker import Outcome, Task, read_chunk
from services.index.build.workers import CRASHED, Crew, chunked, outcomes
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.file_rows import FileRows, file_rows
from services.index.catalog.store import Store, StoredFile
from services.model import Notice, Progress, Quality
from services.syntax.records.declaration import FileRecord, Scope
from services.workspace.files.root import FileStamp, Root

Report = Callable[[Progress], None]

# Up to here files are read in this process: a worker takes 0.2 s to start, and 500 KB about 0.1 s to read.
_FEW_FILES = 4
_FEW_BYTES = 1_000_000

_UNREADABLE = FileRecord(Quality.FAILED, b"", 0, False, (Scope("", -1, ()),), (), ())
_ROWS = msgspec.msgpack.Decoder(FileRows)


class Difference(msgspec.Struct):
    """Work of a pass: units whose files must be read, and units that are gone. `all_known`: whether everything
    was looked at."""

    stale: list[Unit] = msgspec.field(default_factory=list)
    gone: list[tuple[int, str]] = msgspec.field(default_factory=list)
    all_known: bool = True


def changed_since(catalogue: Catalogue, plan: IndexPlan) -> Difference:
    """Return the work of a pass over all files. Where there is none, the catalogue records the plan: the next refresh
    with an equal plan compares nothing."""
    if catalogue.settled == plan.digest:
        return Difference()
    found = difference(catalogue, plan)
    if not found.stale and not found.gone:
        catalogue.settled = plan.digest
    return found


def difference(
    catalogue: Catalogue, plan: IndexPlan, *, only: Mapping[str, FileStamp | None] | None = None
) -> Difference:
    """Compares the catalogue with the plan by size and mtime. `only`: the paths to look at, None for one that is
    gone; the others are taken to be as they were."""
    found = Difference(all_known=only is None)
    known, files, stamps = catalogue.units, catalogue.files, plan.stamps
    there = 0
    variants = [plan.variant(at) for at in range(len(plan.symbol_sets))]
    for unit in plan.units if only is None else plan.units_of(only):
        project, path, symbols, shadow = unit
        if only is not None and only[path] is None:
            if (project, path) in known:
                found.gone.append((project, path))
            continue
        at = known.get((project, path))
        entry = files[at] if at is not None else None
        _, size, mtime_ns = stamps[path]
        if (
            entry is None
            or entry.mtime_ns != mtime_ns
            or entry.size != size
            or entry.shadow != shadow
            or (entry.variant and entry.variant != variants[symbols])
        ):
            found.stale.append(unit)
        there += entry is not None
    if only is None and there < len(known):
        wanted = {(unit.project, unit.path) for unit in plan.units}
        found.gone = [key for key in known if key not in wanted]
    return found


Offer = Callable[[Catalogue], Catalogue]
"""Takes a catalogue in which a few files more are whole; answers the one to go on with."""


class Refresh:
    """Pass over a plan, which changes `catalogue`, a fork without readers. `lock` is taken around each change: its
    columns grow, and are shared with the published catalogues."""

    def __init__(
        self,
        root: Root,
        store: Store,
        catalogue: Catalogue,
        plan: IndexPlan,
        lock: threading.RLock,
        *,
        crew: Crew | None = None,
        offer: Offer | None = None,
    ) -> None:
        """`crew`: workers that may be started already; `offer`: receives the results as they are made."""
        self._crew = crew
        self._offer = offer
        self._root = root
        self._store = store
        self.catalogue = catalogue
        self._plan = plan
        self._lock = lock
        self._variants = [plan.variant(at) for at in range(len(plan.symbol_sets))]
        self.notices: list[Notice] = []

    def run(
        self, found: Difference, *, workers: int, limit: int, report: Report, cancel: threading.Event | None
    ) -> None:
        """Carry out `found`. Raises Cancelled; files read until then are stored."""
        try:
            self._run(found, workers=workers, limit=limit, report=report, cancel=cancel)
        finally:
            touched = {path for _, path in found.gone} | {unit.path for unit in found.stale}
            with self._lock:
                reveal(self.catalogue, touched)

    def _run(
        self, found: Difference, *, workers: int, limit: int, report: Report, cancel: threading.Event | None
    ) -> None:
        with self._lock:
            for project, path in found.gone:
                self.catalogue.remove(project, path)
        self._forget_rows(found)
        by_path: dict[str, list[Unit]] = defaultdict(list)
        for unit in found.stale:
            by_path[unit.path].append(unit)
        if found.all_known:
            self._from_store(by_path)
        self._read(by_path, workers=workers, limit=limit, report=report, cancel=cancel)

    def _forget_rows(self, found: Difference) -> None:
        if not found.all_known:
            lost = {path for _, path in found.gone}
            self._store.forget([(path, variant) for path in lost for variant in ("", *self._variants)])
            return
        gone = [(row.path, row.variant) for row in self._store.listed() if row.path not in self._plan.stamps]
        if gone:
            self._store.forget(gone)

    def _from_store(self, by_path: dict[str, list[Unit]]) -> None:
        """Units that the catalogue lacks and the store still has, fresh: after a lost snapshot or a new project."""
        if not by_path:
            return
        for key in list(self._store.listed()):
            units = by_path.get(key.path)
            stamp = self._plan.stamps.get(key.path)
            if not units or stamp is None or (stamp.size, stamp.mtime_ns) != (key.size, key.mtime_ns):
                continue
            fits = [u for u in units if key.variant in ("", self._variants[u.symbols])]
            if fits and (record := self._store.raw(key.path, key.variant)) is not None:
                self._add(StoredFile(*key, record), fits, file_rows(self._store.decode(record)))
                by_path[key.path] = [u for u in units if u not in fits]

    def _read(
        self,
        by_path: dict[str, list[Unit]],
        *,
        workers: int,
        limit: int,
        report: Report,
        cancel: threading.Event | None,
    ) -> None:
        """Reads what is left: each path once, and again for each further symbol set that turns out to matter."""
        waiting = {path: units for path, units in by_path.items() if units}
        total = len(waiting)
        done = 0
        began = time.monotonic()
        while waiting:
            tasks = [
                (Task(path, units[0].symbols), self._plan.stamps[path].size)
                for path, units in sorted(waiting.items())
            ]
            for batch in self._outcomes(tasks, workers, limit, cancel):
                self._take(batch, waiting)
                if self._offer is not None:
                    self.catalogue = self._offer(self.catalogue)
                done += len(batch)
                report(
                    Progress(
                        phase="Reading C#",
                        done=done,
                        total=max(total, done),
                        elapsed=time.monotonic() - began,
                    )
                )
            again = {path: units for path, units in waiting.items() if units}
            total += len(again)
            waiting = again

    def _outcomes(
        self, tasks: list[tuple[Task, int]], workers: int, limit: int, cancel: threading.Event | None
    ) -> Iterator[list[Outcome]]:
        gather = partial(
            chunked,
            root=str(self._root.path),
            symbol_sets=self._plan.symbol_sets,
            limit=limit,
            encoding=self._root.encoding,
        )
        # Files that are too large are refused unread. They are tried in each pass, for which no worker is started.
        refused = [task for task in tasks if task[1] > limit]
        read = [task for task in tasks if task[1] <= limit]
        if len(read) <= _FEW_FILES and sum(size for _, size in read) <= _FEW_BYTES:
            return map(read_chunk, gather(tasks))
        here = map(read_chunk, gather(refused))
        return chain(here, outcomes(gather(read), workers=workers, cancel=cancel, crew=self._crew))

    def _take(self, batch: Iterable[Outcome], waiting: dict[str, list[Unit]]) -> None:
        rows: list[tuple[StoredFile, list[Unit], bytes]] = []
        for outcome in batch:
            units = waiting.get(outcome.path, [])
            if outcome.problem:
                self._failed(outcome, units)
                waiting[outcome.path] = []
                continue
            variant = self._variants[outcome.symbols] if outcome.conditional else ""
            fits = [u for u in units if not outcome.conditional or u.symbols == outcome.symbols]
            waiting[outcome.path] = [u for u in units if u not in fits]
            row = StoredFile(outcome.path, variant, outcome.size, outcome.mtime_ns, outcome.record)
            rows.append((row, fits, outcome.rows))
        self._store.put(row for row, _, _ in rows)
        for row, fits, taken in rows:
            self._add(row, fits, _ROWS.decode(taken))

    def _failed(self, outcome: Outcome, units: list[Unit]) -> None:
        with self._lock:
            for unit in units:
                self.catalogue.remove(unit.project, unit.path)
        self.notices.append(Notice(severity="warning", message=outcome.problem, file=outcome.path))
        if outcome.problem == CRASHED:
            self._keep_away(outcome, units)

    def _keep_away(self, outcome: Outcome, units: list[Unit]) -> None:
        """Store a file that killed a worker without symbols until it changes: read again with a few others, it would
        be read in this process."""
        stamp = self._plan.stamps[outcome.path]
        row = StoredFile(outcome.path, "", stamp.size, stamp.mtime_ns, msgspec.msgpack.encode(_UNREADABLE))
        self._store.put([row])
        self._add(row, units, file_rows(_UNREADABLE))

    def _add(self, row: StoredFile, units: list[Unit], rows: FileRows) -> None:
        with self._lock:
            for unit in units:
                self.catalogue.remove(unit.project, unit.path)
                entry = FileEntry(
                    row.path,
                    unit.project,
                    row.variant,
                    row.size,
                    row.mtime_ns,
                    rows.quality,
                    rows.line_count,
                    (0, 0),
                    unit.shadow,
                )
                self.catalogue.add(entry, rows)
