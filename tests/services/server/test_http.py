"""What the server over HTTP refuses, and that it stands."""

from __future__ import annotations

import json
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx2
import pytest

from services.errors import UsageError
from services.server.http.guard import Limits, token_in
from services.server.http.patience import ImpatientProtocol
from services.server.http.run import Address, serve_http
from tests.support.eventually import eventually
from tests.support.http_server import TOKEN, over_http
from tests.support.serving import SHOP, served

JSON = {"content-type": "application/json"}
BEARER = {"authorization": f"Bearer {TOKEN}"}
STATUS = {"jsonrpc": "2.0", "id": 1, "method": "Status"}
BOTH = {"accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    limits = Limits(body=20_000, receive=1.0)
    with (
        served(tmp_path_factory.mktemp("shop")) as serving,
        over_http(serving, limits=limits, head_within=1.0) as address,
    ):
        yield address


@pytest.fixture
def http(base: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=base, timeout=60) as client:
        yield client
        assert client.get("/health").json()["status"] == "ok"


def post(http: httpx2.Client, path: str = "/rpc", body: object = STATUS, **headers: str) -> httpx2.Response:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    sent = {**JSON, **BEARER, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return http.post(path, content=content, headers=sent)


def raw(base: str, data: bytes, *, seconds: float = 5.0) -> bytes:
    """What the server says to some bytes until it closes."""
    host, _, port = base.removeprefix("http://").partition(":")
    said = b""
    with socket.create_connection((host, int(port)), timeout=seconds) as connection:
        connection.sendall(data)
        while piece := connection.recv(65_536):
            said += piece
    return said


def head(base: str, length: str) -> bytes:
    lines = [
        "POST /rpc HTTP/1.1",
        f"Host: {base[7:]}",
        f"Authorization: Bearer {TOKEN}",
        f"Content-Length: {length}",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def test_health_says_nothing_of_the_workspace_and_needs_no_token(http):
    assert http.get("/health").json().keys() == {"status", "ready", "version"}


@pytest.mark.parametrize("path", ["/mcp", "/rpc", "/sse", "/messages", "/nothing", "/health/x"])
@pytest.mark.parametrize(
    "shown", [None, "", "Bearer", "Bearer wrong", f"Basic {TOKEN}", f"Bearer {TOKEN}x", "Bearer é"]
)
def test_without_the_token_nothing_is_told(http, path, shown):
    headers = {} if shown is None else {"authorization": shown.encode("utf-8")}
    answer = http.post(path, headers=headers, content=b"{}")
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_token_in_the_address_counts_for_nothing(http):
    assert http.get(f"/mcp?token={TOKEN}&access_token={TOKEN}").status_code == 401


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1", "localhost:1", "127.0.0.1.evil.example", ""])
def test_a_foreign_host_is_refused(http, host):
    assert post(http, host=host).status_code == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost", "http://localhost", ""]
)
@pytest.mark.parametrize("path", ["/rpc", "/mcp", "/health"])
def test_a_foreign_origin_is_refused(http, origin, path):
    assert post(http, path, origin=origin).status_code == 403


def test_its_own_origin_may_ask(http, base):
    assert post(http, origin=base).status_code == 200


def test_localhost_is_a_name_of_it(http, base):
    assert post(http, host=base.removeprefix("http://").replace("127.0.0.1", "LOCALHOST")).status_code == 200


def test_an_answer_says_how_long_it_took(http):
    name, _, took = post(http).headers["server-timing"].partition(";dur=")
    assert name == "answer"
    assert float(took) >= 0


def test_a_body_that_is_too_long_is_refused_however_it_comes(http):
    assert post(http, body=b" " * 20_001).status_code == 413
    chunks = (b" " * 1_000 for _ in range(30))
    assert http.post("/rpc", content=chunks, headers={**JSON, **BEARER}).status_code == 413


@pytest.mark.parametrize("length", ["-1", "x", "99999999999999999999999999"])
def test_a_length_that_cannot_be_is_refused(base, length):
    assert raw(base, head(base, length)).split(b" ", 2)[1] in (b"400", b"413")


def test_a_body_that_does_not_come_is_not_waited_for(base):
    assert b" 408 " in raw(base, head(base, "100") + b"{")


@pytest.mark.parametrize("sent", [b"", b"POST /rpc HTTP/1.1\r\nHost:"])
def test_a_head_that_does_not_come_is_not_waited_for(base, sent):
    began = time.monotonic()
    raw(base, sent)
    assert time.monotonic() - began < 30


def test_a_reader_that_stops_reading_is_not_waited_for(tmp_path, monkeypatch):
    """What is left of its answer is thrown away, and the server goes on."""
    lost, connection_lost = threading.Event(), ImpatientProtocol.connection_lost
    monkeypatch.setattr(
        ImpatientProtocol, "connection_lost", lambda *given: lost.set() or connection_lost(*given)
    )
    files = {**SHOP, "a.txt": "a line of a file that is long\n" * 1_000_000}
    read = {"jsonrpc": "2.0", "id": 1, "method": "getObjectSourceV2", "params": {"object": "a.txt"}}
    body = json.dumps(read).encode()
    with served(tmp_path, files) as serving, over_http(serving, read_within=0.5) as base:
        host, _, port = base.removeprefix("http://").partition(":")
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            connection.settimeout(20)
            connection.connect((host, int(port)))
            extra = b"Content-Type: application/json\r\n\r\n"
            connection.sendall(head(base, str(len(body)))[:-2] + extra + body)
            assert connection.recv(100).startswith(b"HTTP/1.1 200")
            assert lost.wait(60)
            taken = 0
            with suppress(ConnectionError):
                while piece := connection.recv(65_536):
                    taken += len(piece)
        assert taken < len(files["a.txt"])
        assert httpx2.get(f"{base}/health").json()["status"] == "ok"


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server that takes eight connections."""
    with (
        served(tmp_path_factory.mktemp("crowd")) as serving,
        over_http(serving, connections=8) as address,
    ):
        yield address


@contextmanager
def held(base: str, count: int, *, sent: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections that go no further than `sent`."""
    host, _, port = base.removeprefix("http://").partition(":")
    with ExitStack() as stack:
        made = []
        for _ in range(count):
            made.append(stack.enter_context(socket.create_connection((host, int(port)), timeout=60)))
            with suppress(ConnectionError):
                made[-1].sendall(sent)
        yield made


def is_closed(connection: socket.socket) -> bool:
    """Whether the other side closes it within its time limit."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


@pytest.mark.parametrize("sent", [b"", b"POST /rpc HTTP/1.1\r\nHost:"])
def test_connections_that_ask_nothing_keep_nobody_out(crowded, sent):
    with httpx2.Client(base_url=crowded, timeout=60) as client:
        assert post(client).status_code == 200
        with held(crowded, 30, sent=sent) as idle:
            assert post(client).status_code == 200
            assert is_closed(idle[0])
            with httpx2.Client(base_url=crowded, timeout=60) as other:
                assert post(other).status_code == 200


def test_where_every_connection_is_at_work_a_request_is_refused(crowded):
    with held(crowded, 8, sent=head(crowded, "100") + b"{"):
        eventually(lambda: httpx2.get(f"{crowded}/health").status_code == 503)
    eventually(lambda: httpx2.get(f"{crowded}/health").status_code == 200)


def test_bytes_that_are_no_http_are_refused(base):
    assert raw(base, b"\x16\x03\x01\x02\x00\x01\r\n\r\n").startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_json_rpc_takes_json_alone(http, kind):
    assert post(http, content_type=kind).status_code == 415


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_json_rpc_takes_posts_alone(http, method):
    assert http.request(method, "/rpc", headers=BEARER).status_code == 405


def test_notifications_have_no_content(http):
    answer = post(http, body={"jsonrpc": "2.0", "method": "Status"})
    assert (answer.status_code, answer.content) == (204, b"")


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"[]", b"1", b"null", b"\xff", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', b"[" * 9_999],
)
def test_mcp_refuses_what_is_no_message(http, body):
    answer = post(http, "/mcp", body, **BOTH)
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] in (-32700, -32600)


def test_mcp_refuses_a_version_that_it_does_not_know(http):
    answer = post(
        http, "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, **BOTH, mcp_protocol_version="1999-01-01"
    )
    assert answer.status_code == 400


def test_mcp_refuses_a_session_that_it_does_not_know(http):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = post(http, "/mcp", body, **BOTH, mcp_session_id="0" * 32, mcp_protocol_version="2025-11-25")
    assert answer.status_code == 404


def test_messages_of_no_session_are_refused(http):
    assert post(http, "/messages/").status_code == 400
    assert post(http, "/messages/?session_id=" + "0" * 32).status_code == 404


def test_a_token_file_is_made_for_its_owner_alone_and_read_again(tmp_path):
    path = tmp_path / "token"
    token = token_in(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert token_in(path) == token


def test_a_token_file_that_others_may_read_is_refused(tmp_path):
    path = tmp_path / "token"
    token_in(path)
    path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod"):
        token_in(path)


@pytest.mark.parametrize("text", ["", "short", "two words but long enough", "x" * 600])
def test_a_token_file_with_something_else_is_refused(tmp_path, text):
    path = tmp_path / "token"
    path.write_text(text)
    path.chmod(0o600)
    with pytest.raises(UsageError, match="no token"):
        token_in(path)


def test_every_address_needs_a_name(tmp_path):
    with served(tmp_path) as serving, pytest.raises(UsageError, match="--name"):
        serve_http(serving, Address(host="0.0.0.0"), token=TOKEN, started=print)


def test_other_names_of_parameters_are_taken_and_no_guess_is_locked(http):
    request = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "SearchSymbols",
        "params": {"query": "Orders", "maxResults": 1},
    }
    symbol = post(http, body=request).json()["result"]["hits"][0]["symbol"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "GetOutline", "params": {"id": symbol["id"]}}
    assert post(http, body=request).json()["result"]["symbol"]["id"] == symbol["id"]
    request = {"jsonrpc": "2.0", "id": 1, "method": "lock", "params": {"objectUrl": f"{symbol['path']}x"}}
    error = post(http, body=request).json()["error"]["data"]
    assert error["code"] == "AmbiguousSymbol"
    assert symbol["path"] in [each["path"] for each in error["details"]["candidates"]]


def test_the_simple_agent_answers_by_its_protocol(http: httpx2.Client) -> None:
    answer = post(http, "/api/agent", {"prompt": "list", "toolType": "list", "contextHistory": []})
    assert answer.status_code == 200
    assert answer.json()["message"].startswith("[tool=list] Listed ")
    assert {*answer.json()} == {"success", "message", "data", "error"}
    unknown = post(http, "/api/agent", {"prompt": "x", "toolType": "fly"}).json()
    assert (unknown["success"], unknown["message"]) == (False, "Unknown tool: fly")


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"[]",
        b'{"prompt":' + b"[" * 9_000 + b"]" * 9_000 + b"}",
        {"prompt": 3},
        {"toolType": "read"},
        {"prompt": " ", "toolType": "read"},
    ],
)
def test_what_is_no_request_of_the_simple_agent_is_an_error_of_its_kind(
    http: httpx2.Client, body: object
) -> None:
    answer = post(http, "/api/agent", body).json()
    assert (answer["success"], answer["message"]) == (False, "AgentService error")
    assert answer["error"]


@pytest.mark.parametrize("path", ["/rpc", "/mcp"])
@pytest.mark.parametrize("deep", [b"[" * 9_000 + b"]" * 9_000, b'{"a":' * 3_000 + b"1" + b"}" * 3_000])
def test_a_body_that_is_nested_too_deep_is_no_json(http: httpx2.Client, path: str, deep: bytes) -> None:
    for body in (deep, b'{"jsonrpc":"2.0","id":1,"method":"Status","params":' + deep + b"}"):
        assert post(http, path, body, **BOTH).json()["error"]["code"] == -32700
