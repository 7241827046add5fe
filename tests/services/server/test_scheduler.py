"""Places for calls: few compute at once, whatever door they came through, and quick ones wait for no long one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from services.concurrency.cancellation import current_job, job
from services.operations import by_name
from services.server import scheduler
from services.server.jsonrpc import called_in
from services.server.scheduler import LONG_READS, OTHERS, QUICK, Scheduler
from services.server.serving import Serving
from services.settings import IndexSettings, Settings
from tests.services.server.test_gone import HEADERS, SOON, Leaves, reset, session
from tests.support.eventually import eventually, until
from tests.support.http_server import over_http
from tests.support.serving import SHOP
from tests.support.workspace import write_workspace

GREP = {"pattern": "record"}


class Held(Serving):
    """Long searches of lines go on until they are let go."""

    @contextmanager
    def holding(self) -> Iterator[None]:
        self.begun: list[str] = []
        self.letting_go = threading.Event()
        try:
            yield
        finally:
            self.letting_go.set()

    @property
    def settled(self) -> bool:
        return self.ready

    def _run(self, operation: Any, *arguments: Any) -> Any:
        if operation.name == "grepObjectSource":
            self.begun.append(operation.name)
            self.letting_go.wait(SOON)
        return super()._run(operation, *arguments)


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Held]:
    write_workspace(tmp_path, SHOP)
    with Held.open(tmp_path, Settings(index=IndexSettings(workers=1))) as serving, serving.holding():
        eventually(lambda: serving.ready)
        yield serving


def rpc(id_: int, method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def tool(id_: int, name: str, **arguments: Any) -> dict[str, Any]:
    return rpc(id_, "tools/call", name=name, arguments=arguments)


@contextmanager
def in_threads(*calls: Any) -> Iterator[None]:
    running = [threading.Thread(target=call) for call in calls]
    for each in running:
        each.start()
    try:
        yield
    finally:
        for each in running:
            each.join()


def test_long_reads_of_both_doors_have_the_same_places_and_keep_no_quick_call_waiting(held: Held) -> None:
    answers: list[int] = []

    def post(path: str, message: Any, **headers: str) -> httpx2.Response:
        return httpx2.post(f"{base}/{path}", json=message, headers=HEADERS | headers, timeout=SOON * 2)

    with over_http(held) as base, ExitStack() as stack:
        id_ = session(base)
        over_rpc = [lambda: answers.append(post("rpc", rpc(1, "grepObjectSource", **GREP)).status_code)] * 3
        over_mcp = [
            lambda n=n: answers.append(
                post("mcp", tool(n, "grepObjectSource", **GREP), **{"mcp-session-id": id_}).status_code
            )
            for n in range(10, 13)
        ]
        stack.enter_context(in_threads(*over_rpc, *over_mcp))
        stack.callback(held.letting_go.set)
        eventually(lambda: len(held.begun) == LONG_READS)
        quick = post("rpc", rpc(2, "SearchSymbols", query="Order"))
        also = post("mcp", tool(20, "search_symbols", query="Order"), **{"mcp-session-id": id_})
        assert "result" in quick.json()
        assert also.status_code == 200
        assert len(held.begun) == LONG_READS
    assert answers == [200] * 6
    assert len(held.begun) == 6


def test_a_posted_read_whose_client_has_gone_before_its_turn_does_not_begin(held: Held) -> None:
    with over_http(held) as base, ExitStack() as stack:
        kept = [
            lambda: httpx2.post(
                f"{base}/rpc", json=rpc(1, "grepObjectSource", **GREP), headers=HEADERS, timeout=SOON * 2
            )
        ] * LONG_READS
        stack.enter_context(in_threads(*kept))
        stack.callback(held.letting_go.set)
        eventually(lambda: len(held.begun) == LONG_READS)
        for _ in range(5):
            reset(base, "/rpc", rpc(2, "grepObjectSource", **GREP), lambda: True)
        # The server has heard of those who have gone once it has answered who came after.
        status = httpx2.post(f"{base}/rpc", json=rpc(3, "Status"), headers=HEADERS, timeout=SOON)
        assert "result" in status.json()
        held.letting_go.set()
    assert len(held.begun) == LONG_READS


@pytest.mark.parametrize(
    ("names", "options", "most"),
    [
        (["GetOutline"], {}, QUICK),
        ([], {}, QUICK),
        (["GetOutline", "GetOutline"], {"batch": True}, LONG_READS),
        (["FindUsages"], {}, LONG_READS),
        (["GetOutline", "setObjectSource"], {"batch": True}, OTHERS),
        (["StreamOp"], {}, OTHERS),
        (["GetOutline"], {"settled": False}, OTHERS),
    ],
)
async def test_each_kind_of_call_has_its_places(names: list[str], options: Any, most: int) -> None:
    made = Scheduler(lambda: options.get("settled", True))
    operations = [each for each in map(by_name, names) if each is not None]
    slots = made._slots(operations, batch=options.get("batch", False))
    assert slots._places.total_tokens == most


async def test_whoever_waits_for_the_network_gives_up_the_place_meanwhile() -> None:
    """As many as there are places wait, and one more computes."""
    made, network = Scheduler(lambda: True), threading.Event()
    operation, waiting = by_name("Review"), list[None]()
    assert operation is not None

    def reach(work: Any) -> str:
        with job(None, work.cancel, work.yield_slot), current_job().yield_slot() as room:
            assert room
            waiting.append(None)
            network.wait(SOON)
        return "reached"

    answers: list[str] = []

    async def ask(call: Any) -> None:
        answers.append(await made.run(call, Leaves(), operations=[operation]))

    async with anyio.create_task_group() as group:
        for _ in range(LONG_READS):
            group.start_soon(ask, reach)
        await until(lambda: len(waiting) == LONG_READS)
        await ask(lambda _: "computed")
        network.set()
    assert answers == ["computed", *["reached"] * LONG_READS]


async def test_those_who_wait_have_one_room_whatever_places_they_left(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(scheduler, "WAITING", 1)
    made, goes_on, rooms = Scheduler(lambda: True), threading.Event(), list[bool]()
    reading, writing = by_name("FindContext"), by_name("setObjectSource")
    assert reading is not None
    assert writing is not None

    def wait(work: Any) -> None:
        with work.yield_slot() as room:
            rooms.append(room)
            assert not room or goes_on.wait(SOON)

    async def ask(operation: Any) -> None:
        await made.run(wait, Leaves(), operations=[operation])

    async with anyio.create_task_group() as group:
        group.start_soon(ask, writing)
        await until(lambda: rooms)
        await ask(reading)
        goes_on.set()
    assert rooms == [True, False]


def test_what_a_body_calls_is_known_before_it_is_answered():
    batch = [rpc(1, "GetOutline", path="A"), {"method": 3}, None, rpc(2, "setObjectSource", object="a.cs")]
    operations, is_batch = called_in(json.dumps(batch).encode())
    assert [each.name for each in operations] == ["GetOutline", "setObjectSource"]
    assert is_batch
    for body in (b"", b"{", b"3", b'{"method": "None of these"}', b"[" * 100_000, b'"\xff"'):
        assert called_in(body) == ((), False)
