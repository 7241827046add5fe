"""Every way into the program, walked through as somebody does who only reads: open, search, outline, read, look at the
window, and leave. The workspace holds a type `N.A` in `A.cs`.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from contextlib import suppress
from pathlib import Path

import anyio
import httpx2
from mcp import Client, MCPError

from services.bench.bench import Bench
from services.operations.operation import Operation
from services.operations.table import OPERATIONS
from services.server.serving import Serving
from services.settings import Settings, load
from tests.support.eventually import LIMIT
from tests.support.every_operation import call_all, fitting
from tests.support.processes import environment, serving, stdio_client
from tests.support.serving import connected
from tests.support.stage import SIZE, Stage
from workbench.shell.cli import run

COMMANDS = (
    "status", "search A", "outline N.A", "read A.cs:1-3", "grep class", "usages N.A", "context class", "window",
    "diff", "log", "review", "packs", "chats", "state",
)  # fmt: skip
"""Command lines that read; `rpc` calls every operation that does."""
_CHANGING = frozenset(each.name for each in OPERATIONS if not each.effect.read_only)
_RUNS_CODE = frozenset({"RunTests"})
"""Operations that run programs of the repository, as whoever calls them wants."""


def own_settings(folder: Path) -> Settings:
    """The settings as the program reads them for a folder, those of the repository included."""
    return load(folder)


def through_services(folder: Path, without: Set[str] = _CHANGING) -> None:
    """Open a bench, call every operation that reads, and close it."""
    with Bench.open(folder, settings=own_settings(folder)) as bench:
        bench.index.load()
        bench.index.refresh()
        bench.watch()
        bench.index.relate()
        call_all(bench, without=without)


def at_rest(folder: Path) -> None:
    """Serve a folder in this process until nothing is left to be made ready, and answer a client of MCP."""
    rested = threading.Event()
    with Serving.open(folder, own_settings(folder), at_rest=rested.set) as server:
        assert rested.wait(LIMIT)

        async def ask() -> None:
            async with connected(server) as client:
                await _asked(client)

        anyio.run(ask)


def through_commands(folder: Path) -> None:
    """Start a process for each command that reads."""
    for line in COMMANDS:
        name, *rest = line.split()
        _run(folder, name, *rest)


def through_rpc(folder: Path, without: Set[str] = _CHANGING) -> None:
    """Ask `rpc` by lines of standard input."""
    lines = "".join(f"{json.dumps(each)}\n" for each in _requests(without))
    assert len(_run(folder, "rpc", fed=lines).splitlines()) > len(OPERATIONS) // 3


def through_mcp(folder: Path, without: Set[str] = _CHANGING) -> None:
    """Ask `mcp` over standard input and output."""

    async def ask() -> None:
        async with stdio_client(folder, arguments=("--tools", "all")) as client:
            await _asked(client, without)

    anyio.run(ask)


def through_http(folder: Path, without: Set[str] = _CHANGING) -> None:
    """Ask `serve` by JSON-RPC over HTTP."""
    token = folder.parent / "token-of-doors"
    with serving(folder, token) as base:
        headers = {"Authorization": f"Bearer {token.read_text().strip()}"}
        with httpx2.Client(base_url=base, headers=headers, timeout=LIMIT) as client:
            for each in _requests(without):
                assert client.post("/rpc", json=each).status_code == 200


def through_workbench(folder: Path) -> None:
    """Look around at the screen: search, open, read, the code, help, settings, quit."""

    async def look() -> None:
        stage = Stage(lambda: Bench.open(folder, settings=own_settings(folder)))
        async with stage.app.run_test(size=SIZE, notifications=True) as stage.pilot:  # pyright: ignore[reportAttributeAccessIssue]
            await stage.settle()
            await stage.type("n.a")
            await stage.press("enter", "enter", "escape", "f1", "escape", "f9", "escape", "tab", "tab")
            stage.app.exit()

    anyio.run(look)


def through_every_command(folder: Path) -> None:
    """Call the command of every operation, all in this process."""
    ended = [
        run(["--root", str(folder), each.faces.command, *_words(each)])
        for each in OPERATIONS
        if each.faces.command is not None and each.name not in _RUNS_CODE
    ]
    assert sum(status != _NOT_CALLED for status in ended) > len(ended) * 0.8


_NOT_CALLED = 2


def _words(operation: Operation) -> Iterator[str]:
    given = next(iter(fitting(operation)))
    for each in operation.parameters:
        value = given.get(each.wire)
        if value is not None and value != []:
            text = " ".join(value) if isinstance(value, list) else str(value)
            yield from (each.param.flag, text) if each.param.flag else (text,)


EVERY_OPERATION: Mapping[str, Callable[[Path], None]] = {
    "services": lambda folder: through_services(folder, _RUNS_CODE),
    "commands": through_every_command,
    "rpc": lambda folder: through_rpc(folder, _RUNS_CODE),
    "mcp": lambda folder: through_mcp(folder, _RUNS_CODE),
    "http": lambda folder: through_http(folder, _RUNS_CODE),
}
"""Ways into the program by which every operation there is called, those that write too."""

DOORS: Mapping[str, Callable[[Path], None]] = {
    "services": through_services,
    "server at rest": at_rest,
    "commands": through_commands,
    "rpc": through_rpc,
    "mcp": through_mcp,
    "http": through_http,
    "workbench": through_workbench,
}


async def _asked(client: Client, without: Set[str] = _CHANGING) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert len(tools) > 20
    for operation in OPERATIONS:
        name = operation.faces.tool
        if operation.name not in without and name in tools:
            given = next(iter(fitting(operation)))
            await _ignoring(lambda name=name, given=given: client.call_tool(name, given))
    for resource in (await client.list_resources()).resources:
        await _ignoring(lambda uri=resource.uri: client.read_resource(uri))


async def _ignoring(call: Callable[[], Awaitable[object]]) -> None:
    """A refusal is an answer."""
    with suppress(MCPError):
        await call()


def _requests(without: Set[str]) -> Iterator[dict[str, object]]:
    operations = [each for each in OPERATIONS if each.name not in without and not each.stream]
    for number, operation in enumerate(operations):
        arguments = next(iter(fitting(operation)))
        yield {"jsonrpc": "2.0", "id": number, "method": operation.name, "params": arguments}


def _run(folder: Path, *arguments: str, fed: str = "") -> str:
    """Return the output of a process. A refusal is an answer, a traceback is not."""
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *arguments, "--root", str(folder)],
        capture_output=True, text=True, errors="replace", input=fed, check=False, timeout=LIMIT,
        cwd=folder, env=environment(),
    )  # fmt: skip
    assert "Traceback" not in done.stderr, (arguments, done.stderr)
    return done.stdout
