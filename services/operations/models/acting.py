"""Operations as a workflow calls them: as the settings let agents, or as the person who started it allowed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from services.agents.agents import MODEL_TOOLS
from services.agents.workflow import WorkflowActor
from services.errors import ProposalPending, UsageError
from services.llm.tool_registry import Cancel, Registry
from services.llm.values import Tool, ToolCall, ToolResult
from services.operations.edits.consent import call, outcome
from services.operations.models.masking import hiding
from services.operations.models.tools import refuse_hidden, tool_of
from services.operations.needs import Need
from services.operations.operation import Operation, Work, declared_operations
from services.source.journal.actor import Owner, acting

if TYPE_CHECKING:
    from services.bench import Bench

_WAITS = 3_600.0
"""Seconds that a person is waited for."""


class OperationTools:
    """Operations by the name of their tool, or their own where they have none."""

    def __init__(self, bench: Bench, actor: WorkflowActor) -> None:
        self._bench = bench
        self._actor = actor
        self._by = Owner("workflow", actor.session, "writes tests")
        self._operations = {each.faces.tool or each.name: each for each in declared_operations()}
        registry = Registry()
        for name in MODEL_TOOLS:
            registry.register_tool(name, self._handler(name), tool_of(self._operations[name]))
        self.tools: tuple[Tool, ...] = registry.tools
        self.execute: Callable[[ToolCall, Cancel], ToolResult] = registry.execute

    def perform(self, name: str, arguments: Mapping[str, Any], cancel: threading.Event | None = None) -> Any:
        """Call an operation as ActingTools.perform does."""
        operation = self._operations.get(name)
        if operation is None:
            raise UsageError(f"There is no operation {name}.")
        refuse_hidden(self._bench, operation, arguments)
        if operation.need(self._bench, arguments) is Need.WHOLE:
            self._bench.index.refresh()
        with acting(self._by):
            answer = self._called(operation, arguments, Work(cancel=cancel))
            made = msgspec.to_builtins(answer, str_keys=True, enc_hook=str)
        return hiding(self._bench).value(made)

    def _handler(self, name: str) -> Any:
        def handle(arguments: Mapping[str, Any], cancel: Cancel) -> str:
            return msgspec.json.encode(self.perform(name, arguments, cancel)).decode()

        return handle

    def _called(self, operation: Operation, arguments: Mapping[str, Any], work: Work) -> Any:
        """The answer of an operation; a person who is to decide about it is waited for."""
        if operation.effect.right in self._actor.allow:
            return operation.run(self._bench, arguments, work)
        try:
            return call(self._bench, operation, arguments, work)
        except ProposalPending as pending:
            if not self._bench.settings.agents.patience:
                raise
            self._actor.hold(True)
            try:
                return self._decided(str(pending.details["proposalId"]), work)
            finally:
                self._actor.hold(False)

    def _decided(self, proposal: str, work: Work) -> Any:
        until = time.monotonic() + _WAITS
        while True:
            try:
                return outcome(self._bench, self._bench.proposals.get(proposal), work, done="done")
            except ProposalPending:
                if time.monotonic() > until:
                    raise


def acting_tools(bench: Bench, actor: WorkflowActor) -> OperationTools:
    """Operations for the actor of a workflow."""
    from services.operations import table  # noqa: F401 - declares what is called by name

    return OperationTools(bench, actor)
