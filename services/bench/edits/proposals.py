"""Changes that agents propose and people decide: one file each in the state folder.

Whoever waits for a decision, and whoever is to make one, may sit in different processes; both see the files.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress

import msgspec

from services.concurrency.cancellation import checkpoint
from services.errors import ProposalDecided, UsageError
from services.model import Progress, Proposal, ProposalState
from services.source.text.patch import parse_patch
from services.syntax.records.hashing import is_base32, random_base32
from services.workspace import json_files
from services.workspace.state import StateFolder

FOLDER = "proposals"
KEPT = 200
"""Decided ones that are kept, for people to look back at."""

_LOOK_EVERY = 0.1
_WAITING = "Waiting for a person to decide"


class Proposals:
    """Store of the proposals of a workspace. Safe for threads and several processes."""

    def __init__(self, state: StateFolder) -> None:
        self._state = state

    def add(self, proposal: Proposal) -> Proposal:
        """Store a proposal under a new id, and return it. A duplicate of a pending proposal returns that one, so
        that nobody decides twice. Raises ReadOnly, Busy."""
        with self._state.locked(FOLDER):
            waits = next((each for each in self.listed(pending=True) if _is_same(each, proposal)), None)
            id_, at = (waits.id, waits.created_at) if waits is not None else (_new_id(), _now())
            made = msgspec.structs.replace(proposal, id=id_, created_at=at)
            self._write(made)
        self._prune()
        return made

    def get(self, id_: str) -> Proposal:
        """Return a proposal. Raises UsageError for an unknown id or a damaged file."""
        data = self._state.read(_file(id_)) if _is_id(id_) else None
        if data is None:
            raise UsageError(
                f"There is no proposal {id_}. List the proposals to see those there are.", proposalId=id_
            )
        try:
            return json_files.decode(data, Proposal)
        except ValueError as error:
            raise UsageError(
                f"Proposal {id_} cannot be read: its file is damaged.", proposalId=id_
            ) from error

    def listed(self, *, pending: bool = False) -> tuple[Proposal, ...]:
        """All of them, latest first. `pending`: only those to be decided. A damaged file is left out."""
        found = [proposal for id_ in self._ids() if (proposal := self._readable(id_)) is not None]
        found.sort(key=lambda each: (each.created_at, each.id), reverse=True)
        return tuple(each for each in found if not pending or each.state is ProposalState.PENDING)

    def decide(self, id_: str, change: Callable[[Proposal], Proposal]) -> Proposal:
        """Replace a pending proposal by the result of `change`, under a lock.

        What `change` raises leaves it pending. Raises ProposalDecided, UsageError."""
        with self._state.locked(FOLDER):
            proposal = self.get(id_)
            if proposal.state is not ProposalState.PENDING:
                raise ProposalDecided(
                    f"Nothing was done. Proposal {id_}, a change of {proposal.object}, {proposal.outcome.rstrip('.')}.",
                    proposalId=id_,
                    state=proposal.state,
                    decidedBy=proposal.decided_by,
                )
            decided = msgspec.structs.replace(change(proposal), decided_at=_now())
            self._write(decided)
            return decided

    def wait(
        self,
        id_: str,
        *,
        seconds: float,
        report: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> Proposal:
        """Wait until a proposal is decided or `seconds` are over. `report` is called with the elapsed seconds.
        Raises Cancelled, UsageError."""
        began = time.monotonic()
        while True:
            proposal = self.get(id_)
            waited = time.monotonic() - began
            if proposal.state is not ProposalState.PENDING or waited >= seconds:
                return proposal
            if report is not None:
                report(_progress(proposal, waited, seconds))
            checkpoint(cancel, "Cancelled while the proposal waited for a decision.")
            time.sleep(_LOOK_EVERY)

    def _write(self, proposal: Proposal) -> None:
        self._state.write(_file(proposal.id), json_files.encode(proposal))

    def _readable(self, id_: str) -> Proposal | None:
        with suppress(UsageError, OSError):
            return self.get(id_)
        return None

    def unreadable(self) -> tuple[str, ...]:
        """The files of those that are damaged, by their names in the state folder."""
        return tuple(_file(id_) for id_ in sorted(self._ids()) if self._readable(id_) is None)

    def _ids(self) -> list[str]:
        with suppress(OSError):
            names = [path.name for path in self._state.path(FOLDER).iterdir()]
            return [name.removesuffix(".json") for name in names if name.endswith(".json")]
        return []

    def _prune(self) -> None:
        decided = [each for each in self.listed() if each.state is not ProposalState.PENDING]
        for old in decided[KEPT:]:
            with suppress(OSError):
                self._state.path(_file(old.id)).unlink()


def without_hunks(proposal: Proposal, left_out: Collection[int]) -> str | None:
    """Return the proposed lines with those of the file in place of some hunks of the diff, counted from 0; None where
    the operation writes no lines of one file."""
    content, start = proposal.arguments.get("content"), proposal.arguments.get("startLine", 1)
    if not isinstance(content, str) or not isinstance(start, int):
        return None
    patches = parse_patch(proposal.diff)
    if len(patches) != 1 or patches[0].creates or patches[0].deletes:
        return None
    lines, moved, shift = content.split("\n"), 0, 0
    for at, hunk in enumerate(patches[0].hunks):
        alike = 0
        while alike < min(len(hunk.old), len(hunk.new)) and hunk.old[alike] == hunk.new[alike]:
            alike += 1
        behind = 0
        while behind < min(len(hunk.old), len(hunk.new)) - alike and hunk.old[~behind] == hunk.new[~behind]:
            behind += 1
        if at in left_out:
            first = hunk.start + moved - start + alike + shift
            old, new = (side[alike : len(side) - behind] for side in (hunk.old, hunk.new))
            if first < 0 or [line.rstrip("\r") for line in lines[first : first + len(new)]] != list(new):
                return None
            lines[first : first + len(new)] = old
            shift += len(old) - len(new)
        moved += len(hunk.new) - len(hunk.old)
    return "\n".join(lines)


def _is_same(one: Proposal, other: Proposal) -> bool:
    """Whether two are the same change by the same agent, under whichever lock."""
    whose = [(each.agent, each.session, each.operation) for each in (one, other)]
    return whose[0] == whose[1] and one.change == other.change


def _file(id_: str) -> str:
    return f"{FOLDER}/{id_}.json"


def _new_id() -> str:
    return "P_" + random_base32(8)


def _is_id(id_: str) -> bool:
    return len(id_) == 10 and id_.startswith("P_") and is_base32(id_[2:])


def _now() -> int:
    return time.time_ns() // 1_000_000


def _progress(proposal: Proposal, waited: float, seconds: float) -> Progress:
    phase = f"{_WAITING} about {proposal.object} ({proposal.id})"
    return Progress(
        phase=phase, done=int(waited), total=int(seconds), unit="seconds", elapsed=round(waited, 1)
    )
