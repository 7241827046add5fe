"""Root command `codecortex`: subcommands are created on demand."""

from __future__ import annotations

from pathlib import Path

import click

from services import __version__
from workbench.shell.options import common_options, is_folder

START_COMMANDS = ("open", "demo")
SERVE_COMMANDS = ("mcp", "serve", "rpc", "worker")
SETUP_COMMANDS = ("install", "uninstall", "state", "resident", "completion", "manual")


class Commands(click.Group):
    """`open` and `demo`, one command for each operation that has one, then those that serve
    the workspace, and those that set the program up."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 (click names it)
        """Names in the order of the table."""
        from services.operations.table import OPERATIONS

        names = dict.fromkeys(operation.faces.command for operation in OPERATIONS)
        return [
            *START_COMMANDS,
            *(name for name in names if name),
            *SERVE_COMMANDS,
            *SETUP_COMMANDS,
        ]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name, made now."""
        if cmd_name in START_COMMANDS:
            from workbench.shell import start

            return start.command(cmd_name)
        if cmd_name in SERVE_COMMANDS:
            from workbench.shell import serve

            return serve.command(cmd_name)
        if (own := _own_command(cmd_name)) is not None:
            return own
        from services.operations import by_command
        from workbench.shell.command import make_command

        operation = by_command(cmd_name)
        return make_command(operation) if operation else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve as click does, with suggestions among commands that are not created yet."""
        name = args[0]
        if not name.startswith("-"):
            if (command := self.get_command(ctx, name)) is not None:
                return name, command, args[1:]
            if is_folder(Path(name)):
                raise click.UsageError(f"{name!r} is a folder. To open it: codecortex open {name}", ctx)
            raise click.exceptions.NoSuchCommand(name, possibilities=self.list_commands(ctx), ctx=ctx)
        return super().resolve_command(ctx, args)


def make_group() -> click.Group:
    """The whole command line. Without a command it opens the workbench on the current folder."""
    return Commands(
        "codecortex",
        callback=_without_command,
        invoke_without_command=True,
        params=[*common_options(), _version_option()],
        help="Decide what a language model gets to see of a code base.",
        epilog="Without a command, the workbench opens on the current folder.",
        context_settings={"help_option_names": ["-h", "--help"]},
    )


@click.pass_context
def _without_command(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        from workbench.shell.start import open_workbench

        open_workbench(context.obj, context.obj.path)


def _version_option() -> click.Option:
    def show(context: click.Context, _: click.Parameter, value: bool) -> None:
        if value:
            click.echo(f"codecortex {__version__}")
            context.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the version.",
    )


def _own_command(name: str) -> click.Command | None:
    """Return a command that is not made from the table of operations alone; None for other names."""
    if name == "state":
        from workbench.shell.commands import state

        return state.command()
    if name == "resident":
        from workbench.shell.commands import resident

        return resident.command()
    if name in (*SETUP_COMMANDS, "hook"):
        from workbench.shell.commands import setup

        return setup.command(name)
    if name == "copy":
        from workbench.shell.commands import copy

        return copy.command()
    if name == "patch":
        from workbench.shell.commands import patch

        return patch.command()
    if name == "paste":
        from workbench.shell.commands import patch

        return patch.paste_command()
    if name == "batch":
        from workbench.shell.commands import batch

        return batch.command()
    if name == "semantic":
        from workbench.shell.commands import semantic

        return semantic.command()
    return None
