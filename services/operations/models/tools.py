"""The table as tools: every operation that a caller's rights allow can be handed to a model, and the default tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from services.concurrency.cancellation import checkpoint
from services.errors import NotAllowed, ProposalPending, UsageError
from services.llm.tool_files import ToolFiles, default_tools
from services.llm.tool_registry import Cancel, Registry
from services.llm.values import ParameterSchema, Tool, ToolFunction
from services.operations.edits.consent import call, to_run
from services.operations.models.masking import hiding
from services.operations.operation import Operation, Right, Work, arguments_schema, declared_operations
from services.source.journal.actor import Owner, acting

if TYPE_CHECKING:
    from services.bench import Bench
    from services.bench.commands import CommandPlan
    from services.model import Progress

OFFERED = (
    "SearchSymbols",
    "ResolveSymbol",
    "GetOutline",
    "GetMemberOutline",
    "FindUsages",
    "getObjectSourceV2",
    "objectStructure",
)
"""What a model is offered beside the default tools: those that read, and that say what no file says."""

Decide = Callable[["CommandPlan"], bool]
"""Puts a command to the person who asks: whether it may be run."""


def tool_of(operation: Operation) -> Tool:
    """An operation as a request offers it: its name as a tool, its help, and the table's own schema."""
    schema = arguments_schema(operation)
    parameters = ParameterSchema(
        properties=schema.get("properties", {}),
        required=tuple(schema.get("required", ())),
        definitions=schema.get("$defs", msgspec.UNSET),
    )
    name = operation.faces.tool or operation.name
    description = operation.help.replace("\n\n", "\n")
    return Tool(function=ToolFunction(name=name, description=description, parameters=parameters))


def table_tools(bench: Bench, operations: Iterable[Operation], by: Owner) -> Registry:
    """Operations as tools, called on behalf of `by`, under its rights. What a person alone may call is left out."""
    registry = Registry()
    for operation in operations:
        if operation.effect.right is not Right.PERSON:
            tool = tool_of(operation)
            registry.register_tool(tool.name, _handler(bench, operation, by), tool)
    return registry


def usual_tools(
    bench: Bench,
    operations: Iterable[Operation],
    by: Owner,
    *,
    decide: Decide | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Registry:
    """Return the default tools, and the enabled ones of the operations table. `decide`: decides about a command;
    None: it becomes a proposal, and `progress` is called while that waits."""

    def shell(line: str, cancel: Cancel) -> str:
        return _run(bench, line, by, decide, Work(progress, cancel))

    registry = default_tools(files_of(bench), shell)
    registry.extend(table_tools(bench, (each for each in operations if each.name in OFFERED), by))
    return registry


INVESTIGATES = (*OFFERED, "FindContext", "GetSemantic", "GetHierarchy", "ListCommits")
"""What a model may call while it investigates, beside the default tools but the one that runs commands."""


def reading_tools(bench: Bench, profile: str) -> Registry:
    """Tools that only read, called on behalf of the model of a profile."""
    registry = default_tools(files_of(bench))
    chosen = (each for each in declared_operations() if each.name in INVESTIGATES)
    registry.extend(table_tools(bench, chosen, model_owner(profile)))
    return registry


def model_owner(profile: str = "", chat: str = "") -> Owner:
    """Return the model of a profile as an actor."""
    name = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in profile) or "model"
    return Owner(name[:40], chat[-4:], "answers a question")


def files_of(bench: Bench) -> ToolFiles:
    """The files of a workspace as models may see them now."""
    return bench.asking.files()


def _run(bench: Bench, line: str, by: Owner, decide: Decide | None, work: Work) -> str:
    """Run a command as the settings have it; what it printed and how it ended. Raises CommandRefused, NotAllowed,
    ProposalPending, ProposalRefused, Cancelled."""
    setting, says = to_run(bench, {"command": line})
    if says == "ask" and decide is None:
        return _proposed(bench, line, by, work)
    if says == "refuse":
        raise NotAllowed(f"The settings ({setting}) keep models from running commands.", right="run")
    if says == "ask" and decide is not None and not decide(bench.asking.commands.plan(line)):
        checkpoint(work.cancel, "The answer was stopped while a person was asked about a command.")
        raise NotAllowed("The person was asked and refused: nothing was run. Go on without.", right="run")
    return bench.asking.commands.run(line, by=str(by), cancel=work.cancel).text


def _proposed(bench: Bench, line: str, by: Owner, work: Work) -> str:
    """Propose a command for a person to decide. Raises as _run."""
    from services.operations.models.commands import RunAnswer, run_command

    try:
        with acting(by):
            answer = call(bench, run_command, {"command": line}, work)
    except ProposalPending as error:
        message = (
            f"A person was asked and has not decided within {bench.settings.agents.patience} s: nothing was run. Go on "
            "without it, or ask for the same command again: the request still waits."
        )
        # A model of a chat has no tool that looks proposals up.
        raise ProposalPending(message, **error.details) from error
    return msgspec.convert(msgspec.to_builtins(answer), RunAnswer).text  # a proposal keeps it as JSON values


def _handler(bench: Bench, operation: Operation, by: Owner) -> Callable[[Mapping[str, Any], Cancel], str]:
    def handle(arguments: Mapping[str, Any], cancel: Cancel) -> str:
        refuse_hidden(bench, operation, arguments)
        with acting(by):
            answer = call(bench, operation, arguments, Work(cancel=cancel))
            made = msgspec.to_builtins([*answer] if operation.stream else answer, str_keys=True, enc_hook=str)
        # Before it is JSON, whose escapes would hide what is given to what.
        return msgspec.json.encode(hiding(bench).value(made)).decode()

    return handle


def refuse_hidden(bench: Bench, operation: Operation, arguments: Mapping[str, Any]) -> None:
    """Raise PathRefused where an argument names a file that models may not open."""
    harmless = operation.texts(arguments)
    files = files_of(bench)
    for name, value in arguments.items():
        if name in harmless or not isinstance(value, str) or not value or len(value) > 4_096:
            continue
        path = value.partition(":")[0]
        if "/" in path or files.root.has(path):
            files.path(path)


def by_tool_name(registry: Registry, name: str) -> Tool:
    """A tool of a registry. Raises UsageError with what there is."""
    found = next((each for each in registry.tools if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in registry.tools)
        raise UsageError(f"There is no tool {name!r}. There are: {names}.")
    return found
