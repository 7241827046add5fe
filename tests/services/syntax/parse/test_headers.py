"""Declarations of versions of the language that the grammar does not know."""

# ruff: noqa: E501 - each source in one piece

import pytest

from services.model import Kind, Quality
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration


def _read(source: str) -> dict[str, Declaration]:
    record = read_file(source.encode())
    assert record.quality is Quality.REPAIRED
    return {each.name: each for each in record.declarations}


@pytest.mark.parametrize(
    ("source", "cases", "bases"),
    [
        ("public union Pet(Cat, Dog);", ["Cat", "Dog"], ()),
        ("namespace N; union Pet<T>(T, IEnumerable<T>) where T : class { bool M => true; }", ["T", "IEnumerable<T>"], ()),
        ("class Out { private partial union Pet(Cat?, int[], A.B<C, D>) : I<int>, J; }", ["Cat?", "int[]", "A.B<C, D>"], ("I<int>", "J")),
        ("union Pet((int, string), Dog)\n{\n}", ["(int, string)", "Dog"], ()),
        ("union Pet(global::Cat);", ["global::Cat"], ()),
    ],
)  # fmt: skip
def test_a_union_has_its_cases_and_takes_nothing_away(
    source: str, cases: list[str], bases: tuple[str, ...]
) -> None:
    found = _read(source + " class After { int union = 1; int F() => union; }")
    assert found["Pet"].kind is Kind.UNION
    assert [each.type for each in found["Pet"].parameters or ()] == cases
    assert found["Pet"].bases == bases
    assert {"After", "union", "F"} <= set(found)


@pytest.mark.parametrize(
    "source",
    [
        "class A { union Pet(Cat c, Dog d) => null; union f; }",
        "class A { void M() { union(1, 2); var union = x; union.Foo(); } }",
    ],
)
def test_what_is_called_union_is_none(source: str) -> None:
    record = read_file(source.encode())
    assert record.quality is Quality.EXACT
    assert all(each.kind is not Kind.UNION for each in record.declarations)


@pytest.mark.parametrize(
    ("source", "name", "modifiers"),
    [
        ("public closed record class A; record B : A;", "A", ("closed", "abstract")),
        ("closed class A<T> { } class B { }", "A", ("closed", "abstract")),
        ("public closed enum A { C } class B { }", "A", ("closed",)),
        ("namespace N { [X] wombat static class A { } class B { } }", "A", ("wombat", "static")),
        ("public wombat struct A { } class B { }", "A", ("wombat",)),
        ("class B { } extremelylong class A { }", "A", ()),
        ("class B { public wombat int A(int c) => c; }", "A", ("wombat",)),
        ("class B { int C; wombat Task<int> A { get; } }", "A", ("wombat",)),
        ("class B { [X] private wombat int A = 1, D; }", "A", ("wombat",)),
        ("class B { public wombat static event E A; }", "A", ("wombat", "static")),
    ],
)
def test_a_modifier_nobody_knows_takes_nothing_away(
    source: str, name: str, modifiers: tuple[str, ...]
) -> None:
    found = _read(source)
    assert found[name].modifiers == modifiers
    assert found[name].access == ("public" if "public" in source else found[name].access)
    assert "B" in found


def test_names_of_modifiers_to_come_are_names() -> None:
    source = b"class A { int closed = 1; int M(int union) => closed + union; wombat w; }"
    assert read_file(source).quality is Quality.EXACT
