from __future__ import annotations

import re
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import AmbiguousSymbol, UsageError
from tests.support.workspace import indexed

SHOP = """using System.Collections.Generic;
namespace Shop;

public class Basket
{
    public int Count { get; set; }
    public void Add(string name) { Count++; }
    public void Add(string name, int pieces) { this.Add(name); }
    public static Basket Empty() => new Basket();
}
"""
TILL = """using System.Collections.Generic;
using Shop;
namespace Tills;

public class Till
{
    private readonly Basket _basket = new();
    private List<Basket> _all = new List<Basket>();

    public int Total(Basket other, Far.Thing thing)
    {
        var local = Basket.Empty();
        local.Add("pear");
        _basket.Add("fig", 2);
        thing.Deep.Add("unknown");
        foreach (var each in _all) each.Add("plum");
        string text = "Basket.Add"; // Basket in a comment
        return other.Count + Count(3);
    }

    private int Count(int number) => number;
}
"""
OTHER = """namespace Elsewhere;
public class Basket { public void Add(string name) { } }
public class Weaver { void Weave() { new Basket().Add("reed"); } }
"""
FILES = {"Basket.cs": SHOP, "Till.cs": TILL, "Other.cs": OTHER}


def _places(bench: Bench, path: str, *, grade: str = "all") -> list[tuple[str, int, str]]:
    return [(u.file, u.line, u.grade) for u in bench.usages.find(path, grade=grade).usages]


