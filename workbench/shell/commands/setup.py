"""Commands that set up a shell, `man` and clients of agents for the program, and take that back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import click

from services.errors import CodeCortexError
from widgets.format.display import visible, visible_lines
from workbench.shell.options import Invocation, common_options

SHELLS = ("bash", "zsh", "fish")
_VARIABLE = "_CODECORTEX_COMPLETE"
_FISH_SPLIT, _FISH_SPLIT_ONCE = 'string split ","', 'string split -m 1 ","'
"""click's script for fish ends what it says of an option at its first comma."""
_ZSH_ADVICE = "Once, in ~/.zshrc before compinit: fpath+=(~/.zfunc). Then start a new shell."


def command(name: str) -> click.Command:
    """The command of that name."""
    if name in ("install", "uninstall"):
        return _client_command(name)
    if name == "hook":
        return _hook()
    return _completion() if name == "completion" else _manual()


def _hook() -> click.Command:
    def call(name: str) -> None:  # noqa: ARG001 (it marks the command in a client's file)
        from services.server.clients import MOST_BYTES, answer

        said = answer(sys.stdin.buffer.read(MOST_BYTES))
        if said is not None:
            click.echo(said)

    return click.Command(
        "hook",
        callback=call,
        params=[click.Argument(["name"], required=False, default="")],
        help="Advise an agent that searches C# by text: a client's hook gives its call on the standard input.",
        hidden=True,
    )


def _completion() -> click.Command:
    def call(shell: str, install: bool, remove: bool) -> None:
        advice = _ZSH_ADVICE if shell == "zsh" else "Start a new shell to have it."
        group = _group()
        _place(
            _completion_file(shell),
            lambda: script(shell, group),
            install=install,
            remove=remove,
            advice=advice,
        )

    return click.Command(
        "completion",
        callback=call,
        params=[click.Argument(["shell"], type=click.Choice(SHELLS)), *_options()],
        help="Print what completes commands and options in a shell, or put it where that shell looks.",
    )


def _manual() -> click.Command:
    def call(install: bool, remove: bool) -> None:
        path = _data_home() / "man" / "man1" / "codecortex.1"
        group = _group()
        _place(path, lambda: manual(group), install=install, remove=remove, advice="man codecortex shows it.")

    return click.Command(
        "manual",
        callback=call,
        params=_options(),
        help="Print the manual page, or put it where `man` looks.",
    )


def _group() -> click.Group:
    """The whole command line, which this command is one of."""
    group = click.get_current_context().find_root().command
    assert isinstance(group, click.Group)
    return group


def script(shell: str, group: click.Group) -> str:
    """Return the completion script of a shell: it calls the program itself, so that it is never out of date."""
    from click.shell_completion import get_completion_class

    kind = get_completion_class(shell)
    assert kind is not None
    made = kind(group, {}, "codecortex", _VARIABLE)
    # click looks which version of bash there is, which need not be on this machine to print what it reads.
    return (made.source_template % made.source_vars()).replace(_FISH_SPLIT, _FISH_SPLIT_ONCE)


def manual(group: click.Group) -> str:
    """The manual page, in roff."""
    from services import __version__

    context = click.Context(group, info_name="codecortex")
    parts = [
        f'.TH CODECORTEX 1 "" "codecortex {__version__}"',
        ".SH NAME",
        f"codecortex \\- {_roff(group.help or '')}",
        ".SH SYNOPSIS",
        ".B codecortex\n[OPTIONS] [COMMAND] [ARGS]...",
        ".SH OPTIONS",
        *_described(group, context),
        ".SH COMMANDS",
    ]
    for name in group.list_commands(context):
        each = group.get_command(context, name)
        if each is None or each.hidden:
            continue
        own = click.Context(each, info_name=name, parent=context)
        usage = " ".join(each.collect_usage_pieces(own))
        parts += [f'.SS "{_roff(name)} {_roff(usage)}"', _roff(each.help or ""), *_described(each, own)]
    parts += [
        ".SH EXIT STATUS",
        "0 fine, 1 the operation failed, 2 usage, 130 interrupted.",
        ".SH FILES",
        ".TP\n.I .context/\nFiles of a workspace to read and to share: notes, packs, presets, the window's text.",
    ]
    return "\n".join(parts) + "\n"


