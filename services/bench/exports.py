"""Exports for readers without an index: `index.json`, and outlines by type (004 sections 3.1 and 3.4)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

import msgspec

from services.bench.items.window_items import WindowItems
from services.bench.queries.lookup import Lookup, of_one_revision
from services.bench.recorder import Recorder
from services.bench.topics import NOTES, PACKS
from services.bench.window.packs import Packs
from services.concurrency.background import Debouncer
from services.concurrency.cancellation import BackgroundCancel, Job, checkpoint
from services.concurrency.exclusion import ExclusiveWork
from services.errors import CodeCortexError, WorkspaceError
from services.index.export import (
    FILE,
    Document,
    ExportedPack,
    ExportedType,
    Exporter,
    in_utc,
    read_document,
    same_but_for_the_time,
    written,
)
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.partials import in_source_order
from services.measures import Measures
from services.model import ChangeClass, ExportAnswer, Level, PackInfo, Progress, TypeChange
from services.prompt.items import ItemKey, Request
from services.workspace.state import StateFolder

FOLDER = "types"
ENDING = ".outline.md"
_REPORTED_EVERY = 100
_CANCELLED = "The export was cancelled. What was written until now stays."


class OutlineFiles:
    """The files of one workspace. Not thread-safe: one export runs at a time."""

    def __init__(
        self, index: Index, state: StateFolder, content: WindowItems, mask: Callable[[str], str]
    ) -> None:
        """`mask`: takes likely secrets out of a text: the files are shared."""
        self._index = index
        self._shared = state.shared
        self._content = content
        self._mask = mask
        self._versions: dict[str, str] = {}

    def write(
        self,
        found: Sequence[FoundSymbol] | None,
        report: Callable[[Progress], None],
        cancel: threading.Event | None,
    ) -> tuple[int, int]:
        """Write the outlines of these types, None for all, and bring those that were written before up to date: how
        many were asked for, and how many that nobody is left of are gone. Raises Cancelled, ReadOnly."""
        wanted = self._every() if found is None else list(dict.fromkeys(one.whole.id for one in found))
        for done, id_ in enumerate(wanted):
            checkpoint(cancel, _CANCELLED)
            if not done % _REPORTED_EVERY:
                report(Progress(phase="Writing outlines", done=done, total=len(wanted), unit="types"))
            self._renewed(id_)
        return len(wanted), self.renew(cancel, but=wanted)

    def renew(self, cancel: threading.Event | None, *, but: Iterable[str] = ()) -> int:
        """Bring every outline that was written before up to date; one of a renamed type takes its new id. How many are
        gone. `but`: ids that need no look. Raises Cancelled, ReadOnly."""
        done = set(but)
        gone = 0
        for name in self._shared.names(FOLDER):
            id_ = name.removesuffix(ENDING)
            if id_ == name or id_ in done:
                continue
            checkpoint(cancel, _CANCELLED)
            if not self._renewed(id_):
                gone += self._shared.remove(f"{FOLDER}/{name}")
                self._versions.pop(id_, None)
        return gone

    def _every(self) -> list[str]:
        with self._index.lock:
            return [self._index.identities.type_id(at) for at in in_source_order(self._index.catalogue)]

    def _renewed(self, id_: str) -> bool:
        """Writes what is new of the outline that an id leads to; whether it is that id's own."""
        found = self._index.resolve(id_).found
        now = found[0].whole.id if found else None
        if now is None:
            return False
        version = self._content.item_version(Request(key=ItemKey.of_symbol(now), level=Level.OUTLINE))
        name = f"{FOLDER}/{now}{ENDING}"
        if (
            version is not None
            and self._versions.get(now) == version
            and self._shared.stamp(name) is not None
        ):
            return now == id_
        outlined = self._content.symbols.file_outline(found[0])
        if outlined is None:
            return False
        data = self._mask(outlined).encode()
        if self._kept(name) != data:
            self._shared.write(name, data)
        if version is not None:
            self._versions[now] = version
        return now == id_

    def _kept(self, name: str) -> bytes:
        try:
            return self._shared.read(name) or b""
        except WorkspaceError:
            return b""


_PATIENCE = 60.0
"""Seconds that the file rests while others ask, all told: where somebody always does, it is written all the same."""

Subscriber = Callable[[tuple[TypeChange, ...]], None]
TopicSubscriber = Callable[[frozenset[str]], None]


