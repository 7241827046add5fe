"""Chat endpoint on loopback with scripted answers: it replaces the network."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple


class Asked(NamedTuple):
    """A request as it arrived."""

    path: str
    headers: dict[str, str]
    body: Any


class Reply(NamedTuple):
    """Scripted reply to one request. `pieces`: bytes sent one after the other; `then`: the next step: `close`, `hold`
    (sends nothing more until the client leaves) or `cut` (breaks the connection off)."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/event-stream"),)
    pieces: Iterable[bytes] = ()
    then: str = "close"


class ChatServer:
    """Scripted chat server. `asked`: the requests; `gone`: when a client left a reply that is held, by
    `time.monotonic`."""

    def __init__(self, replies: Callable[[Asked], Reply]) -> None:
        self.asked: list[Asked] = []
        self.gone: float | None = None
        self.holding = threading.Event()
        self.left = threading.Event()
        self._replies = replies
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                asked = Asked(self.path, {k.lower(): v for k, v in self.headers.items()}, json.loads(body))
                outer.asked.append(asked)
                try:
                    outer._answer(self, outer._replies(asked))
                except OSError:
                    outer.gone = time.monotonic()
                    outer.left.set()

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                pass

        return Handler

    def _answer(self, handler: BaseHTTPRequestHandler, reply: Reply) -> None:
        if reply.status:
            handler.send_response(reply.status)
            for name, value in reply.headers:
                handler.send_header(name, value)
            handler.send_header("Connection", "close")
            handler.end_headers()
        for piece in reply.pieces:
            handler.wfile.write(piece)
            handler.wfile.flush()
        handler.close_connection = True
        if reply.then == "hold":
            self._hold(handler.connection)
        if reply.then == "cut":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            handler.connection.close()

    def _hold(self, connection: socket.socket) -> None:
        self.holding.set()
        poll = select.poll()
        poll.register(connection, select.POLLIN | select.POLLHUP)
        poll.poll(20_000)
        self.gone = time.monotonic()
        self.left.set()


@contextmanager
def chat_server(*replies: Reply) -> Iterator[ChatServer]:
    """A server that gives these replies in turn, and the last one from then on."""
    rest = list(replies)
    server = ChatServer(lambda _: rest.pop(0) if len(rest) > 1 else rest[0])
    try:
        yield server
    finally:
        server.close()


def data(value: object) -> bytes:
    """A value as an event of a stream."""
    return b"data: " + (value if isinstance(value, bytes) else json.dumps(value).encode()) + b"\n\n"


def delta(finish: str | None = None, **fields: object) -> bytes:
    """A chunk of an answer."""
    return data({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]})


def call(index: int | None, arguments: str = "", *, id: str | None = None, name: str | None = None) -> bytes:  # noqa: A002
    """A chunk of a tool call."""
    piece: dict[str, object] = {"function": {"arguments": arguments} | ({"name": name} if name else {})}
    piece |= {"index": index} if index is not None else {}
    piece |= {"id": id} if id is not None else {}
    return delta(tool_calls=[piece])


DONE = b"data: [DONE]\n\n"


def streamed(*texts: str, usage: tuple[int, int] | None = None) -> Reply:
    """A whole answer in pieces."""
    pieces = [delta(content=text) for text in texts]
    pieces.append(delta("stop"))
    if usage is not None:
        pieces.append(
            data({"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}})
        )
    return Reply(pieces=[*pieces, DONE])


def failing(status: int, body: object, **headers: str) -> Reply:
    """An error."""
    given = (("Content-Type", "application/json"), *((k.replace("_", "-"), v) for k, v in headers.items()))
    return Reply(status, given, [json.dumps(body).encode()])
