"""Workspace behind a server: opened, indexed in a thread, watched; and every call on it."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import msgspec

from services.bench import Bench
from services.concurrency.background import daemon_thread
from services.concurrency.cancellation import job
from services.concurrency.gc_pause import few_arenas
from services.errors import Busy, Cancelled, CodeCortexError, UsageError
from services.model import Progress
from services.operations import Need, Operation, Work, by_name
from services.operations.edits import consent
from services.operations.models.acting import acting_tools
from services.operations.models.masking import hiding
from services.operations.models.tools import reading_tools
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from services.server.failures import plain
from services.server.paging import AT, CURSOR, Answer, Pages, asked_of, deliver
from services.server.path_access import PathAccess, Rights
from services.settings import Settings
from services.source.journal.actor import Owner, acting
from services.source.read.known_lines import withheld
from services.workspace.files.root import Root

PATIENCE = 20.0
"""Seconds for which a call waits for the first index before it answers Busy: most workspaces are there by then, and
most clients wait a minute."""
_RELATES_FOR = 0.3
"""Seconds for which an outline waits for dependencies: after an edit that is enough, after a first start it says that
they are still being worked out."""
_LOOKED = 0.05
ROWS = "rows"
"""What holds the results of an operation that yields them one by one."""
_BASIS = "gpt-5"
"""Whose tokenizer (o200k) measures pages; which model reads them is not known here."""
_LOG = logging.getLogger("codecortex.server")


class Serving:
    """Workspace whose methods may be called from any thread. `patience`: seconds a call waits for the first index;
    `crowded`: whether several clients may call at once; `lean`: whether neither a tokenizer nor what chooses context
    is made ready before it is needed; `at_rest`: called once, on the indexing thread, when all preparation is done;
    `again`: reads the settings, of which the rights of agents apply from the next call on after a change."""

    def __init__(
        self,
        bench: Bench,
        *,
        settings: Settings,
        patience: float = PATIENCE,
        crowded: bool = False,
        lean: bool = False,
        at_rest: Callable[[], object] = lambda: None,
        again: Callable[[], Settings] | None = None,
    ) -> None:
        self.bench = bench
        self._rights = Rights(settings.agents, again) if again is not None else None
        self._features = {
            "review.tools": settings.review.tools,
            "review.agent_tools": settings.review.agent_tools,
            "semantic.tools": settings.semantic.tools,
        }
        self._crowded = crowded
        self._lean = lean
        self._at_rest = at_rest
        self._patience = patience
        self._root = Root.open(bench.root)
        self._admission = PathAccess(self._root, ignored_files=settings.agents.ignored_files)
        host = bench.host or bench
        counter = host.counter_process if bench.helper else EncodingCounter()
        self._count = counter_for(_BASIS, counter).count
        self._pages = Pages(self._count, lambda: bench.vault.key_for("cursors"))
        self._ready = threading.Event()
        self._scanned = threading.Event()
        self._closing = threading.Event()
        self._progress: Progress | None = None
        # Waited for at the end, so that the index is closed by no thread that reads it.
        self._indexer = daemon_thread(self._index, name="indexer")

    @classmethod
    def open(
        cls,
        path: Path,
        settings: Settings,
        *,
        crowded: bool = False,
        lean: bool = False,
        helper: bool = False,
        at_rest: Callable[[], object] = lambda: None,
        again: Callable[[], Settings] | None = None,
        host: Bench | None = None,
    ) -> Self:
        """Opens a workspace and begins to index it. `helper`: whether a helper process counts tokens; `host`: one of
        the same workspace that stays open, whose index is used. Raises WorkspaceError."""
        few_arenas()
        bench = Bench.open(
            path,
            settings=settings,
            helper=helper,
            patience=_RELATES_FOR,
            tools=reading_tools,
            acts=acting_tools,
            host=host,
        )
        serving = cls(bench, settings=settings, crowded=crowded, lean=lean, at_rest=at_rest, again=again)
        serving.start()
        return serving

    def start(self) -> None:
        """Load the stored index, then bring it up to date and watch the disk, in a thread of its own."""
        self._indexer.start()

    def close(self) -> None:
        """Stops indexing and lets go of the workspace."""
        self._closing.set()
        if self._indexer.is_alive():
            self._indexer.join()
        self.bench.close()
        self._root.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def ready(self) -> bool:
        """Whether the index can answer."""
        return self._ready.is_set()

    def wait_scanned(self, cancel: threading.Event) -> bool:
        """Wait for the first look at every file; whether it came to its end. False where it failed, or once `cancel` is
        set."""
        while not self._scanned.wait(_LOOKED):
            if cancel.is_set() or not self._indexer.is_alive():
                return self._scanned.is_set()
        return True

    @property
    def settled(self) -> bool:
        """Whether nothing waits for the index, nor for dependencies."""
        return self._ready.is_set() and not self._indexer.is_alive() and self.bench.index.is_related

    def offers(self, operation: Operation) -> bool:
        """Whether agents are offered an operation: those of a feature where the person switched it on."""
        return not operation.feature or self._features.get(operation.feature, False)

    def call(
        self,
        operation: Operation,
        arguments: Mapping[str, Any],
        *,
        agent: Owner,
        work: Work | None = None,
    ) -> dict[str, Any]:
        """Return the answer of an operation as JSON values, or its first page; `cursor` among the arguments selects a
        later one, an empty one the first. Raises CodeCortexError."""
        given = operation.declared(arguments)
        cursor = given.pop(AT, None)
        if cursor is not None and not (isinstance(cursor, str) and operation.effect.read_only):
            raise UsageError(f"{operation.name}: cursor is a text that an earlier answer of a read gave.")
        self._admit(operation, given)
        asked = asked_of(operation.name, given)

        def answer() -> Answer:
            with withheld() as reading:
                made = self._run(operation, given, agent, work or Work())
            whole = {ROWS: made} if operation.stream else made
            return Answer(whole, lambda page: deliver(reading, page))

        if cursor:
            return self._pages.next(cursor, asked, answer)
        page = self._pages.first(answer(), asked)
        return page if operation.effect.read_only else _cut(page)

    def whole(
        self, operation: Operation, arguments: Mapping[str, Any], *, agent: Owner, work: Work | None = None
    ) -> Any:
        """Return the whole answer of an operation as JSON values. Raises CodeCortexError."""
        given = operation.declared(arguments)
        self._admit(operation, given)
        with withheld() as reading:
            answer = self._run(operation, given, agent, work or Work())
        deliver(reading, answer)
        return answer

    def text(self, name: str, arguments: Mapping[str, Any], *, agent: Owner) -> str:
        """The `text` of what an operation answers, whole. Raises CodeCortexError."""
        operation = by_name(name)
        if operation is None:
            raise UsageError(f"There is no operation {name!r}.")
        return str(self.whole(operation, arguments, agent=agent)["text"])

    def pack(self, name: str) -> str:
        """The text of a pack, likely secrets masked. Raises CodeCortexError."""
        return self.bench.masked(self.bench.packs.text(name))

    def op(self, op_id: str) -> Any:
        """An operation that lasts with its events, as JSON values, likely secrets masked. Raises CodeCortexError."""
        return hiding(self.bench).value(plain(self.bench.ops.jobs.get(op_id)))

    def edit(self, id_: str, agent: Owner) -> str:
        """The diff of an open batch, or of a write by its number, likely secrets masked. Raises CodeCortexError."""
        reading = by_name("getObjectSourceV2")
        assert reading is not None
        with acting(agent):
            files = (
                self.bench.writer.made(int(id_))
                if id_.isascii() and id_.isdecimal()
                else self.bench.batches.preview(id_)
            ).files
        for each in files:
            self._admit(reading, {"object": each.file})
        return self.bench.masked("".join(each.diff for each in files))

    def _admit(self, operation: Operation, arguments: Mapping[str, Any]) -> None:
        """Read the current rights, and raise PathRefused where an argument names a path that agents may not open."""
        settings = self.bench.settings
        if self._rights is not None and (agents := self._rights.now()) is not settings.agents:
            self.bench.settings = msgspec.structs.replace(settings, agents=agents)
            self._admission.ignored_files = agents.ignored_files
        self._admission.check(operation, arguments)

    def _run(self, operation: Operation, arguments: Mapping[str, Any], agent: Owner, work: Work) -> Any:
        if work.cancel is not None and work.cancel.is_set():
            raise Cancelled(f"{operation.name} was cancelled before it began.")
        self.bench.pause_background()
        hide = hiding(self.bench)
        with acting(agent), job(work.progress, work.cancel, work.yield_slot):
            try:
                if operation.need(self.bench, arguments) is Need.WHOLE:
                    self._await_index(work)
                result = consent.call(self.bench, operation, arguments, work)
                if not operation.stream:
                    return hide.value(plain(result))
                rows: list[Any] = []
                for each in result:
                    rows.append(hide.value(plain(each)))
                    if work.row is not None:
                        work.row(rows[-1])
                return rows
            except CodeCortexError as error:
                error.message = hide.text(error.message)
                error.details = hide.value(plain(error.details))
                raise

    def _await_index(self, work: Work) -> None:
        """Raises Busy with how far the index is, or Cancelled."""
        ends = time.monotonic() + self._patience
        while not self._ready.wait(_LOOKED):
            progress = self._progress
            if work.cancel is not None and work.cancel.is_set():
                raise Cancelled("Cancelled while the index was being made.")
            if progress is not None and work.progress is not None:
                work.progress(progress)
            if time.monotonic() > ends:
                share = progress.fraction if progress is not None else None
                raise Busy(
                    "The workspace is being indexed. Try again in a moment; Status says how far it is.",
                    progress=round(share or 0.0, 3),
                )

    def _index(self) -> None:
        try:
            if self.bench.host is None and self.bench.index.load():
                self._ready.set()
            for step in self._steps():
                with contextlib.suppress(Cancelled):
                    step()
                self._ready.set()
        except CodeCortexError as error:
            _LOG.warning("the index could not be brought up to date: %s", error.message)
        except Exception:  # noqa: BLE001 - what is known is answered; why it is no more, the log must say
            _LOG.exception("the index could not be brought up to date")
        finally:
            self._ready.set()
            for notice in self.bench.health.renewals():
                _LOG.warning("%s %s", notice.message, notice.what_to_do or "")

    def _steps(self) -> tuple[Callable[[], object], ...]:
        bench, cancel = self.bench, self._closing
        if bench.host is not None:
            return (self._await_host, bench.watch)
        return (
            self._scan,
            lambda: cancel.is_set() or bench.watch(),
            lambda: self._crowded and bench.index.search_in_worker(),
            self._warm,
            lambda: bench.index.relate(cancel=cancel),
            lambda: bench.index.facade.graph().sum_up(),
            lambda: bench.index.read_bodies(cancel=cancel),
            lambda: self._lean or bench.context.prepare(cancel=cancel),
            self._at_rest,
        )

    def _await_host(self) -> None:
        """Wait until the host has looked at every file; a stored index is used before."""
        index = self.bench.index.facade
        while not index.refreshed_at and not self._closing.wait(_LOOKED):
            if index.state == "kept":
                self._ready.set()

    def _scan(self) -> None:
        self.bench.index.refresh(progress=self._report, cancel=self._closing)
        self._scanned.set()

    def _warm(self) -> None:
        if self._lean:
            self.bench.index.facade.search("ab", limit=1)
            return
        self.bench.warm()
        self._count("ab")

    def _report(self, progress: Progress) -> None:
        self._progress = progress


def _cut(page: dict[str, Any]) -> dict[str, Any]:
    """Return the first page of a change's answer without a cursor, as a change is not repeated for a second page;
    `cut` marks that there was more."""
    if page.pop(CURSOR, None) is None:
        return page
    return page | {"cut": True}
