"""`resident`: the processes that commands leave behind, which answer the next ones."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
import msgspec

from services.concurrency.background import start_thread
from services.errors import UsageError
from services.resident.address import find_address, runtime_folder
from services.resident.streams import DeclinedError
from widgets.format.display import visible
from workbench.shell.options import Form, Invocation, Seams, common_options

if TYPE_CHECKING:
    from services.bench import Bench
    from services.resident.listener import Question
    from services.server.serving import Serving
    from services.settings import Settings

T = TypeVar("T", "Bench", "Serving")
_ENDS_WITHIN = 15.0
_LOOKED = 0.5
"""Seconds between two looks whether the first scan has come to its end."""


class ResidentRow(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A resident process. `generation`: of its index; `up`, `idle`: seconds; `memory_mb`: of the whole process;
    `server`: whether it is a server or a workbench, and goes on when it no longer answers commands."""

    root: str
    pid: int
    generation: int
    up: int
    answered: int
    idle: int
    memory_mb: int
    server: bool = False


class _Found(NamedTuple):
    folder: str
    socket: str
    row: ResidentRow


def command() -> click.Group:
    """The command with its own commands."""
    group = click.Group(
        "resident",
        params=common_options(),
        help="Processes that commands leave behind, which answer the next ones of a workspace at once. "
        'CODECORTEX_RESIDENT=off, or resident = "off" in the settings, has every command do its work itself.',
        short_help="List and end the processes that answer commands at once.",
    )
    group.add_command(_status_command())
    group.add_command(_stop_command())
    group.add_command(_run_command())
    return group


def _status_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context) -> None:
        from workbench.shell.output import write_result

        rows = tuple(found.row for found in _found())
        if context.obj.form is not Form.TEXT:
            write_result(ResidentStatus(residents=rows), context.obj.form, rows="residents")
            return
        for row in rows:
            click.echo(_line(row))
        if not rows:
            click.echo("No resident process is running.", err=True)

    return click.Command(
        "status", callback=call, params=common_options(), help="List the resident processes of this person."
    )


class ResidentStatus(msgspec.Struct, frozen=True):
    """Running resident processes."""

    residents: tuple[ResidentRow, ...]


def _line(row: ResidentRow) -> str:
    idle = f"idle {row.idle} s" if row.idle else "at work"
    kind = "server" if row.server else "process"
    return visible(
        f"{row.root}  up {row.up} s, {row.answered} answered, {idle}, {row.memory_mb} MB, {kind} {row.pid}"
    )


def _stop_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, every: bool) -> None:
        own = str(context.obj.path.resolve())
        wanted = [found for found in _found() if every or found.row.root == own]
        if not wanted:
            where = "" if every else f" for {own}"
            click.echo(visible(f"No resident process is running{where}."), err=True)
        for found in wanted:
            _end(found)

    return click.Command(
        "stop",
        callback=call,
        params=[
            click.Option(["--all", "every"], is_flag=True, help="Those of all workspaces."),
            *common_options(),
        ],
        help="End the resident process of this workspace. The next command starts another one.",
    )


def end_residents(root: str) -> None:
    """End the resident processes of a folder whose state is to be moved or deleted. Raises ClickException."""
    for found in _found():
        if found.row.root == root or os.path.dirname(found.row.root) == root:  # noqa: PTH120 - a text
            _end(found, quiet=True)


def _end(found: _Found, *, quiet: bool = False) -> None:
    """Have a resident process end, and wait until it has. Raises ClickException where it does not."""
    from services.resident.client import is_lock_free
    from services.resident.process import stop

    ends = time.monotonic() + _ENDS_WITHIN
    stop(found.folder, found.socket)
    lock = f"{found.folder}/{found.socket.removesuffix('.sock')}.lock"
    while not is_lock_free(lock):
        if time.monotonic() > ends:
            raise click.ClickException(f"Process {found.row.pid} has not ended yet. Try again in a moment.")
        time.sleep(0.02)
    if not quiet:
        ended = "server answers no more commands" if found.row.server else "resident process has ended"
        click.echo(visible(f"{found.row.root}: the {ended}."))


