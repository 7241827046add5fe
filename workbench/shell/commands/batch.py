"""`batch`: several structured edits, a line each, written as one."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from services.model.writes import EditKind, EditRequest
from services.operations import by_command, by_name
from workbench.shell.command import hiding_of, make_command, opened, write
from workbench.shell.commands.patch import contents
from workbench.shell.options import Invocation, common_options
from workbench.shell.parameters import wire_arguments

if TYPE_CHECKING:
    from services.model.writes import EditAnswer

_HELP = """Make several structured edits, each on what those before it leave, and write all of them as one, or nothing.
`undo` takes them back at once.

FILE: an edit a line, written as its command is, without `codecortex`; - or nothing reads stdin:

\b
    rename Shop.Order.Total Sum
    signature Shop.Order.Add "item, int count := 1"
    extract src/Order.cs:40-52 Charge
    extract-interface Shop.Order IOrder --member Add
    move-type Shop.Line

Empty lines and those that begin with # are left out.
"""


def command() -> click.Command:
    """The command: reads all edits before the first is planned."""
    return click.Command(
        "batch",
        callback=_run,
        params=[
            click.Argument(["file"], default="-", metavar="[FILE|-]"),
            click.Option(
                ["--dry-run"], is_flag=True, help="Check everything and show the diff, write nothing."
            ),
            *common_options(),
        ],
        help=_HELP,
        short_help="Make several structured edits and write them as one.",
    )


@click.pass_context
def _run(context: click.Context, **values: Any) -> None:
    invocation: Invocation = context.obj
    edits = list(_edits(contents(values["file"])))
    if not edits:
        raise click.UsageError("There is no edit in it. Write one a line: rename Shop.Order Purchase")
    operation = by_name("CommitEditBatch")
    assert operation is not None
    with opened(invocation, operation, {"batch": ""}) as bench:
        answer: EditAnswer = bench.refactoring.apply(edits, rehearse=values["dry_run"])
        write(operation, answer, invocation, hiding=hiding_of(bench))


def _edits(text: str) -> Iterator[EditRequest]:
    """Raises click.UsageError for a line that is no edit."""
    for number, line in enumerate(text.split("\n"), 1):
        try:
            words = shlex.split(line, comments=True)
            if words:
                yield _edit(words[0], words[1:])
        except (ValueError, click.UsageError) as error:
            said = error.format_message() if isinstance(error, click.UsageError) else str(error)
            raise click.UsageError(f"Line {number}: {said}") from error


def _edit(name: str, arguments: list[str]) -> EditRequest:
    if name not in {kind.value for kind in EditKind}:
        kinds = ", ".join(kind.value for kind in EditKind)
        raise click.UsageError(f"{name} is no edit. An edit is one of {kinds}.")
    operation = by_command(name)
    assert operation is not None
    context = make_command(operation).make_context(name, arguments, obj=Invocation())
    given = wire_arguments(operation, context.params)
    if given.get("dryRun") or given.get("batch"):
        raise click.UsageError("--dry-run and --batch belong to all edits of a batch, not to one of them.")
    return EditRequest(
        kind=EditKind(name),
        object=given["object"],
        text=given.get("newName") or given.get("parameters") or "",
        members=tuple(given.get("members") or ()),
        leave=tuple(given.get("leave") or ()),
        change=tuple(given.get("change") or ()),
    )
