"""A declared parameter as the command line takes it: by position, as an option, or as half of a range."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from typing import Any, get_origin

import click

from services.operations import Operation, OperationParameter

_OTHER = "other_"
"""Before the other name of a parameter, where click keeps its value."""
_RANGE = re.compile(r"([0-9]{1,9})?-([0-9]{1,9})?|([0-9]{1,9})")


class LineRange(click.ParamType):
    """`10-20`, `10-` (to the end), `-20` (from the start) or `10` (that line alone), as a pair."""

    name = "A-B"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The two ends; None for an open one."""
        match = _RANGE.fullmatch(value)
        if match is None or not any(match.groups()):
            self.fail(f"{value!r} is not a range of lines such as 10-20.", param, ctx)
        start, end, single = match.groups()
        return (
            (int(single), int(single)) if single else tuple(int(end) if end else None for end in (start, end))
        )


def click_parameters(operation: Operation) -> list[click.Parameter]:
    """A click parameter for each declared one, and one for each range."""
    made: dict[str, click.Parameter] = {}
    for parameter in operation.parameters:
        flag = parameter.param.flag
        if flag is None:
            made[parameter.name] = _argument(parameter)
        elif flag in made:
            made[flag] = _range_option(made[flag])
        else:
            made[flag] = _option(parameter)
    by_wire = {parameter.wire: parameter for parameter in operation.parameters}
    others = (_synonym(name, by_wire[wire]) for name, wire in operation.synonyms.items())
    return [*made.values(), *(each for each in others if made.keys().isdisjoint(each.opts))]


def _synonym(name: str, parameter: OperationParameter) -> click.Option:
    """Another name of a parameter: taken, and shown nowhere."""
    flag = re.sub("([A-Z])", lambda capital: f"-{capital[0].lower()}", name)
    return click.Option([f"--{flag}", _OTHER + name], type=_type(parameter), hidden=True)


def wire_arguments(operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return click's values by wire name; absent ones are left to the declaration's default."""
    given: dict[str, Any] = {}
    for ends in _by_name(operation.parameters).values():
        value = values.get(ends[0].name)
        if value is not None:
            given |= zip((end.wire for end in ends), value if len(ends) > 1 else (value,), strict=True)
    given |= {name: values.get(_OTHER + name) for name in operation.synonyms}
    given = {name: value for name, value in given.items() if value is not None}
    given |= _piped(operation, given)
    _require_arguments(operation, given)
    return given


def _piped(operation: Operation, given: Mapping[str, Any]) -> dict[str, str]:
    """Return the text from stdin: where `-` requests it, or where nothing is given, one is expected and stdin is no
    terminal. Raises click.UsageError where `-` finds nothing there."""
    for parameter in operation.parameters:
        param, asked = parameter.param, given.get(parameter.wire) == "-"
        nothing = param.awaited and not any(given.values()) and not sys.stdin.isatty()
        if param.piped and (asked or nothing):
            text = sys.stdin.buffer.read().decode("utf-8", "replace")
            if asked and not text.strip():
                message = f"Nothing came by stdin for {parameter.wire.upper()}."
                raise click.UsageError(message, click.get_current_context(silent=True))
            # A text of whole lines, however it ends: what has no line end might be taken for a name.
            return {parameter.wire: text if text.endswith("\n") else f"{text}\n"}
    return {}


def _require_arguments(operation: Operation, given: Mapping[str, Any]) -> None:
    """Raise click.UsageError where a positional argument is missing."""
    stands_for = {operation.synonyms.get(name, name) for name in given}
    for parameter in operation.parameters:
        if parameter.required and parameter.param.flag is None and parameter.wire not in stands_for:
            raise click.UsageError(
                f"Missing argument '{parameter.wire.upper()}'.", click.get_current_context(silent=True)
            )


def _by_name(parameters: Iterable[OperationParameter]) -> dict[str, list[OperationParameter]]:
    grouped: dict[str, list[OperationParameter]] = {}
    for parameter in parameters:
        grouped.setdefault(parameter.param.flag or parameter.name, []).append(parameter)
    return grouped


def _argument(parameter: OperationParameter) -> click.Argument:
    words = parameter.param.words
    return click.Argument(
        [parameter.name],
        required=False,  # one of its other names may be given
        default=None,
        metavar=parameter.wire.upper() if parameter.required else f"[{parameter.wire.upper()}]",
        type=str if words else _type(parameter),
        nargs=-1 if words else 1,
        callback=_joined if words else None,
    )


def _joined(_: click.Context, __: click.Parameter, value: tuple[str, ...]) -> str | None:
    return " ".join(value) if value else None


def _option(parameter: OperationParameter) -> click.Option:
    param = parameter.param
    flags = [name for name in (param.flag, param.short, parameter.name) if name]
    if parameter.type is bool:
        return click.Option(
            flags, is_flag=True, default=None if parameter.optional else False, help=param.help
        )
    if get_origin(parameter.type) is tuple:
        return click.Option(flags, type=str, multiple=True, help=f"{param.help} Repeat it for more.")
    shown = "" if parameter.required or parameter.default in (None, "") else f" Default: {parameter.default}."
    kind = _type(parameter)
    metavar = "N" if parameter.type is int else None
    return click.Option(
        flags,
        type=kind,
        required=parameter.required and param.missing is None,
        metavar=metavar,
        help=param.help + shown,
    )


def _type(parameter: OperationParameter) -> click.ParamType | type:
    if parameter.param.choices:
        return click.Choice(parameter.param.choices)
    if parameter.type is int:
        return click.IntRange(parameter.param.least, parameter.param.most)
    return parameter.type


_LINES_HELP = "First and last line, counted from 1, both included."


def _range_option(first: click.Parameter) -> click.Option:
    assert isinstance(first, click.Option)
    return click.Option([*first.opts, first.name or ""], type=LineRange(), metavar="A-B", help=_LINES_HELP)
