"""Eight clients at once over MCP's Streamable HTTP for a minute: no error, no lost update, and how long calls take.

    python -m benchmarks.server CORPUS_FOLDER [--seconds 60] [--clients 8] [--pause 0.5]

Each client waits a little between two calls, as agents do, searches symbols as a model names them (half of the time by
words of names it found before, in combinations that mostly nobody asked for yet), reads outlines of what it finds, and
now and then adds a line to a file that all of them write. What was asked before, by any client, is told apart: the
server keeps answers that are still true. The reference is a tool that does nothing,
of a server that the SDK makes, under the same clients.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2

from benchmarks import fresh
from benchmarks.corpus import Corpus, copied
from benchmarks.figures import Figure, Section, percentile
from benchmarks.machine import machine

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
BARS = {"search_symbols": "≤ 30 ms", "get_outline": "≤ 20 ms"}
AGAIN = " asked before"
_VERSION = "2026-07-28"
_META = {
    "io.modelcontextprotocol/protocolVersion": _VERSION,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
}
_WRITE_SHARE = 0.1


class Outcome(NamedTuple):
    """`times`: ms of each call by tool, as its client saw it; `served`: ms of the same calls between the request's head
    and the answer's, as the server says; `errors`: what was not expected; `written`: lines that were acknowledged;
    `asked`: calls of tools that only read; `shares`: of one core, what the clients and the server took."""

    times: dict[str, list[float]]
    served: dict[str, list[float]]
    errors: list[str]
    written: list[str]
    asked: set[str]
    shares: dict[str, float]

    @classmethod
    def empty(cls) -> Outcome:
        """Of clients that have not begun."""
        return cls(defaultdict(list), defaultdict(list), [], [], set(), {})

    def row(self, tool: str, arguments: dict[str, Any]) -> str:
        """The row that a call counts in."""
        if tool not in BARS:
            return tool
        call = json.dumps([tool, arguments])
        known = call in self.asked
        self.asked.add(call)
        return f"{tool}{AGAIN}" if known else tool


class Served(NamedTuple):
    """A server in a process of its own."""

    base: str
    pid: int


class Caller:
    """One client's calls, timed."""

    def __init__(self, http: httpx2.AsyncClient, outcome: Outcome) -> None:
        self._http = http
        self._outcome = outcome
        self._id = 0

    async def call(
        self, tool: str, *, expected: tuple[int, ...] = (), **arguments: Any
    ) -> dict[str, Any] | None:
        """What a tool answers; None for an error of the codes `expected`, and for others, which are noted."""
        self._id += 1
        params = {"name": tool, "arguments": arguments, "_meta": _META}
        body = {"jsonrpc": "2.0", "id": self._id, "method": "tools/call", "params": params}
        headers = {"mcp-method": "tools/call", "mcp-name": tool, "mcp-protocol-version": _VERSION}
        row = self._outcome.row(tool, arguments)
        began = time.perf_counter()
        response = await self._http.post("/mcp", json=body, headers=headers)
        self._outcome.times[row].append((time.perf_counter() - began) * 1000)
        if dur := response.headers.get("server-timing", "").partition("dur=")[2]:
            self._outcome.served[row].append(float(dur))
        result = _message(response.text).get("result")
        if result is not None and not result.get("isError"):
            return result.get("structuredContent", {})
        told = result["content"][0]["text"] if result is not None else response.text
        code = json.loads(told).get("code") if result is not None else None
        if code not in expected:
            self._outcome.errors.append(told[:500])
        return None


def _message(text: str) -> dict[str, Any]:
    """The response in a body, which is JSON or a stream of events."""
    events = re.findall(r"^data: (\{.*\})\r?$", text, re.MULTILINE)
    return json.loads(events[-1] if events else text)


async def work(caller: Caller, until: float, pause: float, name: str, written: list[str]) -> None:
    """One client until the clock says so."""
    chance = random.Random(name)
    known: list[dict[str, Any]] = []
    while time.monotonic() < until:
        await asyncio.sleep(pause * chance.uniform(0.5, 1.5))
        if chance.random() < _WRITE_SHARE:
            await append(caller, f"{name}-{len(written)}-{chance.random()}", written)
        elif known and chance.random() < 0.5:
            await caller.call("get_outline", path=chance.choice(known)["id"])
        else:
            found = await caller.call("search_symbols", query=query(chance, known), limit=20)
            known = [hit["symbol"] for hit in found["hits"]] if found else known


