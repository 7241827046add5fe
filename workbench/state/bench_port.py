"""What the workbench asks of the services: `services.bench.Bench`, as far as the screen uses it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Protocol

from services.model import (
    ChangeSet,
    Commit,
    Definition,
    ExportAnswer,
    FileChange,
    FileHit,
    GrepAnswer,
    GrepFile,
    Hunk,
    Notice,
    OutlineAnswer,
    Progress,
    ResolveAnswer,
    SearchAnswer,
    SourceRange,
    Span,
    Status,
    SymbolRef,
    TypeChange,
    UsagesAnswer,
    Window,
)

if TYPE_CHECKING:
    from services.bench.edits.patching import Patching
    from services.bench.edits.proposals import Proposals
    from services.bench.edits.writing import Writing
    from services.bench.queries.sources import Grep
    from services.bench.window.advice import Advice
    from services.bench.window.copying import Copying
    from services.bench.window.curation import Curation
    from services.bench.window.models import Models
    from services.bench.window.packs import Packs
    from services.bench.window.presets import Presets
    from services.bench.window.undo import WindowUndo
    from services.settings import Settings
    from services.source.diffs.scope import Scope
    from services.source.grep.search import Tally


class StateFiles(Protocol):
    """Named files that outlive the program."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file, or None where there is none. Raises OSError."""
        ...

    def write(self, name: str, data: bytes) -> None:
        """Replace a file atomically. Raises OSError."""
        ...


class WorkspaceFiles(StateFiles, Protocol):
    """Those of a workspace, which a person may be sent to look at."""

    def path(self, name: str) -> Path:
        """Where a file is."""
        ...


class Colours(Protocol):
    """The colours of one text."""

    def of(self, lines: Iterable[int], *, cancel: Event | None = None) -> Mapping[int, Sequence[Span]]:
        """The spans of some lines (numbered from 1), and of as many near them as cost nothing more, by line. Raises
        Cancelled."""
        ...


class ChangesPort(Protocol):
    """What differs between the working area, commits and ranges of them."""

    def read(self, scope: Scope | None = None, *, cancel: Event | None = None) -> ChangeSet:
        """The files that differ. Raises WorkspaceError, Cancelled."""
        ...

    def hunks(self, change: FileChange, *, context: int = 3) -> tuple[Hunk, ...]:
        """The hunks of one of them."""
        ...

    def texts(self, change: FileChange) -> tuple[str, str]:
        """Both sides of one of them, whole."""
        ...

    def commits(self, *, most: int = 200, skip: int = 0) -> tuple[Commit, ...]:
        """Commits, the last one first. Raises WorkspaceError."""
        ...


class PlacesPort(Protocol):
    """What there is at places in files."""

    def enclosing(self, file: str, line: int) -> SymbolRef | None:
        """The innermost symbol at a line."""
        ...

    def definition(self, file: str, line: int, column: int) -> Definition:
        """What the name at a place means."""
        ...

    def files(self, query: str, *, most: int = 50) -> tuple[FileHit, ...]:
        """Files by parts of their paths."""
        ...


