"""Status of an open workspace: its figures, and notices for the person."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import services
from services.concurrency.lazy import lazy
from services.errors import CodeCortexError, WorkspaceError
from services.measures import FAILURES, QUEUE, RESOLVE, alarms, memory_mb, p95
from services.model import ModelPrice, ModelUse, Notice, Status
from services.ops import DATABASE as OPERATIONS
from services.workspace.scan.git import branch
from services.workspace.scan.scan import scan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.bench.services import Services
    from services.workspace.state import StateFolder

_DAY = 86_400.0
_EMPTY = "empty"
"""State of an index that was never filled: its files are counted on the disk."""


class Health:
    """The figures and notices of one workspace. Every method may be called from any thread."""

    def __init__(self, bench: Services) -> None:
        self._bench = bench

    def status(self) -> Status:
        """Return the index status with quality and process figures."""
        index = self._bench.index.facade
        files, types, members = index.counts()
        if index.state == _EMPTY:
            files = len(scan(self._bench.files).files)
        self._gauge_notes()
        measured, memory = self._bench.measures.summary(), memory_mb()
        return Status(
            root=str(self._bench.root),
            state=index.state,
            projects=index.projects(),
            files=files,
            types=types,
            members=members,
            quality=index.qualities(),
            branch=branch(self._bench.root),
            memory_mb=memory,
            measures=measured,
            watching=self._bench.sharing.state,
            notices=self.notices(),
            cache=self._bench.reader.cache.figures(),
            version=services.__version__,
            uptime_sec=round(self._bench.measures.uptime, 1),
            types_indexed=types,
            p95_resolve_ms=p95(measured, RESOLVE),
            semantic_queue_length=int(self._bench.measures.gauged(QUEUE)),
            recent_semantic_failures=int(self._bench.measures.gauged(FAILURES)),
            alarms=alarms(measured, memory=memory),
            models=self._models_asked(),
            price=self._price(),
        )

    def _gauge_notes(self) -> None:
        """Measure the queued notes and those that failed today."""
        if self._bench.state.path(OPERATIONS).exists():
            from services.ops.jobs import NOTES, OpState

            open_ = (OpState.QUEUED, OpState.RUNNING, OpState.WAITING)
            self._bench.measures.gauge(QUEUE, self._bench.ops.jobs.count(NOTES, open_))
            self._bench.measures.gauge(
                FAILURES, self._bench.ops.jobs.count(NOTES, (OpState.FAILED,), within=_DAY)
            )

    def _price(self) -> ModelPrice | None:
        """Return the price of the model for unattended requests, where one is configured and its price known."""
        from services.llm.profiles import load_profiles, models_file

        if not models_file().exists():
            return None
        with suppress(CodeCortexError):
            name, profile = load_profiles().chosen()
            if (price := profile.price) is not None:
                return ModelPrice(
                    profile=name, sent=price.input, received=price.output, currency=price.currency
                )
        return None

    def _models_asked(self) -> tuple[ModelUse, ...]:
        """Return today's usage of models; nothing where none was ever used."""
        from services.llm.spending import spending_file, used_today

        return used_today(self._bench.asking.spending) if spending_file().exists() else ()

    def renewals(self) -> tuple[Notice, ...]:
        """Return notices of damaged files that were rebuilt or set aside so far, for faces without other queries:
        parts that were not needed yet are not among them."""
        kind = type(self._bench)
        writer, window = kind.writer.peek(self._bench), kind.window.peek(self._bench)
        parts = (writer, window.unchecked if window is not None else None)
        found = (notice for part in parts if part is not None for notice in part.notices())
        return (
            *self._bench.state.notices,
            *found,
            *self._filled_again(),
            *(self._bench.index.facade.renewals() if self._bench.host is None else ()),
        )

    def _filled_again(self) -> Iterator[Notice]:
        """Yield notices of caches that were rebuilt or cannot be written, as far as they were used."""
        kind = type(self._bench)
        yield from self._bench.measures.notices()
        yield from self._bench.state.shared.notices()
        for each in (kind.team, kind.ops, kind.context, kind.read_log, kind.copying):
            if (part := each.peek(self._bench)) is not None:
                yield from part.notices()

    @lazy
    def _unreadable(self) -> tuple[Notice, ...]:
        return _unreadable(self._bench.state)

    def notices(self) -> tuple[Notice, ...]:
        """Everything a person should know, most general first."""
        return (
            *self._bench.settings.notices,
            *self._bench.writer.notices(),
            *self._bench.models.notices(),
            *self._bench.window.unchecked.notices(),
            *self._filled_again(),
            *dict.fromkeys((*self._bench.state.notices, *self._bench.state.ignored())),
            *self._unreadable,
            *self._bench.index.facade.notices(),
            *self._bench.sharing.notices(),
            *self._moved(),
        )

    def _moved(self) -> tuple[Notice, ...]:
        """Return a notice where the root's path leads to another folder than the one that is open, unless the watcher
        has one."""
        try:
            self._bench.files.require_in_place()
        except WorkspaceError as error:
            if self._bench.sharing.state != "lost":
                return (Notice(severity="warning", message=error.message),)
        return ()


def _unreadable(state: StateFolder) -> tuple[Notice, ...]:
    """Notices of files of the state folder that somebody made and that cannot be read any more: they stay where they
    are, as what can be saved of them a person has to say."""
    left_out = (
        Notice(
            severity="warning",
            message=f"{file} is damaged and left out: {why}",
            what_to_do="Repair it, take an earlier one from git, or delete it.",
            file=file,
        )
        for file, why in _found(state)
    )
    return (*left_out, *_other_texts(state))


def _other_texts(state: StateFolder) -> Iterator[Notice]:
    """Yield notices of packs whose text file differs from the built text. Requesting the pack rebuilds it; reading
    or sharing the file does not."""
    from services.bench.items.pack_items import text_hash
    from services.prompt.pack_files import PackFiles

    packs = PackFiles(state)
    for name in packs.names():
        with suppress(CodeCortexError, OSError):
            pack, text = packs.read(name), packs.text(name)
            if pack is not None and pack.built.text and text_hash(text or "") != pack.built.text:
                file = f"packs/{name}.md"
                message = f"{file} is not the text that was built."
                todo = f"Build it again: codecortex pack {name}"
                yield Notice(severity="warning", message=message, what_to_do=todo, file=file)


def _found(state: StateFolder) -> Iterator[tuple[str, str]]:
    """Yield (file, reason), by kind. Imported late: every command needs renewals, few these."""
    from services.bench.edits.proposals import Proposals
    from services.prompt.pack_files import PackFiles
    from services.prompt.presets import PresetStore, preset_path
    from services.prompt.receipts import Receipts
    from services.prompt.templates import Templates

    presets, packs, templates = (
        PresetStore(state.shared, str, own=state),
        PackFiles(state),
        Templates(state.shared, None),
    )
    for row in presets.rows():
        if row.problem:
            yield preset_path(row.name), row.problem
    for name in packs.names():
        try:
            packs.read(name)
        except (CodeCortexError, OSError) as error:
            yield f"packs/{name}.toml", str(error)
    for name, origin in templates.names().items():
        try:
            templates.load(name)
        except (CodeCortexError, OSError) as error:
            if origin == "workspace":
                yield f"templates/{name}.md", str(error)
    for file in (*Receipts(state).unreadable(), *Proposals(state).unreadable()):
        yield file, "it is not what the program wrote."