def test_a_type_is_used_where_its_name_is_bound_to_it_alone(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        places = _places(bench, "Shop.Basket")
    assert {file for file, _, _ in places} == {"Basket.cs", "Till.cs"}
    assert {line for file, line, _ in places if file == "Till.cs"} == {7, 8, 10, 12}
    assert {grade for _, _, grade in places} == {"bound"}


def test_calls_are_bound_by_the_type_of_their_receiver_and_by_their_arguments(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        one = _places(bench, "Shop.Basket.Add(string)")
        two = _places(bench, "Shop.Basket.Add(string, int)")
    assert ("Till.cs", 13, "bound") in one
    assert ("Till.cs", 16, "bound") in one
    assert ("Basket.cs", 8, "bound") in one
    assert ("Till.cs", 14, "bound") in two
    assert not {(file, line) for file, line, _ in one} & {("Till.cs", 14), ("Other.cs", 3), ("Till.cs", 17)}


def test_what_cannot_be_typed_is_a_name_match_and_can_be_left_out(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        every = _places(bench, "Shop.Basket.Add(string)")
        bound = _places(bench, "Shop.Basket.Add(string)", grade="bound")
    assert ("Till.cs", 15, "name match") in every
    assert bound == [place for place in every if place[2] == "bound"]


def test_a_property_is_not_mixed_up_with_a_method_of_its_name(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        answer = bench.usages.find("Shop.Basket.Count")
    till = [usage for usage in answer.usages if usage.file == "Till.cs"]
    assert [(usage.line, usage.snippet[usage.column : usage.end_column]) for usage in till] == [(18, "Count")]
    assert till[0].enclosing is not None
    assert till[0].enclosing.label.startswith("Total(")


def test_all_are_counted_and_the_first_are_told(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        answer = bench.usages.find("Shop.Basket", limit=2)
    assert len(answer.usages) == 2
    assert answer.truncated
    assert answer.total > 2


def test_an_escaped_name_begins_at_its_sign(tmp_path: Path) -> None:
    source = "class A { int @class; int M() => @class + this.@class; }"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        usages = bench.usages.find("A.class").usages
    assert [usage.snippet[usage.column : usage.end_column] for usage in usages] == ["@class", "@class"]


def test_an_ambiguous_path_is_refused(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench, pytest.raises(AmbiguousSymbol):
        bench.usages.find("Basket")


def test_a_destructor_is_said_to_have_no_usages(tmp_path: Path) -> None:
    with (
        indexed(tmp_path, {"Odd.cs": "class Odd { ~Odd() { } }"}) as bench,
        pytest.raises(UsageError, match=r"^A destructor is called by the runtime alone"),
    ):
        bench.usages.find("Odd.~Odd()")


@pytest.mark.parametrize(
    ("path", "marked"),
    [
        ("Odd.operator +", "var b = a §+ a; a §+= b;"),
        ("Odd.implicit operator int", "int b = §a; M(§a); return §a.Self;"),
        ("Odd.implicit operator long", "long b = §a; int c = a;"),
        ("Odd.explicit operator string", 'var b = §(string)a + (string)"";'),
        ("Odd.GetEnumerator()", "§foreach (var b in a) {} foreach (var c in new int[0]) {}"),
        ("Odd.Deconstruct(out int, out int)", "var (b, c) §= a; (b, c) §= a; if (a is (1, 2)) {}"),
        ("Odd.Add(int)", "var b = new Odd { §1, §2 };"),
    ],
)
def test_places_without_a_name_are_found_where_they_are_asked_for(
    tmp_path: Path, path: str, marked: str
) -> None:
    members = (
        "public Odd Self => this; public static Odd operator +(Odd a, Odd b) => a; public void Add(int a) {}"
        " public static implicit operator int(Odd a) => 1; public static implicit operator long(Odd a) => 1;"
        " public static explicit operator string(Odd a) => null;"
        " public void Deconstruct(out int a, out int b) => a = b = 1;"
        " public System.Collections.Generic.IEnumerator<int> GetEnumerator() => null;"
    )
    found = [match.start() - at for at, match in enumerate(re.finditer("§", marked))]
    code = marked.replace("§", "")
    source = f"class Odd {{ {members} }}\nclass A {{ int M(int a) => a; int N(Odd a) {{\n{code}\n}} }}"
    with indexed(tmp_path, {"Odd.cs": source}) as bench:
        usages = bench.usages.find(path, nameless=True, grade="bound").usages
        named = bench.usages.find(path, grade="bound").usages
    assert [usage.column for usage in usages if usage.line == 3][: len(found)] == found
    assert bool(named) is ("operator" in path)


def test_what_comments_name_can_be_left_out(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": '/// <see cref="A"/>\nclass A { A a; }'}) as bench:
        assert bench.usages.find("A").total == 2
        assert [usage.kind for usage in bench.usages.find("A", crefs=False).usages] == ["type"]


def test_what_is_nested_too_deep_is_a_name_match(tmp_path: Path) -> None:
    deep = " + ".join(["x"] * 350)
    source = f"class A {{ int x; int M() => {deep}; int N() => x; }}"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        usages = bench.usages.find("A.x", limit=1000).usages
    assert {usage.grade for usage in usages} <= {"bound", "name match"}
    assert len(usages) == 351


def test_a_column_is_that_of_the_line_where_the_line_is_cut(tmp_path: Path) -> None:
    long = " + ".join(["1"] * 200)
    source = f"class A {{ int B; int C = {long}; int D => B; }}"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        (usage,) = bench.usages.find("A.B").usages
    assert source[usage.column : usage.end_column] == "B"
    assert len(usage.snippet) < len(source)
    assert usage.snippet[usage.column - usage.snippet_start :].startswith("B")


def test_of_fields_that_share_a_declaration_each_has_the_usages_in_its_own_value(tmp_path: Path) -> None:
    text = """class A
{
    static int F() => 1;
    int a = F(), b, c = 1 + F();
    System.Action d = () => F(), e = () => F();
}
"""
    with indexed(tmp_path, {"A.cs": text}) as bench:
        usages = bench.usages.find("A.F()").usages
    assert [each.enclosing.label for each in usages if each.enclosing] == ["a", "c", "d", "e"]
    assert [text.split("\n")[each.line - 1][each.column] for each in usages] == ["F"] * 4
