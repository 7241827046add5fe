"""Messages of the wire (001 section 3; the OpenAI chat protocol)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec


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
