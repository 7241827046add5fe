"""Options taken apart by exact tables, and put together so that no program reads them otherwise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import CommandRefused
from services.llm.commands.words import (
    TABLES,
    CommandOption,
    OptionKind,
    ParsedArguments,
    rebuilt,
    table,
    take_apart,
)

KNOWN = table("-n -v -m:number -e:text -u=:no,all --count --max:number --color=:always,never --format:text")


def apart(*words: str, number: str = "") -> ParsedArguments:
    return take_apart("prog", words, KNOWN, number=number)


def test_a_table_says_what_each_option_takes() -> None:
    assert KNOWN["-n"] == CommandOption("-n")
    assert KNOWN["-m"] == CommandOption("-m", OptionKind.NUMBER)
    assert KNOWN["--color"] == CommandOption("--color", OptionKind.TEXT, ("always", "never"), optional=True)
    assert table("--a=:number")["--a"] == CommandOption("--a", OptionKind.NUMBER, optional=True)
    with pytest.raises(ValueError, match="nodash"):
        table("nodash")


@pytest.mark.parametrize(
    ("words", "options", "operands"),
    [
        (["-nv"], [("-n", None), ("-v", None)], []),
        (["-nm5"], [("-n", None), ("-m", "5")], []),
        (["-m", "5", "a"], [("-m", "5")], ["a"]),
        (["-e", "-n"], [("-e", "-n")], []),
        (["-env"], [("-e", "nv")], []),
        (["-u"], [("-u", None)], []),
        (["-u", "all"], [("-u", None)], ["all"]),
        (["-uall"], [("-u", "all")], []),
        (["--max", "5"], [("--max", "5")], []),
        (["--max=+5k"], [("--max", "+5k")], []),
        (["--color", "never"], [("--color", None)], ["never"]),
        (["--color=never"], [("--color", "never")], []),
        (["--format="], [("--format", "")], []),
        (["-", "a", "-n"], [("-n", None)], ["-", "a"]),
    ],
)
def test_words_are_taken_apart(
    words: list[str], options: list[tuple[str, str | None]], operands: list[str]
) -> None:
    assert apart(*words) == ParsedArguments(tuple(options), tuple(operands))


@pytest.mark.parametrize(
    ("words", "piece"),
    [
        (["-x"], "-x"),
        (["-nx"], "-x"),
        (["--coun"], "--coun"),  # no abbreviations: a later version may mean another
        (["--count=1"], "--count=1"),
        (["--exec=sh"], "--exec"),
        (["-m"], "-m"),
        (["--max"], "--max"),
        (["--max=many"], "--max many"),
        (["-m", "0x5"], "-m 0x5"),
        (["--color=auto"], "--color=auto"),
        (["-umaybe"], "-u=maybe"),
        (["-5"], "-5"),
    ],
)
def test_what_no_table_has_is_refused_by_its_piece(words: list[str], piece: str) -> None:
    with pytest.raises(CommandRefused) as raised:
        apart(*words)
    assert raised.value.details["piece"] == piece


def test_behind_two_dashes_everything_is_an_operand() -> None:
    assert apart("a", "-n", "--", "-x", "--", "b") == ParsedArguments(
        (("-n", None),), ("a", "-x", "--", "b"), 1
    )
    assert apart("--").dashed == 0
    assert apart("a").dashed is None


def test_a_number_alone_stands_for_an_option_where_there_is_one() -> None:
    assert apart("-20", number="-m") == ParsedArguments((("-m", "20"),), ())
    with pytest.raises(CommandRefused):
        apart("-2x", number="-m")


def test_what_was_given_is_asked_by_any_of_its_names() -> None:
    given_ = apart("-m1", "--max=2", "-n", "-m3")
    assert given_.has("--count", "-n")
    assert not given_.has("--count")
    assert given_.values("-m", "--max", "-n") == ["1", "2", "3"]


VALUES = {OptionKind.NUMBER: "7", OptionKind.TEXT: "some text", OptionKind.REVISION: "HEAD~1"}


def given_of(option: CommandOption) -> list[tuple[str, str | None]]:
    values: list[str | None] = [None] if option.kind is OptionKind.NONE or option.optional else []
    if option.kind is not OptionKind.NONE:
        values += [*option.choices] or [VALUES[option.kind]]
    return [(option.name, value) for value in values]


@given(st.sampled_from(sorted(TABLES)), st.data())
def test_options_put_together_are_taken_apart_as_the_same(name: str, data: st.DataObject) -> None:
    known = TABLES[name]
    each = [pair for option in known.values() for pair in given_of(option)]
    options = tuple(data.draw(st.lists(st.sampled_from(each), max_size=6)))
    words = rebuilt(ParsedArguments(options, ()), known, lambda _, value: value)
    assert take_apart("git", words, known) == ParsedArguments(options, ())


def test_a_value_is_passed_as_it_is_made_by_its_kind() -> None:
    words = rebuilt(apart("-m5", "-uall", "--format=x"), KNOWN, lambda kind, value: f"<{kind}:{value}>")
    assert words == ["-m", "<number:5>", "-u<text:all>", "--format=<text:x>"]


WRITES = {
    "--output",
    "-o",
    "--ext-diff",
    "--textconv",
    "--exec",
    "-d",
    "-D",
    "--delete",
    "--no-index",
    "-O",
    "-f",
}
READS_ALL_THE_SAME = {
    ("ls-files", "-o"),  # files that are not tracked
    ("ls-files", "-d"),  # that were deleted
    ("ls-tree", "-d"),  # trees alone
    ("show-ref", "-d"),  # what tags stand for
    ("grep", "-o"),  # only what matched
    ("blame", "-f"),  # names of files
}


def test_no_table_has_an_option_that_writes_or_runs_a_program() -> None:
    assert {(name, option) for name, known in TABLES.items() for option in known if option in WRITES} == (
        READS_ALL_THE_SAME
    )