class BenchPort(Protocol):
    """All services over one workspace. Every method blocks and may be called from any thread."""

    @property
    def root(self) -> Path:
        """The folder."""
        ...

    @property
    def name(self) -> str:
        """What people call the workspace."""
        ...

    @property
    def state(self) -> WorkspaceFiles:
        """The program's own files of the workspace."""
        ...

    @property
    def changes(self) -> ChangesPort:
        """What differs from what git keeps."""
        ...

    @property
    def places(self) -> PlacesPort:
        """What there is at places in files."""
        ...

    def close(self) -> None:
        """Let go of files and helpers."""
        ...

    def load(self) -> bool:
        """Take the kept index, if there is one."""
        ...

    def refresh(
        self, *, progress: Callable[[Progress], None] | None = None, cancel: Event | None = None
    ) -> tuple[TypeChange, ...]:
        """Bring the index up to date with the disk. Raises Cancelled."""
        ...

    @property
    def is_related(self) -> bool:
        """Whether there is nothing for `relate` to do."""
        ...

    def relate(
        self, *, progress: Callable[[Progress], None] | None = None, cancel: Event | None = None
    ) -> bool:
        """Work out which types name which; whether anything had changed. Raises Cancelled."""
        ...

    def read_bodies(self, *, cancel: Event | None = None) -> bool:
        """Work out which types bodies name; whether anything had changed. Raises Cancelled."""
        ...

    def listen(self) -> None:
        """Be told from now on what other processes do here."""
        ...

    def watch(self) -> None:
        """Follow the disk from now on; subscribers are told."""
        ...

    def make_way(self) -> None:
        """What is done in the background for nobody rests for a moment."""
        ...

    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        """Symbols for a query; for an empty one those used last, then those most referred to."""
        ...

    def resolve(self, path: str) -> ResolveAnswer:
        """What a name means."""
        ...

    def outline(self, path: str) -> OutlineAnswer:
        """Of a type or a member, by path or id. Raises SymbolNotFound, AmbiguousSymbol."""
        ...

    def read(self, object: str, *, start: int | None = None, end: int | None = None) -> SourceRange:  # noqa: A002
        """Lines of a file or a symbol."""
        ...

    def grep(
        self,
        grep: Grep,
        object: str | None = None,  # noqa: A002
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: Event | None = None,
    ) -> GrepAnswer:
        """Lines of a symbol or file that match. Raises PatternInvalid, Cancelled."""
        ...

    def grep_files(
        self,
        grep: Grep,
        tally: Tally,
        *,
        progress: Callable[[Progress], None] | None = None,
        cancel: Event | None = None,
    ) -> Iterator[GrepFile]:
        """Files of the workspace with matches, as they are found. Raises PatternInvalid, Cancelled."""
        ...

    def usages(
        self,
        path: str,
        *,
        limit: int = 200,
        progress: Callable[[Progress], None] | None = None,
        cancel: Event | None = None,
    ) -> UsagesAnswer:
        """Where a symbol is used. Raises UsageError, Cancelled."""
        ...

    def colours(self, lines: Sequence[str]) -> Colours:
        """The colours of a text of these lines, without their endings; nothing is worked out yet."""
        ...

    def window(self, *, format: str = "md") -> Window:  # noqa: A002
        """The prompt window, every item checked against the disk and rendered."""
        ...

    def pin(self, path: str, *, force: bool = False) -> Window:
        """Pin a symbol or a range. Raises BudgetExceeded."""
        ...

    def unpin(self, path: str) -> Window:
        """Take a pin away."""
        ...

    def dismiss(self, path: str) -> Window:
        """Take an item out."""
        ...

    def set_level(self, path: str, level: str) -> Window:
        """Show an item with more or less detail."""
        ...

    def move(self, path: str, *, before: str | None = None, after: str | None = None) -> Window:
        """Put a pinned item before or after another."""
        ...

    def export(
        self,
        *,
        outlines: bool = False,
        progress: Callable[[Progress], None] | None = None,
        cancel: Event | None = None,
    ) -> ExportAnswer:
        """Write the readable files of the index. Raises ReadOnly, Cancelled."""
        ...

    def visit(self, path: str) -> None:
        """Count a symbol as used."""
        ...

    def token_costs(self, ids: Sequence[str]) -> dict[str, int]:
        """What the outlines of these would cost, in tokens."""
        ...

    def status(self) -> Status:
        """What there is, and how fresh."""
        ...

    def notices(self) -> tuple[Notice, ...]:
        """What a person should know."""
        ...

    def subscribe(
        self, callback: Callable[[tuple[TypeChange, ...]], None], *, cosmetic: bool = False
    ) -> Callable[[], None]:
        """Be told of changes, in any thread; the answer ends it."""
        ...

    def on_shared(self, callback: Callable[[frozenset[str]], None]) -> Callable[[], None]:
        """Be told, in any thread, what this or another process changed: window, writes (locks too), index, packs,
        presets, proposals, watching; the answer ends it. Begins with `listen`."""
        ...

    @property
    def patching(self) -> Patching:
        """Editing lines by hand."""
        ...

    @property
    def writing(self) -> Writing:
        """Locks, writes, their history."""
        ...

    @property
    def proposals(self) -> Proposals:
        """What agents want to write."""
        ...

    # The prompt window

    @property
    def settings(self) -> Settings:
        """Those in force when it was opened."""
        ...

    @property
    def curation(self) -> Curation:
        """Notes, hunks, and the window by what people write."""
        ...

    @property
    def undo(self) -> WindowUndo:
        """Taking changes of the window back."""
        ...

    @property
    def copying(self) -> Copying:
        """Handing the window over."""
        ...

    @property
    def advice(self) -> Advice:
        """What the window lacks, may not need, and is related to."""
        ...

    @property
    def packs(self) -> Packs:
        """Types that go together."""
        ...

    @property
    def presets(self) -> Presets:
        """Windows kept under names."""
        ...

    @property
    def models(self) -> Models:
        """Models to choose from."""
        ...

    def choose(self, model: str | None, budget: int | None) -> Window:
        """Another model or budget; None: what the settings say. Raises UsageError, ReadOnly."""
        ...

    def take(self, settings: Settings) -> None:
        """Other settings from now on, as far as they are about the window."""
        ...
