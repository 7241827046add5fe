"""Port to a language model, and conversations through it: one request, one with tools, and rounds of tool calls."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from services.errors import ToolRounds
from services.llm.tool_registry import MAX_TOOL_ROUNDS, Cancel
from services.llm.values import (
    ChatMessage,
    ChatResponse,
    End,
    Event,
    TextPiece,
    TokenUsage,
    Tool,
    ToolCall,
    ToolCalled,
    ToolResult,
)


class ChatModel(Protocol):
    """A language model."""

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """The answer to a conversation, piece by piece; the last event is End. Closing the iterator ends the request.
        Raises ModelError, Cancelled."""
        ...


def gathered(events: Iterable[Event]) -> ChatResponse:
    """The answer whole, from its events."""
    texts: list[str] = []
    calls: list[ToolCall] = []
    usage: TokenUsage | None = None
    reason = "stop"
    for event in events:
        match event:
            case TextPiece(text):
                texts.append(text)
            case ToolCalled(call):
                calls.append(call)
            case TokenUsage():
                usage = event
            case End(reason):
                pass
    return ChatResponse(content="".join(texts), tool_calls=tuple(calls), usage=usage, reason=reason)


def events_of(response: ChatResponse) -> Iterator[Event]:
    """The events of an answer that is whole."""
    if response.content:
        yield TextPiece(response.content)
    yield from map(ToolCalled, response.tool_calls)
    if response.usage is not None:
        yield response.usage
    yield End(response.reason)


class ToolBox(Protocol):
    """Tools as a conversation uses them; `services.llm.tool_registry.Registry` is one."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """All of them, as a request offers them."""
        ...

    def execute(self, call: ToolCall, cancel: Cancel = None) -> ToolResult:
        """Run a tool and return its result; mistakes of the model become an error result."""
        ...


class ToolAnswered(msgspec.Struct, frozen=True):
    """A tool call and what the tool answered."""

    call: ToolCall
    result: ToolResult


class Conversation(msgspec.Struct, frozen=True):
    """Conversation, the last answer included. `cut`: how that was cut, as a sentence; empty where it is whole."""

    messages: tuple[ChatMessage, ...]
    cut: str = ""

    @property
    def answer(self) -> str:
        """Return the last message of the model."""
        return self.messages[-1].content or ""


Step = Event | ToolAnswered | Conversation
"""What happens on the way to an answer; the last step is the conversation."""


class ChatClient:
    """Client of a chat model. Thread-safe as far as the model is."""

    def __init__(self, model: ChatModel, *, rounds: int = MAX_TOOL_ROUNDS) -> None:
        self._model = model
        self._rounds = rounds

    def chat(self, messages: Sequence[ChatMessage], *, cancel: threading.Event | None = None) -> ChatResponse:
        """Return the model's answer. Raises ModelError, Cancelled."""
        return self.chat_with_tools(messages, (), cancel=cancel)

    def chat_with_tools(
        self, messages: Sequence[ChatMessage], tools: Sequence[Tool], *, cancel: threading.Event | None = None
    ) -> ChatResponse:
        """Return the model's answer or its tool calls. Raises ModelError, Cancelled."""
        return gathered(self._model.complete(messages, tools, cancel=cancel))

    def chat_with_tool_execution(
        self, messages: Sequence[ChatMessage], registry: ToolBox, *, cancel: threading.Event | None = None
    ) -> Conversation:
        """The answer after as many rounds of tool calls as it takes. Raises ToolRounds, ModelError, Cancelled."""
        for step in self.converse(messages, registry, cancel=cancel):
            if isinstance(step, Conversation):
                return step
        raise AssertionError("a conversation ends with itself")

    def converse(
        self, messages: Sequence[ChatMessage], registry: ToolBox, *, cancel: threading.Event | None = None
    ) -> Iterator[Step]:
        """Run the conversation with tools, yielding each step. Raises ToolRounds, which has the conversation,
        ModelError, Cancelled."""
        said = [*messages]
        for number in range(self._rounds + 1):
            response = yield from self._round(said, registry.tools, cancel)
            said.append(response.message)
            if not response.tool_calls:
                yield Conversation(tuple(said), response.cut)
                return
            if number == self._rounds:
                raise _too_many(self._rounds, said)
            for call in response.tool_calls:
                result = registry.execute(call, cancel)
                said.append(ChatMessage(role="tool", tool_call_id=call.id, content=result.content))
                yield ToolAnswered(call, result)

    def _round(
        self, said: Sequence[ChatMessage], tools: Sequence[Tool], cancel: threading.Event | None
    ) -> Generator[Event, None, ChatResponse]:
        events: list[Event] = []
        for event in self._model.complete(said, tools, cancel=cancel):
            events.append(event)
            yield event
        return gathered(events)


def _too_many(rounds: int, said: Sequence[ChatMessage]) -> ToolRounds:
    """Return the error for too many tool rounds, with the messages so that the conversation can continue."""
    kept = msgspec.to_builtins([*said[:-1]])
    message = (
        f"The model asked for tools in more than {rounds} rounds. Ask more narrowly: what it found is kept."
    )
    return ToolRounds(message, rounds=rounds, messages=kept)
