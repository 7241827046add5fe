"""Branches of `#if` that no configuration takes."""

import pytest

from services.model import Quality
from services.syntax.parse.branches import lex_file
from services.syntax.parse.parsing import read_file

_VALUE = b"""static class Gate {
    static string Kind() =>
#if IRON
        "iron";
#elif WOOD
        "wood";
#endif

    static int Height() { return 1; }
}
"""


def _names(source: bytes, *symbols: str) -> list[str]:
    return [each.name for each in read_file(source, frozenset(symbols)).declarations]


@pytest.mark.parametrize(
    "source",
    [
        _VALUE,
        b"class A {\n#if X\n void F(int a)\n#elif Y\n void F(long a)\n#endif\n { }\n void G() { } }",
        b"class A { int f =\n#if X\n 1\n#endif\n ; void G() { } }",
        b"class A { int F() =>\n#if X\n 1;\n#else\n // nothing yet\n#endif\n void G() { } }",
        b"class A { void F() {\n#if X\n if (a) {\n#elif Y\n if (b) {\n#endif\n } } void G() { } }",
        b"class A { [B(\n#if X\n 1\n#elif Y\n 2\n#endif\n)] int F() => 1; void G() =>\n#if Z\n H();\n#endif\n}",
    ],
)
def test_a_file_that_needs_a_branch_nobody_takes_is_read_with_the_first(source: bytes) -> None:
    assert _names(source)[-1] in ("Height", "G")
    assert read_file(source).quality is Quality.REPAIRED


def test_a_branch_in_a_body_is_read_where_the_body_needs_it() -> None:
    source = b"class A { int F() { return\n#if X\n One;\n#elif Y\n Two;\n#endif\n } }"
    assert b"One" in lex_file(source).clean
    assert b"Two" not in lex_file(source).clean


def test_the_branch_that_a_symbol_chooses_is_read() -> None:
    lexed = lex_file(_VALUE, frozenset({"WOOD"}))
    assert not lexed.guessed
    assert lexed.code.count(b"wood") == 1
    assert b"iron" not in lexed.code


@pytest.mark.parametrize(
    "source",
    [
        b"class A { void F(int a,\n#if X\n int b,\n#endif\n int c) { } }",
        b"class A\n#if X\n : B\n#endif\n{ }",
        b"#if X\nclass B { }\n#endif\nclass A { }",
        b"class A { int f = 1 +\n#if X\n 2 +\n#endif\n 3; }",
    ],
)
def test_a_file_that_parses_without_a_branch_is_read_without_it(source: bytes) -> None:
    lexed = lex_file(source)
    assert not lexed.guessed
    assert [source[slice(*each)].strip() for each in lexed.left_out]
    assert read_file(source).quality is Quality.DIRECTIVES


def test_what_does_not_parse_with_a_branch_either_is_read_without_it() -> None:
    assert not lex_file(b"class A { int f = = =\n#if X\n }}}}\n#endif\n; }").guessed


def test_branches_that_are_left_out_declare_what_is_whole_and_name_other_types() -> None:
    source = b"""class A {
#if UNITY_EDITOR
    class B { where T : class { } // class C
#elif ANDROID
    record struct D; string s = "class E";
#if NET472
    enum F { }
#endif
#endif
}"""
    record = read_file(source)
    assert record.left_out == ("B",)
    assert [(each.name, each.condition) for each in record.elsewhere] == [
        ("A", ""),
        ("D", "#elif ANDROID"),
        ("s", "#elif ANDROID"),
        ("F", "#if NET472"),
    ]
    other = read_file(source, frozenset({"UNITY_EDITOR"}))
    assert (other.left_out, [each.name for each in other.elsewhere if each.condition]) == (
        (),
        ["D", "s", "F"],
    )


def test_a_constraint_in_a_branch_declares_no_type() -> None:
    record = read_file(
        b"class A { void M() {\n#if X\nint F<T, U>() where T : struct where U : class, I { }\n#endif\n} }"
    )
    assert record.left_out == ()
