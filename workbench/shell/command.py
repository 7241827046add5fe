"""An operation as a command.

A bench for the length of one command, with as much of its index as the command needs.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from services.errors import ReadOnly, WorkspaceError, quoted
from services.model import Resolved, Status
from services.operations import Need, Operation
from services.operations.operation import Work
from services.operations.source import ReadAnswer
from services.ops.jobs import Op, OpState
from workbench.shell.options import Form, Invocation, common_options
from workbench.shell.output import ProgressLine
from workbench.shell.parameters import click_parameters, wire_arguments

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model import Notice
    from services.operations.models.masking import Hiding
    from services.settings import Settings


@contextmanager
def opened(invocation: Invocation, operation: Operation, arguments: Mapping[str, Any]) -> Iterator[Bench]:
    """Open the workspace for a call and close it. A call that needs the index uses the stored one, brought up to date
    unless `--no-refresh`. Notices are printed to stderr, once: not where the answer contains all notices. Raises
    UsageError where the arguments do not fit, WorkspaceError where no index is stored."""
    settings, is_told = invocation.settings(invocation.path), False
    if invocation.form is Form.TEXT and operation.result is not Status:
        _warn(settings)
    bench = invocation.seams.open_bench(invocation.path, settings)
    try:
        with _ended_as_interrupted():
            _make_ready(bench, operation.need(bench, arguments), refresh=invocation.refresh)
            yield bench
            is_told = operation.result is Status
    finally:
        if not is_told:
            _announce(bench.health.renewals(), invocation.form)
        bench.close()


@contextmanager
def _ended_as_interrupted() -> Iterator[None]:
    """Takes the signal to end as ctrl+c is taken: on the way out, scratch folders and locks are given up."""
    usual = signal.SIG_DFL
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not usual
    ):
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


def _announce(notices: Iterable[Notice], form: Form) -> None:
    """Print notices of damaged and rebuilt files, where they disturb no result: people read them, programs may."""
    from widgets.format.display import visible
    from workbench.shell.output import json_text

    for notice in notices:
        text = f"{notice.severity}: {notice.message}" + (f" {notice.what_to_do}" if notice.what_to_do else "")
        click.echo(visible(text) if form is Form.TEXT else json_text({"notice": notice}), err=True)


def _make_ready(bench: Bench, need: Need, *, refresh: bool) -> None:
    if need is Need.NOTHING:
        return
    kept = bench.index.load()
    if refresh:
        with ProgressLine(sys.stderr) as progress:
            bench.index.refresh(progress=progress)
    elif need is Need.WHOLE and not kept:
        raise WorkspaceError(
            f"No index is kept for {bench.root}: there was none yet, or another process is changing it. Leave out "
            "--no-refresh to have one that is up to date."
        )


def _warn(settings: Settings) -> None:
    from widgets.format.display import visible

    for notice in settings.notices:
        click.echo(visible(f"{notice.severity}: {notice.message}"), err=True)


_RAW = "raw"
_PATCH = "diff"
_LOST = "Nothing was done: what it leaves would lie in a temporary folder, and be lost with this command."


def make_command(operation: Operation) -> click.Command:
    """The command of an operation: its parameters, its help, and a run that prints the result."""

    @click.pass_context
    def call(context: click.Context, **values: Any) -> None:

        invocation: Invocation = context.obj
        raw = values.pop(_RAW, False)
        arguments = wire_arguments(operation, values)
        with opened(invocation, operation, arguments) as bench:
            if operation.effect.keeps(arguments) and bench.state.is_temporary:
                raise ReadOnly(_LOST, path=str(bench.state.where))
            with ProgressLine(sys.stderr) as progress:
                result = operation.run(bench, arguments, Work(progress))
            if raw and invocation.form is Form.TEXT and operation.result is ReadAnswer:
                sys.stdout.write(result.content)
            elif raw and invocation.form is Form.TEXT:
                _write_patch(bench, arguments)
            else:
                write(operation, result, invocation, hiding=None if raw else hiding_of(bench))
        leave_with(result, arguments)

    return click.Command(
        operation.faces.command,
        callback=call,
        params=[*click_parameters(operation), *_own_options(operation), *common_options()],
        help=_help(operation),
        short_help=operation.summary,
    )


def _write_patch(bench: Bench, arguments: Mapping[str, Any]) -> None:
    """Write the bytes of a patch, in any encoding of its files."""
    sys.stdout.flush()
    opened_change = bench.review.open(arguments.get("change", ""))
    sys.stdout.buffer.write(opened_change.patch(arguments.get("files", ())))


def leave_with(result: Any, arguments: Mapping[str, Any]) -> None:
    """Exit with the status of a result, for scripts. Raises click's Exit with 1 where there is none, with a message
    on stderr, or where the result itself reports a failure."""
    from widgets.format.display import visible
    from workbench.shell.text.left_out import nothing_found

    if (guess := _guess(result, arguments)) is not None:
        click.echo(visible(guess), err=True)
    if said := nothing_found(result):
        # As grep and its kin have it: a script sees by the status that there is nothing.
        click.echo(visible(said.rstrip("\n")), err=True)
        raise click.exceptions.Exit(1)
    if getattr(result, "success", True) is False or (arguments.get("wait") and not _is_done(result)):
        raise click.exceptions.Exit(1)


def _guess(result: Any, arguments: Mapping[str, Any]) -> str | None:
    """Return a line with the symbol that a misspelt name was resolved to."""
    resolved = getattr(result, "resolved", None)
    if not isinstance(resolved, Resolved) or not resolved.is_guess:
        return None
    asked = next((arguments[name] for name in ("path", "memberPath", "object") if arguments.get(name)), "")
    return f"Nothing is called {quoted(asked)}: it was taken for {resolved.path}."


def _is_done(result: Any) -> bool:
    """Whether every operation that was waited for ended as it should."""
    ops = (result,) if isinstance(result, Op) else getattr(result, "ops", ())
    return all(op.state is OpState.DONE for op in ops)


def _own_options(operation: Operation) -> list[click.Parameter]:
    """Return the options of the shell alone: whether source is made visible, or printed as in the file."""
    if operation.result is not ReadAnswer and operation.faces.command != _PATCH:
        return []
    text = "Write the source as it is, also what a terminal would act on or hide, and likely secrets."
    if operation.result is not ReadAnswer:
        text = (
            "Write a patch that git apply takes, byte for byte: with binary files, names quoted as git does, likely "
            "secrets too."
        )
    return [click.Option([f"--{_RAW}"], is_flag=True, help=text)]


def write(operation: Operation, result: Any, invocation: Invocation, *, hiding: Hiding | None = None) -> None:
    """Print a result in the requested form."""
    from workbench.shell import output

    if operation.stream:
        output.write_stream(result, invocation.form, hiding=hiding)
    else:
        output.write_result(result, invocation.form, rows=operation.faces.rows, hiding=hiding)


def hiding_of(bench: Bench) -> Hiding | None:
    """Return the mask of an answer, unless a person reads it at a terminal: output to a pipe, a file or a program is
    read by models as often (SAFETY, Models and the network)."""
    if sys.stdout.isatty():
        return None
    from services.operations.models.masking import hiding

    return hiding(bench)


def _help(operation: Operation) -> str:
    arguments = [parameter for parameter in operation.parameters if parameter.param.flag is None]
    described = [f"{parameter.wire.upper()}: {parameter.param.help}" for parameter in arguments]
    return "\n\n".join([operation.help, *described])
