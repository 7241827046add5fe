"""One workspace with everything the program can do with it: what every face calls."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

from services.bench.opening import Opening, opened_root, with_usable_encoding
from services.bench.recorder import Recorder
from services.bench.sync.refresh_lock import RefreshLock
from services.bench.sync.sharing import ForeignWrites, Sharing
from services.bench.sync.topics import OPS, WINDOW
from services.bench.sync.workspace_index import WorkspaceIndex
from services.bench.window.usage import Usage
from services.concurrency.lazy import lazy
from services.errors import CodeCortexError
from services.index.index import Index
from services.measures import NOTES, Measures
from services.ops import DATABASE as OPERATIONS
from services.settings import SemanticSettings, Settings
from services.source.journal.database import FILE as JOURNAL
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

if TYPE_CHECKING:
    from services.bench.ask.asking import Asking
    from services.bench.ask.inquiries import Inquiries
    from services.bench.edits.hunk_edits import HunkEdits
    from services.bench.edits.patching import Patching
    from services.bench.edits.proposals import Proposals
    from services.bench.edits.writing import Writing
    from services.bench.exports import Exports
    from services.bench.health import Health
    from services.bench.items.content import Content
    from services.bench.notes.noted_types import NotedTypes
    from services.bench.notes.outline_notes import OutlineNotes
    from services.bench.queries.hierarchy import Hierarchy
    from services.bench.queries.lookup import Lookup
    from services.bench.queries.outlines import Outlines
    from services.bench.queries.pictures import Pictures
    from services.bench.queries.places import Places
    from services.bench.queries.sources import Sources
    from services.bench.queries.usages import Usages
    from services.bench.sync.index_saver import IndexSaver
    from services.bench.window.advice import Advice
    from services.bench.window.context import ContextFinder
    from services.bench.window.copying import Copying
    from services.bench.window.curation import Curation, WindowServices
    from services.bench.window.investigation import Investigation
    from services.bench.window.models import Models
    from services.bench.window.packs import Packs
    from services.bench.window.restoring import Presets, WindowUndo
    from services.llm.client import ToolBox
    from services.llm.port import ChatModel
    from services.ops.ops import Ops
    from services.prompt.render.budget import WindowOptions
    from services.prompt.tokens.counter_process import CounterProcess
    from services.prompt.tokens.tokenizers import BaseCounter, TokenCounter
    from services.review.agent import ReviewAgent
    from services.review.reviewing import Reviewing
    from services.semantic.conclusions import ConclusionStore
    from services.semantic.generation import Generation
    from services.semantic.investigator import Investigator
    from services.semantic.notes import Notes, Queued
    from services.semantic.values import NoteState
    from services.source.diffs.changes import Changes
    from services.source.read.read_log import ReadLog
    from services.source.read.reader import Reader
    from services.source.write.writer import Writer

_MOMENT = 0.1
"""Seconds: who asked often asks again within them."""
_LEFT_LYING = 5.0
"""Seconds in which the leader would have begun what it can do."""


class Bench:
    """All services over one workspace, each made when it is first asked for: most commands need few of them. Whatever
    they do blocks, and may be called from any thread."""

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        settings: Settings,
        in_process: bool = True,
        lasting: bool = True,
        patience: float | None = None,
        tools: Callable[[Bench, str], ToolBox] | None = None,
    ) -> Self:
        """Opens a folder, or the folder of a solution or project file. Nothing is indexed yet.

        `in_process`: whether tokens are counted here; False counts in a helper process; `lasting`: whether this process
        stays as long as the locks it takes, which then lapse with it; `patience`: seconds for which an outline waits
        until dependencies are worked out, None for as long as that takes; `tools`: what a model of a profile may read
        with while it investigates, those of files where it is left out. Raises WorkspaceError; for `/` too, but where a
        solution or project lies right in it."""
        settings = with_usable_encoding(settings)
        root, start = opened_root(path, settings)
        opening = Opening(
            settings=settings,
            start=start,
            in_process=in_process,
            lasting=lasting,
            patience=patience,
            tools=tools,
        )
        return cls(root, opening)

    def __init__(self, root: Root, opening: Opening) -> None:
        self.lazy_lock = threading.RLock()
        self._closing = ExitStack()
        self._opening = opening
        self._root = root
        self._closing.callback(root.close)
        self.root = root.path
        self.settings = opening.settings
        self.name = Path(opening.start).stem if opening.start else root.path.name
        self.state = StateFolder.open(root)
        self._closing.callback(self.state.close)
        facade = Index(root, self.state, settings=self.settings.index, start=opening.start)
        self._closing.callback(facade.close)
        self.measures = Measures(self.state)
        self._closing.callback(self.measures.close)
        self._usage = Usage(self.state)
        self._closing.callback(self._usage.close)
        self.sharing = Sharing(self.root, self.state, facade, refresh=lambda: self.index.refresh())  # noqa: PLW0108 - made after this
        self.recorder = Recorder(lambda: self.ops)
        self.index = WorkspaceIndex(
            facade,
            self.sharing,
            RefreshLock(self.state),
            usage=self._usage,
            measures=self.measures,
            recorder=self.recorder,
            # A person at a screen does not wait for dependencies to be worked out; whoever asks once does.
            patience=opening.patience if opening.in_process else 0.0,
        )
        facade.when_renamed(self._follow_renames)
        if self.state.path(JOURNAL).exists():
            self._recover()
        self.sharing.topics.subscribe(self._on_topics)
        self.sharing.coalesced.subscribe(
            ForeignWrites(lambda: self.writer, self.sharing.apply_changes).on_topics
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Keeps what is kept and lets go of everything else: first of what acts by itself."""
        self._closing.callback(self.sharing.close)
        self._closing.close()

    # Source

    @lazy
    def _reads(self) -> ReadLog:
        from services.source.read.read_log import FILE, ReadLog

        reads = ReadLog(self.state.path(FILE))
        self._closing.callback(reads.close)
        return reads

    @lazy
    def reader(self) -> Reader:
        """Lines of files, and which of them were read under which token."""
        from services.source.read.read_log import Authors
        from services.source.read.reader import Reader

        authors = Authors(self.state.path(JOURNAL))
        return Reader(self._root, self.settings.cache, reads=self._reads, authors=authors)

    @lazy
    def sources(self) -> Sources:
        """Source text by what people write: read, searched, described, coloured."""
        from services.bench.queries.sources import Sources

        return Sources(
            self._root,
            self.index.facade,
            self.reader,
            lookup=self.lookup,
            settings=self.settings.cache,
            measures=self.measures,
            hide=lambda: self.window.unchecked.vault.masker().pieces,
        )

    @lazy
    def places(self) -> Places:
        """What there is at places in files."""
        from services.bench.queries.places import Places

        self.index.know_packages()
        return Places(self._root, self.index.facade, refresh=self.index.refresh, named=self.lookup.named)

    @lazy
    def changes(self) -> Changes:
        """What differs from a commit."""
        from services.source.diffs.changes import Changes

        return Changes(self._root)

    # Writing

    @lazy
    def writer(self) -> Writer:
        """Locks, writes and their history, by file."""
        from services.source.journal.actor import actor
        from services.source.read.known_lines import CacheMemory
        from services.source.write.writer import Writer, WriterOptions

        memory = CacheMemory(self.reader.cache, user=actor().user, reads=self._reads)
        options = WriterOptions(lasting=self._opening.lasting, ensure=self.state.ensure)
        writer = Writer(
            self._root,
            self.state.path(JOURNAL),
            memory=memory,
            settings=self.settings.cache,
            options=options,
        )
        self._closing.callback(writer.close)
        return writer

    @lazy
    def writing(self) -> Writing:
        """Locks and writes by what people write."""
        from services.bench.edits.writing import Writing

        return Writing(
            self._root, self.writer, reader=self.reader, sources=self.sources, measures=self.measures
        )

    @lazy
    def patching(self) -> Patching:
        """Edits of one piece of source, until they are applied."""
        from services.bench.edits.patching import Patching

        return Patching(self.state, self.reader, self.writing)

    @lazy
    def hunk_edits(self) -> HunkEdits:
        """Hunks staged, unstaged and discarded."""
        from services.bench.edits.hunk_edits import HunkEdits

        return HunkEdits(self._root, self.changes, self.reader, self.writing)

    @lazy
    def proposals(self) -> Proposals:
        """What agents ask to be written."""
        from services.bench.edits.proposals import Proposals

        return Proposals(self.state)

    def _recover(self) -> None:
        """Settles what was left half-done; a journal that cannot be used says so when something is to be written."""
        with suppress(CodeCortexError):
            self.writer.recover()

    # Models that are asked

    @lazy
    def asking(self) -> Asking:
        """Chats with models about the window, and what they may read and run."""
        from services.bench.adapters import ask_services
        from services.bench.ask.asking import Asking

        return Asking(ask_services(self, self._root))

    # Symbols

    @lazy
    def content(self) -> Content:
        """What items of a window show."""
        from services.bench.items.content import Content

        return Content(self.index.facade, self._root, self.reader, self.outline_notes)

    @lazy
    def written_notes(self) -> OutlineNotes:
        """What somebody wrote on types, without waiting until dependencies are worked out."""
        from services.bench.notes.outline_notes import OutlineNotes

        invalidates = self.settings.semantic.doc_invalidates
        return OutlineNotes(self.state, self.index.facade, self._known_types, doc_invalidates=invalidates)

    @property
    def outline_notes(self) -> OutlineNotes | None:
        """The notes that outlines end with; None where the settings leave them out."""
        return self.written_notes if self.settings.window.notes else None

    def note_states(self, ids: Sequence[str]) -> dict[str, NoteState]:
        """The states of the notes of types, as lists show them."""
        return self.written_notes.states(ids, self._note_queued)

    def _note_queued(self, group: tuple[str, ...]) -> Queued | None:
        return self.generation.queued(group) if self.state.path(OPERATIONS).exists() else None

    @lazy
    def _known_types(self) -> NotedTypes:
        """Types as they are known, without waiting until dependencies are worked out."""
        from services.bench.notes.noted_types import NotedTypes

        return NotedTypes(
            self.index.facade,
            self.reader,
            relate=lambda: None,
            masker=lambda: self.window.unchecked.vault.masker(),  # noqa: PLW0108 - the window is made after this
        )

    def _follow_renames(self) -> None:
        """Notes go with their types; where they cannot now, they do after the next rename."""
        from services.semantic.staleness import is_of
        from services.semantic.store import NoteStore

        types = self._known_types
        with suppress(CodeCortexError):
            NoteStore(self.state).follow(types.current, lambda note: is_of(note, types))

    @lazy
    def lookup(self) -> Lookup:
        """Symbols by path, by id, or by a place in a file."""
        from services.bench.queries.lookup import Lookup

        return Lookup(
            self._root,
            self.index.facade,
            self.content,
            self.reader,
            measures=self.measures,
            refresh=self.index.refresh,
        )

    @lazy
    def outlines(self) -> Outlines:
        """Outlines of types and members, and what they cost."""
        from services.bench.queries.outlines import Outlines

        return Outlines(
            self.index.facade,
            self.content,
            self.lookup,
            counter=self._counter,
            measures=self.measures,
            patience=self.index.patience,
            relate=self.index.relate,
        )

    @lazy
    def usages(self) -> Usages:
        """Where symbols are used."""
        from services.bench.queries.usages import Usages

        self.index.know_packages()
        return Usages(self.index.facade, self.lookup, measures=self.measures)

    @lazy
    def hierarchy(self) -> Hierarchy:
        """What symbols lead to."""
        from services.bench.queries.hierarchy import Hierarchy

        self.index.know_packages()
        return Hierarchy(self.index.facade, self.lookup, relate=self.index.relate)

    @lazy
    def pictures(self) -> Pictures:
        """How types hang together."""
        from services.bench.queries.pictures import Pictures

        return Pictures(
            self.index.facade,
            self.lookup,
            window=lambda: self.advice.shown_types(),  # noqa: PLW0108 - made after pictures
            counter=self._counter,
            relate=self.index.relate_whole,
        )

    @lazy
    def exports(self) -> Exports:
        """Files for readers without an index."""
        from services.bench.exports import Exports

        exports = Exports(
            self.index.facade,
            self.state,
            self.content,
            lookup=self.lookup,
            packs=self.packs,
            measures=self.measures,
            note_states=lambda ids: self.notes.states(ids),  # noqa: PLW0108 - made when needed
            mask=self._masked,
            recorder=self.recorder,
        )
        self._closing.callback(exports.close)
        return exports

    def _masked(self, text: str) -> str:
        return self.window.unchecked.vault.masker().text(text)

    # Models

    @lazy
    def models(self) -> Models:
        """Models and budgets; the one chosen for the workspace is in use."""
        from services.bench.window.models import Models

        return Models(self.settings.window, self._base, self.state, changed=self._render_for)

    @lazy
    def _helper(self) -> CounterProcess:
        """The process that counts where this one is not to."""
        from services.prompt.tokens.counter_process import CounterProcess

        helper = CounterProcess()
        self._closing.callback(helper.close)
        return helper

    @property
    def _base(self) -> BaseCounter:
        from services.prompt.tokens.tokenizers import EncodingCounter

        return EncodingCounter() if self._opening.in_process else self._helper

    def _counter(self) -> TokenCounter:
        """For the model in use."""
        return self.models.options().counter

    def _render_for(self, options: WindowOptions) -> None:
        if (window := Bench.window.peek(self)) is not None:
            window.unchecked.use(options)

    def _on_topics(self, topics: frozenset[str]) -> None:
        """Somebody in another process may have chosen."""
        if WINDOW in topics and (models := Bench.models.peek(self)) is not None:
            models.follow()

    def use_settings(self, settings: Settings) -> None:
        """Other settings from now on, as far as they are about the window; the rest counts when it is opened again."""
        self.settings = settings
        if (models := Bench.models.peek(self)) is not None:
            models.take(settings.window)

    # Prompt window

    @lazy
    def _window_services(self) -> WindowServices:
        from services.bench.window.curation import WindowServices

        return WindowServices(
            root=self._root,
            state=self.state,
            index=self.index.facade,
            reader=self.reader,
            sources=self.sources,
            content=self.content,
            usage=self._usage,
            measures=self.measures,
            find=self.lookup.sure,
            refresh=self.index.refresh,
            relate=self.index.relate_for_window,
        )

    @lazy
    def window(self) -> Curation:
        """The prompt window with everything that can be done to it."""
        from services.bench.window.curation import Curation

        window = Curation(self._window_services, options=self.models.options())
        self.packs.join(window)
        self._show_notes(window.content)
        self._closing.callback(window.unchecked.close)
        return window

    def _show_notes(self, content: Content) -> None:
        """Have the window show semantic notes and conclusions."""
        from services.bench.notes.note_items import ConclusionItems, NoteItems

        notes = NoteItems(
            self.index.facade,
            self.written_notes,
            content,
            note=lambda id_: self.notes.get(id_),  # noqa: PLW0108 - made when needed
        )
        found = ConclusionItems(self.conclusions, lambda path: self.inquiries.file(path))  # noqa: PLW0108
        content.add_kind("semantic", version=notes.version, renderer=notes.render, files=notes.files)
        content.add_kind("conclusion", version=found.version, renderer=found.render, files=found.files)

    @lazy
    def packs(self) -> Packs:
        """Sets of types kept under a name."""
        from services.bench.window.packs import Packs

        return Packs(
            self.index.facade,
            self.state,
            counter=self._counter,
            relate=self.index.relate,
            mask=self._masked,
            recorder=self.recorder,
            changed=lambda: self.exports.list_packs(),  # noqa: PLW0108 - packs are made before exports
            notes=self.outline_notes.growing if self.outline_notes is not None else lambda _: (),
        )

    @lazy
    def advice(self) -> Advice:
        """What the window lacks, and could do without."""
        from services.bench.window.advice import Advice

        return Advice(
            self._window_services, self.window, self.packs, context=self.context, relate=self.index.relate
        )

    @lazy
    def context(self) -> ContextFinder:
        """What a change needs, from words, places and what is known to matter."""
        from services.bench.window.context import ContextFinder
        from services.context.ground_cache import GroundCache

        return ContextFinder(
            self.index.facade,
            GroundCache(self.index.facade, self.state, self.root),
            find=self.lookup.sure,
            costs=self.window.unchecked.costs,
            stamp=lambda: self._counter().name,
            usage=self._usage,
            measures=self.measures,
            relate=self.index.relate_whole,
        )

    @lazy
    def investigation(self) -> Investigation:
        """Questions answered without a model."""
        from services.bench.window.investigation import Investigation, pinned_as_offered

        return Investigation(
            self.index.facade,
            self.context,
            grep=self.sources.grep,
            pin=pinned_as_offered(self.window.pin_all),
            state=self.state,
        )

    @lazy
    def inquiries(self) -> Inquiries:
        """What investigations by a model ask of the workspace."""
        from services.bench.ask.inquiries import Inquiries
        from services.llm.tools.default import default_tools

        made = self._opening.tools
        return Inquiries(
            lambda: self.investigation,
            self.lookup,
            lambda: self.places,
            self.reader,
            cited=lambda text: self.asking.cited(text),  # noqa: PLW0108 - made when needed
            mask=self._masked,
            files=lambda: self.asking.files(),  # noqa: PLW0108
            tools=lambda name: made(self, name) if made is not None else default_tools(self.asking.files()),
        )

    @lazy
    def conclusions(self) -> ConclusionStore:
        """What investigations by a model found out."""
        from services.semantic.conclusions import ConclusionStore

        return ConclusionStore(self.state, self._known_types.current)

    @lazy
    def investigator(self) -> Investigator:
        """Questions answered by the model that is set up."""
        from services.semantic.investigator import Investigator, Limits

        return Investigator(
            self.inquiries,
            lambda: self.ops,
            self._model,
            store=self.conclusions,
            limits=Limits(tokens=self.settings.semantic.tokens_per_run or None),
            ready=self.index.refresh,
        )

    @lazy
    def copying(self) -> Copying:
        """The window handed over."""
        from services.bench.window.copying import Copying, Source
        from services.prompt.templates.template import folder_tree
        from services.workspace.scan.git import revision

        source = Source(
            self.name,
            revision=lambda: revision(self._root.path),
            tree=lambda: folder_tree({file.path for file in self.index.facade.catalogue.live_files()}),
            picture=lambda: self.pictures.picture().text,
        )
        return Copying(self.window, self.models, self.state, source)

    @lazy
    def review(self) -> Reviewing:
        """Reviews of change sets."""
        from services.bench.adapters import reviewing

        return reviewing(
            (self._root, self.state, self.changes),
            self.index.facade,
            self.settings,
            start=self._opening.start,
            closing=self._closing.callback,
            notes=lambda: self.notes,
            relate=lambda cancel: self.index.relate(cancel=cancel),
            masker=lambda: self.window.unchecked.vault.masker(),  # noqa: PLW0108 - made when it is asked for
            counter=self._counter,
            context=lambda: self.context,
            outlines=lambda: self.outlines,
        )

    @lazy
    def review_agent(self) -> ReviewAgent:
        """Reviews done as operations that last."""
        from services.review.agent import ReviewAgent

        return ReviewAgent(
            lambda: self.review,
            lambda: self.ops,
            lambda: self.asking.model(),  # noqa: PLW0108 - made when needed
            ready=self.index.refresh,
        )

    @lazy
    def presets(self) -> Presets:
        """Windows kept under a name."""
        from services.bench.window.restoring import Presets

        return Presets(self.window, self.state)

    @lazy
    def undo(self) -> WindowUndo:
        """What was done to the window here, to be taken back."""
        from services.bench.window.restoring import WindowUndo

        return WindowUndo(self.window)

    @property
    def undoable(self) -> str:
        """What `undo` would take back; empty where that is nothing. Nothing is made to tell: screens ask often."""
        undo = Bench.undo.peek(self)
        return undo.last if undo is not None else ""

    # Notes and operations that last

    def _serve_ops(self, topics: frozenset[str]) -> None:
        """Somebody may have queued an operation; whoever never has one needs no thread for them."""
        if OPS in topics:
            self.ops.serve()

    @lazy
    def ops(self) -> Ops:
        """Operations that last."""
        from services.ops.ops import Ops
        from services.review.agent import KIND as REVIEW
        from services.semantic.generation import KIND as NOTE
        from services.semantic.investigator import KIND as INVESTIGATION

        handlers = {
            NOTE: lambda run: self.generation.handle(run),  # noqa: PLW0108 - made when needed
            REVIEW: lambda run: self.review_agent.handle(run),  # noqa: PLW0108
            INVESTIGATION: lambda run: self.investigator.handle(run),  # noqa: PLW0108
        }
        asks_model = frozenset({NOTE, INVESTIGATION})
        ops = Ops(self.state, handlers, after=lambda kind: self._begins_after(asks=kind in asks_model))
        self._closing.callback(ops.close)
        return ops

    def _begins_after(self, *, asks: bool) -> float | None:
        """The leader drains the queue (SPEC section 9). What asks a model it can only do where one is set up for it:
        what it has left lying, another process does that has one."""
        if asks and not self.asking.can_ask(self._wanted_model):
            return None
        if self.sharing.is_leader:
            return 0.0
        return _LEFT_LYING if asks else None

    @lazy
    def _noted_types(self) -> NotedTypes:
        from services.bench.notes.noted_types import NotedTypes

        masker = self.window.unchecked.vault.masker
        return NotedTypes(self.index.facade, self.reader, relate=self.index.relate, masker=masker)

    @lazy
    def notes(self) -> Notes:
        """What types are for."""
        from services.semantic.notes import Notes

        return Notes(
            self.state,
            self._noted_types,
            doc_invalidates=self.settings.semantic.doc_invalidates,
            queued=self._note_queued,
            # Places of conclusions take restored packages: nobody waits for them where there are none.
            conclusions=lambda id_: (
                self.inquiries.linked(found) if (found := self.conclusions.about(id_)) else ()
            ),
        )

    @lazy
    def generation(self) -> Generation:
        """Notes by the model that is set up."""
        from services.semantic.generation import Generation, Quota

        return Generation(
            self.notes,
            lambda: self.ops,
            self._model,
            plan=self._noted_types.plan,
            count=lambda text: self._counter().count(text),
            quota=Quota(
                self.settings.semantic.tokens_per_day or None, self.settings.semantic.tokens_per_run or None
            ),
            timed=lambda: self.measures.timed(NOTES),
            ready=self.index.refresh,
        )

    def _model(self) -> tuple[str, ChatModel]:
        """The model that a person has set up, with its name: asked within limits, counted, sent no likely secret.
        Raises NoModel."""
        name, _ = self.asking.profiles().chosen(self._wanted_model)
        return name, self.asking.model(name)

    @property
    def _wanted_model(self) -> str | None:
        wanted = self.settings.semantic.model
        return None if wanted == SemanticSettings().model else wanted

    # In the background

    @lazy
    def _index_saver(self) -> IndexSaver:
        from services.bench.sync.index_saver import IndexSaver

        kept_index = IndexSaver(self.index.facade, leads=lambda: self.sharing.is_leader)
        self._closing.callback(kept_index.close)
        return kept_index

    def watch(self) -> None:
        """Begins to follow the disk and what other processes do here; subscribers are told. Does nothing where it is
        done already."""
        self.sharing.watch()
        self._index_saver.follow(self.sharing.edits.subscribe)
        self.exports.follow(
            self.sharing.edits.subscribe,
            self.sharing.topics.subscribe,
            leads=lambda: self.sharing.is_leader,
            indexes=self.settings.index.export,
        )
        self.sharing.topics.subscribe(self._serve_ops)
        if self.state.path(OPERATIONS).exists():
            self.ops.serve()

    def warm(self) -> None:
        """Makes what the first question of a kind would wait for."""
        self.index.facade.search("ab", limit=1)
        self._counter().count("ab")

    def pause_background(self) -> None:
        """Somebody waits for an answer: what is done in the background for nobody rests for a moment."""
        for busy in (Bench.exports.peek(self), Bench._index_saver.peek(self)):
            if busy is not None:
                busy.pause(_MOMENT)

    @lazy
    def health(self) -> Health:
        """Figures and notices."""
        from services.bench.health import Health

        return Health(self)
