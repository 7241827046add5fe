"""Relay between an MCP client and the process that leads its workspace: lines pass, both ways.

What the client began with is remembered. Where the process at the other end ends, another one is told that again, and
goes on; the client notices nothing but calls that may have changed something, which it is told to look at and repeat.
"""

from __future__ import annotations

import os
import threading
from _socket import SHUT_RDWR, SHUT_WR, socket
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress
from time import monotonic
from typing import Any

import msgspec

from services.concurrency.background import start_thread
from services.decoding import decode
from services.resident.protocol import is_readable

INITIALIZE, CALL = "initialize", "tools/call"
_SUBSCRIBE, _UNSUBSCRIBE = "resources/subscribe", "resources/unsubscribe"
_PIECE = 1 << 16
_SILENT_FOR = 15.0
"""Seconds without a line, while one is waited for, after which the other end is asked for a sign of life."""
_ENDS_WITHIN = 10.0
"""Seconds in which the other end ends once the client has."""
_OPENED_WITHIN = 30.0
_MOST_LOST, _LOST_WITHIN = 3, 60.0
"""After so many losses within those seconds the client is served by a process of its own."""
_LOST = (
    "The process that did this has ended, perhaps before it was done. Look whether it was, then try again."
)

Id = int | str


class _Said(msgspec.Struct):
    """A message of the client, as far as it is looked at."""

    method: str | None = None
    id: Id | None = None
    params: Any = None


class _Told(msgspec.Struct):
    """A message to the client, as far as it is looked at."""

    method: str | None = None
    id: Id | None = None


class _Hints(msgspec.Struct, rename="camel"):
    read_only_hint: bool = False


class _Tool(msgspec.Struct):
    name: str
    annotations: _Hints | None = None


class _Tools(msgspec.Struct, frozen=True):
    tools: tuple[_Tool, ...] = ()


class _ToolList(msgspec.Struct):
    """The answer that lists tools."""

    result: _Tools = _Tools()


class _Request(msgspec.Struct):
    line: bytes
    method: str
    tool: str


class End(msgspec.Struct):
    """Process that serves. `is_alive`: whether it gives a sign of life; `is_last`: whether no other one follows it."""

    connection: socket
    is_alive: Callable[[], bool] = lambda: True
    is_last: bool = False


FindEnds = Callable[[bool], Iterator[End]]
"""Yields processes that would serve, the best first. Given: whether one that serves others too may."""


