"""What the parser gets to see: headers and accessor lists, without bodies and long blanks."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import Quality
from services.syntax.parse.lexer import lex
from services.syntax.parse.parsing import read_file
from services.syntax.parse.skeleton import Bodiless, Skeleton, compact, without_bodies

_PIECES = [
    *(
        "class A",
        "{",
        "}",
        "{ get; set; }",
        "void M()",
        ";",
        "=> 1;",
        " " * 30,
        "\n" * 26,
        "=",
        "int x",
        '"s  s"',
    ),
    *("namespace N", "record R(int X)", "(", ")", "[A]", "// c\n", "enum E", "extension(int x)"),
]
sources = st.lists(st.sampled_from(_PIECES), max_size=40).map(" ".join).map(str.encode)


def skeleton(source: bytes) -> Skeleton:
    return compact(without_bodies(lex(source).clean).text)


def seen(source: str) -> str:
    """The skeleton, blanks folded."""
    return " ".join(skeleton(source.encode()).text.decode().split())


@given(sources)
def test_offsets_map_back_to_the_same_character(source: bytes) -> None:
    shape = skeleton(source)
    assert len(shape.full) == len(source)
    for at, byte in enumerate(shape.text):
        assert shape.full[shape.origin(at)] == byte


@pytest.mark.parametrize(
    "header",
    [
        "class A",
        "public struct A<T> where T : class",
        "interface I : J",
        "enum E : byte",
        "namespace N.M",
        "record R",
        "record R(int X)",
        "record struct R<T>(T X) : I",
        "record class R",
        "class @class",
    ],
)
def test_the_content_of_types_and_namespaces_stays(header: str) -> None:
    assert seen(f"{header} {{ int kept; }}") == f"{header} {{ int kept; }}"


@pytest.mark.parametrize(
    "header", ["void M()", "A()", "~A()", "int P { get", "static A operator +(A a, A b)"]
)
def test_bodies_are_left_out(header: str) -> None:
    closing = " }" if "get" in header else ""
    assert seen(f"class A {{ {header} {{ if (x) {{ gone(); }} }}{closing} int kept; }}") == (
        f"class A {{ {header} {{ }}{closing} int kept; }}"
    )


def test_accessor_lists_stay_with_their_access() -> None:
    source = "class A { int P { [X] private get; protected internal set { x = value; } } int Q { get; init; } = 1; }"
    assert seen(source) == (
        "class A { int P { [X] private get; protected internal set { } } int Q { get; init; } = 1; }"
    )


@pytest.mark.parametrize("first", ["() => { gone(); }", "new X { A = 1 }.B", "new[] { 1 } ?? b"])
def test_the_arrow_of_a_lambda_behind_a_block_is_no_body(first: str) -> None:
    record = read_file(f"class A {{ A() : this({first}, x => 1) {{ }} int P {{ get; set; }} }}".encode())
    assert record.quality is Quality.EXACT
    assert [each.name for each in record.declarations] == ["A", "A", "P"]


@pytest.mark.parametrize("list_", ["[ (a, b) => a.Run(b), (a, b) => b ]", "[ [ a => a.Run() ], [ ] ]"])
def test_the_arrow_of_a_lambda_in_a_list_is_no_body(list_: str) -> None:
    source = f"class A {{ [B(1)] F<int?>[] s = {list_}; [B] int X => 3_000; }}".encode()
    assert without_bodies(source).text == source.replace(b"3_000", b"    0")


def test_an_extension_block_is_kept() -> None:
    source = "static class A { extension<T>(T x) where T : class { int P => 1; void M() { gone(); } } }"
    assert "void M() { }" in seen(source)
    assert "gone" not in seen(source)


def test_a_variable_named_like_a_keyword_opens_no_type() -> None:
    assert "gone" not in seen("class A { void M() { var record = x; { gone(); } } int Q() { gone(); } }")


@pytest.mark.parametrize("source", ["class A { void M() { ", "class A { } } class B { }", "{", "}"])
def test_where_braces_do_not_balance_nothing_is_left_out(source: str) -> None:
    clean = lex(source.encode()).clean
    assert without_bodies(clean) == Bodiless(clean, {})


def test_top_level_statements_are_no_declarations() -> None:
    assert "class A { int x; }" in seen("var a = 1; if (a) { gone(); } class A { int x; }")


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ("F a = () => 1, b = () => 2", "a b"),
        ("F a = () => 1, b, c = x => y => F<A, B>(x), @d", "a b c d"),
        ("F a = () => { x(); }, b = () => new A { X = 1, Y = 2 }, c", "a b c"),
        ("F<G<A, B>> a = () => x < y,\n b = () => (1, c = 2), d = null", "a b d"),
        ("F a = () => F<A, B, C>(x, y = 2)", "a"),
        ("event F a = () => x[1, y = 2], b", "a b"),
    ],
)
def test_a_lambda_hides_no_declarator_behind_it(fields: str, names: str) -> None:
    found = read_file(f"class A {{ {fields}; int z; }}".encode()).declarations
    assert " ".join(each.name for each in found) == f"A {names} z"


@pytest.mark.parametrize("arguments", [
    "x is { } t ? F(t) : null", "x is { P: 3 }", "x switch { 1 => 2, _ => 3 }", "new C { X = { 1, 2 } }",
    "() => { return 3; }, 4", "new[] { 1 }, new { A = 2 }",
])  # fmt: skip
@pytest.mark.parametrize("head", ["class A", "record A", "struct A"])
def test_braces_among_what_a_base_is_given_open_no_members(head: str, arguments: str) -> None:
    source = f"public {head}(int? x) : B({arguments}) where T : new() {{ public void M() {{}} }} class D {{ int a; }}"
    names = [each.name for each in read_file(source.encode()).declarations]
    assert [name for name in names if name in "AMDa"] == ["A", "M", "D", "a"]


@pytest.mark.parametrize("head", ["class A(int x", "class A(int x : B(y)"])
def test_a_parenthesis_that_lacks_costs_no_members(head: str) -> None:
    source = f"{head} {{ public void M() {{}} }} class D(int y) {{ void N() {{}} }}"
    assert {each.name for each in read_file(source.encode()).declarations} >= {"A", "M", "D", "N"}
