"""Who acts: the person, or the agent that a server calls for."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from services.source.journal.actor import Owner, acting, actor, agent
from tests.support.workspace import indexed

AGENT = Owner("claude", "s1")


def test_the_person_acts_where_nobody_else_does() -> None:
    assert agent() is None
    assert actor("why").user
    assert actor("why").purpose == "why"


def test_inside_the_agent_acts_and_afterwards_the_person_again() -> None:
    with acting(AGENT):
        assert (agent(), actor(), actor("fix")) == (AGENT, AGENT, Owner("claude", "s1", "fix"))
    assert agent() is None


def test_other_threads_are_not_the_agent_but_the_threads_of_its_call_are() -> None:
    found: list[Owner | None] = []

    async def call() -> Owner | None:
        with acting(AGENT):
            return await asyncio.to_thread(agent)

    with acting(AGENT):
        thread = threading.Thread(target=lambda: found.append(agent()))
        thread.start()
        thread.join()
    assert found == [None]
    assert asyncio.run(call()) == AGENT


def test_locks_and_writes_carry_the_agents_name(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { }\n"}) as bench:
        token = bench.sources.read("A.cs").token
        with acting(AGENT):
            lock = bench.writing.lock("A.cs", purpose="tidy up")
            assert lock.lock_handle is not None
            bench.writing.replace("A.cs", "class A { int a; }\n", handle=lock.lock_handle, token=token)
        assert lock.owner == "claude/s1/tidy up"
        assert bench.writing.history("A.cs", limit=1).entries[0].owner == "claude/s1"
