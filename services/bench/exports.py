"""What is written for readers without an index: `index.json`, and outlines by type (004 sections 3.1 and 3.4)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from services.bench.content import Content
from services.bench.giving_way import GivingWay
from services.bench.packs import Packs
from services.bench.quiet import Quiet
from services.errors import Cancelled, CodeCortexError
from services.index.declared import in_source_order
from services.index.export import FILE, ExportedPack, Exporter, in_utc, same_but_for_the_time, written
from services.index.index import Index
from services.index.resolve import Found
from services.model import ExportAnswer, PackInfo, Progress, TypeChange
from services.workspace.state import StateFolder

FOLDER = "types"
ENDING = ".outline.md"
_REPORTED_EVERY = 100
_PATIENCE = 60.0
"""Seconds that the file rests while others ask, all told: where somebody always does, it is written all the same."""

Subscriber = Callable[[tuple[TypeChange, ...]], None]


class Exports:
    """Writes what readers without an index want: each file whole or not at all, and only where it differs."""

    def __init__(self, index: Index, state: StateFolder, content: Content, *, packs: Packs) -> None:
        self._index = index
        self._state = state
        self._content = content
        self._packs = packs
        self._exporter = Exporter(index)
        self._running = threading.Lock()
        self._quiet: Quiet | None = None

    def export(
        self,
        found: Sequence[Found] | None = (),
        *,
        report: Callable[[Progress], None],
        cancel: threading.Event | None = None,
    ) -> ExportAnswer:
        """Writes `index.json`, and the outlines of the types of `found`; of every type, where that is None, and then
        those of types that are gone are removed. Raises Cancelled and ReadOnly; what was written until then stays."""
        self._index.relate(report=report, cancel=cancel)
        if self._quiet is not None:
            self._quiet.hurry()
        with self._running:
            projects, types, is_new = self._index_file(report, cancel)
            outlines, removed = self._outlines(found, report, cancel)
        return ExportAnswer(
            file=str(self._state.path(FILE)),
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
        packs = [_row(pack, self._packs.types_of(pack.name)) for pack in self._packs.all() if pack.built_at]
        document = self._exporter.document(packs=packs, report=report, cancel=cancel, quietly=quietly)
        data = written(document)
        is_new = not same_but_for_the_time(data, self._kept(FILE))
        if is_new:
            self._state.write(FILE, data)
        return len(document.projects), len(document.types), is_new

    def _kept(self, name: str) -> bytes:
        try:
            return self._state.read(name) or b""
        except OSError:
            return b""

    # Outlines

    def _outlines(
        self,
        found: Sequence[Found] | None,
        report: Callable[[Progress], None],
        cancel: threading.Event | None,
    ) -> tuple[int, int]:
        """How many outlines were asked for, and how many that nobody is left of are gone."""
        wanted = self._every() if found is None else list(dict.fromkeys(one.whole.id for one in found))
        names: set[str] = set()
        for done, id_ in enumerate(wanted):
            if cancel is not None and cancel.is_set():
                raise Cancelled("The export was cancelled. What was written until now stays.")
            if not done % _REPORTED_EVERY:
                report(Progress(phase="Writing outlines", done=done, total=len(wanted), unit="types"))
            names |= self._outline(id_)
        return len(names), self._swept(names) if found is None else 0

    def _every(self) -> list[str]:
        with self._index.lock:
            return [self._index.identities.type_id(at) for at in in_source_order(self._index.catalogue)]

    def _outline(self, id_: str) -> set[str]:
        found = self._index.resolve(id_).found
        outlined = self._content.symbols.outline(found[0], hashes=True) if found else None
        if outlined is None:
            return set()
        name, data = f"{id_}{ENDING}", outlined[1].encode()
        if self._kept(f"{FOLDER}/{name}") != data:
            self._state.write(f"{FOLDER}/{name}", data)
        return {name}

    def _swept(self, names: Iterable[str]) -> int:
        kept = set(names)
        gone = [name for name in self._state.names(FOLDER) if name.endswith(ENDING) and name not in kept]
        return sum(self._state.remove(f"{FOLDER}/{name}") for name in gone)

    # In the background

    def follow(self, subscribe: Callable[[Subscriber], object], *, leads: Callable[[], bool]) -> None:
        """Keeps `index.json` up to date from now on: writes it at a quiet moment after a change, and soon where there
        is none. `leads`: whether this process is the one of its workspace that does so."""
        quiet = self._quiet = Quiet(lambda cancel: self._quietly(cancel, leads))
        subscribe(lambda _: quiet.nudge())
        if not self._kept(FILE):
            quiet.nudge()

    def hold(self, seconds: float) -> None:
        """What is under way in the background rests for so long."""
        if self._quiet is not None:
            self._quiet.hold(seconds)

    def close(self) -> None:
        """Ends what is under way in the background."""
        if self._quiet is not None:
            self._quiet.close()

    def _quietly(self, cancel: GivingWay, leads: Callable[[], bool]) -> None:
        """A file that cannot be written is said to whoever asks for it, not to whoever happens to work here."""
        with suppress(CodeCortexError, OSError), self._running:
            if leads():
                self._index.relate(cancel=cancel)  # for which others may wait, so that it does not rest
                cancel.patience = _PATIENCE
                self._index_file(_silent, cancel, quietly=True)


def _row(pack: PackInfo, types: Iterable[str]) -> ExportedPack:
    built = datetime.fromtimestamp(pack.built_at / 1000, UTC)
    return ExportedPack(
        name=pack.name,
        token_estimate=pack.tokens,
        last_build=in_utc(built),
        type_ids=tuple(sorted(types)),
    )


def _silent(_: Progress) -> None:
    """A report nobody reads."""
