"""Parts of a type: lines of real files, that cover what they say."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.source.read.parts import PARTS, DeclaredPart, Include, located
from services.syntax.parse.parsing import read_file

TYPE = """namespace Orchard;

/// <summary>A tree.</summary>
[Serializable]
public partial class Tree
{
#if DEBUG
    private int _checks;
  # region debug
    #nullable disable
#else
    private int _none;
#endif
    private readonly List<int> _rings = new() { 1 };
    public string Text = "#if no";

    public int Height { get; private set; } = 3;
    public int Age => _rings.Count;

    public int Width
    {
        get { return 1; }
    }

    public Tree() : base()
    {
        Height = 1;
    }

    public void Grow(int by) {
        Height += by; /*
        # not a directive */
    } // the end

    public void Shrink() => Height--;
    public abstract void Burn();
    class Leaf
    {
        void Fall()
        {
        }
    }
}

class Other { void Not() { } }
"""


def declared(text: str, name: str = "Tree", symbols: frozenset[str] = frozenset()) -> DeclaredPart:
    data = text.encode()
    record = read_file(data, symbols)
    return DeclaredPart(
        "a.cs", data, record, next(i for i, d in enumerate(record.declarations) if d.name == name)
    )


def lines(part: Include, text: str = TYPE, symbols: frozenset[str] = frozenset()) -> list[str]:
    ranges = PARTS[part](declared(text, symbols=symbols))
    every = text.split("\n")
    return [every[number - 1].strip() for first, last in ranges for number in range(first, last + 1)]


def test_main_is_the_declaration_whole() -> None:
    assert lines(Include.MAIN) == [line.strip() for line in TYPE.split("\n")[3:43]]


def test_definitions_have_everything_but_what_is_body_alone() -> None:
    told = lines(Include.DEFINITIONS)
    for kept in (
        "[Serializable]",
        "private readonly List<int> _rings = new() { 1 };",
        "public int Height { get; private set; } = 3;",
        "public int Width",
        "public Tree() : base()",
        "public void Grow(int by) {",
        "} // the end",
        "public abstract void Burn();",
        "void Fall()",
    ):
        assert kept in told
    for hidden in ("get { return 1; }", "Height = 1;", "Height += by; /*"):
        assert hidden not in told
    assert "class Other { void Not() { } }" not in told


def test_implementations_are_the_lines_that_bodies_reach() -> None:
    assert "\n".join(lines(Include.IMPLEMENTATIONS)) == (
        "public int Age => _rings.Count;\n{\nget { return 1; }\n}\n"
        "public Tree() : base()\n{\nHeight = 1;\n}\n"
        "public void Grow(int by) {\nHeight += by; /*\n# not a directive */\n} // the end\n"
        "public void Shrink() => Height--;\n{\n}"
    )


@pytest.mark.parametrize("symbols", [frozenset[str](), frozenset({"DEBUG"})])
def test_macros_are_the_preprocessor_lines_of_every_branch(symbols: frozenset[str]) -> None:
    expected = ["#if DEBUG", "# region debug", "#nullable disable", "#else", "#endif"]
    assert lines(Include.MACROS, symbols=symbols) == expected


def test_a_type_without_directives_or_bodies_has_no_such_part() -> None:
    bare = declared("class Tree { int a; int B { get; set; } }\n")
    assert PARTS[Include.MACROS](bare) == PARTS[Include.IMPLEMENTATIONS](bare) == []
    assert PARTS[Include.DEFINITIONS](bare) == [(1, 1)]


def test_a_field_like_event_has_no_body() -> None:
    source = "class Tree\n{\n    event System.Action A,\n        B;\n    event System.Action C = delegate { };\n}\n"
    assert PARTS[Include.IMPLEMENTATIONS](declared(source)) == []
    assert PARTS[Include.DEFINITIONS](declared(source)) == [(1, 6)]
    with_accessors = declared(
        "class Tree\n{\n    event System.Action I\n    {\n        add { }\n        remove { }\n    }\n}\n"
    )
    assert PARTS[Include.IMPLEMENTATIONS](with_accessors) == [(4, 7)]


MEMBERS = (
    "    int a;",
    "    event System.Action I;",
    "    event System.Action J,\n        K = delegate { };",
    "    int B { get; set; }",
    "    int C { get => 1; }",
    "    int D => 2;",
    "    void E() { }",
    "    void F()\n    {\n        int x;\n\n    }",
    "    void G() {\n    }",
    "    void H()\n        => F();",
    "#region r",
    "    // comment",
    "    Tree() : base(1) { }",
    "    event System.Action I { add { } remove { } }",
    "",
)


@given(st.lists(st.sampled_from(MEMBERS), max_size=10), st.sampled_from(("\n", "\r\n")), st.booleans())
def test_parts_cover_the_type_and_nothing_else(members: list[str], ending: str, bom: bool) -> None:
    text = "\n".join(["using System;", "class Tree", "{", *members, "}", "class Other { }", ""]).replace(
        "\n", ending
    )
    own = declared("\ufeff" * bom + text)
    last = own.declaration.end_line
    parts = {include: part(own) for include, part in PARTS.items()}
    numbers = {include: {n for a, b in ranges for n in range(a, b + 1)} for include, ranges in parts.items()}
    assert parts[Include.MAIN] == [(2, last)]
    assert numbers[Include.DEFINITIONS] | numbers[Include.IMPLEMENTATIONS] == set(range(2, last + 1))
    assert numbers[Include.MACROS] == {
        n for n, line in enumerate(text.split(ending), 1) if line.startswith("#")
    }
    for ranges in parts.values():
        assert all(a <= b for a, b in ranges)
        assert all(b + 1 < c for (_, b), (c, _) in pairwise(ranges))


def test_a_declaration_is_found_again_in_another_version_of_its_file() -> None:
    before = read_file(b"namespace N; class A { class T<X> { } class T { } } class T { } class T { int x; }")
    after = read_file(
        b"namespace N; class T { } class B { } class A { class T { } class T<X> { } } class T { }"
    )
    named = [(d.name, len(d.type_parameters), d.parent) for d in before.declarations]
    for at in range(len(named)):
        there = located(after, before, at)
        if before.declarations[at].name != "x":
            assert there is not None
            assert after.declarations[there].name == before.declarations[at].name
            assert after.declarations[there].type_parameters == before.declarations[at].type_parameters
            assert (after.declarations[there].parent < 0) == (before.declarations[at].parent < 0)
        else:
            assert there is None
