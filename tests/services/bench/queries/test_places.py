"""What a name at a place of a file means."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.model import Definition
from tests.support.workspace import edit, indexed

SHOP = """namespace Shop;

public class Basket
{
    public Basket(int size) { }
    public int Count { get; set; }
    public void Add(string name) { Count++; }
    public void Add(string name, int pieces) { this.Add(name); }
    public static Basket Empty() => new Basket(3) { Count = 1 };
}
public class Plain { }
public class Unsure { public void Weave() { } }
public class UnsureToo { public void Weave() { } }
"""
TILL = """using System.Collections.Generic;
using Shop;

public class Till
{
    private readonly Basket _basket = new(2);

    public int Total(Basket other, dynamic thing)
    {
        var lokal = Basket.Empty();
        lokal.Add("pear");
        _basket.Add("fig", 2);
        thing.Weave();
        var plain = new Plain();
        var list = new List<int>();
        list.Add(lokal.Count);
        return nowhere;
    }
}
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(tmp_path_factory.mktemp("places"), {"Shop.cs": SHOP, "Till.cs": TILL}) as made:
        yield made


def _at(bench: Bench, text: str, name: str, *, file: str = "Till.cs") -> Definition:
    """The definition of `name` in the one line that holds `text`."""
    lines = (TILL if file == "Till.cs" else SHOP).split("\n")
    number = next(n for n, line in enumerate(lines, 1) if text in line)
    line = lines[number - 1]
    return bench.places.definition(file, number, line.index(text) + text.index(name))


@pytest.mark.parametrize(
    ("text", "name", "line"),
    [
        ("Basket _basket", "Basket", 3),
        ("_basket.Add", "Add", 8),
        ("lokal.Add", "Add", 7),
        ("Basket.Empty", "Empty", 9),
        ("Basket.Empty", "Basket", 3),
        ("lokal.Count", "Count", 6),
        ("new Plain", "Plain", 11),
    ],
)
def test_a_name_leads_to_its_declaration(bench: Bench, text: str, name: str, line: int) -> None:
    found = _at(bench, text, name)
    assert found.certain
    assert [(symbol.file, symbol.start_line) for symbol in found.symbols] == [("Shop.cs", line)]


def test_a_creation_leads_to_the_constructor_and_an_initialiser_to_the_member(bench: Bench) -> None:
    assert _at(bench, "new Basket(3)", "Basket", file="Shop.cs").symbols[0].start_line == 5
    assert _at(bench, "{ Count = 1 }", "Count", file="Shop.cs").symbols[0].start_line == 6


def test_a_field_and_a_local_lead_to_where_they_are_declared(bench: Bench) -> None:
    assert _at(bench, "_basket.Add", "_basket").symbols[0].start_line == 6
    local = _at(bench, "lokal.Add", "lokal")
    assert (local.certain, local.line, local.symbols) == (True, 10, ())


def test_a_declaration_leads_to_itself(bench: Bench) -> None:
    found = _at(bench, "int Total", "Total")
    assert [symbol.label for symbol in found.symbols] == ["Total(Basket, dynamic)"]


def test_what_cannot_be_bound_has_candidates_and_says_so(bench: Bench) -> None:
    found = _at(bench, "thing.Weave", "Weave")
    assert not found.certain
    assert len(found.symbols) == 2
    assert "cannot be bound" in found.reason


def test_what_is_not_here_says_where_it_is(bench: Bench) -> None:
    assert "not declared in this workspace" in _at(bench, "list.Add", "Add").reason
    assert "not declared in this workspace" in _at(bench, "new List", "List").reason
    assert "not declared in this workspace" in _at(bench, "return nowhere", "nowhere").reason


def test_where_no_name_stands_there_is_none(bench: Bench) -> None:
    assert bench.places.definition("Till.cs", 3, 0).name == ""
    assert bench.places.definition("Till.cs", 999, 5).name == ""


def test_enclosing_is_the_innermost_and_follows_the_file(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Shop.cs": SHOP}) as made:
        found = made.places.enclosing("Shop.cs", 7)
        assert found is not None
        assert found.label == "Add(string)"
        edit(tmp_path, "Shop.cs", "\n\n" + SHOP)
        moved = made.places.enclosing("Shop.cs", 9)
        assert moved is not None
        assert moved.id == found.id
        assert made.places.enclosing("Shop.cs", 1) is None
        assert made.places.enclosing("README.md", 1) is None


def test_the_comments_above_a_declaration_belong_to_it(tmp_path: Path) -> None:
    lines = [
        "// Of the shop.",
        "namespace Shop;",
        "/// <summary>Holds things.</summary>",
        "public class Basket",
        "{",
        "    /// <summary>Adds one.</summary>",
        "    // Twice is fine.",
        "    public void Add()",
        "    {",
        "        // It counts.",
        "    }",
        "    // Nothing more.",
        "}",
        "// The end.",
    ]
    with indexed(tmp_path, {"Shop.cs": "\n".join(lines)}) as made:
        found = [made.places.enclosing("Shop.cs", line) for line in (1, 3, 6, 7, 10, 12, 14)]
        said = [each.label if each else "" for each in found]
        assert said == ["", "Basket", "Add()", "Add()", "Add()", "Basket", ""]


def test_a_value_named_like_its_type_stands_for_the_type_before_what_is_static(tmp_path: Path) -> None:
    lines = [
        "enum Color { Red }",
        "class A { Color Color = Color.Red;",
        "bool Is(Color c) => c == Color.Red && Color.HasFlag(c); }",
    ]
    with indexed(tmp_path, {"A.cs": "\n".join(lines)}) as bench:
        types = [bench.places.definition("A.cs", at, lines[at - 1].index("Color.Red")) for at in (2, 3)]
        value = bench.places.definition("A.cs", 3, lines[2].index("Color.HasFlag"))
    assert [definition.symbols[0].label for definition in types] == ["Color", "Color"]
    assert [definition.symbols[0].kind for definition in types] == ["enum", "enum"]
    assert value.symbols[0].kind == "field"
