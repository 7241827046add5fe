"""Where one request over HTTP ends and the next begins: what cannot be told apart is not served (RFC 9112, 6)."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator

import pytest

from services.server.http.guard import Limits
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import served

CHUNKED = "Transfer-Encoding: chunked\r\n"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with (
        served(tmp_path_factory.mktemp("shop")) as serving,
        over_http(serving, limits=Limits(body=20_000, receive=0.5, rest=0.2)) as address,
    ):
        yield address


@pytest.fixture(autouse=True)
def _logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Nothing that a client sends is an error of the server's."""
    with caplog.at_level(logging.ERROR):
        yield
    assert not caplog.records


def request(base: str, line: str, headers: str = "", body: str = "", *, token: str = TOKEN) -> str:
    host = base.removeprefix("http://")
    return f"{line} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\n{headers}\r\n{body}"


def said(base: str, *sent: str, seconds: float = 10.0) -> tuple[list[int], bool]:
    """The statuses of what is answered, each piece sent once something has come back for the one before, and whether
    the connection is closed after it."""
    host, _, port = base.removeprefix("http://").partition(":")
    answer = b""
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        for number, each in enumerate(sent):
            if number:
                answer += connection.recv(65_536)
            connection.sendall(each.encode())
        try:
            while piece := connection.recv(65_536):
                answer += piece
            is_closed = True
        except TimeoutError:
            is_closed = False
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)], is_closed


LAST = "GET /health HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("path", ["/sse", "/mcp", "/rpc", "/health", "/messages/", "/ops/op_0/events"])
def test_a_head_ends_at_once(base: str, path: str) -> None:
    statuses, is_closed = said(base, request(base, f"HEAD {path}") + LAST.format(base[7:]))
    assert (len(statuses), statuses[-1], is_closed) == (2, 200, True)


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        ("POST /rpc", "Content-Type: text/plain\r\n"),
        ("POST /mcp", "Content-Type: text/plain\r\n"),
        ("POST /messages/", "Content-Type: text/plain\r\n"),
        ("POST /mcp", "Content-Type: application/json\r\n"),
        ("POST /nothing", ""),
        ("POST /health", ""),
        ("GET /health", ""),
        ("HEAD /sse", ""),
        ("DELETE /mcp", ""),
    ],
)
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_is_never_taken_for_the_next_request(
    base: str, line: str, headers: str, is_chunked: bool
) -> None:
    inside = LAST.format(base[7:])
    body = f"{len(inside):x}\r\n{inside}\r\n0\r\n\r\n" if is_chunked else inside
    length = CHUNKED if is_chunked else f"Content-Length: {len(inside)}\r\n"
    statuses, is_closed = said(base, request(base, line, headers + length, body) + inside)
    assert (len(statuses), statuses[-1], is_closed) == (2, 200, True)


@pytest.mark.parametrize(
    ("line", "headers"),
    [("GET /health", CHUNKED), ("GET /sse", "Content-Length: 100\r\n"), ("POST /rpc", CHUNKED)],
)
def test_a_body_that_does_not_end_closes(base: str, line: str, headers: str) -> None:
    assert said(base, request(base, line, headers, "5\r\nhello\r\n")) == ([408], True)


@pytest.mark.parametrize("body", ["", "zz\r\n", "5\r\nhello\r\n0\r\n\r\n"])
@pytest.mark.parametrize("line", ["POST /rpc", "GET /health"])
def test_a_length_beside_chunks_closes(base: str, line: str, body: str) -> None:
    assert said(base, request(base, line, CHUNKED + "Content-Length: 5\r\n", body)) == ([400], True)


@pytest.mark.parametrize("token", [TOKEN, "another-one-for-tests"])
def test_chunks_that_are_none_close_and_are_answered_once(base: str, token: str) -> None:
    statuses, is_closed = said(base, request(base, "POST /rpc", CHUNKED, "zz\r\n", token=token))
    assert (statuses, is_closed) == ([400], True)


def test_what_is_no_http_behind_a_stream_closes(base: str) -> None:
    assert said(base, request(base, "GET /sse", CHUNKED, "0\r\n\r\n"), "\0\r\n\r\n", seconds=0.5) == (
        [200],
        False,
    )
    assert said(base, request(base, "POST /rpc", CHUNKED, token="x" * 20), "zz\r\n") == ([401], True)
