"""Command `semantic`: notes of types are read, requested of a chat or a model, stored."""

from __future__ import annotations

from typing import Any

import click

from services.operations import Operation, by_name
from workbench.shell.command import hiding_of, leave_with, opened, write
from workbench.shell.commands.patch import contents
from workbench.shell.options import Invocation, common_options

_HELP = """Say what types are for: role, lifecycle, edge cases, limitations and recommendations.

Where nobody wrote a note, the code alone is read, and that is said. With --prompt, print the prompt that asks a chat
for the notes of all TYPES; with --from, keep what the chat answered, or what you wrote for one type; with --generate,
have the model that is set up write them.

TYPES: symbol paths or ids.
"""


def command() -> click.Command:
    """The command: its options choose among the operations on notes."""
    return click.Command(
        "semantic",
        callback=_run,
        params=[
            click.Argument(["types"], nargs=-1, required=True, metavar="TYPES..."),
            click.Option(["--prompt"], is_flag=True, help="Print the prompt that asks a chat for the notes."),
            click.Option(
                ["--from", "source"],
                metavar="FILE",
                help="Keep the note or answer in a file; - is stdin.",
            ),
            click.Option(["--model"], metavar="NAME", help="Who answered; without it a note is your own."),
            click.Option(["--generate"], is_flag=True, help="Have the model that is set up write them."),
            click.Option(["--wait"], is_flag=True, help="As --generate, here and now."),
            click.Option(["--cancel"], is_flag=True, help="Ask for them no longer."),
            click.Option(["--dry-run"], is_flag=True, help="Say what --generate would take."),
            *common_options(),
        ],
        help=_HELP,
        short_help="Say what types are for, and keep what was learned of them.",
    )


@click.pass_context
def _run(context: click.Context, **values: Any) -> None:
    from services.operations.operation import Work

    invocation: Invocation = context.obj
    calls = _calls(values)
    operation, first = calls[0]
    with opened(invocation, operation, first) as bench:
        for operation, arguments in calls:
            result = operation.run(bench, arguments, Work())
            write(operation, result, invocation, hiding=hiding_of(bench))
            leave_with(result, arguments)


def _calls(values: dict[str, Any]) -> list[tuple[Operation, dict[str, Any]]]:
    """Return the operations with their arguments. Raises click.UsageError where the options are incomplete."""
    types: list[str] = list(values["types"])
    several = {"paths": ",".join(types)}
    makes = values["generate"] or values["wait"] or values["dry_run"]
    if sum((values["prompt"], values["source"] is not None, makes, values["cancel"])) > 1:
        raise click.UsageError("Choose one of --prompt, --from, --generate and --cancel.")
    if values["cancel"]:
        return [(_operation("CancelSemantic"), several)]
    if values["prompt"]:
        return [(_operation("PromptForSemantic"), several)]
    if makes:
        return [
            (_operation("QueueSemantic"), several | {"wait": values["wait"], "dryRun": values["dry_run"]})
        ]
    if values["source"] is None:
        return [(_operation("GetSemantic"), {"path": path}) for path in types]
    text = contents(values["source"])
    if values["model"] is None and len(types) == 1:
        return [(_operation("SetSemantic"), {"path": types[0], "text": text})]
    return [(_operation("TakeSemantic"), several | {"answer": text, "model": values["model"] or "chat"})]


def _operation(name: str) -> Operation:
    operation = by_name(name)
    assert operation is not None
    return operation
