"""Which private members count as public behaviour."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.syntax.parse.parsing import read_file


def reached(*members: str, head: str = "public class A") -> set[str]:
    """The names of those that are, in a type with these members."""
    body = "\n".join(members)
    record = read_file(f"{head}\n{{\n{body}\n}}\n".encode())
    return {each.name for each in record.declarations if each.reached}


@pytest.mark.parametrize("others", [0, 100])
@pytest.mark.parametrize(
    ("members", "names"),
    [
        (("public int M() => H();", "int H() => 1;"), {"H"}),
        (("public int M() => 1;", "int H() => 1;"), set()),
        (("int M() => H();", "int H() => 1;"), set()),
        (("public int M() => H();", "int H() => G();", "int G() => f;", "int f = 1;"), {"H", "G", "f"}),
        (("protected int M => f;", "int f = 1;"), {"f"}),
        (("internal int M { get { return f; } }", "int f = 1, g = 2;"), {"f"}),
        (("void I.M() { H(); }", "void H() { }"), {"H"}),
        (("public A() : this(1) { }", "private A(int a) { f = a; }", "int f;"), {"A", "f"}),
        (("public static A Make() => new A(1);", "private A(int a) { }"), {"A"}),
        (("static A() { Set(); }", "static void Set() { }"), {"Set"}),
        (("public int M() => this[1];", "private int this[int a] => a;"), {"this[]"}),
        (("public int M(int a = F) => a;", "const int F = 1;"), {"F"}),
        (("public class N { int M() => H(); }", "static int H() => 1;"), {"H"}),
        (("private class N { int M() => H(); }", "static int H() => 1;"), set()),
        (
            ("public N Make() => new N();", "private class N { int M() => H(); }", "static int H() => 1;"),
            {"H"},
        ),
        (("public int M() => 1; // H", "int H() => 1;"), set()),
        (("public int Hundred() => 1;", "int H() => 1;"), set()),
        (("public int M() => H(1);", "int H(int a) => 1;", "int H(string a) => 1;"), {"H"}),
    ],
)
def test_what_visible_members_name_is_reached(members: tuple[str, ...], names: set[str], others: int) -> None:
    assert reached(*members, *(f"int _other{number};" for number in range(others))) == names


def test_what_other_parts_of_a_type_may_name_is_reached() -> None:
    members = (
        "public int M() => 1;",
        "int H() => 1;",
        "int f;",
        "static A() { }",
        "class N { int G() => 1; }",
    )
    assert reached(*members, head="partial class A") == {"H", "f"}


def test_what_a_primary_constructor_s_base_is_given_is_reached() -> None:
    assert reached("static int H() => 1;", "int G() => 1;", head="public class A(int a) : B(H())") == {"H"}


CHAIN = [
    "public int M() => A1();",
    "int A1() => A2();",
    "int A2() => 1;",
    "int B1() => B2();",
    "int B2() => 1;",
]


@given(st.randoms(use_true_random=False), st.sampled_from([" ", "\n", "\n// note\n"]))
def test_order_and_layout_do_not_count(order: random.Random, gap: str) -> None:
    members = [each.replace(" ", gap) if gap != " " else each for each in CHAIN]
    order.shuffle(members)
    assert reached(*members) == {"A1", "A2"}
