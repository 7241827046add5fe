"""The workbench in a browser: only with the key, only from its own pages, and then the same workbench."""

from __future__ import annotations

import asyncio
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web

from workbench.browser import HOST, BrowserServer
from workbench.shell.start import copy_sample

_COLOURS = re.compile(r"\x1b\[[\d;]*m")
KEY = "the key of this test"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return probe.getsockname()[1]


@asynccontextmanager
async def serving(command: str = "true") -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
    """A server and a client that has not entered yet."""
    port = free_port()
    said: list[str] = []
    server = BrowserServer(command, port=port, say=said.append, key=KEY)
    server.initialize_logging()
    runner = web.AppRunner(await server._make_app())
    await runner.setup()
    await web.TCPSite(runner, HOST, port).start()
    jar = aiohttp.CookieJar(unsafe=True)  # an address, not a name
    async with aiohttp.ClientSession(cookie_jar=jar) as client:
        yield client, f"http://{HOST}:{port}"
    await runner.cleanup()
    assert KEY in said[0]


async def enter(client: aiohttp.ClientSession, base: str, key: str = KEY) -> int:
    async with client.post(f"{base}/enter", data={"key": key}, headers={"Origin": base}) as answer:
        return answer.status


async def test_without_the_key_there_is_a_form_and_nothing_else() -> None:
    async with serving() as (client, base):
        async with client.get(base) as page:
            assert page.status == 200
            assert "The terminal" in await page.text()
        for path in ("/ws", "/static/js/textual.js", "/download/x"):
            async with client.get(f"{base}{path}", headers={"Origin": base}) as answer:
                assert answer.status == 401
        assert await enter(client, base, "guess") == 403
        assert await enter(client, base) == 200
        async with client.get(base) as page:
            assert "textual-terminal" in await page.text()
            assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ("Content-Type: multipart/form-data\r\nContent-Length: 5", "key=x", 403),
        ("Content-Type: text/plain; charset=none\r\nContent-Length: 5", "key=x", 403),
        ("Content-Length: 7", "key=%FF", 403),
        ("Content-Length: 5000", "k" * 5_000, 413),
        ("Transfer-Encoding: chunked\r\nContent-Length: 5", "0\r\n\r\n", 400),
        ("Transfer-Encoding: chunked", "zz\r\n", 400),
    ],
)
async def test_a_form_that_is_none_is_refused_and_no_error(
    headers: str, body: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    async with serving() as (_, base):
        reader, writer = await asyncio.open_connection(HOST, int(base.rpartition(":")[2]))
        head = f"POST /enter HTTP/1.1\r\nHost: {base[7:]}\r\nOrigin: {base}\r\nConnection: close\r\n{headers}"
        writer.write(f"{head}\r\n\r\n{body}".encode())
        answer = await asyncio.wait_for(reader.read(), 20)
        writer.close()
    assert int(answer.split()[1]) == status
    assert not caplog.records


@pytest.mark.parametrize(
    "header", [{"Host": "evil.example"}, {"Origin": "http://evil.example"}, {"Origin": "null"}]
)
async def test_foreign_hosts_and_origins_are_refused_even_with_the_key(header: dict[str, str]) -> None:
    async with serving() as (client, base):
        await enter(client, base)
        async with client.get(base, headers=header) as answer:
            assert answer.status in (403, 421)
            assert "evil" not in await answer.text()


async def test_a_visitor_of_localhost_is_sent_to_where_the_page_has_its_parts() -> None:
    async with serving() as (client, base):
        header = {"Host": base.removeprefix("http://").replace(HOST, "localhost")}
        async with client.get(base, headers=header, allow_redirects=False) as answer:
            assert (answer.status, answer.headers["Location"]) == (302, f"{base}/")


async def test_a_web_socket_without_an_origin_is_refused() -> None:
    async with serving() as (client, base):
        await enter(client, base)
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await client.ws_connect(f"{base}/ws")
        assert refused.value.status == 403


async def test_the_workbench_comes_up_and_answers_keys(tmp_path: Path) -> None:
    folder, port = copy_sample(tmp_path / "Orchard"), free_port()
    base = f"http://{HOST}:{port}"
    command = [sys.executable, "-m", "workbench", "open", "--serve", "--port", str(port), str(folder)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        said = [server.stderr.readline() for _ in range(2)]
        key = said[1].removeprefix("Key: ").strip()
        try:
            await walked_through(base, key)
        finally:
            server.terminate()


async def walked_through(base: str, key: str) -> None:
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as client:
        while True:
            try:
                assert await enter(client, base, key) == 200
                break
            except aiohttp.ClientConnectorError:
                await asyncio.sleep(0.1)
        async with client.ws_connect(f"{base}/ws?width=120&height=36", origin=base) as page:
            await until_shown(page, "Window")
            await page.send_json(["stdin", "ledger"])
            await until_shown(page, "HarvestLedger")
            await page.send_json(["stdin", "\x11"])


async def until_shown(page: aiohttp.ClientWebSocketResponse, text: str) -> None:
    """Read what the page gets until it has `text` in it."""
    shown = ""
    async with asyncio.timeout(60):
        while text not in _COLOURS.sub("", shown):
            message = await page.receive()
            shown += message.data.decode("utf-8", "replace") if isinstance(message.data, bytes) else ""
