"""The two commands that start the workbench."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

import click

from services.errors import CodeCortexError, UsageError, WorkspaceError
from widgets.format.display import visible
from workbench.shell.options import Invocation, common_options

ESCAPE_WAIT = {"ESCDELAY": "20"}
"""Milliseconds in which what follows an escape makes a key of it: Textual's 100 keep whoever stops an answer."""
SAMPLE = Path(__file__).parent.parent / "demo"
SAMPLE_NAME = "Orchard"


def command(name: str) -> click.Command:
    """`open` or `demo`."""
    return _open_command() if name == "open" else _demo_command()


def open_workbench(invocation: Invocation, path: Path) -> None:
    """Start the screen on `path`. Raises WorkspaceError where it is not, or where there is no terminal."""
    _require_there(path)
    if not ((sys.stdin.isatty() and sys.stdout.isatty()) or _in_browser()):
        raise WorkspaceError(
            "The workbench needs a terminal. In a script use a command, such as `codecortex search`."
        )
    if os.environ.get("TERM") == "dumb" and not _in_browser():
        raise WorkspaceError(
            "The workbench paints the whole screen, which a terminal with TERM=dumb cannot show. Use `open --serve`, "
            "or a command such as `codecortex search`."
        )
    for name, value in ESCAPE_WAIT.items():  # read when Textual is imported
        os.environ.setdefault(name, value)
    settings, start = invocation.settings(path), invocation.seams.start_workbench
    if settings.resident.mode != "off":
        from workbench.shell.commands.resident import answer_beside, whole_group

        start = partial(start, opened=partial(answer_beside, path, group=whole_group()))
    status = start(path, settings)
    if status:
        raise click.exceptions.Exit(status)


def serve_workbench(invocation: Invocation, path: Path, port: int) -> None:
    """Serve the screen to browsers on this machine until it is interrupted. Raises WorkspaceError, UsageError."""
    _require_there(path)
    if importlib.util.find_spec("textual_serve") is None:
        raise UsageError("This needs textual-serve, which is not installed. Install codecortex[browser].")
    from workbench.browser import BrowserServer, command_for

    options = tuple(part for key, value in invocation.flags.items() for part in ("--set", f"{key}={value}"))
    command = command_for(path.resolve(), options)
    BrowserServer(command, port=port, say=lambda said: click.echo(said, err=True)).serve()


def _require_there(path: Path) -> None:
    there = False
    with suppress(OSError, ValueError):  # a name that the system does not take
        there = path.exists()
    if not there:
        raise WorkspaceError(f"There is no folder {path}. Name one that exists, or try `codecortex demo`.")


def _in_browser() -> bool:
    """Whether this process was started for a page of `open --serve`, which is its terminal."""
    return os.environ.get("TEXTUAL_DRIVER", "").startswith("textual.drivers.web_driver")


def copy_sample(target: Path) -> Path:
    """Copy the sample solution to `target`, which must be new or empty; answer it. Raises WorkspaceError."""
    try:
        if target.exists() and (not target.is_dir() or any(target.iterdir())):
            raise WorkspaceError(f"{target} is not empty. Name a folder that does not exist yet.")
        for source in sorted(path for path in SAMPLE.rglob("*") if path.is_file()):
            copy = target / source.relative_to(SAMPLE)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise WorkspaceError(
            f"The sample cannot be put into {target}: {reason}. Name another folder."
        ) from error
    return target


@contextmanager
def _temporary_sample() -> Iterator[Path]:
    """Yield a temporary copy of the sample solution, deleted with all that was derived from it; a failure to remove
    it is reported."""
    folder = Path(tempfile.mkdtemp(prefix="codecortex-demo-"))
    try:
        yield copy_sample(folder / SAMPLE_NAME)
    finally:
        _forget(folder / SAMPLE_NAME)
        shutil.rmtree(folder, ignore_errors=True)
        if folder.exists():
            click.echo(f"{visible(str(folder))} could not be removed; it is no longer needed.", err=True)


def _forget(root: Path) -> None:
    """Delete the state of a folder, where there is one and no process uses it."""
    from services.workspace.state_home import NoStateError, StateHome

    with suppress(NoStateError, CodeCortexError, OSError):
        home = StateHome.of_person()
        if (state := home.find_folder(root)) is not None:
            home.delete(state.name)


def _open_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, path: Path | None, serve: bool, port: int) -> None:
        where = path or context.obj.path
        if serve:
            serve_workbench(context.obj, where, port)
        else:
            open_workbench(context.obj, where)

    browser = click.Option(
        ["--serve"], is_flag=True, help="In a browser on this machine, not in this terminal."
    )
    port = click.Option(
        ["--port"], type=click.IntRange(1, 65_535), default=8732, help="Port for --serve. Default: 8732."
    )

    return click.Command(
        "open",
        callback=call,
        params=[
            click.Argument(["path"], required=False, type=click.Path(path_type=Path)),
            browser,
            port,
            *common_options(),
        ],
        help="Open the workbench on a folder, a solution or a project.",
    )


def _demo_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, into: Path | None, copy_only: bool) -> None:
        if into is None and not copy_only:
            with _temporary_sample() as target:
                open_workbench(context.obj, target)
            return
        target = copy_sample(into or Path(tempfile.mkdtemp(prefix="codecortex-demo-")) / SAMPLE_NAME)
        click.echo(f"The sample solution is in {visible(str(target))}", err=not copy_only)
        if not copy_only:
            open_workbench(context.obj, target)

    into = click.Option(
        ["--into"], type=click.Path(path_type=Path), help="Folder to make, which stays; else a temporary one."
    )
    copy_only = click.Option(["--copy-only"], is_flag=True, help="Copy the solution and do not open it.")
    return click.Command(
        "demo",
        callback=call,
        params=[into, copy_only, *common_options()],
        help="Open the workbench on a copy of a small C# solution.",
    )
