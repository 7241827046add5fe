"""Lines edited by hand, and changes that agents propose."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from services.model.base import Value


class ProposalState(StrEnum):
    """State of a change that an agent proposed. `CHANGED`: applied after a person edited it."""

    PENDING = "pending"
    APPLIED = "applied"
    CHANGED = "changed"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"


_HANDLES = ("lockHandle", "lockHandles")


class Proposal(Value, kw_only=True, frozen=True):
    """A change that an agent wants to make, for a person to decide.

    `operation`, `arguments`: what the agent called; `object`: what it is about; `diff`: what would be written, unified,
    empty where the operation cannot tell; `agent`, `session`, `purpose`: who asks; times in ms since 1970; `reason`:
    why it was refused; `answer`: what the operation answered once it was applied."""

    id: str
    operation: str
    arguments: Mapping[str, Any]
    object: str
    diff: str
    agent: str
    session: str = ""
    purpose: str = ""
    created_at: int
    state: ProposalState = ProposalState.PENDING
    decided_at: int | None = None
    decided_by: str = ""
    reason: str = ""
    answer: Any = None

    @property
    def wish(self) -> str:
        """Return what the agent intends, as the end of a sentence: `wants to run ls -l`."""
        return f"wants to {'run' if 'command' in self.arguments else 'change'} {self.object}"

    @property
    def outcome(self) -> str:
        """Return the outcome, as the end of a sentence: `was applied by ada`."""
        by = self.decided_by.partition("/")[0]
        match self.state:
            case ProposalState.PENDING:
                return "waits for a decision"
            case ProposalState.CHANGED:
                return f"was applied by {by}, with other lines"
            case ProposalState.REFUSED:
                return f"was refused by {by}: {self.reason}"
            case _:
                return f"was {self.state} by {by}"

    @property
    def change(self) -> dict[str, Any]:
        """The arguments without lock handles, which are their owner's alone."""
        return {name: value for name, value in self.arguments.items() if name not in _HANDLES}


class Draft(Value, kw_only=True, frozen=True):
    """Lines of a file that are being edited. `start`, `end`: the lines of `base`, the whole file as it was when the
    edit was begun, that `text` takes the place of; `token`: the file's then; times in ms since 1970."""

    file: str
    start: int
    end: int
    token: str
    base: str
    text: str
    expires_at: int = 0
    kept_at: int = 0


class MergeChoice(StrEnum):
    """Side whose lines are taken where both sides changed them."""

    MINE = "mine"
    THEIRS = "theirs"


class ConflictHunk(Value, kw_only=True, frozen=True):
    """Lines that both sides changed differently, with their endings; `start_line`: of `theirs`, in the file now."""

    start_line: int
    base: str
    mine: str
    theirs: str


class Rebased(Value, kw_only=True, frozen=True):
    """A draft, and its file as it is now (`theirs`, with its token). `hunks`: what both changed differently; without
    any both changes go together."""

    draft: Draft
    theirs: str
    token: str
    hunks: tuple[ConflictHunk, ...] = ()
