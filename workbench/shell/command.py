"""An operation as a command."""

from __future__ import annotations

import sys
from typing import Any

import click

from services.operations import Operation
from services.operations.operation import Work
from workbench.shell.invocation import Invocation
from workbench.shell.options import common_options
from workbench.shell.parameters import click_parameters, wire_arguments
from workbench.shell.progress import ProgressLine


def make_command(operation: Operation) -> click.Command:
    """The command of an operation: its parameters, its help, and a run that prints the result."""

    @click.pass_context
    def call(context: click.Context, **values: Any) -> None:
        from workbench.shell.session import opened

        invocation: Invocation = context.obj
        arguments = wire_arguments(operation, values)
        with opened(invocation, operation, arguments) as bench:
            with ProgressLine(sys.stderr) as progress:
                result = operation.run(bench, arguments, Work(progress))
            write(operation, result, invocation)

    return click.Command(
        operation.faces.command,
        callback=call,
        params=[*click_parameters(operation), *common_options()],
        help=_help(operation),
        short_help=operation.summary,
    )


def write(operation: Operation, result: Any, invocation: Invocation) -> None:
    """Print a result in the form that was asked for."""
    from workbench.shell import output

    if operation.stream:
        output.write_stream(result, invocation.form)
    else:
        output.write_result(result, invocation.form, rows=operation.faces.rows)


def _help(operation: Operation) -> str:
    arguments = [parameter for parameter in operation.parameters if parameter.param.flag is None]
    described = [f"{parameter.wire.upper()}: {parameter.param.help}" for parameter in arguments]
    return "\n\n".join([operation.help, *described])
