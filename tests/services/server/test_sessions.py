"""One long session of the official client over every transport."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from pydantic import ValidationError

from services.server.mcp.stdio import line_of, refusal
from tests.support.http_server import TOKEN, over_http
from tests.support.processes import http_client as program_over_http
from tests.support.processes import stdio_client
from tests.support.serving import answered, connected, refused, served
from tests.support.session import ANY, on_a_copy, work_through
from workbench.shell.start import copy_sample

ROOT = Path(__file__).parents[3]
BEARER = {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    return copy_sample(tmp_path / "sample")


def command(folder: Path, *arguments: str) -> StdioServerParameters:
    """The program as a client starts it, from this checkout."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CODECORTEX_AGENTS_WRITE": "allow"}
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "workbench", "--root", str(folder), *arguments],
        env=environment,
        cwd=folder,
    )


@asynccontextmanager
async def http_client(base: str, *, mode: str = "auto") -> AsyncIterator[Client]:
    async with (
        httpx2.AsyncClient(headers=BEARER, timeout=60) as http,
        Client(streamable_http_client(f"{base}/mcp", http_client=http), mode=mode) as client,
    ):
        yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_stdio(sample, mode):
    async with Client(command(sample, "mcp"), mode=mode) as client:
        await work_through(client, sample)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_over_streamable_http(sample, mode):
    with served(sample, {}) as serving, over_http(serving) as base:
        async with http_client(base, mode=mode) as client:
            await work_through(client, sample)


async def test_over_sse_for_old_clients(sample):
    with served(sample, {}) as serving, over_http(serving) as base:
        async with Client(sse_client(f"{base}/sse", headers=BEARER), mode="legacy") as client:
            await work_through(client, sample)


async def test_two_clients_see_each_others_locks_and_pins(tmp_path):
    with served(tmp_path) as serving, over_http(serving) as base:
        async with http_client(base) as one, connected(serving, name="other") as other:
            await answered(one, "lock", object="Shop/Order.cs")
            error = await refused(other, "lock", object="Shop/Order.cs")
            await answered(one, "pin", path="Shop.Orders")
            window = await answered(other, "get_prompt_window")
    assert error["code"] == 4005
    assert "Orders" in window["text"]


def test_json_rpc_over_standard_input(tmp_path, sample):
    requests = (
        b'{"jsonrpc":"2.0","id":1,"method":"SearchSymbols","params":{"query":"Tree","limit":1}}\n'
        b"no json\n\n"
        b'{"jsonrpc":"2.0","method":"Status"}\n'
        b'[{"jsonrpc":"2.0","id":2,"method":"Nothing"}]\n'
    )
    parameters = command(sample, "rpc")
    done = subprocess.run(
        [parameters.command, *parameters.args],
        input=requests,
        capture_output=True,
        env=parameters.env,
        cwd=tmp_path,
        timeout=60,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    # What needs no index is not kept waiting by what does.
    told = {json.loads(line)["id"] if line.startswith(b"{") else "batch": line for line in lines}
    assert b'"hits"' in told[1]
    assert b"-32700" in told[None]
    assert b"-32601" in told["batch"]


@contextmanager
def over_pipes(folder: Path, *, stderr: int = subprocess.DEVNULL) -> Iterator[subprocess.Popen[bytes]]:
    """An MCP server with its bare pipes, ended after a minute."""
    parameters = command(folder, "mcp")
    with subprocess.Popen(
        [parameters.command, *parameters.args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=parameters.env,
        cwd=parameters.cwd,
    ) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        try:
            yield process
        finally:
            guard.cancel()


def test_nothing_but_the_protocol_is_on_stdout(sample):
    request = b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n'
    with over_pipes(sample) as process:
        for line in (b"not json\n", b"{}\n", request):
            process.stdin.write(line)
        process.stdin.flush()
        answers = [process.stdout.readline()]
        while b'"id":1' not in answers[-1]:
            answers.append(process.stdout.readline())
        process.stdin.close()
        rest = process.stdout.read()
    assert all(b'"jsonrpc":"2.0"' in answer for answer in answers)
    assert rest == b""
    assert process.returncode == 0


@pytest.mark.parametrize(
    ("line", "id_", "code"),
    [
        (b"not json", None, -32700),
        (b"\xff\xfe", None, -32700),
        (b"[" * 10_000, None, -32700),
        (b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"\\ud800"}}', 5, -32700),
        (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32700),
        (b'{"jsonrpc":"1.0","id":6,"method":"ping"}', 6, -32600),
        (b'{"id":"x","method":"ping"}', "x", -32600),
        (b"[]", None, -32600),
        (b"null", None, -32600),
        (b'{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"\xff"}}', 7, -32700),
        *(
            (b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % id_, None, -32600)
            for id_ in (b"null", b"true", b"1.0", b"1e400", b"NaN", b"[1]", b'{"a":1}')
        ),
    ],
)
def test_a_line_that_is_no_message_is_answered_as_that(line, id_, code):
    try:
        types.jsonrpc_message_adapter.validate_json(line_of(line), by_name=False)
    except ValidationError as error:
        answer = refusal(error)
    assert (answer.id, answer.error.code) == (id_, code)


def test_lines_that_are_no_messages_are_answered_in_between(sample):
    lines = [b"not json", b"", b"   ", b'{"jsonrpc":"2.0","id":null,"method":"ping"}']
    lines.append(b'{"jsonrpc":"1.0","id":6,"method":"ping\xff"}\r')
    with over_pipes(sample) as process:
        process.stdin.write(b"".join(line + b"\n" for line in lines))
        process.stdin.write(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n')
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(4)]
        process.stdin.close()
        assert process.stdout.read() == b""
    assert [each["id"] for each in answers] == [None, None, 6, 7]
    assert [each.get("error", {}).get("code") for each in answers] == [-32700, -32600, -32700, None]


def test_a_client_that_is_gone_before_its_answer_leaves_no_internal_error(sample):
    with over_pipes(sample, stderr=subprocess.PIPE) as process:
        process.stdin.write(b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        process.stdin.write(b'{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
        process.stdin.close()
        said = process.stderr.read()
    assert said == b""


@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
async def test_on_a_checkout_with_either_newline_and_a_byte_order_mark(tmp_path, newline):
    lines = [b"namespace Shop;", b"", b"public class Till", b"{", b"    public int Sum;", b"}", b""]
    files = {"Shop/Till.cs": b"\xef\xbb\xbf" + newline.join(lines)}
    with served(tmp_path, files) as serving:
        async with connected(serving) as client:
            await work_through(client, tmp_path, query=ANY)


@pytest.mark.skipif("CODECORTEX_CHECKOUT" not in os.environ, reason="names no checkout to work on")
@pytest.mark.parametrize("connect", [stdio_client, program_over_http], ids=["stdio", "http"])
async def test_on_a_checkout_of_this_machine(connect):
    folder = Path(os.environ["CODECORTEX_CHECKOUT"]).resolve()
    await on_a_copy(folder, query=ANY, connect=connect, say=print)
