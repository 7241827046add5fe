"""Events of answers, and the model of the tests that follows a script."""

from __future__ import annotations

import threading

import pytest

from services.errors import Cancelled, ModelError
from services.llm.client import gathered
from services.llm.values import (
    ChatMessage,
    ChatResponse,
    End,
    FunctionCall,
    TextPiece,
    TokenUsage,
    ToolCall,
    ToolCalled,
)
from tests.support.scripted_model import ScriptedModel

ASK = [ChatMessage(role="user", content="Why?")]
CALL = ToolCall(id="a", function=FunctionCall(name="read_file", arguments='{"path": "x"}'))
WHOLE = (TextPiece("Be"), TextPiece("cause"), ToolCalled(CALL), TokenUsage(3, 2), End("tool_calls"))


def test_events_make_an_answer() -> None:
    assert gathered(WHOLE) == ChatResponse(
        content="Because", tool_calls=(CALL,), usage=TokenUsage(3, 2), reason="tool_calls"
    )


def test_a_script_is_followed_to_its_end_and_no_further() -> None:
    model = ScriptedModel("One.", ModelError("Broken."))
    assert gathered(model.complete(ASK)).content == "One."
    with pytest.raises(ModelError, match="Broken"):
        gathered(model.complete(ASK))
    with pytest.raises(ModelError, match="no further"):
        gathered(model.complete(ASK))
    assert [messages for messages, _ in model.asked] == [tuple(ASK)] * 3


def test_a_script_can_be_stopped() -> None:
    cancel = threading.Event()
    events = ScriptedModel(WHOLE).complete(ASK, cancel=cancel)
    assert next(events) == TextPiece("Be")
    cancel.set()
    with pytest.raises(Cancelled):
        next(events)
