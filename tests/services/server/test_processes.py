"""People at shells and in workbenches, and agents over MCP, each in a process of their own, at one workspace."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
import pytest
from mcp import Client

from services.bench import Bench
from services.model import ProposalState
from services.settings import IndexSettings, Settings
from tests.support.processes import NAME, http_client, shell, stdio_client
from tests.support.serving import SHOP, answered, refused
from tests.support.workspace import write_workspace

TRANSPORTS = pytest.mark.parametrize("connect", [stdio_client, http_client], ids=["stdio", "http"])
ASKING = {"agents_write": "ask", "agents_patience": "60"}
FILE = "Shop/Orders.cs"
LATE = 3.0
"""Seconds in which word has to be there on any machine. On a quiet one it takes a quarter of one: what is waited for
are two looks, five and ten times a second."""

pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    write_workspace(folder, SHOP)
    return folder


async def until(holds: Callable[[], Any], *, seconds: float = 60.0) -> Any:
    """What `holds` answers, as soon as that is something."""
    with anyio.fail_after(seconds):
        while not (found := holds()):
            await anyio.sleep(0.02)
    return found


async def change(client: Client, *, content: str = "        count += 2;\n") -> dict[str, Any]:
    """The arguments of a write that an agent has prepared."""
    read = await answered(client, "getObjectSourceV2", object=FILE)
    handle = (await answered(client, "lock", object=FILE, purpose="count twice"))["LOCK_HANDLE"]
    lines = {"startLine": 11, "endLine": 11, "content": content}
    return {"object": FILE, "token": read["token"], "lockHandle": handle, **lines}


def pending(bench: Bench) -> str | None:
    """The id of the proposal that waits."""
    found = bench.proposals.listed(pending=True)
    return found[0].id if found else None


async def decided(bench: Bench, folder: Path, *words: str) -> str:
    """The id of the proposal that waits, once a person has said `words` of it at a shell."""
    id_ = await until(lambda: pending(bench))
    await anyio.to_thread.run_sync(lambda: shell(folder, words[0], id_, *words[1:]))
    return id_


@TRANSPORTS
async def test_an_agents_change_is_decided_by_a_person_elsewhere(shop: Path, connect: Any) -> None:
    """Applied, changed, refused: the call that waits is answered by what the person does at a shell."""
    told: list[str] = []
    answers: list[Any] = []

    async def progress(_: float, __: float | None, message: str | None) -> None:
        told.append(message or "")

    async def call(client: Client, arguments: dict[str, Any]) -> None:
        answers.append(await client.call_tool("setObjectSourceV2", arguments, progress_callback=progress))

    async def decide(client: Client, *words: str, **lines: str) -> None:
        arguments = await change(client, **lines)
        async with anyio.create_task_group() as group:
            group.start_soon(call, client, arguments)
            await decided(bench, shop, *words)
        if (await answered(client, "listLocks"))["locks"]:
            await answered(client, "unLock", object=FILE, lockHandle=arguments["lockHandle"])

    settings = Settings(index=IndexSettings(workers=1))
    with Bench.open(shop, settings=settings) as bench:
        async with connect(shop, settings=ASKING) as client:
            await decide(client, "apply-proposal")
            assert "count += 2;" in (shop / FILE).read_text()
            await decide(client, "apply-proposal", "--content", "        count += 4;\n", content="x\n")
            assert "count += 4;" in (shop / FILE).read_text()
            await decide(client, "refuse-proposal", "--reason", "Names matter.", content="y\n")
            assert "count += 4;" in (shop / FILE).read_text()
        entries = bench.writing.history(FILE, limit=2).entries
    assert [each.is_error for each in answers] == [False, False, True]
    assert answers[0].structured_content["updated"]
    assert "Names matter." in answers[2].content[0].text
    assert "ProposalRefused" in answers[2].content[0].text
    assert any("person" in message for message in told)
    assert all(entry.owner.startswith(NAME) for entry in entries)


@TRANSPORTS
async def test_a_cancelled_call_takes_its_proposal_back(shop: Path, connect: Any) -> None:
    with Bench.open(shop, settings=Settings(index=IndexSettings(workers=1))) as bench:
        async with connect(shop, settings=ASKING) as client:
            arguments = await change(client)
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "setObjectSourceV2", arguments)
                id_ = await until(lambda: pending(bench))
                group.cancel_scope.cancel()
            await until(lambda: bench.proposals.get(id_).state is ProposalState.WITHDRAWN, seconds=20)
            assert (await answered(client, "get_proposal", proposalId=id_))["state"] == "withdrawn"
    assert (shop / FILE).read_text() == SHOP[FILE]


async def test_an_agent_that_does_not_wait_asks_later(shop: Path) -> None:
    async with stdio_client(shop, settings=ASKING | {"agents_patience": "0"}) as client:
        error = await refused(client, "setObjectSourceV2", **await change(client))
        assert (error["code"], error["retry"]) == ("ProposalPending", True)
        id_ = error["details"]["proposalId"]
        assert (await answered(client, "get_proposal", proposalId=id_))["state"] == "pending"
        await anyio.to_thread.run_sync(lambda: shell(shop, "apply-proposal", id_))
        found = await answered(client, "get_proposal", proposalId=id_, wait=30)
    assert found["state"] == "applied"
    assert found["answer"]["updated"]
    assert "count += 2;" in (shop / FILE).read_text()


async def test_what_is_pinned_and_built_at_a_shell_is_told_to_a_client(shop: Path) -> None:
    heard: dict[str, float] = {}

    async def handler(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.setdefault(str(message.params.uri), time.time())

    async with stdio_client(shop, mode="legacy", message_handler=handler) as client:
        await answered(client, "search_symbols", query="Orders")
        await client.session.subscribe_resource("codecortex://window")
        await client.session.subscribe_resource("codecortex://pack/orders")
        await anyio.sleep(1.0)
        heard.clear()
        await anyio.to_thread.run_sync(lambda: shell(shop, "pin", "Shop.Orders"))
        await until(lambda: "codecortex://window" in heard, seconds=20)
        assert heard["codecortex://window"] - changed_at(shop, "window.json") < LATE
        await anyio.to_thread.run_sync(lambda: shell(shop, "pack", "orders", "type:Orders"))
        await until(lambda: "codecortex://pack/orders" in heard, seconds=20)
        assert heard["codecortex://pack/orders"] - changed_at(shop, "packs/orders.toml") < LATE
        text = (await client.read_resource("codecortex://pack/orders")).contents[0].text
    assert "Orders" in text


async def test_what_an_agent_does_is_seen_with_its_name(shop: Path) -> None:
    with Bench.open(shop, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.refresh()
        bench.watch()
        topics: list[tuple[str, float]] = []
        bench.on_shared(lambda told: topics.extend((each, time.time()) for each in told))
        async with http_client(shop) as client:
            await answered(client, "search_symbols", query="Orders")
            await anyio.sleep(1.0)
            topics.clear()
            await answered(client, "pin", path="Shop.Orders")
            await until(lambda: "window" in dict(topics), seconds=20)
            assert dict(topics)["window"] - changed_at(shop, "window.json") < LATE
            assert [item.by for item in bench.window().items] == [NAME]
            written = await change(client)
            owner = bench.writing.locks().locks[0].owner
            await answered(client, "setObjectSourceV2", **written)
            entry = bench.writing.history(FILE, limit=1).entries[0]
            await until(lambda: "writes" in dict(topics), seconds=20)
    assert owner.startswith(NAME)
    assert entry.owner.startswith(NAME)


def changed_at(folder: Path, name: str) -> float:
    """When a state file changed last, in seconds since 1970."""
    return (folder / ".context" / name).stat().st_mtime
