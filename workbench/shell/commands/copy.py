"""`copy`: the window to a clipboard, a file or standard output, saying which it was."""

from __future__ import annotations

import sys
from itertools import count
from typing import TYPE_CHECKING, Any

import click

from services.operations import by_name
from widgets.format.display import visible
from workbench.shell.command import write
from workbench.shell.options import Form, Invocation, common_options
from workbench.shell.parameters import click_parameters, wire_arguments
from workbench.state.clipboard import Clipboard, CopyMethod, is_remote, system_copy, terminal_copier

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model.copies import Copy

WAYS = ("clipboard", "osc52", "file", "stdout")
_FILE = "copied"
_ENDINGS = {"md": ".md", "xml": ".xml", "json": ".json"}


def command() -> click.Command:
    """Return the command: the operation Copy, with the target of its text."""
    operation = by_name("Copy")
    assert operation is not None
    return click.Command(
        "copy",
        callback=_run,
        params=[
            *click_parameters(operation),
            click.Option(
                ["--to"],
                type=click.Choice(WAYS),
                help="Where it goes: the clipboard of the system (at a terminal the default; else OSC 52, a file), "
                "that of the terminal, a file in the state folder, or standard output (in a pipe the default).",
            ),
            click.Option(["--part"], type=click.IntRange(1), help="Only this part of several."),
            *common_options(),
        ],
        help=operation.help,
        short_help=operation.summary,
    )


@click.pass_context
def _run(context: click.Context, to: str | None, part: int | None, **values: Any) -> None:
    from services.operations.copying import wanted
    from workbench.shell.command import opened

    invocation: Invocation = context.obj
    operation = by_name("Copy")
    assert operation is not None
    chosen = to or ("stdout" if invocation.form is not Form.TEXT or not sys.stdout.isatty() else "clipboard")
    arguments = wire_arguments(operation, values)
    with opened(invocation, operation, arguments) as bench:
        given = {parameter.name: parameter.default for parameter in operation.parameters}
        by_wire = {parameter.wire: parameter.name for parameter in operation.parameters}
        given |= {by_wire[wire]: value for wire, value in arguments.items()}
        made = bench.copying.prepare(wanted(bench, **given))
        delivered: list[int] = []
        try:
            if chosen == "stdout":
                _print(operation, _of_part(made, part), invocation)
                delivered += [part] if part is not None else range(1, len(made.parts) + 1)
            else:
                _deliver(bench, _of_part(made, part), chosen, delivered, first=part or 1)
        finally:
            if delivered:
                bench.copying.keep(made, delivered)
        if chosen == "file" and part is None:
            _remove_older(bench, made)
        if chosen != "stdout" and invocation.form is not Form.TEXT:
            write(operation, made, invocation)


def _of_part(made: Copy, part: int | None) -> Copy:
    """The copy with one of its parts alone. Raises click.UsageError where there is no such part."""
    import msgspec

    if part is None:
        return made
    if part > len(made.parts):
        raise click.UsageError(f"There are {len(made.parts)} parts; --part cannot be {part}.")
    return msgspec.structs.replace(made, parts=(made.parts[part - 1],))


def _print(operation: Any, made: Copy, invocation: Invocation) -> None:
    write(operation, made, invocation)
    sys.stdout.flush()  # a reader that has gone is found out before anything counts as handed over
    if invocation.form is Form.TEXT and sys.stderr.isatty():
        _say(made)


def _deliver(bench: Bench, made: Copy, to: str, delivered: list[int], *, first: int) -> None:
    """Deliver part by part, each noted as `delivered`; between two, a person confirms that the first is pasted.
    Raises click.ClickException where a part could not be delivered."""
    total = len(made.parts)
    _say(made)
    for at, text in enumerate(made.parts):
        clipboard = _clipboard(bench, made, f"-{first + at}" if made.receipt.parts > 1 else "")
        copied = {"clipboard": clipboard.copy, "osc52": clipboard.send, "file": clipboard.keep}[to](text)
        what = "Window" if made.receipt.parts == 1 else f"Part {first + at} of {made.receipt.parts}"
        if copied.way is CopyMethod.NONE:
            raise click.ClickException(copied.sentence(what))
        click.echo(visible(copied.sentence(what)), err=True)
        delivered.append(first + at)
        if copied.way is not CopyMethod.FILE and at + 1 < total and not _next(first + at + 1):
            raise click.ClickException(
                f"Parts {first + at + 1} to {total} were not copied. Copy one with --part N."
            )


def _remove_older(bench: Bench, made: Copy) -> None:
    """Remove the files of an earlier copy that this one did not replace, so that they are not taken for parts
    of it."""
    ending, parts = _ENDINGS[made.receipt.format], len(made.parts)
    if parts > 1:
        bench.state.remove(f"{_FILE}{ending}")
    following = count(parts + 1 if parts > 1 else 1)
    while bench.state.remove(f"{_FILE}-{next(following)}{ending}"):
        pass


def _next(number: int) -> bool:
    """Whether a person requested the next part."""
    if not sys.stdin.isatty():
        return False
    click.echo(f"Enter copies part {number}.", err=True, nl=False)
    return bool(sys.stdin.readline())


def _clipboard(bench: Bench, made: Copy, suffix: str) -> Clipboard:
    def save(text: str) -> str:
        name = f"{_FILE}{suffix}{_ENDINGS[made.receipt.format]}"
        bench.state.write(name, text.encode("utf-8", "surrogateescape"))
        return str(bench.state.path(name))

    return Clipboard(system_copy, terminal_copier(), save, remote=is_remote())


def _say(made: Copy) -> None:
    from workbench.shell.text.render_copying import copy_facts

    click.echo("; ".join(copy_facts(made)) + ".", err=True)
