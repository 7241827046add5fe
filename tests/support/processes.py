"""The program in processes of its own, as clients and shells start it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import anyio
import httpx2
import msgspec
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

ROOT = Path(__file__).parents[2]
OWN = {"index_workers": "1", "agents_write": "allow"}
"""Settings of those processes, unless a test has others."""
NAME = "claude-code"
"""What the clients made here call themselves."""


def environment(**settings: str) -> dict[str, str]:
    """Return the environment of a process that runs this checkout, and reads a small index itself; `settings`: by the
    names of their variables without the prefix."""
    given = {f"CODECORTEX_{name.upper()}": value for name, value in (OWN | settings).items()}
    return {**os.environ, **given, "PYTHONPATH": str(ROOT)}


def command(folder: Path, *arguments: str, **settings: str) -> StdioServerParameters:
    """The program as a client starts it, from this checkout."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "workbench", "--root", str(folder), *arguments],
        env=environment(**settings),
        cwd=folder,
    )


def shell(folder: Path, *arguments: str) -> Any:
    """Return the answer of a command with `--json`."""
    done = subprocess.run(
        [sys.executable, "-m", "workbench", *arguments, "--root", str(folder), "--json"],
        capture_output=True,
        env=environment(),
        cwd=folder,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return msgspec.json.decode(done.stdout)


@asynccontextmanager
async def stdio_client(folder: Path, **options: Any) -> AsyncIterator[Client]:
    """The official client of a server that it starts itself. `options`: the client's, `settings`, and `arguments`."""
    started = command(folder, "mcp", *options.pop("arguments", ()), **options.pop("settings", {}))
    info = Implementation(name=NAME, version="1")
    async with Client(started, client_info=info, **options) as client:
        yield client


@asynccontextmanager
async def relayed_client(folder: Path, **options: Any) -> AsyncIterator[Client]:
    """Like `stdio_client`, but a resident process serves, which ends with it."""
    settings = options.pop("settings", {}) | {"resident": "auto"}
    try:
        async with stdio_client(folder, settings=settings, **options) as client:
            yield client
    finally:
        with anyio.CancelScope(shield=True):
            stop = command(folder, "resident", "stop", **settings)
            ended = await anyio.run_process([stop.command, *stop.args], env=stop.env, cwd=folder)
    assert b"resident process has ended" in ended.stdout


@asynccontextmanager
async def http_client(folder: Path, **options: Any) -> AsyncIterator[Client]:
    """The official client of `serve` in a process of its own. `options`: as above."""
    token = folder.parent / "token"
    info = Implementation(name=NAME, version="1")
    with serving(folder, token, **options.pop("settings", {})) as base:
        headers = {"Authorization": f"Bearer {token.read_text().strip()}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(
                streamable_http_client(f"{base}/mcp", http_client=http), client_info=info, **options
            ) as client,
        ):
            yield client


@contextmanager
def serving(folder: Path, token: Path, **settings: str) -> Iterator[str]:
    """`serve` on a free port: its base address."""
    parameters = command(folder, "serve", "--port", "0", "--token-file", str(token), **settings)
    process = subprocess.Popen(
        [parameters.command, *parameters.args],
        stderr=subprocess.PIPE,
        text=True,
        env=parameters.env,
        cwd=folder,
    )
    try:
        assert process.stderr is not None
        for line in process.stderr:
            if found := re.search(r"http://[0-9.:]+", line):
                yield found[0]
                break
    finally:
        process.terminate()
        process.wait(timeout=30)
