"""Command `state`: it lists, moves and deletes the program's state of workspaces in the person's folder."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from services.errors import UsageError, WorkspaceError
from workbench.shell.commands.resident import end_residents
from workbench.shell.options import Form, Invocation, common_options

if TYPE_CHECKING:
    from services.workspace.state_home import StateHome, StateRow

T = TypeVar("T")
_ROOTS = {"there": "", "gone": "the folder is gone", "another": "another folder has this path now"}


def command() -> click.Group:
    """The command with its two verbs; alone it lists."""
    return click.Group(
        "state",
        commands={"move": _move(), "delete": _delete()},
        callback=_list,
        invoke_without_command=True,
        params=common_options(),
        help="List what is kept of workspaces outside of them: index, window, journal, locks and jobs.",
    )


@click.pass_context
def _list(context: click.Context) -> None:
    if context.invoked_subcommand is not None:
        return
    invocation: Invocation = context.obj
    home = _home()
    rows = home.listed()
    if invocation.form is Form.TEXT:
        click.echo("".join(map(_line, rows)) or f"No state is kept in {home.folder}.\n", nl=False)
        return
    from workbench.shell.output import json_text

    values = [row._asdict() for row in rows]
    if invocation.form is Form.JSON:
        click.echo(json_text({"folder": str(home.folder), "states": values}, indent=2))
    else:
        click.echo("".join(f"{json_text(value)}\n" for value in values), nl=False)


def _move() -> click.Command:
    def call(state: str, folder: Path) -> None:
        from services.workspace.files.root import Root

        home = _home()
        row = home.find(state)
        with Root.open(folder) as opened:
            for root in (row.path, str(opened.path)):
                end_residents(root)
            replaced = _done(lambda: home.move(row.name, opened))
            click.echo(f"The state of {row.path} is that of {opened.path} now.")
        if replaced is not None:
            click.echo(f"The state that {folder} had is kept as {replaced}.")

    return click.Command(
        "move",
        callback=call,
        params=[
            *common_options(),
            click.Argument(["state"]),
            click.Argument(["folder"], type=click.Path(path_type=Path)),
        ],
        help="Make a state, named by its root's old path or by its name, that of another folder: a renamed one.",
    )


def _delete() -> click.Command:
    def call(state: str, yes: bool) -> None:
        home = _home()
        row = home.find(state)
        if not yes:
            click.confirm(
                f"Delete the state of {row.path}: pins, undo of writes, drafts, index?", abort=True, err=True
            )
        end_residents(row.path)
        _done(lambda: home.delete(row.name))
        click.echo(f"The state of {row.path} is deleted.")

    return click.Command(
        "delete",
        callback=call,
        params=[
            *common_options(),
            click.Argument(["state"]),
            click.Option(["--yes"], is_flag=True, help="Do not ask."),
        ],
        help="Delete a state, named by the path of its root or by its name, for good.",
    )


def _home() -> StateHome:
    from services.workspace.state_home import NoStateError, StateHome

    try:
        return StateHome.of_person()
    except NoStateError as error:
        raise UsageError(f"No state is kept: {error}.") from error


def _done(act: Callable[[], T]) -> T:
    try:
        return act()
    except OSError as error:
        raise WorkspaceError(f"Nothing was changed: {error.strerror or error}.") from error


def _line(row: StateRow) -> str:
    from widgets.format.display import visible

    used = datetime.fromtimestamp(row.used_at).astimezone()
    said = [f"{row.size / 1_000_000:.1f} MB", f"used {used:%Y-%m-%d %H:%M}", _ROOTS[row.root]]
    said += ["in use"] if row.in_use else []
    return f"{row.name}  {visible(row.path)}  ({', '.join(filter(None, said))})\n"
