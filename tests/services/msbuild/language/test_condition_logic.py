"""Conditions as an expression language: how they group, three answers, numbers, and what stops an evaluation."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.msbuild.language.conditions import MAX_LENGTH, evaluate, parse
from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.expansion import ExpressionScope, expand
from services.msbuild.language.paths import VirtualRoot
from services.msbuild.language.properties import ExpandedText, NotUnderstoodError, Properties
from tests.services.msbuild.memory import Memory

Answer = bool | None
OR, AND, COMPARISON, FACTOR = range(4)
SCOPE = ExpressionScope(
    Properties({}),
    VirtualFiles(Memory({"A/One.cs": "", "A/Sub/Two.cs": ""}), VirtualRoot("Work"), "linux"),
    "/Work/A/A.csproj",
    {"unknown": ExpandedText("", "asked for nothing that is known"), "yes": ExpandedText("true")},
)


def holds(condition: str) -> Answer:
    return evaluate(condition, SCOPE, lambda text: expand(text, SCOPE))


@dataclass(frozen=True)
class Written:
    """A condition: its text, what it comes to, and how much it binds."""

    text: str
    answer: Answer
    strength: int


def bound(part: Written, least: int) -> str:
    return part.text if part.strength >= least else f"({part.text})"


def both(parts: list[Written]) -> Written:
    answers = [each.answer for each in parts]
    answer = False if False in answers else None if None in answers else True
    return Written(" and ".join(bound(each, COMPARISON) for each in parts), answer, AND)


def either(parts: list[Written]) -> Written:
    answers = [each.answer for each in parts]
    answer = True if True in answers else None if None in answers else False
    return Written(" OR ".join(bound(each, AND) for each in parts), answer, OR)


def denied(part: Written) -> Written:
    return Written(f"!{bound(part, FACTOR)}", None if part.answer is None else not part.answer, FACTOR)


CONDITIONS = st.recursive(
    st.sampled_from(
        [
            Written("true", True, FACTOR),
            Written("'off'", False, FACTOR),
            Written("$(Yes)", True, FACTOR),
            Written("'a' == 'A'", True, COMPARISON),
            Written("2 < 1", False, COMPARISON),
            Written("'$(Unknown)' == ''", None, COMPARISON),
            Written("Exists('One.cs')", True, FACTOR),
            Written("Unheard('x')", None, FACTOR),
        ]
    ),
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=3).map(both),
        st.lists(inner, min_size=2, max_size=3).map(either),
        inner.map(denied),
    ),
    max_leaves=8,
)


@given(CONDITIONS)
def test_a_condition_is_unknown_only_where_what_is_unknown_decides(condition: Written) -> None:
    assert holds(condition.text) is condition.answer


@given(CONDITIONS, st.sampled_from(["", "\n ", "\t"]))
def test_blanks_around_its_parts_do_not_count(condition: Written, blank: str) -> None:
    spaced = condition.text.replace(" ", f" {blank}").replace("!", f"!{blank}")
    assert holds(blank + spaced + blank) is condition.answer


@given(st.integers(-999, 999), st.integers(-999, 999), st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
def test_whole_numbers_compare_as_numbers(left: int, right: int, sign: str) -> None:
    wanted = {
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
        "==": left == right,
        "!=": left != right,
    }[sign]
    assert holds(f"'{left}' {sign} '{right}.00'") is wanted


VERSIONS = st.lists(st.integers(0, 30), min_size=3, max_size=4)


@given(VERSIONS, VERSIONS)
def test_versions_compare_part_by_part(left: list[int], right: list[int]) -> None:
    first, second = (".".join(map(str, each)) for each in (left, right))
    assert holds(f"'{first}' < '{second}'") is (left < right)
    assert holds(f"'{first}' >= '{second}'") is (left >= right)


@pytest.mark.parametrize(
    ("left", "right", "are_equal"),
    [
        ("0x1F", "31", True),
        (".5", "0.50", True),
        ("1e1", "10", False),
        ("+inf", "+INF", True),
        ("+inf", "-inf", False),
        ("1_0", "10", False),
        ("٣", "3", False),
        ("1٣", "13", False),
        ("yes", "on", True),
        ("no", "!TRUE", True),
        ("", "0", False),
        ("", "false", False),
    ],
    ids=lambda value: repr(value) if isinstance(value, str) else None,
)
def test_texts_are_equal_as_numbers_as_truths_or_without_case(left: str, right: str, are_equal: bool) -> None:
    assert holds(f"'{left}' == '{right}'") is are_equal
    assert holds(f"'{left}' != '{right}'") is not are_equal


@pytest.mark.parametrize("pair", [("+inf", "1"), ("1e3", "2"), ("-nan", "0"), ("a", "b"), ("1.2.3.4.5", "1")])
def test_what_is_neither_a_number_nor_a_version_has_no_order(pair: tuple[str, str]) -> None:
    assert holds(f"'{pair[0]}' > '{pair[1]}'") is None
    assert holds(f"'{pair[1]}' <= '{pair[0]}'") is None


@pytest.mark.parametrize(
    ("argument", "is_there"),
    [
        ("One.cs", True),
        ("one.CS; Sub/Two.cs", True),
        ("One.cs;Gone.cs", False),
        ("Sub", True),
        ("Sub\\", True),
        ("One.cs/", False),
        ("/Work/A/One.cs", True),
        ("../../etc/passwd", False),
        (" ; ", False),
    ],
)
def test_every_path_of_a_list_has_to_be_there(argument: str, is_there: bool) -> None:
    assert holds(f"Exists('{argument}')") is is_there


def test_paths_begin_where_the_caller_says() -> None:
    asked = "Exists('Two.cs')"
    assert evaluate(asked, SCOPE, ExpandedText, folder="/Work/A/Sub") is True
    assert evaluate(asked, SCOPE, ExpandedText) is False


@pytest.mark.parametrize("condition", ["", " \n\t"])
def test_no_condition_holds(condition: str) -> None:
    assert holds(condition) is True


def test_one_that_is_too_long_is_not_understood() -> None:
    longest = "true".ljust(MAX_LENGTH)
    assert holds(longest) is True
    assert holds(longest + " ") is None
    with pytest.raises(NotUnderstoodError):
        parse(longest + " ")
