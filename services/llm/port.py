"""The port to a language model, and two models that need none: one that follows a script, one that replays."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from services.errors import Cancelled, CodeCortexError, ModelError
from services.llm.values import Called, ChatMessage, ChatResponse, End, Event, Text, Tool, ToolCall, Usage


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
    usage: Usage | None = None
    reason = "stop"
    for event in events:
        match event:
            case Text(text):
                texts.append(text)
            case Called(call):
                calls.append(call)
            case Usage():
                usage = event
            case End(reason):
                pass
    return ChatResponse(content="".join(texts), tool_calls=tuple(calls), usage=usage, reason=reason)


Answer = Sequence[Event] | CodeCortexError


class ScriptedModel:
    """Answers what it was told to, one answer after the other; an error among them is raised. `asked`: the messages and
    tools of every request so far."""

    def __init__(self, *answers: Answer | str) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[tuple[ChatMessage, ...], tuple[Tool, ...]]] = []

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,  # noqa: ARG002 (the port's)
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """The next answer of the script. Raises ModelError where it has no more."""
        self.asked.append((tuple(messages), tuple(tools)))
        if not self._answers:
            raise ModelError("The script has no further answer.")
        answer = self._answers.pop(0)
        if isinstance(answer, CodeCortexError):
            raise answer
        events: Sequence[Event] = (Text(answer), End()) if isinstance(answer, str) else answer
        for event in events:
            if cancel is not None and cancel.is_set():
                raise Cancelled("The answer was stopped.")
            yield event


class _Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """One request and its answer, as a line of a recording."""

    messages: tuple[ChatMessage, ...]
    tools: tuple[Tool, ...] = ()
    response: ChatResponse


class RecordedModel:
    """Replays the answers in a file of JSON lines; with a `model`, asks it what the file does not have, and adds that.
    A request is found again by its messages and tools."""

    def __init__(self, file: Path, model: ChatModel | None = None) -> None:
        self._file = file
        self._model = model

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """The recorded answer. Raises ModelError where there is none and no model to ask."""
        wanted = (tuple(messages), tuple(tools))
        found = next((each for each in self._records() if (each.messages, each.tools) == wanted), None)
        if found is None:
            found = self._recorded(*wanted, max_tokens=max_tokens, cancel=cancel)
        yield from events_of(found.response)

    def _records(self) -> Iterator[_Recorded]:
        if self._file.exists():
            for line in self._file.read_bytes().splitlines():
                yield msgspec.json.decode(line, type=_Recorded)

    def _recorded(
        self,
        messages: tuple[ChatMessage, ...],
        tools: tuple[Tool, ...],
        *,
        max_tokens: int | None,
        cancel: threading.Event | None,
    ) -> _Recorded:
        if self._model is None:
            raise ModelError(f"{self._file.name} has no answer to this conversation. Record it anew.")
        answer = gathered(self._model.complete(messages, tools, max_tokens=max_tokens, cancel=cancel))
        record = _Recorded(messages=messages, tools=tools, response=answer)
        with self._file.open("ab") as file:
            file.write(msgspec.json.encode(record) + b"\n")
        return record


def events_of(response: ChatResponse) -> Iterator[Event]:
    """The events of an answer that is whole."""
    if response.content:
        yield Text(response.content)
    yield from map(Called, response.tool_calls)
    if response.usage is not None:
        yield response.usage
    yield End(response.reason)