def query(chance: random.Random, known: list[dict[str, Any]]) -> str:
    """One of the usual queries, or words of the names of symbols that were found."""
    words = [word for symbol in known for word in re.findall("[A-Z]?[a-z]{2,}", symbol["label"])]
    if not words or chance.random() < 0.5:
        return chance.choice(QUERIES)
    return " ".join(chance.choice(words) for _ in range(chance.choice((1, 2, 2))))


async def append(caller: Caller, line: str, written: list[str]) -> None:
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
            written.append(line)
    await caller.call("unLock", object=SHARED, lockHandle=lock["LOCK_HANDLE"])


async def clients(server: Served, token: str, *, count: int, seconds: float, pause: float) -> Outcome:
    """What `count` clients saw."""
    outcome = Outcome.empty()
    async with connected(server.base, token) as http:
        await warmed(Caller(http, Outcome.empty()))
        began, own, theirs = time.monotonic(), time.process_time(), processor_seconds(server.pid)
        until = began + seconds
        callers = [Caller(http, outcome) for _ in range(count)]
        await asyncio.gather(
            *(work(each, until, pause, f"c{i}", outcome.written) for i, each in enumerate(callers))
        )
        took = time.monotonic() - began
        outcome.shares["clients"] = (time.process_time() - own) / took
        outcome.shares["server"] = (processor_seconds(server.pid) - theirs) / took
    return outcome


