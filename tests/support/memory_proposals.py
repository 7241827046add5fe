"""Proposal of an agent, in memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from services.model import Proposal

PROPOSAL = Proposal(
    id="P_00000001",
    operation="setObjectSourceV2",
    arguments={
        "object": "Tree.cs",
        "token": "t",
        "startLine": 1,
        "endLine": 1,
        "content": "a",
        "lockHandle": "h",
    },
    object="Tree.cs",
    diff="--- a/Tree.cs\n+++ b/Tree.cs\n@@ -1 +1 @@\n-\x1b[31m\n+a\n",
    agent="clau\x1b[31mde",
    purpose="\x1b]52;c;AAAA\x07",
    created_at=1_700_000_000_000,
)


class MemoryProposals:
    """Store with that proposal, after any decision."""

    def listed(self, **_: Any) -> tuple[Proposal, ...]:
        return (PROPOSAL,)

    def get(self, id_: str) -> Proposal:
        return PROPOSAL

    def wait(self, id_: str, **_: Any) -> Proposal:
        return PROPOSAL

    def decide(self, id_: str, change: Callable[[Proposal], Proposal]) -> Proposal:
        return change(PROPOSAL)
