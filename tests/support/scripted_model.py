"""A language model that follows a script."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence

from services.errors import Cancelled, CodeCortexError, ModelError
from services.llm.values import ChatMessage, End, Event, TextPiece, Tool

Answer = Sequence[Event] | CodeCortexError


class ScriptedModel:
    """Model with scripted answers, one after the other; an error among them is raised. `asked`: the messages and
    tools of every request so far."""

    def __init__(self, *answers: Answer | str) -> None:
        self._answers = list(answers)
        self.asked: list[tuple[tuple[ChatMessage, ...], tuple[Tool, ...]]] = []

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),
        *,
        max_tokens: int | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[Event]:
        """The next answer of the script. Raises ModelError where it has no more."""
        self.asked.append((tuple(messages), tuple(tools)))
        if not self._answers:
            raise ModelError("The script has no further answer.")
        answer = self._answers.pop(0)
        if isinstance(answer, CodeCortexError):
            raise answer
        events: Sequence[Event] = (TextPiece(answer), End()) if isinstance(answer, str) else answer
        for event in events:
            if cancel is not None and cancel.is_set():
                raise Cancelled("The answer was stopped.")
            yield event