class Relay:
    """Relay of one client. `source` and `sink`: descriptors of the client's lines and of those for it."""

    def __init__(self, end: End, find: FindEnds, *, source: int = 0, sink: int = 1) -> None:
        self._end = end
        self._find = find
        self._source = source
        self._sink = sink
        self._sending = threading.Lock()  # lines go to one end at a time, which may be replaced
        self._is_over = False
        self._lines = _Lines()
        self._opening: dict[Hashable, bytes] = {}
        self._pending: dict[Id, _Request] = {}
        self._unheard: set[Id] = set()
        self._reading: set[str] = set()
        self._losses: list[float] = []

    def run(self) -> int:
        """Pass lines until one end has gone; the exit status. Raises BrokenPipeError where the client has gone."""
        # Each direction waits for its own lines.
        start_thread(self._take, name="client")
        while True:
            self._pass_on()
            if self._is_over:
                return 0
            if self._end.is_last or not self._renew():
                return 1

    def _take(self) -> None:
        """Pass the client's lines on."""
        lines = _Lines()
        while data := _read(self._source):
            for line in lines.add(data):
                self._send(line)
        if rest := lines.rest():
            self._send(rest)
        with self._sending, suppress(OSError):
            self._is_over = True
            self._end.connection.shutdown(SHUT_WR)

    def _send(self, line: bytes) -> None:
        with self._sending, suppress(OSError):  # whoever reads of the other end finds that it is gone
            self._note(line)
            self._end.connection.sendall(line)

    def _note(self, line: bytes) -> None:
        """Remember what another process has to know, and what waits for an answer."""
        said = _decoded(_Said, line)
        if said is None or said.method is None:
            return
        params = said.params if isinstance(said.params, dict) else {}
        if said.id is None:
            if said.method == "notifications/initialized":
                self._opening[said.method] = line
            elif said.method == "notifications/cancelled":
                self._pending.pop(params.get("requestId", ""), None)
            return
        self._pending[said.id] = _Request(line, said.method, str(params.get("name")))
        if said.method in (INITIALIZE, "logging/setLevel"):
            self._opening[said.method] = line
        elif said.method == _SUBSCRIBE:
            self._opening[_SUBSCRIBE, str(params.get("uri"))] = line
        elif said.method == _UNSUBSCRIBE:
            self._opening.pop((_SUBSCRIBE, str(params.get("uri"))), None)
        elif said.method == CALL and _opens_tools(params):
            self._opening[CALL, str(params["arguments"]["open"])] = line

    def _pass_on(self) -> None:
        """Pass lines to the client until the other end has gone, or is given up."""
        silent = 0
        while True:
            patience = _ENDS_WITHIN if self._is_over else _SILENT_FOR
            if not is_readable(self._end.connection, within=patience):
                silent = silent + 1 if self._pending and not self._end.is_alive() else 0
                if self._is_over or silent > 1:
                    break
                continue
            silent = 0
            if not (lines := self._received()):
                break
            for line in lines:
                self._deliver(line)
        with suppress(OSError):
            self._end.connection.shutdown(SHUT_RDWR)  # whoever waits to send does no more

    def _received(self) -> list[bytes]:
        """The next whole lines; none where the other end has gone."""
        while True:
            try:
                data = self._end.connection.recv(_PIECE)
            except OSError:
                return []
            lines = self._lines.add(data)
            if lines or not data:
                return lines

    def _deliver(self, line: bytes) -> Id | None:
        """Write a line to the client, unless it answers what the client was answered before; return its id."""
        told = _decoded(_Told, line)
        id_ = told.id if told is not None and told.method is None else None
        if id_ is not None:
            if id_ in self._unheard:
                self._unheard.discard(id_)
                return id_
            request = self._pending.pop(id_, None)
            if request is not None and request.method == "tools/list":
                self._learn(line)
        self._write(line)
        return id_

    def _learn(self, line: bytes) -> None:
        listed = _decoded(_ToolList, line)
        for tool in listed.result.tools if listed is not None else ():
            if tool.annotations is not None and tool.annotations.read_only_hint:
                self._reading.add(tool.name)

    def _write(self, line: bytes) -> None:
        left = memoryview(line)
        while left:
            left = left[os.write(self._sink, left) :]

    def _renew(self) -> bool:
        """Continue with another process; return whether there is one."""
        with self._sending:
            self._losses = [at for at in self._losses if monotonic() - at < _LOST_WITHIN] + [monotonic()]
            self._refuse_changes()
            self._end.connection.close()
            return any(self._goes_on(end) for end in self._find(len(self._losses) <= _MOST_LOST))

    def _goes_on(self, end: End) -> bool:
        """Send a process what the client began with, and its open requests; return whether that worked."""
        self._end, self._lines, self._unheard = end, _Lines(), set()
        try:
            for key, line in self._opening.items():
                self._say_again(line)
                if key == INITIALIZE:
                    self._await_answer(line)
            for request in [*self._pending.values()]:
                if request.line not in self._opening.values():
                    end.connection.sendall(request.line)
            if self._is_over:
                end.connection.shutdown(SHUT_WR)
        except OSError:
            end.connection.close()
            return False
        return True

    def _say_again(self, line: bytes) -> None:
        said = _decoded(_Said, line)
        if said is not None and said.id is not None and said.id not in self._pending:
            self._unheard.add(said.id)
        self._end.connection.sendall(line)

    def _await_answer(self, line: bytes) -> None:
        """Wait for the answer to a line, before which no other may be sent. Raises OSError."""
        said, ends = _decoded(_Said, line), monotonic() + _OPENED_WITHIN
        while said is not None:
            if not is_readable(self._end.connection, within=max(0.0, ends - monotonic())):
                raise TimeoutError
            if not (lines := self._received()):
                raise ConnectionResetError
            if said.id in [self._deliver(each) for each in lines]:
                return

    def _refuse_changes(self) -> None:
        """Answer the calls that may have changed something: whether they did is not known."""
        for id_, request in [*self._pending.items()]:
            if request.method == CALL and request.tool not in self._reading:
                self._pending.pop(id_, None)
                self._write(_retryable(id_))


class _Lines:
    """Lines that arrive in pieces."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def add(self, data: bytes) -> list[bytes]:
        """The lines that a piece completes."""
        *ends, rest = data.split(b"\n")
        if ends:
            ends[0] = b"".join((*self._pieces, ends[0]))
            self._pieces.clear()
        if rest:
            self._pieces.append(rest)
        return [each + b"\n" for each in ends]

    def rest(self) -> bytes:
        """What no end of a line followed."""
        return b"".join(self._pieces)


def _read(source: int) -> bytes:
    try:
        return os.read(source, _PIECE)
    except OSError:
        return b""


def _decoded(kind: Any, line: bytes) -> Any:
    with suppress(msgspec.DecodeError):
        return decode(kind, line)
    return None


def _opens_tools(params: dict[str, Any]) -> bool:
    arguments = params.get("arguments")
    return params.get("name") == "status" and isinstance(arguments, dict) and bool(arguments.get("open"))


def _retryable(id_: Id) -> bytes:
    """The answer to a call, as a tool fails."""
    from services.errors import Busy
    from services.server.failures import failure, json_text

    told = {"content": [{"type": "text", "text": json_text(failure(Busy(_LOST)))}], "isError": True}
    return json_text({"jsonrpc": "2.0", "id": id_, "result": told}).encode() + b"\n"
