"""Services of one workspace, as their makers name them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from contextlib import ExitStack
    from pathlib import Path

    from services.adt.objects import AdtObjects
    from services.agents.react import ActingTools
    from services.agents.workflow import WorkflowActor, Workflows
    from services.bench.asking import Asking
    from services.bench.edits.hunk_edits import HunkEdits
    from services.bench.edits.refactoring import Refactoring
    from services.bench.edits.writing import Writing
    from services.bench.exports import Exports
    from services.bench.inquiries import Inquiries
    from services.bench.items.window_items import WindowItems
    from services.bench.noted_types import NotedTypes, OutlineNotes
    from services.bench.queries.lookup import Lookup
    from services.bench.queries.outlines import Outlines
    from services.bench.queries.pictures import Pictures
    from services.bench.queries.places import FilePlaces
    from services.bench.queries.sources import Sources
    from services.bench.recorder import Recorder
    from services.bench.sharing import Sharing
    from services.bench.window.advice import Advice
    from services.bench.window.context import ContextFinder
    from services.bench.window.copying import Copying
    from services.bench.window.curation import Curation, WindowServices
    from services.bench.window.investigation import Investigation
    from services.bench.window.models import Models
    from services.bench.window.packs import Packs
    from services.bench.window.usage import RecentUse
    from services.bench.workspace_index import WorkspaceIndex
    from services.concurrency.lazy import lazy
    from services.llm.client import ToolBox
    from services.measures import Measures
    from services.ops.ops import OperationService
    from services.prompt.tokens.counter_process import CounterProcess
    from services.prompt.tokens.tokenizers import TokenCounter
    from services.prompt.vault import Vault
    from services.review.agent import ReviewAgent
    from services.review.reviewing import Reviewing
    from services.semantic.conclusions import ConclusionStore
    from services.semantic.generation import Generation
    from services.semantic.investigator import Investigator
    from services.semantic.notes import Notes
    from services.settings import Settings
    from services.source.diffs.changes import ChangeSets
    from services.source.read.known_lines import ReadLog
    from services.source.read.reader import SourceReader
    from services.source.write.writer import Writer
    from services.team.database import TeamDatabase
    from services.workspace.files.root import Root
    from services.workspace.state import StateFolder


class Services(ABC):
    """Services of one workspace, each made when it is first read.

    `files`: the root and no way out of it; `closing`: the one stack of what is to be closed; `is_worker`: whether
    this process is there for jobs; `start`, `helper`, `lasting` and `host`: as the workspace was opened."""

    is_worker: bool
    name: str
    root: Path
    closing: ExitStack
    files: Root
    settings: Settings
    state: StateFolder
    measures: Measures
    usage: RecentUse
    sharing: Sharing
    recorder: Recorder
    index: WorkspaceIndex
    start: str | None
    helper: bool
    lasting: bool
    host: Services | None

    read_log: lazy[Any, ReadLog]
    reader: lazy[Any, SourceReader]
    sources: lazy[Any, Sources]
    systems: lazy[Any, AdtObjects]
    places: lazy[Any, FilePlaces]
    changes: lazy[Any, ChangeSets]
    content: lazy[Any, WindowItems]
    lookup: lazy[Any, Lookup]
    outlines: lazy[Any, Outlines]
    pictures: lazy[Any, Pictures]
    exports: lazy[Any, Exports]
    writer: lazy[Any, Writer]
    writing: lazy[Any, Writing]
    hunk_edits: lazy[Any, HunkEdits]
    refactoring: lazy[Any, Refactoring]
    models: lazy[Any, Models]
    counter_process: lazy[Any, CounterProcess]
    vault: lazy[Any, Vault]
    window_services: lazy[Any, WindowServices]
    window: lazy[Any, Curation]
    packs: lazy[Any, Packs]
    advice: lazy[Any, Advice]
    context: lazy[Any, ContextFinder]
    investigation: lazy[Any, Investigation]
    copying: lazy[Any, Copying]
    known_types: lazy[Any, NotedTypes]
    noted_types: lazy[Any, NotedTypes]
    written_notes: lazy[Any, OutlineNotes]
    notes: lazy[Any, Notes]
    generation: lazy[Any, Generation]
    inquiries: lazy[Any, Inquiries]
    conclusions: lazy[Any, ConclusionStore]
    investigator: lazy[Any, Investigator]
    ops: lazy[Any, OperationService]
    asking: lazy[Any, Asking]
    team: lazy[Any, TeamDatabase | None]
    review: lazy[Any, Reviewing]
    review_agent: lazy[Any, ReviewAgent]
    workflows: lazy[Any, Workflows]

    @property
    @abstractmethod
    def outline_notes(self) -> OutlineNotes | None:
        """The notes that outlines end with; None where the settings leave them out."""

    @abstractmethod
    def counter(self) -> TokenCounter:
        """Return the counter of the model in use."""

    @abstractmethod
    def pause_background(self) -> None:
        """Pause background work, since a person waits for an answer."""

    @abstractmethod
    def masked(self, text: str) -> str:
        """Return the text without likely secrets."""

    @abstractmethod
    def reading_tools(self, profile: str) -> ToolBox:
        """Return the tools that a model may read with while it investigates."""

    @abstractmethod
    def acting_tools(self, actor: WorkflowActor) -> ActingTools:
        """Return the operations of a workflow. Raises UsageError."""
