"""Declared parameters on the command line: what is written there arrives as it was meant, by its name on the wire."""

from __future__ import annotations

import io
import sys
from typing import Any, get_origin

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.operations import Operation, OperationParameter, by_command
from services.operations.table import OPERATIONS
from workbench.shell.parameters import LineRange, click_parameters, wire_arguments

_BY_HAND = ("patch", "paste", "semantic")
COMMANDS = [
    each
    for each in OPERATIONS
    if each.faces.command not in (None, *_BY_HAND) and by_command(each.faces.command or "") is each
]
"""Operations whose commands are made of their parameters."""
NUMBERS = st.integers(0, 10**9 - 1)


class Stdin(io.TextIOWrapper):
    """Standard input with some bytes in it, or a keyboard at which nobody types."""

    def __init__(self, data: bytes | None = None) -> None:
        super().__init__(io.BytesIO(data or b""))
        self.typed = data is None

    def isatty(self) -> bool:
        return self.typed


@pytest.fixture(autouse=True)
def _keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin())


def operation_of(command: str) -> Operation:
    found = by_command(command)
    assert found is not None
    return found


def wire(operation: Operation, *line: str) -> dict[str, Any]:
    """What a call is made with where the command line says `line`. Raises click.UsageError."""
    command = click.Command("x", params=click_parameters(operation), callback=lambda **values: values)
    return wire_arguments(operation, command.main(list(line), standalone_mode=False))


@pytest.mark.parametrize(
    ("written", "ends"),
    [
        ("10-20", (10, 20)),
        ("10-", (10, None)),
        ("-20", (None, 20)),
        ("10", (10, 10)),
        ("0", (0, 0)),
        ("20-10", (20, 10)),
        ("007-08", (7, 8)),
    ],
)
def test_a_range_of_lines_is_a_pair_with_open_ends(written: str, ends: tuple[int | None, int | None]) -> None:
    assert LineRange().convert(written, None, None) == ends


@given(NUMBERS, NUMBERS)
def test_a_range_is_read_as_it_is_written(start: int, end: int) -> None:
    assert LineRange().convert(f"{start}-{end}", None, None) == (start, end)


@pytest.mark.parametrize(
    "written",
    ["", "-", "a", "1-b", "1--2", "1-2-3", " 1", "1 - 2", "+1", "1,2", "²", "٣", "1\n", "9" * 10],
    ids=ascii,
)
def test_what_is_no_range_is_told_to_be_none(written: str) -> None:
    with pytest.raises(click.BadParameter, match="is not a range of lines such as 10-20"):
        LineRange().convert(written, None, None)


def value_of(parameter: OperationParameter) -> st.SearchStrategy[Any]:
    """Values of a parameter, as Python has them."""
    param, words = parameter.param, st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=8)
    if param.choices:
        return st.sampled_from(param.choices)
    if parameter.type is bool:
        return st.just(True)
    if parameter.type is int:
        least = 0 if param.least is None else param.least
        return st.integers(least, max(least, param.most or 10**6))
    if get_origin(parameter.type) is tuple:
        return st.lists(words, min_size=1, max_size=3).map(tuple)
    return st.lists(words, min_size=1, max_size=3).map(" ".join) if param.words else words


def written(values: list[tuple[OperationParameter, Any]]) -> list[str]:
    """How a person writes values: options in front, what stands by its position behind `--`."""
    options: list[str] = []
    positions: list[str] = []
    ranges: dict[str, list[Any]] = {}
    flags = [parameter.param.flag for parameter, _ in values]
    for parameter, value in values:
        flag = parameter.param.flag
        if flag is None:
            positions += value.split(" ") if parameter.param.words else [str(value)]
        elif flags.count(flag) > 1:
            ranges.setdefault(flag, []).append(value)
        elif value is True:
            options.append(flag)
        else:
            each = value if isinstance(value, tuple) else (value,)
            options += [part for one in each for part in (flag, str(one))]
    options += [part for flag, ends in ranges.items() for part in (flag, "-".join(map(str, ends)))]
    return [*options, "--", *positions]


@pytest.mark.parametrize("operation", COMMANDS, ids=lambda operation: operation.name)
@settings(max_examples=12)
@given(data=st.data())
def test_whatever_is_given_arrives_under_its_name_on_the_wire(
    operation: Operation, data: st.DataObject
) -> None:
    positions = [each for each in operation.parameters if each.param.flag is None]
    given_positions = data.draw(st.integers(sum(each.required for each in positions), len(positions)))
    by_flag: dict[str, list[OperationParameter]] = {}
    for parameter in operation.parameters:
        if parameter.param.flag is not None:
            by_flag.setdefault(parameter.param.flag, []).append(parameter)
    options = [
        parameter
        for ends in by_flag.values()
        if ends[0].required or data.draw(st.booleans())
        for parameter in ends
    ]
    values = [(each, data.draw(value_of(each))) for each in (*positions[:given_positions], *options)]
    arrived = wire(operation, *written(values))
    meant = {parameter.wire: value for parameter, value in values}
    assert {name: arrived[name] for name in meant} == meant
    assert not any(value for name, value in arrived.items() if name not in meant), "nothing of its own"


@pytest.mark.parametrize("operation", COMMANDS, ids=lambda operation: operation.name)
def test_no_two_options_of_a_command_are_called_alike(operation: Operation) -> None:
    names = [name for parameter in click_parameters(operation) for name in parameter.opts]
    assert len(set(names)) == len(names)


def test_what_is_left_out_is_left_to_the_default_of_the_declaration() -> None:
    assert wire(operation_of("search"), "tree") == {"query": "tree"}


def test_an_open_end_of_a_range_is_left_out() -> None:
    read = operation_of("read")
    assert wire(read, "A.cs", "--lines", "3-") == {"object": "A.cs", "startLine": 3}
    assert wire(read, "A.cs", "--lines=-3") == {"object": "A.cs", "endLine": 3}


def test_another_name_stands_for_what_is_asked_for_by_its_position() -> None:
    resolve = operation_of("resolve")
    assert wire(resolve, "--id", "T_00000001") == {"id": "T_00000001"}
    with pytest.raises(click.UsageError, match="Missing argument 'PATH'"):
        wire(resolve)


@pytest.mark.parametrize(
    ("line", "data", "words"),
    [
        (("-",), b"where is\nit grown", "where is\nit grown\n"),
        (("-",), b"one\r\n", "one\r\n"),
        ((), "Bäume\n".encode(), "Bäume\n"),
        (("-",), b"a\xff", "a\ufffd\n"),
        (("leaf",), b"not asked for", "leaf"),
    ],
    ids=["lines", "CRLF", "nothing given", "no UTF-8", "words given"],
)
def test_a_text_comes_by_stdin_where_that_is_meant(
    monkeypatch: pytest.MonkeyPatch, line: tuple[str, ...], data: bytes, words: str
) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    assert list(filter(None, wire(operation_of("context"), *line).values())) == [words]


@pytest.mark.parametrize("data", [b"", b" \n\t\n"], ids=["nothing", "blanks"])
def test_a_dash_with_nothing_behind_it_is_told(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", Stdin(data))
    with pytest.raises(click.UsageError, match="Nothing came by stdin"):
        wire(operation_of("context"), "-")


def test_nobody_at_the_keyboard_is_waited_for() -> None:
    assert not any(wire(operation_of("context")).values())


def test_numbers_out_of_range_and_words_that_are_no_choice_are_refused() -> None:
    for line in (("x", "--limit", "0"), ("x", "--limit", "many"), ("x", "--nonsense", "1")):
        with pytest.raises(click.UsageError):
            wire(operation_of("search"), *line)
