"""Composition of the services of one workspace, called by every face, and how a workspace is opened: where its root
is, and in which encoding files that are not Unicode are read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

import msgspec

from services.bench.recorder import Recorder
from services.bench.services import Services
from services.bench.sharing import RemoteWrites, Sharing
from services.bench.topics import OPS, WINDOW
from services.bench.window.usage import RecentUse
from services.bench.wiring import chats, files, reviews, teams, windows
from services.bench.workspace_index import RefreshLock, WorkspaceIndex
from services.concurrency.lazy import lazy
from services.errors import CodeCortexError, UsageError, WorkspaceError
from services.index.index import Index
from services.measures import Measures
from services.model import Notice
from services.ops import DATABASE as OPERATIONS
from services.settings import FileSettings, Settings
from services.source.journal.database import FILE as JOURNAL
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from services.workspace.text import usable_encoding

if TYPE_CHECKING:
    from services.agents.react import ActingTools
    from services.agents.workflow import WorkflowActor
    from services.bench.health import Health
    from services.bench.noted_types import OutlineNotes
    from services.bench.workspace_index import IndexSaver
    from services.llm.client import ToolBox
    from services.prompt.tokens.tokenizers import TokenCounter
    from services.semantic.values import NoteState

_NONE = FileSettings().encoding
_PROJECT_ENDINGS = (".sln", ".slnx", ".slnf", ".csproj")
_WHOLE_MACHINE = (
    "Below / lies the whole machine, not a code base. Name the folder of one, or a solution or project file."
)


def opened_root(path: Path, settings: Settings) -> tuple[Root, str | None]:
    """The root of a folder, or of that of a solution or project file, and the name of that file. Raises WorkspaceError;
    for `/` too, but where a solution or project lies right in it."""
    start = None
    if path.suffix.lower() in _PROJECT_ENDINGS and path.is_file():
        path, start = path.parent, path.name
    root = Root.open(path, encoding=_declared(settings))
    if start is None and root.path == Path(root.path.anchor) and not _has_project(root.path):
        root.close()
        raise WorkspaceError(_WHOLE_MACHINE, path=str(path))
    return root, start


def _has_project(folder: Path) -> bool:
    return any(each.suffix.lower() in _PROJECT_ENDINGS for each in folder.iterdir())


def with_usable_encoding(settings: Settings) -> Settings:
    """The settings; without a declared encoding that cannot be used, which is then a notice."""
    if settings.files.encoding == _NONE:
        return settings
    try:
        usable_encoding(settings.files.encoding)
    except UsageError as error:
        advice = "Correct files.encoding in the settings; until then such files are shown and not edited."
        notice = Notice(severity="warning", message=error.message, what_to_do=advice)
        return msgspec.structs.replace(settings, files=FileSettings(), notices=(*settings.notices, notice))
    return settings


def _declared(settings: Settings) -> str | None:
    return None if settings.files.encoding == _NONE else settings.files.encoding


_MOMENT = 0.1
"""Seconds: who asked often asks again within them."""


class OpenOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of opening a workspace. `start`: the named solution or project file; `host`: one of the same workspace
    that stays open, whose index is used; `helper`: whether tokens are counted in a helper process."""

    settings: Settings
    start: str | None = None
    helper: bool = False
    lasting: bool = True
    patience: float | None = None
    tools: Callable[[Bench, str], ToolBox] | None = None
    acts: Callable[[Bench, WorkflowActor], ActingTools] | None = None
    host: Bench | None = None


