"""Rounds of tool calls, up to an answer or the limit."""

from __future__ import annotations

import threading

import pytest

from services.errors import Cancelled, ModelError, ToolRounds
from services.llm.client import ChatClient, Conversation, ToolAnswered
from services.llm.tool_registry import Registry, function_tool
from services.llm.values import (
    ChatMessage,
    End,
    FunctionCall,
    TextPiece,
    TokenUsage,
    ToolCall,
    ToolCalled,
    ToolResult,
)
from tests.support.scripted_model import ScriptedModel

ASK = [ChatMessage(role="user", content="How many?")]


def call(id_: str, name: str = "count", arguments: str = "{}") -> ToolCall:
    return ToolCall(id=id_, function=FunctionCall(name=name, arguments=arguments))


def registry() -> Registry:
    made = Registry()
    made.register_tool("count", lambda *_: "42", function_tool("count", "Count.", {}))
    return made


def test_a_chat_is_one_request_without_tools() -> None:
    model = ScriptedModel("Many.")
    assert ChatClient(model).chat(ASK).content == "Many."
    assert model.asked == [(tuple(ASK), ())]


def test_a_chat_with_tools_leaves_the_calls_to_the_caller() -> None:
    model = ScriptedModel((ToolCalled(call("a")), End("tool_calls")))
    response = ChatClient(model).chat_with_tools(ASK, registry().tools)
    assert response.tool_calls == (call("a"),)
    assert len(model.asked) == 1


def test_tools_are_run_until_there_is_an_answer() -> None:
    model = ScriptedModel(
        (
            TextPiece("Let me see."),
            ToolCalled(call("a")),
            ToolCalled(call("b", "guess")),
            TokenUsage(5, 2),
            End("tool_calls"),
        ),
        "42.",
    )
    steps = list(ChatClient(model).converse(ASK, registry()))
    assert steps[5:7] == [
        ToolAnswered(call("a"), ToolResult(content="42")),
        ToolAnswered(
            call("b", "guess"), ToolResult(content="Unknown tool: guess. There are: count.", is_error=True)
        ),
    ]
    whole = steps[-1]
    assert isinstance(whole, Conversation)
    assert whole.answer == "42."
    assert [message.role for message in whole.messages] == ["user", "assistant", "tool", "tool", "assistant"]
    assert model.asked[1][0] == whole.messages[:-1], "the second request has the calls and their results"
    assert [message.tool_call_id for message in whole.messages] == [None, None, "a", "b", None]


def test_ten_rounds_are_allowed_and_the_eleventh_is_an_error_that_keeps_the_conversation() -> None:
    endless = [(ToolCalled(call(f"c{number}")), End("tool_calls")) for number in range(20)]
    model = ScriptedModel(*endless[:10], "Done.")
    assert ChatClient(model).chat_with_tool_execution(ASK, registry()).answer == "Done."
    model = ScriptedModel(*endless)
    with pytest.raises(ToolRounds) as caught:
        ChatClient(model).chat_with_tool_execution(ASK, registry())
    assert len(model.asked) == 11
    messages = caught.value.details["messages"]
    assert [message["role"] for message in messages] == ["user", *["assistant", "tool"] * 10]


def test_errors_of_the_model_go_to_the_caller() -> None:
    with pytest.raises(ModelError, match="gone"):
        ChatClient(ScriptedModel(ModelError("gone"))).chat_with_tool_execution(ASK, registry())


def test_a_stop_between_two_tools_ends_the_rounds() -> None:
    cancel = threading.Event()
    made = Registry()

    def stop(*_: object) -> str:
        cancel.set()
        return "1"

    made.register_tool("count", stop, function_tool("count", "", {}))
    model = ScriptedModel((ToolCalled(call("a")), End("tool_calls")), "never")
    with pytest.raises(Cancelled):
        ChatClient(model).chat_with_tool_execution(ASK, made, cancel=cancel)
