"""The workspace as a whole, and what a person should know of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from services.model.base import Value


class Notice(Value, kw_only=True, frozen=True):
    """Something a person should know. `severity`: information, warning, error; `what_to_do` is a sentence."""

    severity: str
    message: str
    what_to_do: str = ""
    file: str | None = None
    line: int | None = None


class Progress(Value, kw_only=True, frozen=True):
    """Long work. `total` is None while it is unknown; `unit`: files, bytes."""

    phase: str
    done: int
    total: int | None
    unit: str = "files"
    elapsed: float = 0.0

    @property
    def fraction(self) -> float | None:
        """0 to 1, or None while the total is unknown."""
        return None if not self.total else min(1.0, self.done / self.total)


class Project(Value, kw_only=True, frozen=True):
    """A project as the index sees it. `path`: its project file, or the folder, relative to the root.

    `target_framework`: the one it is read for, of `target_frameworks`; `others`: how many of its `files` are read for
    another one, since that one does not compile them, by its name. `unknown`: how many conditions, functions and
    imports that could matter were not understood; `unknown_examples`: some of them."""

    name: str
    path: str
    target_framework: str | None = None
    target_frameworks: tuple[str, ...] = ()
    files: int = 0
    others: dict[str, int] = msgspec.field(default_factory=dict[str, int])
    notices: tuple[Notice, ...] = ()
    unknown: int = 0
    unknown_examples: tuple[str, ...] = ()


class ModelUse(Value, kw_only=True, frozen=True):
    """Use of a configured model today, in all workspaces: tokens, and their cost where its price is
    known."""

    profile: str
    sent: int
    received: int
    cost: float | None = None
    currency: str = ""


class ModelPrice(Value, kw_only=True, frozen=True):
    """Price of a million tokens sent to and received from a model profile."""

    profile: str
    sent: float
    received: float
    currency: str

    def of(self, sent: int) -> float:
        """Return the cost of sending so many tokens."""
        return sent * self.sent / 1_000_000


class Status(Value, kw_only=True, frozen=True):
    """Answer of `status` (SPEC section 10, 004 section 11). `uptime_sec`: since this process opened the workspace;
    `measures`: by name, of the last processes too; `alarms`: what of them a person should look at; `models`: that were
    asked today, UTC; `price`: of the one that is asked by itself, where it is
    known."""

    root: str
    state: str
    projects: tuple[Project, ...]
    files: int
    types: int
    members: int
    quality: Mapping[str, int]
    branch: str | None
    memory_mb: float = msgspec.field(name="memoryMB")
    measures: Mapping[str, Any]
    watching: str
    notices: tuple[Notice, ...] = ()
    cache: Mapping[str, Any] = {}
    version: str = ""
    uptime_sec: float = 0.0
    types_indexed: int = 0
    p95_resolve_ms: float | None = None
    semantic_queue_length: int = 0
    recent_semantic_failures: int = 0
    alarms: tuple[Notice, ...] = ()
    models: tuple[ModelUse, ...] = ()
    price: ModelPrice | None = None


class ExportAnswer(Value, kw_only=True, frozen=True):
    """Answer of an export. `file`: where `index.json` is; `changed`: whether its content changed; `outlines`: how
    many were requested; `removed`: outlines of types that no longer exist."""

    file: str
    changed: bool
    projects: int
    types: int
    outlines: int = 0
    removed: int = 0
