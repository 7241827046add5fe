"""Clients of a server over MCP's Streamable HTTP, a few in a process of their own: agents at work, each call timed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple

import httpx2

QUERIES = (
    "DbContext",
    "query compiler",
    "IEntityType",
    "SaveChangesAsync",
    "kind:class convention builder",
    "migrations sql generator",
    "JsonPropertyReader",
    "tracking graph",
    "RelationalModel",
    "key value factory",
)
SHARED = "shared.txt"
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_WRITE_SHARE = 0.1


class Plan(NamedTuple):
    """When clients begin and end, in seconds on the clock that processes share; `pause`: mean seconds between two calls
    of a client; `nothing`: whether they call the tool that does nothing."""

    begin: float
    until: float
    pause: float
    nothing: bool = False


class Call(NamedTuple):
    """Call. `began`: on the clock that processes share; `asked`: tool and arguments; `ms`: as its client saw it;
    `served`: ms between the request's head and the answer's, as the server reports."""

    began: float
    tool: str
    asked: str
    ms: float
    served: float | None


class Told(NamedTuple):
    """Observations of clients. `errors`: unexpected ones; `written`: lines that were acknowledged; `processor`:
    seconds that they took of it."""

    calls: list[Call]
    errors: list[str]
    written: list[str]
    processor: float = 0.0


def ready() -> None:
    """Import what clients need, in a process that starts them soon. Busy for a short time, so that each of several
    processes gets a call."""
    time.sleep(1)


def some(base: str, token: str, names: Sequence[str], plan: Plan) -> Told:
    """Return the observations of a few clients, by their names, in this process."""
    return asyncio.run(_some(base, token, names, plan))


async def _some(base: str, token: str, names: Sequence[str], plan: Plan) -> Told:
    told = Told([], [], [])
    does = nothing if plan.nothing else work
    async with connected(base, token) as http:
        await asyncio.sleep(max(0.0, plan.begin - time.monotonic()))
        own = time.process_time()
        await asyncio.gather(*(does(Caller(http, told), plan, name) for name in names))
    return told._replace(processor=time.process_time() - own)


class Caller:
    """Calls of one client, timed."""

    def __init__(self, http: httpx2.AsyncClient, told: Told) -> None:
        self._http = http
        self.told = told
        self._id = 0

    async def call(
        self, tool: str, *, expected: tuple[int, ...] = (), **arguments: Any
    ) -> dict[str, Any] | None:
        """Return the answer of a tool; None for an error of the codes `expected`, and for others, which are noted."""
        self._id += 1
        params = {"name": tool, "arguments": arguments, "_meta": _META}
        body = {"jsonrpc": "2.0", "id": self._id, "method": "tools/call", "params": params}
        headers = {"mcp-method": "tools/call", "mcp-name": tool, "mcp-protocol-version": _VERSION}
        began = time.monotonic()
        response = await self._http.post("/mcp", json=body, headers=headers)
        took = (time.monotonic() - began) * 1000
        served = response.headers.get("server-timing", "").partition("dur=")[2]
        asked = json.dumps([tool, arguments])
        self.told.calls.append(Call(began, tool, asked, took, float(served) if served else None))
        result = _message(response.text).get("result")
        if result is not None and not result.get("isError"):
            return result.get("structuredContent", {})
        told = result["content"][0]["text"] if result is not None else response.text
        code = json.loads(told).get("code") if result is not None else None
        if code not in expected:
            self.told.errors.append(told[:500])
        return None


def _message(text: str) -> dict[str, Any]:
    """The response in a body, which is JSON or a stream of events."""
    events = re.findall(r"^data: (\{.*\})\r?$", text, re.MULTILINE)
    return json.loads(events[-1] if events else text)


async def nothing(caller: Caller, plan: Plan, name: str) -> None:
    """Run one client of the tool that does nothing until the end time."""
    chance = random.Random(name)
    while time.monotonic() < plan.until:
        await asyncio.sleep(plan.pause * chance.uniform(0.5, 1.5))
        await caller.call("nothing", word="x")


async def work(caller: Caller, plan: Plan, name: str) -> None:
    """Run one client until the end time."""
    chance = random.Random(name)
    known: list[dict[str, Any]] = []
    while time.monotonic() < plan.until:
        await asyncio.sleep(plan.pause * chance.uniform(0.5, 1.5))
        if chance.random() < _WRITE_SHARE:
            await append(caller, f"{name}-{len(caller.told.written)}-{chance.random()}")
        elif known and chance.random() < 0.5:
            await caller.call("get_outline", path=chance.choice(known)["id"])
        else:
            found = await caller.call("search_symbols", query=query(chance, known), limit=20)
            known = [hit["symbol"] for hit in found["hits"]] if found else known


def query(chance: random.Random, known: list[dict[str, Any]]) -> str:
    """Return one of the usual queries, or words from names of found symbols."""
    words = [word for symbol in known for word in re.findall("[A-Z]?[a-z]{2,}", symbol["label"])]
    if not words or chance.random() < 0.5:
        return chance.choice(QUERIES)
    return " ".join(chance.choice(words) for _ in range(chance.choice((1, 2, 2))))


async def append(caller: Caller, line: str) -> None:
    """Adds a line at the end of the shared file, unless another client is at it."""
    lock = await caller.call("lock", object=SHARED, expected=(4005,))
    if lock is None:
        return
    read = await caller.call("getObjectSourceV2", object=SHARED)
    if read is not None:
        end = read["lineCount"]
        change = {"object": SHARED, "startLine": end + 1, "endLine": end, "content": line + "\n"}
        handle = lock["LOCK_HANDLE"]
        if await caller.call("setObjectSourceV2", **change, token=read["token"], lockHandle=handle):
            caller.told.written.append(line)
    await caller.call("unLock", object=SHARED, lockHandle=lock["LOCK_HANDLE"])


@contextlib.asynccontextmanager
async def connected(base: str, token: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of one of the servers."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(base_url=base, headers=headers, timeout=300) as http:
        yield http
