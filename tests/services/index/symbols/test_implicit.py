"""Members that the compiler adds."""

import pytest

from services.index.catalog.naming import signature
from services.index.symbols.implicit import implicit_members
from services.model import Kind
from services.syntax.parse.parsing import read_file


def added(source: str) -> list[str]:
    """Signatures of what is added to the first type of a source."""
    type_, *rest = read_file(source.encode()).declarations
    own = [each for each in rest if each.parent == 0]
    return [signature(each) for each in implicit_members(type_, frozenset(type_.modifiers), own)]


@pytest.mark.parametrize(
    ("source", "signatures"),
    [
        ("class A { }", ["public A()"]),
        ("abstract class A { }", ["protected A()"]),
        ("static class A { }", []),
        ("class A { A(int x) { } }", []),
        ("class A { static A() { } }", ["public A()"]),
        ("class A(int x) { }", ["public A(int x)"]),
        ("struct A { }", ["public A()"]),
        ("struct A { public A(int x) { } }", ["public A()"]),
        ("struct A { public A() { } }", []),
        ("struct A(int x) { }", ["public A(int x)", "public A()"]),
        ("interface A { }", []),
        ("enum A { X }", []),
        ("delegate int A(ref int x);", ["public virtual int Invoke(ref int x)"]),
    ],
)
def test_constructors_and_invoke(source: str, signatures: list[str]) -> None:
    assert added(source) == signatures


def test_a_positional_record() -> None:
    assert added("record A<T>(int X, T Y);") == [
        "public A(int X, T Y)",
        "public int X { get; init; }",
        "public T Y { get; init; }",
        "public void Deconstruct(out int X, out T Y)",
        "public override string ToString()",
        "public override int GetHashCode()",
        "public override bool Equals(object? obj)",
        "public virtual bool Equals(A<T>? other)",
        "public static bool operator ==(A<T>? left, A<T>? right)",
        "public static bool operator !=(A<T>? left, A<T>? right)",
        "public virtual A<T> <Clone>$()",
        "protected virtual bool PrintMembers(System.Text.StringBuilder builder)",
        "protected A(A<T> original)",
        "protected virtual System.Type EqualityContract { get; }",
    ]


def test_a_record_struct_has_no_clone_and_settable_properties() -> None:
    found = added("record struct A(int X);")
    assert "public int X { get; set; }" in found
    assert "public A()" in found
    assert "public readonly bool Equals(A other)" in found
    assert "private readonly bool PrintMembers(System.Text.StringBuilder builder)" in found
    assert not [text for text in found if "Clone" in text or "EqualityContract" in text]
    assert "public int X { get; init; }" in added("readonly record struct A(int X);")


def test_a_sealed_record_hides_what_only_heirs_use() -> None:
    found = added("sealed record A;")
    assert "private A(A original)" in found
    assert "public bool Equals(A? other)" in found


def test_what_is_declared_is_not_added() -> None:
    found = added("record A(int X) { public int X { get; } = X; public override string ToString() => null; }")
    assert not [text for text in found if "int X {" in text or "ToString" in text]


def test_positional_properties_stand_at_their_parameters() -> None:
    type_ = read_file(b"[A]\nrecord R(\n    int X,\n    int Y)\n{ }").declarations[0]
    made = implicit_members(type_, frozenset(), [])
    places = {
        (each.kind, each.name): (each.start_line, each.end_line) for each in made if each.name in ("X", "Y")
    }
    assert places == {(Kind.PROPERTY, "X"): (3, 3), (Kind.PROPERTY, "Y"): (4, 4)}
    assert (made[0].kind, made[0].start_line, made[0].end_line) == (Kind.CONSTRUCTOR, 2, 4)


def test_a_primary_constructor_of_an_abstract_class_is_for_its_heirs() -> None:
    assert added("abstract class A(int x) { }") == ["protected A(int x)"]


def test_a_record_that_derives_from_another_overrides_what_that_has() -> None:
    found = added("record A(int X) : Bases.B<int>(X), IA;")
    assert found[-5:] == [
        "public override sealed bool Equals(Bases.B<int>? other)",
        "public override A <Clone>$()",
        "protected override bool PrintMembers(System.Text.StringBuilder builder)",
        "protected A(A original)",
        "protected override System.Type EqualityContract { get; }",
    ]
    assert "public virtual bool Equals(A? other)" in found


@pytest.mark.parametrize(
    ("source", "signatures"),
    [
        ("sealed record A : B;", ["public override A <Clone>$()", "private A(A original)"]),
        ("abstract record A;", ["public abstract A <Clone>$()", "protected A(A original)"]),
        ("abstract record A : B;", ["public abstract override A <Clone>$()"]),
        ("record A : IB;", ["public virtual A <Clone>$()"]),
        ("record A : N.IB<int>;", ["public virtual A <Clone>$()"]),
        ("sealed record A : B;", ["protected override System.Type EqualityContract { get; }"]),
        ("sealed record A;", ["private System.Type EqualityContract { get; }"]),
        ("record struct A { public int X => 1; }", ["public override string ToString()"]),
        ("record struct A { public int X { get; set; } }", ["public override readonly string ToString()"]),
        ("readonly record struct A;", ["public override string ToString()", "public bool Equals(A other)"]),
    ],
)
def test_what_records_make_says_how_it_is_inherited(source: str, signatures: list[str]) -> None:
    assert set(signatures) <= set(added(source))
