"""Server-sent events, as far as chat endpoints use them: the `data` of each, within bounds."""

from __future__ import annotations

from collections.abc import AsyncIterator

from services.errors import ModelError

LONGEST = 4_000_000
"""Bytes of one event; a server that sends a longer one sends no answer."""


async def datas(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event. What a stream ends in without an empty line counts as an event too: some leave it out.
    Raises ModelError past LONGEST."""
    lines: list[bytes] = []
    size = 0
    async for line in _lines(chunks):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
            size += len(line)
            if size > LONGEST:
                raise _endless()
        elif not line and lines:
            yield b"\n".join(lines).decode("utf-8", "replace")
            lines, size = [], 0
    if lines:
        yield b"\n".join(lines).decode("utf-8", "replace")


async def _lines(chunks: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Lines without their ends, of which SSE knows three. A CR at the end of a chunk waits for what follows it."""
    left = b""
    async for chunk in chunks:
        left += chunk
        if len(left) > LONGEST:
            raise _endless()
        whole, held = (left[:-1], b"\r") if left.endswith(b"\r") else (left, b"")
        *done, left = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        left += held
        for line in done:
            yield line
    if left:
        yield left.removesuffix(b"\r")


def _endless() -> ModelError:
    return ModelError("The endpoint sends an event without an end. Is it a chat endpoint?")
