"""Filters whose values are taken from a list, and what is said where one means nothing."""

import pytest

from services.index.search.filter.view import chosen, unknown
from services.index.search.match.columns import ACCESSES, KINDS
from services.index.search.match.query import parse

PROJECTS = ("Core", "Core.Tests", "Web")


def meant(field: str, value: str) -> list[str]:
    of = {"kind": [str(kind) for kind in KINDS], "access": ACCESSES, "in": PROJECTS}[field]
    return [name for name, means in zip(of, chosen(field, value, PROJECTS), strict=True) if means]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("kind", "class", ["class"]),
        ("kind", "rec", ["record", "record struct"]),
        ("kind", "record", ["record"]),
        ("kind", "record-struct", ["record struct"]),
        ("kind", "klass", []),
        ("access", "protected", ["protected"]),
        ("access", "private_pro", ["private protected"]),
        ("in", "core", ["Core"]),
        ("in", "tests", ["Core.Tests"]),
        ("in", "co", ["Core", "Core.Tests"]),
    ],
)
def test_a_filter_means_the_one_of_its_name_or_what_begins_so(
    field: str, value: str, expected: list[str]
) -> None:
    assert meant(field, value) == expected


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("kind:klass Order", "No kind begins with 'klass': there are class, struct, "),
        ("access:open", "No access begins with 'open': there are public, protected-internal, "),
        ("in:Nowhere", "No project has 'nowhere' in its name: there are Core, Core.Tests, Web."),
    ],
)
def test_a_filter_that_means_nothing_is_told_with_what_there_is(query: str, said: str) -> None:
    assert unknown(parse(query), PROJECTS).startswith(said)


def test_each_filter_that_means_nothing_is_told() -> None:
    said = unknown(parse("kind:klass in:nowhere"), PROJECTS)
    assert "'klass'" in said
    assert "'nowhere'" in said


def test_of_many_projects_some_are_named() -> None:
    assert unknown(parse("in:x"), [f"P{at:02}" for at in range(20)]).endswith("P10, P11 and 8 more.")


@pytest.mark.parametrize("query", ["", "Order", "kind:class", "kind:", "ns:nowhere", "access:p in:web"])
def test_otherwise_there_is_nothing_to_say(query: str) -> None:
    assert unknown(parse(query), PROJECTS) == ""
