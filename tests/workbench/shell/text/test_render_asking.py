"""What a person at a shell sees of answers, chats, tools, commands and the simple agent."""

from __future__ import annotations

from typing import Any

import pytest

from services.model.copies import Citation
from services.operations.models.agent import AgentAnswer
from services.operations.models.ask import AskEvent, ChatRow, ChatsAnswer, ToolAnswer, ToolRow, ToolsAnswer
from services.operations.models.commands import RunAnswer
from widgets.format.display import is_safe
from workbench.shell.text.render import Look, render

LOOK = Look(terminal=True, colour=False)
EVIL = "a\x1b]52;c;eA==\x07b\u202e"
PLACES = (
    Citation(text="A.cs:3", start=0, end=6, target="A.cs:3"),
    Citation(text="Retry.Count", start=7, end=8, target="T_9"),
    Citation(text="x/B.cs:9", start=8, end=16, problem="There is no file x/B.cs."),
)
CHAT = ChatRow(
    id="C_1",
    title=EVIL,
    profile="big",
    started_at=0,
    sent=1,
    received=2,
    cost=0.5,
    currency="USD",
    questions=1,
)
RESULTS = [
    AskEvent(kind="asking", text=f"12 tokens to {EVIL}"),
    AskEvent(kind="call", name="read_file", text='{"path": "A.cs"}'),
    AskEvent(kind="result", name="read_file", text=f"{EVIL}\nmore\nmore", is_error=True),
    AskEvent(kind="chat", chat="C_1", sent=1200, received=30, cost=0.0012, currency="USD", citations=PLACES),
    ChatsAnswer(chats=(CHAT,), sent_today=1, received_today=2, cost_today=0.5, models=("big",)),
    ChatsAnswer(chats=(), sent_today=0, received_today=0, cost_today=0.0),
    ToolsAnswer(
        tools=(ToolRow(name="t", description="Does.", parameters={"properties": {"a": {}}}),), isolation=EVIL
    ),
    ToolAnswer(content=EVIL, is_error=False),
    RunAnswer(command="echo a", diff="Runs: echo a\nIn: /w\n"),
    RunAnswer(command="echo a", diff="", text=EVIL, exit=0, isolation="none"),
    AgentAnswer(success=True, message="[tool=read] Read A.cs", data=EVIL),
    AgentAnswer(success=False, message="AgentService error", error=EVIL),
]


@pytest.mark.parametrize("result", RESULTS)
def test_a_result_is_lines_that_a_terminal_cannot_act_on(result: Any) -> None:
    text = render(result, LOOK)
    assert text.endswith("\n")
    assert all(map(is_safe, text.split("\n")))


def test_an_answer_streams_without_lines_of_its_own() -> None:
    assert render(AskEvent(kind="text", text="Re"), LOOK) == "Re"
    assert render(AskEvent(kind="usage", sent=1, received=2), LOOK) == ""


def test_what_a_tool_answered_is_told_with_its_name() -> None:
    event = AskEvent(kind="result", name="read_file", text="one\ntwo", is_error=False)
    assert render(event, LOOK) == "  read_file: one … 1 more lines\n"


def test_a_tool_says_its_first_line_and_nothing_that_a_terminal_acts_on() -> None:
    row = ToolRow(name=EVIL, description="Reads.\nAnd more.", parameters={"properties": {"a": {}, EVIL: {}}})
    text = render(ToolsAnswer(tools=(row,), isolation="none"), LOOK)
    assert text.endswith("  Reads.\nnone\n")
    assert all(map(is_safe, text.split("\n")))
    silent = ToolRow(name="t", description="", parameters={})
    assert render(ToolsAnswer(tools=(silent,), isolation="none"), LOOK) == "t()\n  \nnone\n"


def test_the_end_names_places_and_what_it_cost() -> None:
    text = render(RESULTS[3], LOOK)
    assert "→ A.cs:3\n→ Retry.Count T_9\n" in text
    assert "✗ x/B.cs:9: There is no file x/B.cs." in text
    assert "chat C_1: 1 200 tokens sent, 30 received, 0.0012 USD" in text
