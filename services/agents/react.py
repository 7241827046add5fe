"""Loop of thought, action and observation, each action a recorded step of a job.

Who decides is a generator that yields actions and is sent what came of them: rules of the program, or a model. After a
crash it is run again with the observations that are recorded, so that nothing is asked or done twice.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import msgspec

from services.errors import CodeCortexError, RemoteError
from services.llm.client import ChatModel, gathered
from services.llm.values import ChatMessage, ChatResponse, Tool, ToolCall, ToolResult
from services.ops.worker import Run

_TOLD = 400
"""Characters of a thought, an action or an observation that an event tells."""
_OBSERVED = 24_000
"""Characters of an observation that a model is told."""
_ANSWER = 8_000
"""Most tokens of one answer."""
_TRANSIENT = ("offline", "limit", "server")


class AgentLimits(NamedTuple):
    """Limits of a workflow. `steps`: actions; `tokens`: of the model, in all attempts; `seconds`: of one attempt, by a
    clock that does not jump; `repeats`: how often the same action may follow itself with the same outcome."""

    steps: int = 60
    tokens: int = 400_000
    seconds: float = 3_600.0
    repeats: int = 3


class AgentStopped(CodeCortexError):
    """An agent that was stopped by a limit. `details`: limit (steps, tokens, seconds, repeats, answer, cut)."""

    code = "AgentStopped"


class WorkflowInterrupted(CodeCortexError):
    """A step that may succeed later. `details`: step."""

    code = "Interrupted"
    retry = True


class ActingTools(Protocol):
    """Operations as agents call them."""

    @property
    def tools(self) -> Sequence[Tool]:
        """The tools of a model, as a request offers them."""
        ...

    @property
    def execute(self) -> Callable[[ToolCall, threading.Event | None], ToolResult]:
        """Run a tool for a model, as Registry.execute does."""
        ...

    def perform(self, name: str, arguments: Mapping[str, Any], cancel: threading.Event | None = None) -> Any:
        """Call an operation; its answer as JSON values. Raises the operation's errors, NotAllowed, ProposalPending,
        ProposalRefused, Cancelled."""
        ...


class Action(NamedTuple):
    """An action of an agent. `call`: of a model, whose mistakes are its observation; None where `tool` is to be called
    with `arguments`, whose failure ends the attempt."""

    agent: str
    thought: str
    tool: str
    arguments: Mapping[str, Any]
    call: ToolCall | None = None


class Thought(NamedTuple):
    """A question to the model. Its answer is what the decider is sent."""

    agent: str
    messages: Sequence[ChatMessage]
    tools: Sequence[Tool]


Decisions = Generator[Action | Thought, Any, Any]


class ReactLoop:
    """Runner of the actions of a generator, for one attempt."""

    def __init__(
        self,
        run: Run,
        tools: ActingTools,
        model: Callable[[], ChatModel],
        *,
        limits: AgentLimits = AgentLimits(),  # noqa: B008 - a value without state
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._run = run
        self._tools = tools
        self._model = model
        self._limits = limits
        self._clock = clock
        self._until = clock() + limits.seconds
        self._spent = run.op.tokens_used
        self._last: tuple[str, str] = ("", "")
        self._times = 0

    def drive(self, decisions: Decisions) -> Any:
        """Do what is decided until the generator ends, and return its value. Raises AgentStopped past a limit,
        WorkflowInterrupted, Cancelled, and the errors of actions that have to succeed."""
        observed: Any = None
        step = 0
        while True:
            try:
                decided = decisions.send(observed)
            except StopIteration as ended:
                return ended.value
            step += 1
            self._run.checkpoint()
            self._require(step)
            if isinstance(decided, Thought):
                observed = self._answer(step, decided)
            else:
                observed = self._act(step, decided)
                self._refuse_repeats(decided, observed)

    def _require(self, step: int) -> None:
        if step > 2 * self._limits.steps:  # a thought of a model comes before each of its actions
            raise _stopped("steps", f"It was not done after {self._limits.steps} actions.")
        if self._clock() > self._until:
            raise _stopped("seconds", f"It was not done after {self._limits.seconds:.0f} seconds.")

    def _answer(self, step: int, asked: Thought) -> ChatResponse:
        def ask() -> Any:
            if self._spent >= self._limits.tokens:
                raise _stopped("tokens", f"It has used {self._spent} of {self._limits.tokens} tokens.")
            events = self._model().complete(
                asked.messages, asked.tools, max_tokens=_ANSWER, cancel=self._run.cancel
            )
            response = gathered(events)
            if response.usage is not None:
                self._spent += response.usage.sent + response.usage.received
                self._run.spend(response.usage.sent + response.usage.received)
            if response.cut:  # not recorded: it is asked again where the workflow is resumed
                raise _stopped("cut", f"The model's answer is not whole. {response.cut}")
            if response.content:
                self._run.tell("thought", f"{asked.agent}: {response.content[:_TOLD]}")
            return msgspec.to_builtins(response)

        return msgspec.convert(self._run.step(f"{step} thought", ask), ChatResponse)

    def _act(self, step: int, action: Action) -> Any:
        def act() -> Any:
            if action.call is None and action.thought:
                self._run.tell("thought", f"{action.agent}: {action.thought}")
            said = (
                action.call.function.arguments
                if action.call
                else msgspec.json.encode(action.arguments).decode()
            )
            self._run.tell("action", f"{action.agent}: {action.tool} {said[:_TOLD]}")
            result = self._performed(step, action)
            shown = result["content"] if action.call else msgspec.json.encode(result).decode()
            self._run.tell("observation", f"{action.agent}: {shown[:_TOLD]}")
            return result

        self._run.progress(step - 1, None, f"{action.agent}: {action.tool}")
        result = self._run.step(f"{step} {action.tool}", act)
        return msgspec.convert(result, ToolResult) if action.call else result

    def _performed(self, step: int, action: Action) -> Any:
        if action.call is not None:
            return msgspec.to_builtins(self._tools.execute(action.call, self._run.cancel))
        try:
            return self._tools.perform(action.tool, action.arguments, self._run.cancel)
        except RemoteError as error:
            if error.details.get("reason") in _TRANSIENT:
                raise WorkflowInterrupted(error.message, step=step, **error.details) from error
            raise

    def _refuse_repeats(self, action: Action, observed: Any) -> None:
        """Raises AgentStopped where a model does the same again and again, and the same comes of it."""
        if action.call is None:
            return
        now = (f"{action.tool} {action.call.function.arguments.strip()}", observed.content)
        self._times = self._times + 1 if now == self._last else 1
        self._last = now
        if self._times >= self._limits.repeats:
            raise _stopped(
                "repeats", f"The model called {action.tool} {self._times} times with the same outcome."
            )


def asking(agent: str, instructions: str, task: str, tools: Sequence[Tool]) -> Decisions:
    """Have a model act until it answers without an action; return that answer. Calls are taken from the protocol's own
    fields alone: what looks like one in a text is text."""
    said = [ChatMessage(role="system", content=instructions), ChatMessage(role="user", content=task)]
    while True:
        response: ChatResponse = yield Thought(agent, tuple(said), tools)
        said.append(response.message)
        if not response.tool_calls:
            return response.content
        for call in response.tool_calls:
            result: ToolResult = yield Action(agent, response.content, call.function.name, {}, call)
            content = result.content
            if len(content) > _OBSERVED:
                content = f"{content[:_OBSERVED]}\n[TRUNCATED: {len(content) - _OBSERVED} more characters]"
            said.append(ChatMessage(role="tool", tool_call_id=call.id, content=content))


def _stopped(limit: str, message: str) -> AgentStopped:
    return AgentStopped(
        f"{message} Resume the workflow with a higher limit, or start it for less.", limit=limit
    )
