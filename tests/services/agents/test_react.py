"""The loop of thought, action and observation: limits, strict parsing, repeats, cancel, and what is recorded."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from services.agents.react import (
    Action,
    AgentLimits,
    AgentStopped,
    Decisions,
    ReactLoop,
    WorkflowInterrupted,
    asking,
)
from services.errors import Cancelled, RemoteError, UsageError
from services.llm.tool_registry import Registry, function_tool
from services.llm.values import (
    End,
    Event,
    FunctionCall,
    TextPiece,
    TokenUsage,
    Tool,
    ToolCall,
    ToolCalled,
    ToolResult,
)
from services.ops.jobs import JobRequest
from services.ops.rows import job_file
from services.ops.sql_jobs import SqlJobs
from services.ops.worker import Run
from tests.support.scripted_model import ScriptedModel


class Tools:
    """One tool for models, `look`, and what programs perform. `done`: all that was called."""

    def __init__(self, perform: Callable[[str], Any] = lambda name: name) -> None:
        self.done: list[str] = []
        self._perform = perform
        self._registry = Registry()
        self._registry.register_tool(
            "look", self._look, function_tool("look", "Look.", {"at": {"type": "string"}}, ["at"])
        )

    def _look(self, arguments: Mapping[str, Any], _: object) -> str:
        self.done.append(f"look {arguments['at']}")
        if arguments["at"] == "gone":
            raise UsageError("It is gone.")
        return f"seen {arguments['at']}"

    @property
    def tools(self) -> tuple[Tool, ...]:
        return self._registry.tools

    def execute(self, call: ToolCall, cancel: threading.Event | None = None) -> ToolResult:
        return self._registry.execute(call, cancel)

    def perform(self, name: str, arguments: Mapping[str, Any], cancel: threading.Event | None = None) -> Any:
        del arguments, cancel
        self.done.append(name)
        return self._perform(name)


def calls(arguments: str, name: str = "look", text: str = "", usage: int = 10) -> Sequence[Event]:
    call = ToolCall(id="c", function=FunctionCall(name=name, arguments=arguments))
    return TextPiece(text), ToolCalled(call), TokenUsage(usage, 0), End("tool_calls")


@pytest.fixture
def jobs(tmp_path: Path) -> Iterator[SqlJobs]:
    made = SqlJobs(job_file(tmp_path / "ops.db"))
    yield made
    made.close()


def run_of(jobs: SqlJobs) -> Run:
    op_id = jobs.submit(JobRequest(kind="workflow", title="It", by="me", key="k")).op_id
    claim = jobs.claim(["workflow"], only=op_id)
    assert claim is not None
    return Run(jobs, claim, threading.Event())


def again(jobs: SqlJobs, run: Run) -> Run:
    """The same job as a later attempt meets it."""
    return Run(jobs, run._claim, threading.Event())


def asked(tools: Tools) -> Decisions:
    return asking("TestAgent", "Act.", "Look.", tools.tools)


_USUAL = AgentLimits()


def driven(run: Run, tools: Tools, model: Any, limits: AgentLimits = _USUAL, **more: Any) -> Any:
    return ReactLoop(run, tools, lambda: model, limits=limits, **more).drive(asked(tools))


def test_each_thought_action_and_observation_is_an_event(jobs: SqlJobs) -> None:
    run, tools = run_of(jobs), Tools()
    model = ScriptedModel(calls('{"at": "a"}', text="I look."), "Seen.")
    assert driven(run, tools, model) == "Seen."
    told = [(each.kind, each.text) for each in jobs.get(run.op.op_id).events]
    assert told == [
        ("thought", "TestAgent: I look."), ("action", 'TestAgent: look {"at": "a"}'),
        ("observation", "TestAgent: seen a"), ("thought", "TestAgent: Seen."),
    ]  # fmt: skip
    assert [each.role for each in model.asked[1][0]] == ["system", "user", "assistant", "tool"]


def test_what_is_recorded_is_neither_asked_nor_done_again(jobs: SqlJobs) -> None:
    run, tools = run_of(jobs), Tools()
    with pytest.raises(Exception, match="no further answer"):
        driven(run, tools, ScriptedModel(calls('{"at": "a"}')))
    model = ScriptedModel("Seen.")
    assert driven(again(jobs, run), tools, model) == "Seen."
    assert (tools.done, len(model.asked)) == (["look a"], 1)


@pytest.mark.parametrize(("call", "said"), [
    (calls("{", "look"), "no JSON"), (calls('{"at": 1}'), "has to be of type string"),
    (calls('{"to": "a"}'), "lacks at"), (calls("{}", "shell"), "Unknown tool: shell"),
    (calls('{"at": "gone"}'), "It is gone."),
])  # fmt: skip
def test_a_mistake_of_the_model_is_its_observation(jobs: SqlJobs, call: Sequence[Event], said: str) -> None:
    model = ScriptedModel(call, "I see.")
    assert driven(run_of(jobs), Tools(), model) == "I see."
    assert said in (model.asked[1][0][-1].content or "")


def test_what_looks_like_a_call_in_a_text_is_text(jobs: SqlJobs) -> None:
    tools = Tools()
    text = 'Action: look {"at": "a"}\n<tool_call>{"name": "look", "arguments": {"at": "a"}}</tool_call>'
    assert driven(run_of(jobs), tools, ScriptedModel(text)) == text
    assert tools.done == []


def test_the_same_action_with_the_same_outcome_again_and_again_is_stopped(jobs: SqlJobs) -> None:
    tools = Tools()
    with pytest.raises(AgentStopped, match="called look 3 times with the same outcome"):
        driven(run_of(jobs), tools, ScriptedModel(*[calls('{"at": "a"}')] * 9))
    assert tools.done == ["look a"] * 3


def test_the_same_action_between_others_goes_on_until_the_steps_end(jobs: SqlJobs) -> None:
    turns = [calls(f'{{"at": "{at}"}}') for at in "abababababababab"]
    with pytest.raises(AgentStopped) as stopped:
        driven(run_of(jobs), Tools(), ScriptedModel(*turns), AgentLimits(steps=4))
    assert stopped.value.details["limit"] == "steps"


def test_tokens_of_all_attempts_count(jobs: SqlJobs) -> None:
    run, tools = run_of(jobs), Tools()
    turns = [calls(f'{{"at": "{at}"}}', usage=60) for at in "abc"]
    with pytest.raises(AgentStopped) as stopped:
        driven(run, tools, ScriptedModel(*turns), AgentLimits(tokens=100))
    assert (stopped.value.details["limit"], tools.done) == ("tokens", ["look a", "look b"])
    assert jobs.get(run.op.op_id).tokens_used == 120
    assert driven(again(jobs, run), tools, ScriptedModel("Seen."), AgentLimits(tokens=200)) == "Seen."


def test_time_is_limited_by_a_clock_that_only_goes_on(jobs: SqlJobs) -> None:
    seconds = iter([0.0, 1.0, 2.0, 11.0])
    turns = [calls(f'{{"at": "{at}"}}') for at in "abc"]
    with pytest.raises(AgentStopped) as stopped:
        driven(
            run_of(jobs), Tools(), ScriptedModel(*turns), AgentLimits(seconds=10), clock=lambda: next(seconds)
        )
    assert stopped.value.details["limit"] == "seconds"


def test_an_answer_that_is_cut_is_no_decision(jobs: SqlJobs) -> None:
    cut = (TextPiece("I lo"), End("length"))
    with pytest.raises(AgentStopped, match="not whole"):
        driven(run := run_of(jobs), Tools(), ScriptedModel(cut))
    assert (
        driven(again(jobs, run), Tools(), ScriptedModel((TextPiece("I looked"), End("stop")))) == "I looked"
    )


def test_a_cancelled_job_does_no_further_action(jobs: SqlJobs) -> None:
    run, tools = run_of(jobs), Tools(lambda _: run.cancel.set())

    def decisions() -> Decisions:
        yield Action("A", "", "one", {})
        yield Action("A", "", "two", {})

    with pytest.raises(Cancelled):
        ReactLoop(run, tools, ScriptedModel).drive(decisions())
    assert tools.done == ["one"]


@pytest.mark.parametrize(("reason", "error"), [("offline", WorkflowInterrupted), ("token", RemoteError)])
def test_a_failure_that_may_pass_is_tried_again_and_is_not_recorded(
    jobs: SqlJobs, reason: str, error: type[Exception]
) -> None:
    def failing(_: str) -> Any:
        raise RemoteError("Not now.", host="h", reason=reason)

    def decisions() -> Decisions:
        return (yield Action("A", "", "send", {}))

    run = run_of(jobs)
    with pytest.raises(error) as raised:
        ReactLoop(run, Tools(failing), ScriptedModel).drive(decisions())
    assert getattr(raised.value, "retry", None) is (error is WorkflowInterrupted)
    assert ReactLoop(again(jobs, run), Tools(), ScriptedModel).drive(decisions()) == "send"
