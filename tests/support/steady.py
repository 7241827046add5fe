"""Real services with constant values for times, durations and owners."""

from __future__ import annotations

from typing import Any

import msgspec

from services.bench.bench import Bench, OpenOptions
from services.bench.edits.proposals import Proposals
from services.bench.edits.writing import Writing
from services.model import Proposal, SearchAnswer
from services.model.writes import HistoryAnswer
from services.workspace.files.root import Root

AT = 1_767_268_800_000
"""The first of January 2026, noon, in milliseconds."""


class _Steady:
    """Wrapper of `inner` with some answers of a subclass."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class _SteadyProposals(_Steady):
    def listed(self, *, pending: bool = False) -> tuple[Proposal, ...]:
        found = self._inner.listed(pending=pending)
        return tuple(
            msgspec.structs.replace(each, created_at=AT - 60_000 * at) for at, each in enumerate(found)
        )


class _SteadyWriting(_Steady):
    def history(self, name: str | None, *, limit: int) -> HistoryAnswer:
        found = self._inner.history(name, limit=limit)
        entries = (
            msgspec.structs.replace(entry, at=AT - 60_000 * at, owner="ada")
            for at, entry in enumerate(found.entries)
        )
        return msgspec.structs.replace(found, entries=tuple(entries))


class _SteadyIndex(_Steady):
    def search(self, query: str, *, limit: int = 50) -> SearchAnswer:
        return msgspec.structs.replace(self._inner.search(query, limit=limit), elapsed_ms=3.0)


class SteadyBench(Bench):
    """Everything is read, locked and written as it always is."""

    def __init__(self, root: Root, opening: OpenOptions) -> None:
        super().__init__(root, opening)
        self.index = _SteadyIndex(self.index)  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def proposals(self) -> Proposals:
        return _SteadyProposals(super().proposals)  # pyright: ignore[reportReturnType]

    @property
    def writing(self) -> Writing:
        return _SteadyWriting(super().writing)  # pyright: ignore[reportReturnType]