class Exports:
    """Writes what readers without an index want: each file whole or not at all, and only where it differs."""

    def __init__(
        self,
        index: Index,
        state: StateFolder,
        content: WindowItems,
        *,
        lookup: Lookup,
        packs: Packs,
        measures: Measures,
        note_states: Callable[[Sequence[str]], Mapping[str, str]],
        mask: Callable[[str], str],
        recorder: Recorder,
    ) -> None:
        """`note_states`: the states of the notes of types, by id; those without one are left out. `mask`: takes likely
        secrets out of a text."""
        self._index = index
        self._shared = state.shared
        self._lookup = lookup
        self._measures = measures
        self._packs = packs
        self._note_states = note_states
        self._recorder = recorder
        self._outlines = OutlineFiles(index, state, content, mask)
        self._exporter = Exporter(index)
        self._running = ExclusiveWork()
        self._background: Debouncer | None = None

    @of_one_revision
    def write(
        self,
        paths: Sequence[str] = (),
        *,
        outlines: bool = False,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ExportAnswer:
        """Writes `index.json`, which git sees from then on, and the outlines of the types that `paths` name, of every
        type with `outlines`; other outlines that are there are renewed, or removed with their types. Raises
        SymbolNotFound, AmbiguousSymbol, Cancelled and ReadOnly; what was written until then stays."""
        found = None if outlines else [self._lookup.sure(path) for path in paths]
        title = "Export the index and every outline" if outlines else "Export the index"
        with (
            self._recorder("export", title, Job(progress, cancel)) as work,
            self._measures.timed("index.export.ms"),
        ):
            answer = self._write(found, report=work.report, cancel=work.cancel)
            work.answer(msgspec.to_builtins(answer))
            return answer

    def _write(
        self,
        found: Sequence[FoundSymbol] | None,
        *,
        report: Callable[[Progress], None],
        cancel: threading.Event | None,
    ) -> ExportAnswer:
        self._index.dependencies.relate(report=report, cancel=cancel)
        if self._background is not None:
            self._background.resume()
        with self._running.turn():
            self._shared.share(FILE)
            projects, types, is_new = self._index_file(report, cancel)
            outlines, removed = self._outlines.write(found, report, cancel)
        return ExportAnswer(
            file=str(self._shared.path(FILE)),
            changed=is_new,
            projects=projects,
            types=types,
            outlines=outlines,
            removed=removed,
        )

    def _index_file(
        self, report: Callable[[Progress], None], cancel: threading.Event | None, *, quietly: bool = False
    ) -> tuple[int, int, bool]:
        """(projects, types, whether the file is another one now)."""
        document = self._exporter.document(report=report, cancel=cancel, quietly=quietly)
        document = msgspec.structs.replace(document, types=self._with_notes(document), packs=self._rows())
        data = written(document)
        is_new = not same_but_for_the_time(data, self._kept(FILE))
        if is_new:
            self._shared.write(FILE, data)
        return len(document.projects), len(document.types), is_new

    def _with_notes(self, document: Document) -> tuple[ExportedType, ...]:
        states = self._note_states([row.id for row in document.types])
        return tuple(
            msgspec.structs.replace(row, semantic_state=states[row.id]) if row.id in states else row
            for row in document.types
        )

    def list_packs(self) -> None:
        """Update the packs of an existing `index.json`; its types are unchanged. A file that cannot be written is
        reported by the next export."""
        if not self._shared.is_kept:
            return
        with self._running.attempt() as has_turn, suppress(CodeCortexError, OSError):
            if not has_turn:
                return  # an export that is under way looks at packs last
            document = read_document(self._kept(FILE))
            rows = self._rows()
            if document is not None and document.packs != rows:
                self._shared.write(FILE, written(msgspec.structs.replace(document, packs=rows)))

    def _rows(self) -> tuple[ExportedPack, ...]:
        """The packs that were built, by name."""
        built = [pack for pack in self._packs.all() if pack.built_at]
        return tuple(_row(pack, self._packs.types_of(pack.name)) for pack in built)

    def _kept(self, name: str) -> bytes:
        try:
            return self._shared.read(name) or b""
        except WorkspaceError:
            return b""

    # In the background

    def follow(
        self,
        subscribe: Callable[[Subscriber], object],
        on_shared: Callable[[TopicSubscriber], object],
        *,
        leads: Callable[[], bool],
        indexes: bool,
    ) -> None:
        """Update exported files from now on, after changes of types or packs and once at the start, when idle.
        `leads`: whether this process is the leader of its workspace; `indexes`: whether `index.json` is written
        too."""
        quiet = self._background = Debouncer(
            lambda cancel: self._write_changed(cancel, leads, indexes=indexes)
        )
        subscribe(lambda changes: quiet.nudge() if any(map(_matters, changes)) else None)
        on_shared(lambda topics: quiet.nudge() if topics & {PACKS, NOTES} else None)
        quiet.nudge()

    def pause(self, seconds: float) -> None:
        """Pause background work for some seconds."""
        if self._background is not None:
            self._background.pause(seconds)

    def close(self) -> None:
        """Ends what is under way in the background."""
        if self._background is not None:
            self._background.close()

    def _write_changed(self, cancel: BackgroundCancel, leads: Callable[[], bool], *, indexes: bool) -> None:
        """Write changed files. Errors are reported by the next export, not here in the background."""
        with suppress(CodeCortexError, OSError), self._running.turn():
            if leads():
                self._index.dependencies.relate(
                    cancel=cancel
                )  # for which others may wait, so that it does not rest
                cancel.patience = _PATIENCE
                if not self._shared.is_kept:
                    return
                if indexes:
                    self._index_file(_silent, cancel, quietly=True)
                if self._index.state == "ready":  # before it is, types are not gone that were not read yet
                    self._outlines.renew(cancel)


def _matters(change: TypeChange) -> bool:
    return change.change is not ChangeClass.COSMETIC


def _row(pack: PackInfo, types: Iterable[str]) -> ExportedPack:
    built = datetime.fromtimestamp(pack.built_at / 1000, UTC)
    return ExportedPack(
        name=pack.name,
        token_estimate=pack.tokens,
        last_build=in_utc(built),
        type_ids=tuple(sorted(types)),
    )


def _silent(_: Progress) -> None:
    """Ignore a progress report."""
