"""Whoever waits for a person keeps nobody else waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import httpx2
import pytest

from services.operations import by_name
from services.server import scheduler
from services.server.serving import Serving
from services.settings import AgentSettings
from tests.support.eventually import eventually, until
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import answered, connected, refused, served

FILE = "Shop/Order.cs"
MANY = scheduler.OTHERS + 4
ASKING = AgentSettings(write="ask", patience=60)
SOON = 30.0


def person(serving: Serving, name: str, **arguments: Any) -> Any:
    operation = by_name(name)
    assert operation is not None
    return operation.run(serving.bench, arguments)


@pytest.fixture
def asking(tmp_path: Any) -> Iterator[Serving]:
    with served(tmp_path, agents=ASKING) as serving:
        yield serving


def pending(serving: Serving) -> Any:
    return person(serving, "ListProposals", pending=True).proposals


async def change(client: Any) -> dict[str, Any]:
    handle = (await answered(client, "lock", object=FILE))["LOCK_HANDLE"]
    token = (await answered(client, "getObjectSourceV2", object=FILE))["token"]
    return {
        "object": FILE,
        "token": token,
        "lockHandle": handle,
        "startLine": 1,
        "endLine": 1,
        "content": "// x\n",
    }


async def test_writes_that_wait_for_a_person_keep_no_other_call_waiting(asking):
    ended = []
    async with connected(asking) as client, anyio.create_task_group() as group:
        arguments = await change(client)

        async def write() -> None:
            ended.append(await refused(client, "setObjectSourceV2", **arguments))

        for _ in range(MANY):
            group.start_soon(write)
        with anyio.fail_after(SOON):
            await until(lambda: pending(asking))
            await anyio.sleep(0.5)
            await answered(client, "grepObjectSource", pattern="record")
            await answered(client, "lock", object="Shop/Orders.cs")
        assert not ended
        person(asking, "RefuseProposal", proposalId=pending(asking)[0].id, reason="No.")
    assert [each["code"] for each in ended] == ["ProposalRefused"] * MANY


async def test_where_too_many_wait_one_more_is_told_so_instead(asking, monkeypatch):
    monkeypatch.setattr(scheduler, "WAITING", 1)
    leave, left = scheduler.CallSlots._leave, list[bool]()
    monkeypatch.setattr(
        scheduler.CallSlots, "_leave", lambda *given: left.append(found := leave(*given)) or found
    )
    async with connected(asking) as client, anyio.create_task_group() as group:
        arguments = await change(client)
        group.start_soon(lambda: refused(client, "setObjectSourceV2", **arguments))
        with anyio.fail_after(SOON):
            await until(lambda: left)
            assert (await refused(client, "setObjectSourceV2", **arguments))["code"] == "ProposalPending"
            told = await answered(client, "get_proposal", proposalId=pending(asking)[0].id, wait=60)
        assert told["state"] == "pending"
        person(asking, "RefuseProposal", proposalId=told["id"], reason="No.")


@contextmanager
def threads(act: Any, count: int) -> Iterator[None]:
    running = [threading.Thread(target=act) for _ in range(count)]
    for each in running:
        each.start()
    yield
    for each in running:
        each.join()


def test_programs_that_wait_for_a_person_keep_no_other_program_waiting(asking):
    headers = {"authorization": f"Bearer {TOKEN}", "content-type": "application/json"}
    with over_http(asking) as base, httpx2.Client(base_url=base, headers=headers, timeout=60) as http:

        def rpc(method: str, **params: Any) -> Any:
            return http.post(
                "/rpc", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
            ).json()

        handle = rpc("lock", object=FILE)["result"]["LOCK_HANDLE"]
        text = {"object": FILE, "content": "// x\n", "lockHandle": handle}
        with threads(lambda: rpc("setObjectSource", **text), MANY):
            eventually(lambda: pending(asking))
            time.sleep(0.5)
            began = time.monotonic()
            assert "result" in rpc("grepObjectSource", pattern="record")
            took = time.monotonic() - began
            person(asking, "RefuseProposal", proposalId=pending(asking)[0].id, reason="No.")
    assert took < SOON
