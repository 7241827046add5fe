"""MCP over standard input and output: how clients on the same machine start it.

Lines of standard input as the SDK gets them. By itself it puts other characters in the place of bytes that are no
UTF-8, which a write would then carry into a file, and takes a request whose id is none for a notification: whoever sent
it would wait for ever.

Lines on standard input that are no messages are answered as that: the SDK passes over them, and whoever sent one as
a request would wait for ever.
"""

from __future__ import annotations

import contextlib
import io
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, cast

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from services.decoding import decode_with_halves
from services.server.mcp.factory import handlers_of, make_server
from services.server.mcp.tools import ALL
from services.server.serving import Serving

_NO_JSON = ("json_invalid", "string_unicode")


@contextlib.asynccontextmanager
async def sieved(read: Any, write: Any) -> AsyncIterator[MemoryObjectReceiveStream[SessionMessage]]:
    """Yield the messages of `read` (the SDK's stream of messages and errors); for each error an answer is sent to
    `write`."""
    put, take = anyio.create_memory_object_stream[SessionMessage](0)

    async def pass_on() -> None:
        with contextlib.suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with put:
                async for item in read:
                    if not isinstance(item, Exception):
                        await put.send(item)
                    elif (answer := refusal(item)) is not None:
                        await write.send(SessionMessage(answer))

    async with anyio.create_task_group() as group:
        group.start_soon(pass_on)
        yield take
        group.cancel_scope.cancel()


def refusal(error: Exception) -> types.JSONRPCError | None:
    """Return the answer to a line that could not be read; None for a blank one. Its id is the request's, as far as
    one can be found."""
    faults = error.errors() if isinstance(error, ValidationError) else []
    line = next((each["input"] for each in faults if each["type"] in _NO_JSON), None)
    if line is None:
        value = next((each["input"] for each in faults if isinstance(each["input"], dict)), None)
        return _error(types.INVALID_REQUEST, "Invalid Request: it is no JSON-RPC 2.0 message.", value)
    if not line.strip():
        return None
    value = None
    with contextlib.suppress(ValueError):
        value = decode_with_halves(
            Any, line
        )  # takes half of a surrogate pair, and so finds whose text has one
    return _error(types.PARSE_ERROR, "Parse error: the line is not JSON in UTF-8.", value)


def _error(code: int, message: str, value: Any) -> types.JSONRPCError:
    id_ = value.get("id") if isinstance(value, dict) else None
    known = id_ if isinstance(id_, str | int) and not isinstance(id_, bool) and _can_be_told(id_) else None
    return types.JSONRPCError(jsonrpc="2.0", id=known, error=types.ErrorData(code=code, message=message))


def _can_be_told(id_: str | int) -> bool:
    try:
        str(id_).encode()
    except ValueError:
        return False
    return True


_NO_MESSAGE = "[]\n"
"""What the SDK passes on as an error, and refusal (sieve.py) answers as an invalid request without an id."""


def standard_input() -> anyio.AsyncFile[str]:
    """The lines of standard input, which nothing else reads from now on: a child finds its end at once."""
    own, nothing = os.dup(0), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # A thread may wait at this descriptor until the process ends: it is never closed, nor its number used again.
    return cast("anyio.AsyncFile[str]", _Lines(anyio.wrap_file(os.fdopen(own, "rb", closefd=False))))


class _Lines:
    """Text file as the SDK needs it."""

    def __init__(self, file: anyio.AsyncFile[bytes]) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[str]:
        with contextlib.suppress(ConnectionResetError):
            async for line in self._file:
                yield line_of(line)


def line_of(data: bytes) -> str:
    """A line for the SDK. Bytes that are no UTF-8 become halves of surrogate pairs, which it refuses."""
    line = data.decode(errors="surrogateescape")
    return line if _may_pass(line) else _NO_MESSAGE


def _may_pass(line: str) -> bool:
    """Whether a line has no invalid id, one that is neither text nor whole number; for lines that are no JSON the SDK
    reports the error."""
    value: Any = None
    with suppress(ValueError):
        value = decode_with_halves(Any, line)
    if not isinstance(value, dict) or "method" not in value or "id" not in value:
        return True
    return isinstance(value["id"], str | int) and not isinstance(value["id"], bool)


def serve_stdio(
    serving: Serving, profile: str = ALL, accept: Callable[[], socket.socket] | None = None
) -> None:
    """Serve one client until it closes its end: over standard input and output, and meanwhile all printed output is
    sent to stderr, or over the connection that `accept` returns once all is ready. `profile`: which tools are
    listed.

    Raises ConnectionError where the client has gone while something was to be told to it."""

    async def main() -> None:
        parts = handlers_of(serving, profile)
        server = make_server(parts)
        if accept is None:
            streams = stdio_server(stdin=standard_input())
        else:
            connection = accept()
            stdin = cast("anyio.AsyncFile[str]", _Lines(anyio.wrap_file(connection.makefile("rb"))))
            stdout = io.TextIOWrapper(connection.makefile("wb"), "utf-8")
            streams = stdio_server(stdin=stdin, stdout=anyio.wrap_file(stdout))
        async with parts.background(), streams as (read, write), sieved(read, write) as messages:
            await server.run(messages, write, server.create_initialization_options())

    gone: ConnectionError | None = None
    try:
        anyio.run(main)
    except* ConnectionError as group:
        gone = _first(group)
    if gone is not None:
        raise gone


def _first(group: BaseExceptionGroup[ConnectionError]) -> ConnectionError:
    found = group.exceptions[0]
    return _first(found) if isinstance(found, BaseExceptionGroup) else found