class Bench(Services):
    """Services of one workspace, each created on first use, since most commands need few of them. Their calls
    block, and may be made from any thread.

    `wiring/` says what each is and makes it of the others, which it knows as `Services`."""

    is_worker = False

    read_log = lazy(files.read_log)
    reader = lazy(files.reader)
    sources = lazy(files.sources)
    systems = lazy(files.systems)
    places = lazy(files.places)
    changes = lazy(files.changes)
    content = lazy(files.content)
    lookup = lazy(files.lookup)
    outlines = lazy(files.outlines)
    usages = lazy(files.usages)
    hierarchy = lazy(files.hierarchy)
    pictures = lazy(files.pictures)
    exports = lazy(files.exports)

    writer = lazy(files.writer)
    writing = lazy(files.writing)
    patching = lazy(files.patching)
    pasting = lazy(files.pasting)
    hunk_edits = lazy(files.hunk_edits)
    stashes = lazy(files.stashes)
    proposals = lazy(files.proposals)
    refactoring = lazy(files.refactoring)
    batches = lazy(files.batches)

    models = lazy(windows.models)
    counter_process = lazy(windows.counter_process)
    vault = lazy(windows.vault)
    window_services = lazy(windows.window_services)
    window = lazy(windows.window)
    packs = lazy(windows.packs)
    advice = lazy(windows.advice)
    context = lazy(windows.context)
    investigation = lazy(windows.investigation)
    copying = lazy(windows.copying)
    presets = lazy(windows.presets)
    undo = lazy(windows.undo)

    known_types = lazy(chats.known_types)
    noted_types = lazy(chats.noted_types)
    written_notes = lazy(chats.written_notes)
    notes = lazy(chats.notes)
    generation = lazy(chats.generation)
    inquiries = lazy(chats.inquiries)
    conclusions = lazy(chats.conclusions)
    investigator = lazy(chats.investigator)
    ops = lazy(chats.ops)

    asking = lazy(chats.asking)

    team = lazy(teams.team)

    review = lazy(reviews.review)
    review_agent = lazy(reviews.review_agent)
    workflows = lazy(reviews.workflows)

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        settings: Settings,
        helper: bool = False,
        lasting: bool = True,
        patience: float | None = None,
        tools: Callable[[Bench, str], ToolBox] | None = None,
        acts: Callable[[Bench, WorkflowActor], ActingTools] | None = None,
        host: Bench | None = None,
    ) -> Self:
        """Opens a folder, or the folder of a solution or project file. Nothing is indexed yet.

        `helper`: whether tokens are counted in a helper process, which ends at rest; `lasting`: whether this process
        stays as long as the locks it takes, which then lapse with it; `patience`: seconds for which an outline waits
        until dependencies are worked out, None for as long as that takes; `tools`: what a model of a profile may read
        with while it investigates, those of files where it is left out; `acts`: operations of a workflow, which needs
        them; `host`: one of the same workspace and settings
        of the index that stays open, whose index is used: all else is read anew, as by a process of its own. Raises
        WorkspaceError; for `/` too, but where a solution or project lies right in it."""
        settings = with_usable_encoding(settings)
        root, start = opened_root(path, settings)
        opening = OpenOptions(
            settings=settings,
            start=start,
            helper=helper,
            lasting=lasting,
            patience=patience,
            tools=tools,
            acts=acts,
            host=host,
        )
        return cls(root, opening)

    def __init__(self, root: Root, opening: OpenOptions) -> None:
        self.closing = ExitStack()
        self.start, self.helper, self.lasting = opening.start, opening.helper, opening.lasting
        self.host = opening.host
        self._tools, self._acts = opening.tools, opening.acts
        self.files = root
        self.closing.callback(root.close)
        self.root = root.path
        self.settings = opening.settings
        self.name = Path(self.start).stem if self.start else root.path.name
        self.state = StateFolder.open(root)
        self.closing.callback(self.state.close)
        teams.share_files(self)
        facade = self._facade()
        host = opening.host
        self.measures = self._measured()
        self.usage = RecentUse(self.state)
        self.closing.callback(self.usage.close)
        self.sharing = Sharing(
            self.files,
            self.state,
            facade,
            refresh=lambda: self.index.refresh(),  # noqa: PLW0108 - made after this
            host=host.sharing if host is not None else None,
        )
        self.recorder = Recorder(lambda: self.ops)
        self.index = WorkspaceIndex(
            facade,
            self.sharing,
            RefreshLock(self.state),
            usage=self.usage,
            measures=self.measures,
            recorder=self.recorder,
            turns=host.index.turns if host is not None else None,
            patience=opening.patience,
        )
        if host is None:
            facade.when_renamed(self._follow_renames)
        if self.state.path(JOURNAL).exists():
            self._recover()
        self.sharing.topics.subscribe(self._on_topics)
        if host is None:
            bring = self.sharing.apply_changes
            self.sharing.coalesced.subscribe(RemoteWrites(lambda: self.writer, bring).on_topics)

    def _measured(self) -> Measures:
        if self.host is not None and self.lasting:
            return self.host.measures
        measures = Measures(self.state)
        self.closing.callback(measures.close)
        return measures

    def _facade(self) -> Index:
        if self.host is not None:
            return self.host.index.facade
        facade = Index(self.files, self.state, settings=self.settings.index, start=self.start)
        self.closing.callback(facade.close)
        return facade

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Save state and close all services: first those that act in the background."""
        self.closing.callback(self.sharing.close)
        self.closing.close()

    # What several of them ask for

    @property
    def outline_notes(self) -> OutlineNotes | None:
        """The notes that outlines end with; None where the settings leave them out."""
        return self.written_notes if self.settings.window.notes else None

    def note_states(self, ids: Sequence[str]) -> dict[str, NoteState]:
        """The states of the notes of types, as lists show them."""
        return self.written_notes.states(ids, lambda group: chats.queued(self, group))

    def masked(self, text: str) -> str:
        """The text without likely secrets."""
        return self.vault.masker().text(text)

    def counter(self) -> TokenCounter:
        """That of the model in use."""
        return self.models.options().counter

    def reading_tools(self, profile: str) -> ToolBox:
        """Return the tools that a model may read with while it investigates: those of files where no others are
        given."""
        from services.llm.tool_files import default_tools

        return self._tools(self, profile) if self._tools is not None else default_tools(self.asking.files())

    def acting_tools(self, actor: WorkflowActor) -> ActingTools:
        """Return the operations of a workflow. Raises UsageError."""
        if self._acts is None:
            raise UsageError("This process was opened without the operations that a workflow calls.")
        return self._acts(self, actor)

    @property
    def undoable(self) -> str:
        """Return the name of the window's change that undo reverts; empty where there is none. Creates no service,
        since screens call it often."""
        undo = Bench.undo.peek(self)
        return undo.last if undo is not None else ""

    @property
    def redoable(self) -> str:
        """Name of the window's change that redo makes again; empty where there is none."""
        undo = Bench.undo.peek(self)
        return undo.next if undo is not None else ""

    def use_settings(self, settings: Settings) -> None:
        """Other settings from now on, as far as they are about the window; the rest counts when it is opened again."""
        self.settings = settings
        if (models := Bench.models.peek(self)) is not None:
            models.take(settings.window)

    # What happens by itself

    def _recover(self) -> None:
        """Recover interrupted writes; an unusable journal is reported by the next write."""
        with suppress(CodeCortexError):
            self.writer.recover()

    def _follow_renames(self) -> None:
        """Notes go with their types; where they cannot now, they do after the next rename."""
        from services.semantic.store import NoteStore
        from services.semantic.values import is_of

        types = self.known_types
        with suppress(CodeCortexError):
            NoteStore(self.state).follow(types.current, lambda note: is_of(note, types))

    def _on_topics(self, topics: frozenset[str]) -> None:
        """Somebody in another process may have chosen."""
        if WINDOW in topics and (models := Bench.models.peek(self)) is not None:
            models.follow()

    def _serve_ops(self, topics: frozenset[str]) -> None:
        """Start the worker thread of operations when another process may have queued one."""
        if OPS in topics:
            self.ops.serve()

    @lazy
    def _index_saver(self) -> IndexSaver:
        from services.bench.workspace_index import IndexSaver

        saver = IndexSaver(self.index.facade, leads=lambda: self.sharing.is_leader)
        self.closing.callback(saver.close)
        return saver

    def watch(self) -> None:
        """Start to watch the disk and the changes of other processes, and notify subscribers. Does nothing where
        that is running already."""
        self.sharing.watch()
        if self.host is None:
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
        self.counter().count("ab")

    def pause_background(self) -> None:
        """Pause background work, since a person waits for an answer."""
        if self.host is not None:
            self.host.pause_background()
        for busy in (Bench.exports.peek(self), Bench._index_saver.peek(self)):
            if busy is not None:
                busy.pause(_MOMENT)

    @lazy
    def health(self) -> Health:
        """Figures and notices."""
        from services.bench.health import Health

        return Health(self)