def processor_seconds(pid: int) -> float:
    """Processor time of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


async def warmed(caller: Caller) -> None:
    """Waits until the server knows which types name which: outlines say so."""
    found = await caller.call("search_symbols", query=QUERIES[0], limit=1)
    path = found["hits"][0]["symbol"]["id"] if found else ""
    while (outline := await caller.call("get_outline", path=path)) and outline["relating"]:
        await asyncio.sleep(1)


async def trivial(base: str, *, count: int, seconds: float, pause: float) -> list[float]:
    """Ms of calls of the tool that does nothing, under as many clients."""
    outcome = Outcome.empty()
    until = time.monotonic() + seconds

    async def one(caller: Caller, chance: random.Random) -> None:
        while time.monotonic() < until:
            await asyncio.sleep(pause * chance.uniform(0.5, 1.5))
            await caller.call("nothing", word="x")

    async with connected(base, "none") as http:
        await asyncio.gather(*(one(Caller(http, outcome), random.Random(i)) for i in range(count)))
    if outcome.errors:
        raise RuntimeError(outcome.errors[0])
    return outcome.times["nothing"]


@contextlib.asynccontextmanager
async def connected(base: str, token: str) -> AsyncIterator[httpx2.AsyncClient]:
    """A client of one of the servers."""
    headers = {"authorization": f"Bearer {token}", "accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient(base_url=base, headers=headers, timeout=300) as http:
        yield http


@contextlib.contextmanager
def serving(folder: Path, token_file: Path) -> Iterator[Served]:
    """`codecortex serve` in a process of its own, ready."""
    command = [
        "-m",
        "workbench",
        "--root",
        str(folder),
        "serve",
        "--port",
        "0",
        "--token-file",
        str(token_file),
    ]
    with started(command, cwd=token_file.parent) as server:
        deadline = time.monotonic() + 300
        token = token_file.read_text().strip()
        while not _is_ready(server.base, token):
            if time.monotonic() > deadline:
                raise RuntimeError("the index was not ready in five minutes")
            time.sleep(0.5)
        yield server


def _is_ready(base: str, token: str) -> bool:
    body = {"jsonrpc": "2.0", "id": 1, "method": "Status"}
    answer = httpx2.post(f"{base}/rpc", json=body, headers={"authorization": f"Bearer {token}"}, timeout=60)
    return answer.json()["result"]["state"] == "ready"


@contextlib.contextmanager
def started(command: list[str], *, cwd: Path) -> Iterator[Served]:
    """A server that says its address on stderr; stopped at the end."""
    process = subprocess.Popen(
        [sys.executable, *command], stderr=subprocess.PIPE, text=True, env=fresh.environment(), cwd=cwd
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"http://[0-9.:]+", line):
                yield Served(found[0], process.pid)
                break
    finally:
        process.terminate()
        process.wait(timeout=30)


def run(
    folder: Path, *, count: int = 8, seconds: float = 60.0, pause: float = 0.5
) -> tuple[Outcome, list[float], list[str]]:
    """What the clients saw, the times of the trivial tool, and the lines that the shared file has in the end."""
    (folder / SHARED).write_text("begin\n")
    with tempfile.TemporaryDirectory() as other:
        token_file = Path(other) / "token"
        with started(["-m", "benchmarks.trivial_server"], cwd=Path(other)) as server:
            reference = asyncio.run(trivial(server.base, count=count, seconds=seconds / 4, pause=pause))
        with serving(folder, token_file) as server:
            token = token_file.read_text().strip()
            outcome = asyncio.run(clients(server, token, count=count, seconds=seconds, pause=pause))
    return outcome, reference, (folder / SHARED).read_text().splitlines()[1:]


def section(corpus: str, outcome: Outcome, reference: list[float], lines: list[str]) -> Section:
    """The outcome as figures. Raises RuntimeError for an error or a lost update."""
    if outcome.errors:
        raise RuntimeError(f"{len(outcome.errors)} errors: {outcome.errors[0]}")
    if sorted(lines) != sorted(outcome.written):
        raise RuntimeError(f"{len(outcome.written)} lines were acknowledged, {len(lines)} are there")
    nothing = percentile(reference, 0.95)
    figures = [
        Figure(
            what=f"`{tool.removesuffix(AGAIN)}`{AGAIN * tool.endswith(AGAIN)}, p95 of {len(times):,} calls",
            unit="ms",
            values=(percentile(times, 0.95),),
            reference=(nothing,),
            against="a tool that does nothing",
            bar=BARS.get(tool.removesuffix(AGAIN), ""),
        )
        for tool, times in sorted(outcome.times.items())
    ]
    figures += [
        Figure(
            what=f"`{tool.removesuffix(AGAIN)}`{AGAIN * tool.endswith(AGAIN)}, in the server alone, p95",
            unit="ms",
            values=(percentile(times, 0.95),),
        )
        for tool, times in sorted(outcome.served.items())
        if tool.removesuffix(AGAIN) in BARS
    ]
    calls = sum(map(len, outcome.times.values()))
    medians = ", ".join(
        f"{tool} {percentile(times, 0.5):.1f} ms" for tool, times in sorted(outcome.times.items())
    )
    note = (
        f"{calls:,} calls without an error; {len(lines)} lines written by all clients into one file, none lost. "
        f"Medians: {medians}; a tool that does nothing {percentile(reference, 0.5):.1f} ms. "
        f"Processor time: the server {outcome.shares['server']:.0%} of a core, the clients "
        f"{outcome.shares['clients']:.0%} of one."
    )
    return Section(corpus=corpus, benchmark="server", figures=tuple(figures), notes=(note,))


def measure(corpus: Corpus) -> Section:
    """Eight clients for a minute."""
    return section(corpus.name, *run(corpus.folder))


def main() -> None:
    """Measure, print."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.server", description="Many clients over HTTP."
    )
    options.add_argument("corpus", type=Path, help="the folder; a copy of it is served")
    options.add_argument("--seconds", type=float, default=60.0)
    options.add_argument("--clients", type=int, default=8)
    options.add_argument(
        "--pause", type=float, default=0.5, help="mean seconds between two calls of a client"
    )
    options.add_argument(
        "--kept", action="store_true", help="begin with the index that is kept in the folder"
    )
    chosen = options.parse_args()
    name = chosen.corpus.resolve().name
    with copied(chosen.corpus, name=name, workers=2, rounds=1, kept=chosen.kept) as corpus:
        outcome, reference, lines = run(
            corpus.folder, count=chosen.clients, seconds=chosen.seconds, pause=chosen.pause
        )
        print(section(name, outcome, reference, lines).text(), f"*{corpus.scale}; {machine()}.*", sep="\n\n")


if __name__ == "__main__":
    main()
