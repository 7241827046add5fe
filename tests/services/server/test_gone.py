"""Clients that have gone: what they asked ends, and what they left behind makes room."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import httpx2
import pytest

from services.errors import Cancelled
from services.model import ProposalState
from services.operations import Work, by_name
from services.server import scheduler
from services.server.http import app
from services.server.http.patience import Inbox
from services.server.serving import Serving
from services.settings import AgentSettings
from tests.support.eventually import eventually, until
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import served

ASKING = AgentSettings(write="ask", patience=600)
HEADERS = {
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
SOON = 60.0


def hello(id_: int = 0) -> dict[str, Any]:
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "gone", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": id_, "method": "initialize", "params": client}


def session(base: str) -> str:
    begun = httpx2.post(f"{base}/mcp", json=hello(), headers=HEADERS)
    assert begun.status_code == 200, begun.text
    return begun.headers["mcp-session-id"]


def reset(base: str, path: str, message: Any, until: Callable[[], bool], **headers: str) -> None:
    """Sends a request and resets the connection once something is so."""
    host, _, port = base.removeprefix("http://").partition(":")
    body = json.dumps(message).encode()
    lines = (f"{name}: {value}" for name, value in (HEADERS | headers).items())
    head = "\r\n".join(
        [f"POST {path} HTTP/1.1", f"Host: {host}:{port}", *lines, f"Content-Length: {len(body)}"]
    )
    with socket.create_connection((host, int(port)), timeout=SOON) as made:
        made.sendall(f"{head}\r\n\r\n".encode() + body)
        eventually(until)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.fixture
def asking(tmp_path: Path) -> Iterator[Serving]:
    with served(tmp_path, agents=ASKING) as serving:
        yield serving


def states(serving: Serving) -> list[ProposalState]:
    return [each.state for each in serving.bench.proposals.listed()]


@pytest.mark.parametrize("over", ["rpc", "mcp"])
def test_a_write_that_waits_for_a_person_is_taken_back_when_its_client_is_gone(
    asking: Serving, over: str
) -> None:
    arguments = {"object": "Shop/Order.cs", "content": "record Order;\n"}
    with over_http(asking) as base:
        rpc = httpx2.post(
            f"{base}/rpc",
            json={"jsonrpc": "2.0", "id": 1, "method": "lock", "params": {"object": "Shop/Order.cs"}},
            headers=HEADERS,
        )
        arguments["lockHandle"] = rpc.json()["result"]["LOCK_HANDLE"]
        if over == "rpc":
            message = {"jsonrpc": "2.0", "id": 2, "method": "setObjectSource", "params": arguments}
            headers = {}
        else:
            call = {"name": "setObjectSource", "arguments": arguments}
            message = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}
            headers = {"mcp-session-id": session(base)}
        reset(base, f"/{over}", message, lambda: states(asking) == [ProposalState.PENDING], **headers)
        eventually(lambda: states(asking) == [ProposalState.WITHDRAWN])


class Leaves:
    """A caller that leaves when told."""

    def __init__(self) -> None:
        self.cancel = threading.Event()
        self.work = Work(cancel=self.cancel)
        self.gone = anyio.Event()

    async def caller_gone(self) -> None:
        try:
            await self.gone.wait()
        finally:
            self.cancel.set()

    report = caller_gone


@pytest.mark.parametrize("name", ["GetOutline", "FindUsages"])
async def test_calls_that_wait_for_their_turn_do_not_begin_for_clients_that_are_gone(name: str) -> None:
    """As many as have places are under way; the others are never begun, and the next good call is answered."""
    operation, made = by_name(name), scheduler.Scheduler(lambda: True)
    begun, release = list[Work](), threading.Event()
    assert operation is not None
    ended: list[str] = []

    def call(work: Work) -> str:
        begun.append(work)
        assert work.cancel is not None
        release.wait(SOON)
        return "answer"

    async def ask(caller: Leaves) -> None:
        try:
            ended.append(await made.run(call, caller, operations=[operation]))
        except Cancelled:
            ended.append("cancelled")

    callers = [Leaves() for _ in range(200)]
    places = scheduler.QUICK if name == "GetOutline" else scheduler.LONG_READS
    async with anyio.create_task_group() as group:
        for caller in callers:
            group.start_soon(ask, caller)
        await until(lambda: len(begun) == places)
        for caller in callers:
            caller.gone.set()
        await until(lambda: ended.count("cancelled") == len(callers) - places)
        assert all(work.cancel.is_set() for work in begun)
        release.set()
    assert len(begun) == places


def test_the_session_that_was_idle_longest_gives_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_SESSIONS", 5)
    with served(tmp_path) as serving, over_http(serving) as base:
        sessions = [session(base) for _ in range(5)]
        assert asked(base, sessions[0]) == 200  # the second is the oldest now
        sessions += [session(base) for _ in range(3)]
        assert [asked(base, id_) for id_ in sessions] == [200, 404, 404, 404, 200, 200, 200, 200]


def asked(base: str, id_: str) -> int:
    ping = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    return httpx2.post(f"{base}/mcp", json=ping, headers=HEADERS | {"mcp-session-id": id_}).status_code


def test_the_head_of_the_stream_of_events_ends(tmp_path: Path) -> None:
    with served(tmp_path) as serving, over_http(serving) as base:
        answer = httpx2.head(f"{base}/sse", headers=HEADERS, timeout=SOON)
        assert (answer.status_code, answer.content) == (200, b"")
        assert answer.headers["content-type"].startswith("text/event-stream")


@pytest.mark.parametrize("path", ["/rpc", "/mcp", "/health"])
def test_a_length_beside_a_transfer_encoding_closes_the_connection(tmp_path: Path, path: str) -> None:
    """RFC 9112, 6.1. What follows on the connection is not taken for another request."""
    with served(tmp_path) as serving, over_http(serving) as base:
        host, _, port = base.removeprefix("http://").partition(":")
        lines = (f"{name}: {value}" for name, value in HEADERS.items())
        head = "\r\n".join([f"POST {path} HTTP/1.1", f"Host: {host}:{port}", *lines])
        smuggled = "GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        said = b""
        with socket.create_connection((host, int(port)), timeout=SOON) as made:
            framing = f"Content-Length: {5 + len(smuggled)}\r\nTransfer-Encoding: chunked"
            made.sendall(f"{head}\r\n{framing}\r\n\r\n0\r\n\r\n{smuggled}".encode())
            while piece := made.recv(65_536):
                said += piece
    assert said.startswith(b"HTTP/1.1 400 ")
    assert said.count(b"HTTP/1.1 ") == 1
    assert b"connection: close" in said.lower()


class Sender:
    """A connection that keeps what is read of it, and may go."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.transport = self
        self.is_gone = False
        self.was_read: list[bytes] = []

    def is_closing(self) -> bool:
        return self.is_gone

    def read(self, data: bytes) -> None:
        self.was_read.append(data)


def test_what_those_sent_who_have_gone_since_is_not_read():
    """In the order in which it came; what the event loop hears between two pieces counts for the next."""

    async def sent() -> list[list[bytes]]:
        inbox, loop = Inbox(), asyncio.get_running_loop()
        senders = [Sender(loop) for _ in range(5)]
        for number, sender in enumerate(senders):
            inbox.put(cast("Any", sender), b"%d" % number)
        inbox.put(cast("Any", senders[0]), b"again")
        senders[1].is_gone = True
        loop.call_soon(lambda: setattr(senders[3], "is_gone", True))
        for _ in range(10):
            await asyncio.sleep(0)
        return [sender.was_read for sender in senders]

    assert asyncio.run(sent()) == [[b"0", b"again"], [], [b"2"], [], [b"4"]]