def _found() -> Iterator[_Found]:
    """The resident processes that answer."""
    from services.resident.client import connect_to
    from services.resident.listener import listening
    from services.resident.process import SERVER

    folder = runtime_folder(os.environ)
    for name in listening(folder) if folder is not None else ():
        reached = connect_to(folder or "", name)
        if reached is not None:
            connection, said = reached
            connection.close()
            with suppress(ValueError, IndexError):
                numbers = [int(each) for each in (said[1], *said[3:8])]
                yield _Found(folder or "", name, _row(said[2], numbers, is_server=said[8] == SERVER))


def _row(root: str, numbers: list[int], *, is_server: bool) -> ResidentRow:
    generation, pid, up, answered, idle, memory = numbers
    return ResidentRow(
        root=root,
        pid=pid,
        generation=generation,
        up=up,
        answered=answered,
        idle=idle,
        memory_mb=memory,
        server=is_server,
    )


def _run_command() -> click.Command:
    @click.pass_context
    def call(context: click.Context, name: str) -> None:
        from services.resident.process import serve

        invocation: Invocation = context.obj
        address = find_address(str(invocation.path), os.environ)
        if address is None or (name and address.name != name):
            raise UsageError("This process would not answer as the command did that started it.")
        os.environ.pop("NO_COLOR", None)
        os.environ["TERM"] = "xterm"
        settings = invocation.settings(invocation.path)
        serve(address, settings, partial(answer, whole_group()), idle=settings.resident.idle * 60.0)

    return click.Command(
        "run",
        callback=call,
        params=[click.Option(["--name"], default="", hidden=True), *common_options()],
        help="Be the resident process of this workspace, until nobody asks any more.",
        hidden=True,
    )


def whole_group() -> click.Group:
    """The whole command line, of which this process runs a command."""
    group = click.get_current_context().find_root().command
    assert isinstance(group, click.Group)
    return group


def answer(group: click.Group, question: Question, host: Bench) -> int:
    """Run a command line that somebody typed elsewhere over a workspace that is open; its exit status. Raises
    DeclinedError for one that only a process of their own can run."""
    from services.concurrency.cancellation import job
    from services.source.journal.actor import in_session
    from workbench.shell.failure import run_group

    seams = Seams(
        open_bench=lambda path, settings: _opened(host, path, settings),
        start_workbench=_no_screen,
        open_server=partial(_opened_server, host),
        accept=question.client.accept if question.client is not None else None,
    )
    with in_session(question.session), job(None, question.cancel):
        return run_group(group, question.arguments, Invocation(folder=Path(question.folder), seams=seams))


def answer_beside(path: Path, bench: Bench, *, group: click.Group) -> None:
    """Answer commands of `group` in a process that shows the workspace, from the first scan on until it is closed."""
    ending, index = threading.Event(), bench.index.facade

    def answer_once_scanned() -> None:
        while not index.refreshed_at:
            if ending.wait(_LOOKED):
                return
        from services.resident.process import answering_commands

        with answering_commands(path, bench, partial(answer, group), lambda _: True):
            ending.wait()

    def end() -> None:
        ending.set()
        thread.join(_ENDS_WITHIN)

    # The caller shows the workspace meanwhile.
    thread = start_thread(answer_once_scanned, name="answering")
    bench.closing.callback(end)


def _opened(host: Bench, path: Path, settings: Settings) -> Bench:
    """The open workspace for one command, which reads all but the index anew."""
    from services.bench import Bench
    from workbench.shell.options import acting_tools, reading_tools

    _check_settings(host, settings)
    bench = Bench.open(
        path, settings=settings, lasting=False, tools=reading_tools, acts=acting_tools, host=host
    )
    return _checked(host, bench, bench)


def _opened_server(host: Bench, path: Path, settings: Settings, **options: Any) -> Serving:
    """The open workspace as a server of its own process has it, but for the index."""
    from services.server.serving import Serving

    _check_settings(host, settings)
    serving = Serving.open(path, settings, host=host, **options)
    return _checked(host, serving.bench, serving)


def _check_settings(host: Bench, settings: Settings) -> None:
    if (settings.index, settings.files) != (host.settings.index, host.settings.files):
        raise DeclinedError("other settings of the index")


def _checked(host: Bench, bench: Bench, opened: T) -> T:
    """What was opened over a host, if that is of the same root. Raises DeclinedError."""
    if bench.root != host.root or bench.start != host.start:
        opened.close()
        raise DeclinedError("another root")
    return opened


def _no_screen(_: Path, __: Any) -> int:
    raise DeclinedError("a screen")
