"""`paste`: what a chat answered, from stdin or a file, shown as a diff or written."""

from __future__ import annotations

from typing import Any

import click

from services.operations import by_name
from workbench.shell.command import write
from workbench.shell.commands.patch import contents
from workbench.shell.options import Form, Invocation, common_options

_HELP = """Put what a chat or a tool answered back into the files: diffs with wrong numbers or none, SEARCH/REPLACE
blocks, `*** Begin Patch`, files, types and members in fences, with or without a path, also with parts left out.

Each piece lands only where its place is certain. Without --write the diff is shown; with it everything is written as
one, or nothing, and `undo` takes it back. What does not land is told with the place where it nearly does.

FILE: the answer; - or nothing reads stdin.
"""


def command() -> click.Command:
    """The command: the operation PasteBack, which writes only where that is asked for."""
    return click.Command(
        "paste",
        callback=_run,
        params=[
            click.Argument(["file"], default="-", metavar="[FILE|-]"),
            click.Option(["--write"], is_flag=True, help="Write it; else the diff is shown."),
            click.Option(["--dry-run"], is_flag=True, help="Show the diff, even with --write."),
            *common_options(),
        ],
        help=_HELP,
        short_help="Put what a chat answered back into the files.",
    )


@click.pass_context
def _run(context: click.Context, **values: Any) -> None:
    from workbench.shell.command import hiding_of, opened

    invocation: Invocation = context.obj
    operation = by_name("PasteBack")
    assert operation is not None
    arguments = {
        "text": contents(values["file"]),
        "dryRun": values["dry_run"] or not values["write"],
    }
    with opened(invocation, operation, arguments) as bench:
        answer = operation.run(bench, arguments)
        write(operation, answer, invocation, hiding=hiding_of(bench))
    if invocation.form is Form.TEXT:
        _tell(answer, written=bool(answer.group))


def _tell(answer: Any, *, written: bool) -> None:
    """On stderr, so that stdout is a diff and nothing else."""
    from widgets.format.display import visible

    for path in answer.already:
        click.echo(visible(f"{path} is already as the answer has it."), err=True)
    for note in answer.notes:
        click.echo(visible(note), err=True)
    if written:
        count = len(answer.files)
        click.echo(f"Written: {count} file{'s' if count > 1 else ''}, undo {answer.group}.", err=True)
    elif answer.files:
        click.echo("Nothing is written yet: --write does it.", err=True)
