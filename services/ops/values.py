"""Values of long-running operations: request, state, progress and events (SPEC section 15)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from services.model.base import Value

NOTES, REVIEWS, INVESTIGATIONS, WORKFLOWS = "semantic", "review", "investigate", "workflow"
"""Kinds of operations."""


class OpState(StrEnum):
    """State of an operation. `WAITING`: for a person; `DONE`, `FAILED` and `CANCELLED` are final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def is_end(self) -> bool:
        """Whether nothing follows it."""
        return self in (OpState.DONE, OpState.FAILED, OpState.CANCELLED)


class OpEvent(Value, kw_only=True, frozen=True):
    """Event of an operation. `n`: counts from 1 without a gap; `at`: ms since 1970; `refs`: symbol paths or
    `file:line`; the last event's kind is the final state."""

    n: int
    at: int
    kind: str
    text: str
    refs: tuple[str, ...] = ()


class OpProgress(Value, kw_only=True, frozen=True):
    """How far an operation is; `total` is None while it is unknown."""

    done: int = 0
    total: int | None = None
    phase: str = ""


class Op(Value, kw_only=True, frozen=True):
    """Long-running operation. Times are ms since 1970; `by`: the actor who started it; `error`: `{code, message, …}`;
    `attempts`: how often it was begun; `events`: empty in lists."""

    op_id: str
    kind: str
    state: OpState
    by: str
    created_at: int
    title: str
    question: str = ""
    scope: tuple[str, ...] = ()
    started_at: int | None = None
    ended_at: int | None = None
    progress: OpProgress = msgspec.field(default_factory=OpProgress)
    events: tuple[OpEvent, ...] = ()
    result: Any = None
    error: dict[str, Any] | None = None
    tokens_used: int = 0
    attempts: int = 0
