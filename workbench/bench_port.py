"""What the workbench asks of the services: `services.bench.Bench`, as far as the screen uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Event
from typing import Protocol

from services.model import (
    Notice,
    OutlineAnswer,
    Progress,
    ResolveAnswer,
    SearchAnswer,
    SourceRange,
    Span,
    Status,
    TypeChange,
    Window,
)


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

    def relate(
        self, *, progress: Callable[[Progress], None] | None = None, cancel: Event | None = None
    ) -> bool:
        """Work out which types name which; whether anything had changed. Raises Cancelled."""
        ...

    def watch(self) -> None:
        """Follow the disk from now on; subscribers are told."""
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

    def highlight(self, text: str) -> tuple[tuple[Span, ...], ...]:
        """The colours of a text, line by line."""
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

    def subscribe(self, callback: Callable[[tuple[TypeChange, ...]], None]) -> Callable[[], None]:
        """Be told of changes, in any thread; the answer ends it."""
        ...
