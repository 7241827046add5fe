"""`patch`: new lines from stdin or a file for one object, or a unified diff for several files; `paste`: what a chat
answered, shown as a diff or written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from services.operations import Operation, by_name
from workbench.shell.command import write
from workbench.shell.options import Form, Invocation, common_options
from workbench.shell.parameters import LineRange

_HELP = """Replace, insert or delete lines of one object, or apply a unified diff to several files as one.

The new lines come from stdin, or with --content from a file; none at all delete. Every write needs the token of the
read that showed the lines and the handle of a lock. Nothing is written unless everything can be.

OBJECT: symbol path or id, or a file; a file that is not there yet is made with --insert 1 --expect 0_empty.
"""


_PASTE_HELP = """Put what a chat or a tool answered back into the files: diffs with wrong numbers or none,
SEARCH/REPLACE blocks, `*** Begin Patch`, files, types and members in fences, with or without a
path, also with parts left out.

Each piece lands only where its place is certain. Without --write the diff is shown; with it everything is written as
one, or nothing, and `undo` takes it back. What does not land is told with the place where it nearly does.

FILE: the answer; - or nothing reads stdin.
"""


def command() -> click.Command:
    """The command: its options choose between setObjectSourceV2 and applyPatch."""
    part = click.Choice(("main", "definitions", "implementations", "macros", "testclasses"))
    return click.Command(
        "patch",
        callback=_run,
        params=[
            click.Argument(["object_name"], required=False, metavar="[OBJECT]"),
            click.Option(
                ["--expect"],
                multiple=True,
                metavar="TOKEN",
                help="Token of the read; with --diff OBJECT=TOKEN, once for each file.",
            ),
            click.Option(["--handle"], multiple=True, help="Handle of the lock; with --diff one or more."),
            click.Option(["--lines"], type=LineRange(), metavar="A-B", help="Lines to replace."),
            click.Option(
                ["--insert"], type=click.IntRange(0), metavar="A", help="Line before which to insert."
            ),
            click.Option(["--part"], type=part, help="Part of a type that the lines belong to."),
            click.Option(["--content"], metavar="FILE", help="File with the new lines; stdin without it."),
            click.Option(["--diff"], metavar="FILE", help="Unified diff to apply; - reads it from stdin."),
            click.Option(
                ["--skip-conflict-check"],
                is_flag=True,
                help="Do not compare the token.",
            ),
            click.Option(
                ["--dry-run"], is_flag=True, help="Check everything and show the diff, write nothing."
            ),
            *common_options(),
        ],
        help=_HELP,
        short_help="Replace, insert or delete lines, or apply a unified diff.",
    )


@click.pass_context
def _run(context: click.Context, **values: Any) -> None:
    from workbench.shell.command import hiding_of, opened

    invocation: Invocation = context.obj
    operation, arguments = _of_diff(values) if values["diff"] else _of_lines(values)
    arguments["dryRun"] = values["dry_run"]
    with opened(invocation, operation, arguments) as bench:
        write(operation, operation.run(bench, arguments), invocation, hiding=hiding_of(bench))


def _of_lines(values: dict[str, Any]) -> tuple[Operation, dict[str, Any]]:
    """Return the write of one range. Raises click.UsageError where the options are incomplete."""
    if not values["object_name"]:
        raise click.UsageError("Name an OBJECT, or give --diff FILE.")
    if (values["lines"] is None) == (values["insert"] is None):
        raise click.UsageError("Give either --lines A-B or --insert A.")
    if len(values["expect"]) != 1 or len(values["handle"]) > 1:
        raise click.UsageError("Give one --expect TOKEN and one --handle.")
    start, end = values["lines"] or (values["insert"], values["insert"] - 1)
    if start is None or end is None:
        raise click.UsageError("Both ends of --lines are needed for a write.")
    arguments = {
        "object": values["object_name"],
        "token": values["expect"][0],
        "startLine": start,
        "endLine": end,
        "content": contents(values["content"] or "-"),
        "lockHandle": "".join(values["handle"]),
        "skipConflictCheck": values["skip_conflict_check"] or None,
    }
    return _operation("setObjectSourceV2"), arguments | (
        {"includeType": values["part"]} if values["part"] else {}
    )


def _of_diff(values: dict[str, Any]) -> tuple[Operation, dict[str, Any]]:
    if any(values[name] for name in ("object_name", "lines", "insert", "part", "content")):
        raise click.UsageError(
            "A diff names its files and lines itself; leave out OBJECT, --lines, --insert, --part, --content."
        )
    expected = {}
    for pair in values["expect"]:
        name, equals, token = pair.rpartition("=")
        if not equals or not name:
            raise click.UsageError(f"{pair!r} is not OBJECT=TOKEN.")
        expected[name] = token
    arguments = {"diff": contents(values["diff"]), "expected": expected, "lockHandles": values["handle"]}
    return _operation("applyPatch"), arguments


def contents(name: str) -> str:
    """The text of a file, or of stdin for `-`. Raises click.UsageError."""
    if name == "-":
        return _decoded(sys.stdin.buffer.read(), "stdin")
    try:
        return _decoded(Path(name).read_bytes(), name)
    except OSError as error:
        raise click.UsageError(f"{name!r} cannot be read: {error.strerror}.") from error


def _decoded(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{name} is not UTF-8 (byte {error.start}). Nothing was written.") from error


def _operation(name: str) -> Operation:
    operation = by_name(name)
    assert operation is not None
    return operation


def paste_command() -> click.Command:
    """Return the command: the operation PasteBack, which writes only on request."""
    return click.Command(
        "paste",
        callback=_run_paste,
        params=[
            click.Argument(["file"], default="-", metavar="[FILE|-]"),
            click.Option(["--write"], is_flag=True, help="Write it; else the diff is shown."),
            click.Option(["--dry-run"], is_flag=True, help="Show the diff, even with --write."),
            *common_options(),
        ],
        help=_PASTE_HELP,
        short_help="Put what a chat answered back into the files.",
    )


@click.pass_context
def _run_paste(context: click.Context, **values: Any) -> None:
    from workbench.shell.command import hiding_of, opened

    invocation: Invocation = context.obj
    operation = _operation("PasteBack")
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
