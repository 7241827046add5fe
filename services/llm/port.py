"""The port to a language model."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

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
