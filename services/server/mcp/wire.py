"""Lines of standard input as the SDK gets them. By itself it puts other characters in the place of bytes that are no
UTF-8, which a write would then carry into a file, and takes a request whose id is none for a notification: whoever sent
it would wait for ever."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, cast

import anyio

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
    """As much of a text file as the SDK needs."""

    def __init__(self, file: anyio.AsyncFile[bytes]) -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            yield line_of(line)


def line_of(data: bytes) -> str:
    """A line for the SDK. Bytes that are no UTF-8 become halves of surrogate pairs, which it refuses."""
    line = data.decode(errors="surrogateescape")
    return line if _may_pass(line) else _NO_MESSAGE


def _may_pass(line: str) -> bool:
    """Whether it is no request with an id that is neither text nor whole number; of what is no JSON the SDK says so."""
    value: Any = None
    with suppress(ValueError, RecursionError):
        value = json.loads(line)
    if not isinstance(value, dict) or "method" not in value or "id" not in value:
        return True
    return isinstance(value["id"], str | int) and not isinstance(value["id"], bool)
