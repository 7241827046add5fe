"""Lines on standard input that are no messages are answered as that: the SDK passes over them, and whoever sent one as
a request would wait for ever."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

_NO_JSON = ("json_invalid", "string_unicode")


@contextlib.asynccontextmanager
async def sieved(read: Any, write: Any) -> AsyncIterator[MemoryObjectReceiveStream[SessionMessage]]:
    """The messages of `read` (the SDK's stream of messages and errors); for each error an answer goes to `write`."""
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
    """What is answered to a line that could not be read; None for a blank one. Its id is the request's, as far as one
    can be found."""
    faults = error.errors() if isinstance(error, ValidationError) else []
    line = next((each["input"] for each in faults if each["type"] in _NO_JSON), None)
    if line is None:
        value = next((each["input"] for each in faults if isinstance(each["input"], dict)), None)
        return _error(types.INVALID_REQUEST, "Invalid Request: it is no JSON-RPC 2.0 message.", value)
    if not line.strip():
        return None
    value = None
    with contextlib.suppress(ValueError, RecursionError):
        value = json.loads(line)  # takes half of a surrogate pair, and so finds whose text has one
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
