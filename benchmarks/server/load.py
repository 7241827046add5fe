"""Eight clients at once over MCP's Streamable HTTP for a minute: no error, no lost update, and how long calls take.

    python -m benchmarks.server.load CORPUS_FOLDER [--seconds 60] [--clients 8] [--pause 0.5]

Each client waits a little between two calls, as agents do, searches symbols as a model names them (half of the time by
words of names it found before, in combinations that mostly nobody asked for yet), reads outlines of what it finds, and
now and then adds a line to a file that all of them write. They run two in a process, so that they hardly wait for each
other. What was asked before, by any client, is told apart: the
server keeps answers that are still true. The reference is a tool that does nothing,
of a server that the SDK makes, under the same clients.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import httpx2

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, copied
from benchmarks.harness.figures import Figure, Section, percentile
from benchmarks.harness.machine import machine
from benchmarks.server.agents import QUERIES, SHARED, Caller, Plan, Told, connected, ready, some

BARS = {"search_symbols": "≤ 30 ms", "get_outline": "≤ 20 ms"}
AGAIN = " asked before"
_IN_A_PROCESS = 2
_AT_ONCE_WITHIN = 0.2
"""Seconds in which the clients of all processes have heard when they begin."""


class Outcome(NamedTuple):
    """Outcome of a load. `times`: ms of each call by its row, as its client saw it; `served`: ms of the same calls as
    the server reports; `errors`: unexpected ones; `written`: lines that were acknowledged; `rate`: calls a second;
    `shares`: of one core, taken by the clients and the server."""

    times: dict[str, list[float]]
    served: dict[str, list[float]]
    errors: list[str]
    written: list[str]
    rate: float
    shares: dict[str, float]

    @classmethod
    def of(cls, told: Sequence[Told], *, took: float, shares: dict[str, float]) -> Outcome:
        """Combine the observations of the clients of all processes in so many seconds."""
        calls = sorted((call for each in told for call in each.calls), key=lambda call: call.began)
        outcome = cls(defaultdict(list), defaultdict(list), [], [], len(calls) / took, shares)
        known: set[str] = set()
        for call in calls:
            row = f"{call.tool}{AGAIN}" if call.tool in BARS and call.asked in known else call.tool
            known.add(call.asked)
            outcome.times[row].append(call.ms)
            if call.served is not None:
                outcome.served[row].append(call.served)
        for each in told:
            outcome.errors.extend(each.errors)
            outcome.written.extend(each.written)
        return outcome


class Served(NamedTuple):
    """A server in a process of its own."""

    base: str
    pid: int


def clients(
    server: Served,
    token: str,
    plan: Callable[[float], Plan],
    *,
    count: int,
    first: Callable[[], object] = lambda: None,
) -> Outcome:
    """Return the observations of `count` clients, two in a process: more would wait for each other and count it as
    the server's time. They begin once `first` is done; `plan` gets that time."""
    names = [f"c{number}" for number in range(count)]
    few = [names[at : at + _IN_A_PROCESS] for at in range(0, count, _IN_A_PROCESS)]
    with ProcessPoolExecutor(len(few), mp_context=multiprocessing.get_context("spawn")) as pool:
        for each in [pool.submit(ready) for _ in few]:
            each.result()
        first()
        planned = plan(time.monotonic() + _AT_ONCE_WITHIN)
        running = [pool.submit(some, server.base, token, each, planned) for each in few]
        before = processor_seconds(server.pid)
        told = [each.result() for each in running]
        took = time.monotonic() - planned.begin
        used = processor_seconds(server.pid) - before
    shares = {"clients": sum(each.processor for each in told) / took, "server": used / took}
    return Outcome.of(told, took=took, shares=shares)


def processor_seconds(pid: int) -> float:
    """Processor time of a process and of its children, those that have ended too."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    children = map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK") + sum(map(processor_seconds, children))


async def warmed(base: str, token: str) -> None:
    """Wait until the server has the dependencies of types, which outlines report."""
    async with connected(base, token) as http:
        caller = Caller(http, Told([], [], []))
        found = await caller.call("search_symbols", query=QUERIES[0], limit=1)
        path = found["hits"][0]["symbol"]["id"] if found else ""
        while (outline := await caller.call("get_outline", path=path)) and outline["relating"]:
            await asyncio.sleep(1)


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
    """Yield a server that prints its address on stderr; it is stopped at the end."""
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
    """Return the observations of the clients, the times of the trivial tool, and the final lines of the shared
    file."""
    (folder / SHARED).write_text("begin\n")
    with tempfile.TemporaryDirectory() as other:
        token_file = Path(other) / "token"
        with started(["-m", "benchmarks.server.trivial_server"], cwd=Path(other)) as server:
            nothing = clients(
                server, "none", lambda at: Plan(at, at + seconds / 4, pause, nothing=True), count=count
            )
            reference = nothing.times["nothing"]
        with serving(folder, token_file) as server:
            token = token_file.read_text().strip()
            outcome = clients(
                server,
                token,
                lambda at: Plan(at, at + seconds, pause),
                count=count,
                first=lambda: asyncio.run(warmed(server.base, token)),
            )
    if nothing.errors:
        raise RuntimeError(nothing.errors[0])
    return outcome, reference, (folder / SHARED).read_text().splitlines()[1:]


def section(corpus: str, outcome: Outcome, reference: list[float], lines: list[str]) -> Section:
    """The outcome as figures. Raises RuntimeError for an error or a lost update."""
    if outcome.errors:
        raise RuntimeError(f"{len(outcome.errors)} errors: {outcome.errors[0]}")
    if sorted(lines) != sorted(outcome.written):
        raise RuntimeError(f"{len(outcome.written)} lines were acknowledged, {len(lines)} are there")
    figures = [
        _beside_nothing(f"`{tool.removesuffix(AGAIN)}`{AGAIN * tool.endswith(AGAIN)}", times, reference, tool)
        for tool, times in sorted(outcome.times.items())
    ]
    together = {tool: outcome.times[tool] + outcome.times[f"{tool}{AGAIN}"] for tool in BARS}
    figures += [
        _beside_nothing(f"`{tool}`, every call", times, reference, tool)
        for tool, times in together.items()
        if times
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
        f"{calls:,} calls, {outcome.rate:.1f} a second, without an error; "
        f"{len(lines)} lines written by all clients into one file, none lost. "
        f"Medians: {medians}; a tool that does nothing {percentile(reference, 0.5):.1f} ms. "
        f"Processor time: the server {outcome.shares['server']:.0%} of a core, the clients "
        f"{outcome.shares['clients']:.0%} of one."
    )
    return Section(corpus=corpus, benchmark="server", figures=tuple(figures), notes=(note,))


def _beside_nothing(what: str, times: list[float], reference: list[float], tool: str) -> Figure:
    return Figure(
        what=f"{what}, p95",
        unit="ms",
        values=(percentile(times, 0.95),),
        reference=(percentile(reference, 0.95),),
        against="a tool that does nothing",
        bar=BARS.get(tool.removesuffix(AGAIN), ""),
    )


def measure(corpus: Corpus) -> Section:
    """Eight clients for a minute."""
    return section(corpus.name, *run(corpus.folder))


def main() -> None:
    """Measure, print."""
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.server.load", description="Many clients over HTTP."
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
