"""Ids and signatures, against the formulas of SPEC section 3 written out once more."""

from hashlib import sha256

import pytest

from services.index.catalog.naming import (
    for_people,
    label,
    member_ids,
    namespace_id,
    signature,
    type_digest,
    type_id,
    with_outer,
)
from services.index.names.type_text import parse
from services.model import Kind
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import canonical_signature

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def base32(text: str, length: int) -> str:
    """The formula's Base32, by bits as text."""
    bits = "".join(f"{byte:08b}" for byte in sha256(text.encode()).digest())
    return "".join(CROCKFORD[int(bits[at : at + 5], 2)] for at in range(0, length * 5, 5))


def members(source: str) -> list[Declaration]:
    return [each for each in read_file(source.encode()).declarations if each.parent == 0]


def member(text: str) -> Declaration:
    (only,) = members(f"class A {{ {text} }}")
    return only


def test_a_type_id_is_cut_from_fqn_kind_and_arity() -> None:
    assert type_id(type_digest("N.A`1+B", Kind.RECORD_STRUCT, 0)) == "T_" + base32(
        "N.A`1+B|record struct|0", 8
    )
    assert type_id(type_digest("N.A", Kind.CLASS, 2, "P")) == "T_" + base32("N.A|class|2|P", 8)
    assert namespace_id("N.M") == "N_" + base32("N.M|namespace|0", 8)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("public static async Task<int> M<T>(ref int a, List< string > b = null) { }",
         "public async static Task<int> N.A.M(ref int,List<string>) 1"),
        ("int x;", "private int N.A.x 0"),
        ("A(int x) { }", "private N.A.A(int) 0"),
        ("void I<int>.M() { }", "private void N.A.I<int>.M() 0"),
        ("public (int a, string? b) P { get; }", "public (int a,string?b) N.A.P 0"),
        ("int this[int i] => 1;", "private int N.A.this[](int) 0"),
    ],
)  # fmt: skip
def test_a_canonical_signature_has_no_names_defaults_or_layout(text: str, canonical: str) -> None:
    assert canonical_signature(member(text), "N.A") == canonical


def test_a_member_id_is_cut_from_its_canonical_signature() -> None:
    assert member_ids("T_X", [member("public void M(int a) { }")], "N.A") == [
        "T_X_" + base32("public void N.A.M(int) 0", 6)
    ]


def test_layout_attributes_docs_and_parameter_names_keep_a_member_s_id() -> None:
    one = member("public Map<int,string> M(Map<int,string> a) { }")
    other = member(
        "/// <summary>x</summary>\n [X] public Map<int, string> M( Map<int ,string> b = null) => null;"
    )
    assert member_ids("T_X", [one], "A") == member_ids("T_X", [other], "A")


def test_ids_that_collide_grow_together_and_are_told() -> None:
    # Found by trying: these two agree in their first 30 bits.
    names = ("M11088", "M45354")
    canonical = [f"public void N.A.{name}() 0" for name in names]
    assert base32(canonical[0], 6) == base32(canonical[1], 6)
    told: list[tuple[str, list[str]]] = []
    found = members(f"class A {{ {' '.join(f'public void {name}() {{ }}' for name in (*names, 'Other'))} }}")
    ids = member_ids("T_X", found, "N.A", collided=lambda id_, symbols: told.append((id_, symbols)))
    assert ids[:2] == [f"T_X_{base32(text, 12)}" for text in canonical]
    assert len(ids[2]) == len("T_X_") + 6
    assert told == [("T_X_" + base32(canonical[0], 6), canonical)]


def test_equal_signatures_are_counted() -> None:
    found = members("partial class A { partial void M(); partial void M() { } }")
    first, second = member_ids("T_X", found, "A")
    assert second == f"{first}.2"


