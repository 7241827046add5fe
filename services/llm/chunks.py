"""Server-sent events of a chat endpoint, and the events of an answer that they are."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import msgspec

from services.decoding import decode
from services.errors import ModelError
from services.llm.values import End, Event, FunctionCall, TextPiece, TokenUsage, ToolCall, ToolCalled

MOST_CALLS = 128
MOST_ARGUMENTS = 4_000_000
"""Characters of the arguments of all calls of one answer."""


class _CallPart(msgspec.Struct):
    id: str = ""
    name: str = ""
    arguments: list[str] = msgspec.field(default_factory=list)


class Joiner:
    """Converter of streamed chunks to events. `ended`: whether the endpoint reported the end."""

    def __init__(self) -> None:
        self.ended = False
        self.reason = ""
        self.usage: TokenUsage | None = None
        self.received = 0
        self._calls: dict[int, _CallPart] = {}
        self._size = 0

    def take(self, data: str) -> Iterator[Event]:
        """The events of one chunk. Raises ModelError for what is no chunk, and for the errors that some send as one."""
        if data.strip() == "[DONE]":
            self.ended = True
            return
        chunk = _decoded(data)
        if chunk.get("error"):
            raise ModelError(f"The endpoint broke the answer off: {error_text(chunk)}")
        self._note_usage(chunk.get("usage"))
        for choice in _dicts(chunk.get("choices"))[:1]:
            yield from self._choice(choice)

    def rest(self) -> Iterator[Event]:
        """Tool calls, usage and the end, once the stream is over. Raises ModelError where it was cut off."""
        if not self.ended and not self.reason:
            raise ModelError("The connection was lost in the middle of the answer. Ask again.")
        for number, call in enumerate(self._calls.values()):
            yield ToolCalled(_whole(call, number))
        if self.usage is not None:
            yield self.usage
        yield End(self.reason or ("tool_calls" if self._calls else "stop"))

    def _choice(self, choice: dict[str, Any]) -> Iterator[Event]:
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, dict):
            if isinstance(text := delta.get("content"), str) and text:
                self.received += len(text)
                yield TextPiece(text)
            for call in _dicts(delta.get("tool_calls")):
                self._add(call)
        if isinstance(reason := choice.get("finish_reason"), str) and reason:
            self.reason = reason

    def _add(self, piece: dict[str, Any]) -> None:
        call = self._calls.setdefault(self._place(piece), _CallPart())
        function = piece.get("function")
        function = function if isinstance(function, dict) else {}
        call.id = call.id or _text(piece.get("id"))
        if name := _text(function.get("name")):
            call.name = call.name if call.name.endswith(name) else call.name + name
        arguments = function.get("arguments")
        if isinstance(arguments, dict):  # some endpoints send them as what they are
            arguments = msgspec.json.encode(arguments).decode()
        call.arguments.append(_text(arguments))
        self._size += len(call.arguments[-1])
        self.received += len(call.arguments[-1])
        if len(self._calls) > MOST_CALLS or self._size > MOST_ARGUMENTS:
            raise ModelError("The model asks for more tools at once than can be run. Ask for less.")

    def _place(self, piece: dict[str, Any]) -> int:
        """Which call a piece is of: by its index; without one, by its id; without either, the last that was begun,
        unless it names a function, which begins another."""
        index = piece.get("index")
        if isinstance(index, int) and not isinstance(index, bool):
            return index
        identity = _text(piece.get("id"))
        last = max(self._calls, default=-1)
        if identity:
            same = (at for at, call in self._calls.items() if call.id == identity)
            return next(same, last + 1)
        function = piece.get("function")
        begins = isinstance(function, dict) and bool(function.get("name"))
        return last + 1 if begins or last < 0 else last

    def _note_usage(self, usage: Any) -> None:
        if isinstance(usage, dict):
            sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
            if isinstance(sent, int) and isinstance(received, int) and sent >= 0 and received >= 0:
                self.usage = TokenUsage(sent, received)


def error_text(answer: Any) -> str:
    """Return the error message of an endpoint, in at most 300 characters."""
    error = answer.get("error", answer) if isinstance(answer, dict) else answer
    if isinstance(error, dict):
        error = error.get("message") or error.get("detail") or error
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else f"{text[:300]}…"


def _whole(call: _CallPart, number: int) -> ToolCall:
    function = FunctionCall(name=call.name, arguments="".join(call.arguments) or "{}")
    return ToolCall(id=call.id or f"call_{number}", function=function)


def _decoded(data: str) -> dict[str, Any]:
    try:
        chunk = decode(Any, data)
    except msgspec.DecodeError as error:
        message = f"The endpoint sent what is no JSON ({data[:60]!r}). Is it OpenAI-compatible?"
        raise ModelError(message) from error
    if not isinstance(chunk, dict):
        raise ModelError(f"The endpoint sent {data[:60]!r} as a part of its answer. Is it OpenAI-compatible?")
    return chunk


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


_LONGEST_EVENT = 4_000_000
"""Bytes of one event; a server that sends a longer one sends no answer."""


async def datas(chunks: AsyncIterator[bytes]) -> AsyncIterator[str]:
    """The data of each event. What a stream ends in without an empty line counts as an event too: some leave it out.
    Raises ModelError past _LONGEST_EVENT."""
    lines: list[bytes] = []
    size = 0
    async for line in _lines(chunks):
        if line.startswith(b"data:"):
            lines.append(line[5:].removeprefix(b" "))
            size += len(line)
            if size > _LONGEST_EVENT:
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
        if len(left) > _LONGEST_EVENT:
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
