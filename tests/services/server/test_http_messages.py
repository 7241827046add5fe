"""Requests over HTTP that are cut off, too long, or no messages at all: each is answered as what it is."""

from __future__ import annotations

import json
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx2
import pytest

from services.server.http.guard import Limits
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import served

MOST = 20_000
HEADERS = {
    "authorization": f"Bearer {TOKEN}",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "tester", "version": "1"},
    },
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with (
        served(tmp_path_factory.mktemp("shop")) as serving,
        over_http(serving, limits=Limits(body=MOST)) as address,
    ):
        yield address


@contextmanager
def connection(base: str) -> Iterator[socket.socket]:
    host, _, port = base.removeprefix("http://").partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as made:
        yield made


def head(base: str, *lines: str) -> bytes:
    own = (f"Host: {base[7:]}", *(f"{name}: {value}" for name, value in HEADERS.items()))
    return "\r\n".join(["POST /rpc HTTP/1.1", *own, *lines, "", ""]).encode()


def status_of(connection: socket.socket) -> str:
    """The first line of the answer, once the other side has closed: it must have been sent whole."""
    said = b""
    while piece := connection.recv(65_536):
        said += piece
    return said.split(b"\r\n")[0].decode()


def told(base: str, message: Any, **headers: str) -> httpx2.Response:
    return httpx2.post(f"{base}/mcp", json=message, headers=HEADERS | headers)


@pytest.mark.parametrize("declared", [True, False], ids=["declared", "chunked"])
def test_who_sends_too_much_hears_why_although_they_are_not_done(base, declared):
    """Closing over bytes that were not read resets the connection, and the answer is lost."""
    piece = b" " * 65_536
    count = 100
    framing = f"Content-Length: {len(piece) * count}" if declared else "Transfer-Encoding: chunked"
    with connection(base) as sender:
        sender.sendall(head(base, framing))
        for _ in range(count):
            sender.sendall(piece if declared else b"10000\r\n" + piece + b"\r\n")
        if not declared:
            sender.sendall(b"0\r\n\r\n")
        assert " 413 " in status_of(sender)


def test_who_has_no_token_hears_so_after_a_long_body(base):
    body = b" " * (5 * 1024 * 1024)
    with connection(base) as sender:
        refused = head(base, f"Content-Length: {len(body)}").replace(TOKEN.encode(), b"x" * len(TOKEN))
        sender.sendall(refused + body)
        assert " 401 " in status_of(sender)


def test_a_client_that_goes_in_the_middle_of_a_body_is_no_error(base, caplog):
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            with connection(base) as sender:
                sender.sendall(head(base, "Content-Length: 100") + b"{")
        assert httpx2.get(f"{base}/health").status_code == 200
    assert not caplog.records


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ({"jsonrpc": "2.0", "id": None, "method": "tools/list"}, -32600),
        ({"jsonrpc": "2.0", "id": {}, "method": "tools/list"}, -32600),
        ({"jsonrpc": "2.0", "id": True, "method": "tools/list"}, -32600),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": 5}, -32600),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": [1]}, -32602),
        ({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": "x"}, -32602),
        ([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], -32600),
    ],
)
def test_what_is_no_request_is_answered_not_taken_for_a_notification(base, message, code):
    session = {"mcp-session-id": told(base, HELLO).headers["mcp-session-id"]}
    answer = told(base, message, **session)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == code
    assert len(answer.json()["error"]["message"]) < 100


@pytest.mark.parametrize("id_", [None, {}, True, 1.5])
def test_what_is_no_request_is_answered_at_the_old_address_too(base, id_):
    message = {"jsonrpc": "2.0", "id": id_, "method": "tools/list"}
    answer = httpx2.post(f"{base}/messages/?session_id={'0' * 32}", json=message, headers=HEADERS)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_mcp_takes_json_alone(base, kind):
    answer = httpx2.post(f"{base}/mcp", json=HELLO, headers={**HEADERS, "content-type": kind})
    assert answer.status_code == 415
    assert answer.json()["error"]["code"] == -32600


@pytest.mark.parametrize("last", ["5", "../../etc/passwd"])
def test_a_stream_that_asks_for_what_was_told_before_begins_with_what_comes(base, last):
    session = told(base, HELLO).headers["mcp-session-id"]
    asked = {**HEADERS, "mcp-session-id": session, "last-event-id": last}
    with httpx2.stream("GET", f"{base}/mcp", headers=asked) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")


def test_a_session_ends_when_its_client_says_so(base):
    session = {**HEADERS, "mcp-session-id": told(base, HELLO).headers["mcp-session-id"]}
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert httpx2.post(f"{base}/mcp", json=ping, headers=session).status_code == 200
    assert httpx2.delete(f"{base}/mcp", headers=session).status_code == 200
    assert httpx2.post(f"{base}/mcp", content=json.dumps(ping), headers=session).status_code == 404
    assert httpx2.delete(f"{base}/mcp", headers=session).status_code == 404


def test_the_address_that_an_old_client_is_told_takes_its_messages_itself(base):
    """Not every client follows a redirect of what it posts."""
    with httpx2.stream("GET", f"{base}/sse", headers=HEADERS) as stream:
        lines = stream.iter_lines()  # kept: the stream is closed with it
        told_address = next(line for line in lines if line.startswith("data: "))
        answer = httpx2.post(base + told_address.removeprefix("data: "), json=HELLO, headers=HEADERS)
    assert answer.status_code == 202