@pytest.mark.parametrize(
    ("fqn", "parameters", "shown"),
    [
        ("N.A", (), "N.A"),
        ("N.A`1", ("TKey",), "N.A<TKey>"),
        ("N.A`2+B", (), "N.A<T1, T2>.B"),
        ("N.A`1+B`1", ("V",), "N.A<T>.B<V>"),
    ],
)
def test_a_name_for_people(fqn: str, parameters: tuple[str, ...], shown: str) -> None:
    assert for_people(fqn, parameters) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("public static int M<T>(ref T a, int b = 1) where T : class { }",
         "public static int M<T>(ref T a, int b = 1) where T : class"),
        ("int P { get; private set; }", "private int P { get; private set; }"),
        ("public const int X = 1;", "public const int X = 1"),
        ("static A() { }", "static A()"),
        ("~A() { }", "~A()"),
        ("void I.M() { }", "void I.M()"),
        ("public int this[int i] => 1;", "public int this[int i] { get; }"),
        ("public event Action E;", "public event Action E"),
        ("public static explicit operator int(A a) => 1;", "public static explicit operator int(A a)"),
        ("public delegate int D<T>(T a);", "public delegate int D<T>(T a)"),
        ("public record struct R<T>(T X);", "public record struct R<T>(T X)"),
        ("public int @class { get; }", "public int @class { get; }"),
        ("A(int @int, ref int value, int @this = 1) { }", "private A(int @int, ref int value, int @this = 1)"),
        ("void I.@lock<@in>(@in @async) { }", "void I.@lock<@in>(@in async)"),
        ("class @event { }", "private class @event"),
        ("enum @enum { }", "private enum @enum"),
        ("~@class() { }", "~@class()"),
        ("public int @record;", "public int record"),
        ("public int X { readonly get; set; }", "public int X { readonly get; set; }"),
        ("public int X { private readonly get => 1; set { } }", "public int X { private readonly get; set; }"),
        ("public readonly int X { get; }", "public readonly int X { get; }"),
        ("public fixed byte Buf[16];", "public fixed byte Buf[16]"),
        ("fixed int A[ (int)N.M * 2 ];", "private fixed int A[(int)N.M * 2]"),
        ("fixed int A[];", "private fixed int A"),
        ("int a = 1;", "private int a"),
    ],
)  # fmt: skip
def test_a_signature_is_the_declaration_on_one_line(text: str, shown: str) -> None:
    assert signature(member(text)) == shown


def test_fixed_buffers_of_one_declaration_have_a_size_each() -> None:
    assert [signature(each) for each in members("struct S { public fixed int A[4], B[8]; }")] == [
        "public fixed int A[4]",
        "public fixed int B[8]",
    ]


@pytest.mark.parametrize(
    ("block", "text", "shown"),
    [
        ("extension<T>(List<T> source) where T : class", "public bool IsEmpty => true;",
         "public bool extension<T>(List<T> source).IsEmpty where T : class { get; }"),
        ("extension<T>(List<T> source) where T : class", "internal U Map<U>() where U : new() => default;",
         "internal U extension<T>(List<T> source).Map<U>() where T : class where U : new()"),
        ("extension(string)", "public static string Nothing() => default;",
         "public static string extension(string).Nothing()"),
        ("extension(ref int @int)", "public int At(int at) => 1;",
         "public int extension(ref int @int).At(int at)"),
        ("extension(A)", "public static A operator +(A a, A b) => a;",
         "public static A extension(A).operator +(A a, A b)"),
    ],
)  # fmt: skip
def test_a_signature_in_an_extension_block_says_what_is_extended(block: str, text: str, shown: str) -> None:
    found = read_file(f"static class X {{ {block} {{ {text} }} }}".encode()).declarations
    assert [signature(each) for each in found if each.receiver is not None] == [shown]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("int M<T>(ref T a, int b = 1) { }", "M<T>(ref T, int)"),
        ("int this[int i, string s] => 1;", "this[int, string]"),
        ("void I<int>.M() { }", "I<int>.M()"),
        ("record R<T>(T X);", "R<T>"),
        ("delegate int D<T>(T a);", "D<T>(T)"),
        ("int x;", "x"),
        ("int @class;", "class"),
    ],
)
def test_a_label_has_types_alone(text: str, shown: str) -> None:
    assert label(member(text)) == shown


def test_namespaces_around_one_are_named_but_not_all_of_sixty_thousand() -> None:
    assert with_outer(["A.B.C"]) == {"A", "A.B", "A.B.C"}
    deep = ".".join(["A"] * 60_000)
    found = with_outer([deep])
    assert deep in found
    assert len(found) < 1_000
    assert {"A", "A.A"} <= found


def test_a_type_longer_than_anybody_writes_is_not_read_as_a_whole() -> None:
    assert parse("List<" * 20 + "int" + ">" * 20) is not None
    assert parse("List<" * 60_000 + "int" + ">" * 60_000) is None
