"""The end that answers: a thread for each connection, a few of which work at a time."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from services.concurrency.background import start_thread
from services.concurrency.exclusion import Guarded
from services.resident.protocol import (
    ACCEPTED,
    BUSY,
    DECLINED,
    DONE,
    ERROR,
    HELLO,
    MOST_ASKED,
    OUT,
    QUESTION,
    SERVE,
    SHOWN,
    STOP,
    BrokenOffError,
    frame,
    is_own,
    is_readable,
    parts_of,
    receive,
    texts,
)
from services.resident.streams import AskerStreams

_AT_A_TIME = 4
_HEARTBEAT = 1.0
_LOOKED = 0.2
_ASKED_WITHIN = 5.0
"""Seconds in which whoever has been greeted asks."""
_TAKEN_WITHIN = 30.0
"""Seconds in which whoever asked takes what it is answered."""


class ServedClient:
    """Client of a server, whose lines come over a connection."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.is_accepted = False

    def accept(self) -> socket.socket:
        """Begin to serve it; return the connection."""
        self._connection.sendall(frame(ACCEPTED))
        self._connection.settimeout(None)
        self.is_accepted = True
        return self._connection

    def end(self) -> None:
        """Read no more of it: its server ends once the answers under way are sent."""
        with suppress(OSError):
            self._connection.shutdown(socket.SHUT_RD)


class Question(NamedTuple):
    """A command line, and where it was typed. `session`: of the person's terminal; `terminals`: which of the three
    standard streams are one; `cancel`: set when whoever asked is gone; `client`: whom the command is to serve, None
    where it is to be answered."""

    folder: str
    session: str
    terminals: tuple[bool, bool, bool]
    arguments: tuple[str, ...]
    cancel: threading.Event
    client: ServedClient | None = None

    @classmethod
    def of(cls, parts: Sequence[str], client: ServedClient | None = None) -> Question:
        """Read off the wire. Raises ValueError."""
        folder, session, terminals, *arguments = parts
        first, second, third = (letter == "1" for letter in terminals)
        return cls(folder, session, (first, second, third), tuple(arguments), threading.Event(), client)


Answer = Callable[[Question, AskerStreams], int | None]
"""Answers a question into streams: the exit status, or None where only whoever asked can do it."""


class _Connections:
    """Connections that are open: how many, and the clients that are served."""

    def __init__(self) -> None:
        self.count = 0
        self.clients: set[ServedClient] = set()


class Listener:
    """Answers at a socket. `answered`: how many questions; `idle_since`: when the last one ended, on the monotonic
    clock."""

    def __init__(
        self,
        listener: socket.socket,
        answer: Answer,
        *,
        hello: Callable[[], Sequence[str]],
        stop: Callable[[], object],
    ) -> None:
        """Create a listener. `hello`: returns the greeting of this process; `stop`: called on a request to end."""
        self._listener = listener
        self._answer = answer
        self._hello = hello
        self._stop = stop
        self._places = threading.Semaphore(_AT_A_TIME)
        self._open = Guarded(_Connections())
        self.answered = 0
        self.idle_since = time.monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether somebody is being answered or served."""
        with self._open as connections:
            return connections.count > 0

    def end_clients(self) -> None:
        """Stop serving clients."""
        with self._open as connections:
            clients = [*connections.clients]
        for client in clients:
            client.end()

    def run(self) -> None:
        """Answer until the socket is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            # A client that is silent keeps no other one waiting.
            start_thread(self._serve, connection, name="connection")

    def _serve(self, connection: socket.socket) -> None:
        with connection, suppress(OSError, ValueError, BrokenOffError):
            if not is_own(connection):
                return
            connection.settimeout(_ASKED_WITHIN)
            connection.sendall(frame(HELLO, texts(self._hello())))
            kind, content = receive(connection, MOST_ASKED)
            if kind == STOP:
                self._stop()
                connection.sendall(frame(DONE, b"\0"))
            elif kind == QUESTION:
                question = Question.of(parts_of(content))
                with self._counted():
                    _Conversation(connection, self._answer, self._places).hold(question)
            elif kind == SERVE:
                self._serve_client(connection, parts_of(content))

    def _serve_client(self, connection: socket.socket, parts: Sequence[str]) -> None:
        client = ServedClient(connection)
        question = Question.of(parts, client)
        with self._counted():
            with self._open as connections:
                connections.clients.add(client)
            try:
                self._answer(question, AskerStreams(lambda *_: None, question.terminals))
            finally:
                with self._open as connections:
                    connections.clients.discard(client)
        if not client.is_accepted:
            connection.sendall(frame(DECLINED))

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._open as connections:
            connections.count += 1
        try:
            yield
        finally:
            with self._open as connections:
                connections.count -= 1
                self.answered += 1
                self.idle_since = time.monotonic()


class _Conversation:
    """Exchange of one question and its answer: a thread works, this one sends signs of life, and checks that the
    client still waits."""

    def __init__(self, connection: socket.socket, answer: Answer, places: threading.Semaphore) -> None:
        self._connection = connection
        self._sink = Guarded(connection)  # signs of life are sent while the answer is made
        self._answer = answer
        self._places = places
        self._done = threading.Event()
        self._status: int | None = None
        self._pieces: list[bytes] = []

    def hold(self, question: Question) -> None:
        """Answer a question. Raises OSError where the client is gone."""
        # This thread sends signs of life meanwhile.
        start_thread(self._work, question, name="answer")
        next_beat = time.monotonic() + _HEARTBEAT
        while not self._done.wait(_LOOKED):
            if _is_gone(self._connection):
                question.cancel.set()
                self._done.wait()
                return
            if time.monotonic() > next_beat:
                next_beat += _HEARTBEAT
                self._send(frame(BUSY))
        self._connection.settimeout(_TAKEN_WITHIN)
        if self._status is None:
            self._send(frame(DECLINED))
            return
        self._pieces.append(frame(DONE, self._status.to_bytes(1, "big")))
        self._send(b"".join(self._pieces))

    def _work(self, question: Question) -> None:
        try:
            with self._places:
                if not question.cancel.is_set():
                    self._status = self._answer(question, AskerStreams(self._emit, question.terminals))
        finally:
            self._done.set()

    def _emit(self, stream: int, content: bytes) -> None:
        if stream == 2 and content.startswith(b"\r"):  # the line that says how far it is
            with suppress(OSError):
                self._send(frame(SHOWN, content))
        else:
            self._pieces.append(frame(OUT if stream == 1 else ERROR, content))

    def _send(self, content: bytes) -> None:
        with self._sink as connection:
            connection.sendall(content)


def _is_gone(connection: socket.socket) -> bool:
    if not is_readable(connection, within=0):
        return False
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True


def listening(folder: str) -> list[str]:
    """The names of the sockets in a folder."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".sock"))  # noqa: PTH208
    except OSError:
        return []
