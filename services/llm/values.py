"""Wire of a chat endpoint (001 section 3; the OpenAI chat protocol): messages, server-sent events, and the events of
an answer that they are.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from services.decoding import decode
from services.errors import ModelError


class WireValue(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Base of the values of the wire: immutable, snake case, without what is not set."""


class ParameterSchema(msgspec.Struct, frozen=True, kw_only=True):
    """JSON Schema of a tool's arguments. `properties`: the schema of each; `definitions`: what they refer to."""

    properties: Mapping[str, Mapping[str, Any]] = msgspec.field(default_factory=dict)
    required: tuple[str, ...] = ()
    type: str = "object"
    additional: bool = msgspec.field(default=False, name="additionalProperties")
    definitions: Mapping[str, Any] | msgspec.UnsetType = msgspec.field(default=msgspec.UNSET, name="$defs")


class ToolFunction(msgspec.Struct, frozen=True, kw_only=True):
    """Declaration of a tool for a model."""

    name: str
    description: str
    parameters: ParameterSchema = ParameterSchema()


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a request offers it."""

    function: ToolFunction
    type: str = "function"

    @property
    def name(self) -> str:
        """Name by which calls refer to the tool."""
        return self.function.name


class FunctionCall(msgspec.Struct, frozen=True, kw_only=True):
    """Function call. `arguments`: a JSON text, as the model wrote it."""

    name: str
    arguments: str = "{}"


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """Tool call of a model."""

    id: str
    function: FunctionCall
    type: str = "function"


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a tool. `is_error`: it failed, and `content` explains why, for the model."""

    content: str
    is_error: bool = False


class ChatMessage(WireValue, frozen=True):
    """Message of a conversation. `role`: system, user, assistant or tool; `tool_call_id`: of a tool's answer."""

    role: str
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    name: str | None = None


class TextPiece(msgspec.Struct, frozen=True):
    """A piece of the answer."""

    text: str


class ToolCalled(msgspec.Struct, frozen=True):
    """A tool call, whole."""

    call: ToolCall


class TokenUsage(msgspec.Struct, frozen=True):
    """Tokens of one request. `exact`: the endpoint counted them; else they were estimated here."""

    sent: int
    received: int
    exact: bool = True


TOO_LONG = "too_long"
"""The reason of an answer that this program ended."""
_CUTS = {
    "It was cut at the most tokens that an answer may have.": ("length", "max_tokens", "model_length"),
    "It was cut by the endpoint's filter.": (
        "content_filter",
        "safety",
        "recitation",
        "blocklist",
        "refusal",
    ),
    "It was cut here: it is longer than its most tokens can be.": (TOO_LONG,),
    "The endpoint broke it off.": ("error",),
}
_CUT_BY = {reason: sentence for sentence, reasons in _CUTS.items() for reason in reasons}
"""Reasons as OpenAI, Mistral, Anthropic, Google and OpenRouter name them, and the program itself."""


class End(msgspec.Struct, frozen=True):
    """End of an answer. `reason`: `stop`, `tool_calls`, `length` (cut at the most tokens), TOO_LONG or the
    endpoint's own."""

    reason: str = "stop"


Event = TextPiece | ToolCalled | TokenUsage | End


class ChatResponse(msgspec.Struct, frozen=True, kw_only=True):
    """An answer, whole."""

    content: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    usage: TokenUsage | None = None
    reason: str = "stop"

    @property
    def cut(self) -> str:
        """How the answer was cut, as a sentence; empty where it is whole."""
        return _CUT_BY.get(self.reason.lower(), "")

    @property
    def message(self) -> ChatMessage:
        """The answer as a message of the conversation."""
        return ChatMessage(role="assistant", content=self.content, tool_calls=self.tool_calls)


def as_request(messages: Sequence[ChatMessage], tools: Sequence[Tool]) -> dict[str, Any]:
    """Messages and tools as a request carries them, in JSON values."""
    request: dict[str, Any] = {"messages": msgspec.to_builtins([*messages])}
    for message in request["messages"]:
        message.setdefault("content", None)  # left out it is an error to some endpoints
    return request | ({"tools": msgspec.to_builtins([*tools])} if tools else {})


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
