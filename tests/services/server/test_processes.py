"""People at shells and in workbenches, and agents over MCP, each in a process of their own, at one workspace."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
import pytest
from mcp import Client

from services.bench import Bench
from services.model import ProposalState
from services.operations import by_name
from services.settings import AgentSettings, IndexSettings, Settings
from tests.support.eventually import until
from tests.support.processes import NAME, http_client, relayed_client, shell, stdio_client
from tests.support.serving import SHOP, answered, connected, refused, served
from tests.support.state import state_of
from tests.support.workspace import write_workspace

ASKING = {"agents_write": "ask", "agents_patience": "60"}
FILE = "Shop/Orders.cs"
LATE = 30.0
"""Seconds in which word has to be there on any machine. On a quiet one it takes a quarter of one: what is waited for
are two looks, ten times a second each."""

pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    write_workspace(folder, SHOP)
    return folder


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


def at_the_screen(bench: Bench, operation: str, **arguments: Any) -> None:
    """A person decides about the proposal that waits, in this process."""
    by_name(operation).run(bench, {"proposalId": pending(bench), **arguments})


async def at_a_shell(folder: Path, *words: str) -> None:
    """A person gives a command, in a process of its own."""
    await anyio.to_thread.run_sync(lambda: shell(folder, *words, "--no-refresh"))


@contextmanager
def workbench(folder: Path) -> Iterator[tuple[Bench, dict[str, float]]]:
    """What a person has open, and what it was told of, each with when."""
    topics: dict[str, float] = {}
    with Bench.open(folder, settings=Settings(index=IndexSettings(workers=1))) as bench:
        bench.index.refresh()
        bench.watch()
        bench.sharing.topics.subscribe(lambda told: topics.update((each, time.time()) for each in told))
        yield bench, topics


CLIENTS = pytest.mark.parametrize(
    "connect", [stdio_client, relayed_client, http_client], ids=["stdio", "relayed", "http"]
)


@CLIENTS
async def test_a_person_decides_about_the_changes_of_an_agent_elsewhere(shop: Path, connect: Any) -> None:
    """Applied, changed, refused: the call that waits is answered by what the person does, at the workbench or at a
    shell; one that is cancelled takes its proposal back. All of it has the agent's name, and shows at once."""
    told: list[str] = []
    answers: list[Any] = []

    async def progress(_: float, __: float | None, message: str | None) -> None:
        told.append(message or "")

    async def propose(client: Client, decide: Callable[[], Any], **lines: str) -> None:
        arguments = await change(client, **lines)

        async def call() -> None:
            answers.append(await client.call_tool("setObjectSourceV2", arguments, progress_callback=progress))

        async with anyio.create_task_group() as group:
            group.start_soon(call)
            await until(lambda: pending(bench))
            if inspect.isawaitable(decision := decide()):
                await decision
        if (await answered(client, "listLocks"))["locks"]:
            await answered(client, "unLock", object=FILE, lockHandle=arguments["lockHandle"])

    with workbench(shop) as (bench, topics):
        async with connect(shop, settings=ASKING) as client:
            await answered(client, "search_symbols", query="Orders")
            await answered(client, "pin", path="Shop.Orders")
            await until(lambda: "window" in topics)
            assert topics["window"] - changed_at(shop, "window.json") < LATE
            assert [item.by for item in bench.window.render().items] == [NAME]

            await propose(client, lambda: at_a_shell(shop, "apply-proposal", pending(bench) or ""))
            await until(lambda: "writes" in topics)
            assert "count += 2;" in (shop / FILE).read_text()
            changed = {"content": "        count += 4;\n"}
            await propose(client, lambda: at_the_screen(bench, "ApplyProposal", **changed), content="x\n")
            assert "count += 4;" in (shop / FILE).read_text()
            refused_for = {"reason": "Names matter."}
            await propose(
                client, lambda: at_the_screen(bench, "RefuseProposal", **refused_for), content="y\n"
            )
            assert "count += 4;" in (shop / FILE).read_text()
            await cancelled(client, bench)
            assert "count += 4;" in (shop / FILE).read_text()
            owner = bench.writer.locks().locks[0].owner
        entries = bench.writing.history(FILE, limit=2).entries
    assert [each.is_error for each in answers] == [False, False, True]
    assert answers[0].structured_content["updated"]
    assert "Names matter." in answers[2].content[0].text
    assert "ProposalRefused" in answers[2].content[0].text
    assert any("person" in message for message in told)
    assert all(each.startswith(NAME) for each in (owner, *(entry.owner for entry in entries)))


async def cancelled(client: Client, bench: Bench) -> None:
    """A write that is cancelled while a person is asked, and what becomes of its proposal."""
    arguments = await change(client)
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "setObjectSourceV2", arguments)
        id_ = await until(lambda: pending(bench))
        group.cancel_scope.cancel()
    await until(lambda: bench.proposals.get(id_).state is ProposalState.WITHDRAWN)
    assert (await answered(client, "get_proposal", proposalId=id_))["state"] == "withdrawn"


async def test_an_agent_that_does_not_wait_asks_later(shop: Path) -> None:
    with served(shop, agents=AgentSettings(write="ask", patience=0)) as serving:
        async with connected(serving) as client:
            error = await refused(client, "setObjectSourceV2", **await change(client))
            assert (error["code"], error["retry"]) == ("ProposalPending", True)
            assert error["retryAction"] == "get_proposal"
            assert "ask get_proposal with this proposalId" in error["message"]
            id_ = error["details"]["proposalId"]
            assert (await answered(client, "get_proposal", proposalId=id_))["state"] == "pending"
            await at_a_shell(shop, "apply-proposal", id_)
            found = await answered(client, "get_proposal", proposalId=id_, wait=30)
    assert found["state"] == "applied"
    assert found["answer"]["updated"]
    assert "count += 2;" in (shop / FILE).read_text()


async def test_what_is_pinned_and_built_at_a_shell_is_told_to_a_client(shop: Path) -> None:
    heard: dict[str, float] = {}

    async def handler(message: Any) -> None:
        if isinstance(message, types.ResourceUpdatedNotification):
            heard.setdefault(str(message.params.uri), time.time())

    with served(shop) as serving:
        async with connected(serving, mode="legacy", message_handler=handler) as client:
            await until(lambda: serving.settled)
            await client.session.subscribe_resource("codecortex://window")
            await client.session.subscribe_resource("codecortex://pack/orders")
            await at_a_shell(shop, "pin", "Shop.Orders")
            await until(lambda: "codecortex://window" in heard)
            assert heard["codecortex://window"] - changed_at(shop, "window.json") < LATE
            await at_a_shell(shop, "pack", "orders", "type:Orders")
            await until(lambda: "codecortex://pack/orders" in heard)
            assert heard["codecortex://pack/orders"] - changed_at(shop, "packs/orders.toml") < LATE
            text = (await client.read_resource("codecortex://pack/orders")).contents[0].text
    assert "Orders" in text


def changed_at(folder: Path, name: str) -> float:
    """When a state file changed last, in seconds since 1970."""
    place = folder / ".context" if name.startswith("packs/") else state_of(folder)
    return (place / name).stat().st_mtime