def _described(command: click.Command, context: click.Context) -> list[str]:
    """The options of a command but those that every command has."""
    common = {parameter.name for parameter in context.parent.command.params} if context.parent else set()
    records = [
        parameter.get_help_record(context) for parameter in command.params if parameter.name not in common
    ]
    return [f".TP\n.B {_roff(left)}\n{_roff(right)}" for left, right in filter(None, records)]


def _roff(text: str) -> str:
    """Return text without meaning to roff: no line of it is a request, no word an escape."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return "\n".join(f"\\&{line}" if line.startswith((".", "'")) else line for line in escaped.split("\n"))


def _options() -> list[click.Parameter]:
    return [
        click.Option(["--install"], is_flag=True, help="Put it into the person's own folder for that."),
        click.Option(["--remove"], is_flag=True, help="Remove it from there."),
    ]


def _place(path: Path, made: Callable[[], str], *, install: bool, remove: bool, advice: str) -> None:
    """Print a text, or write it to a file or remove that. Raises click.ClickException."""
    if install and remove:
        raise click.UsageError("Either --install or --remove.")
    try:
        if remove:
            path.unlink(missing_ok=True)
            _remove_empty_folders(path)
            click.echo(f"{path} is removed.")
        elif install:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(made(), "utf-8")
            click.echo(f"{path} is written. {advice}")
        else:
            click.echo(made(), nl=False)
    except OSError as error:
        raise click.ClickException(f"{path} could not be changed: {error.strerror or error}.") from error


def _remove_empty_folders(path: Path) -> None:
    """Remove the folders of a file that hold nothing any more, up to those that every program shares."""
    shared = {Path.home(), _config_home(), _data_home()}
    for folder in path.parents:
        if folder in shared:
            return
        try:
            folder.rmdir()
        except OSError:
            return


def _completion_file(shell: str) -> Path:
    return {
        "bash": _data_home() / "bash-completion" / "completions" / "codecortex",
        "zsh": Path.home() / ".zfunc" / "_codecortex",
        "fish": _config_home() / "fish" / "completions" / "codecortex.fish",
    }[shell]


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _data_home() -> Path:
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")


def _client_command(name: str) -> click.Command:
    """`install` or `uninstall`."""
    from services.server.installing import SETUPS

    is_removal = name == "uninstall"
    what = "Take out of a client what install wrote" if is_removal else "Set a client up for this workspace"

    @click.pass_context
    def call(context: click.Context, client: str, dry_run: bool, yes: bool) -> None:
        _change(context.obj, client, remove=is_removal, dry_run=dry_run, yes=yes)

    return click.Command(
        name,
        callback=call,
        params=[
            click.Argument(["client"], type=click.Choice(tuple(SETUPS), case_sensitive=False)),
            click.Option(["--dry-run"], is_flag=True, help="Show what would be written, and leave."),
            click.Option(["--yes", "-y"], is_flag=True, help="Ask nothing."),
            *common_options(),
        ],
        help=f"{what}: its configuration, and rules that say when to ask what. The changes are shown first; "
        "what others wrote stays as it is.",
        short_help=f"{what}.",
    )


def _change(invocation: Invocation, client: str, *, remove: bool, dry_run: bool, yes: bool) -> None:
    from services.server.installing import SETUPS, planned, write
    from workbench.shell.serve import program

    title = SETUPS[client.lower()].title
    try:
        plans = planned(client, program=program(), root=Path(invocation.path).resolve(), remove=remove)
        for plan in plans:
            click.echo(visible_lines(plan.diff), nl=False)
        if not plans:
            click.echo(f"Nothing to do: {title} {'has nothing of it' if remove else 'is set up already'}.")
            return
        if dry_run or (sys.stdin.isatty() and not yes and not click.confirm("Write this?", err=True)):
            click.echo("Nothing was written.", err=True)
            return
        write(plans)
    except CodeCortexError as error:
        raise click.ClickException(visible(error.message)) from error
    click.echo(f"{title} is {'as it was' if remove else 'set up: start it again in this folder'}.", err=True)
