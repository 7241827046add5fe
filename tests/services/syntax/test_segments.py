"""Declarations cut apart, and keywords that are lost, told from the shape of the text alone."""

from __future__ import annotations

import pytest

from services.syntax.segments import (
    LONGEST,
    Surroundings,
    beginnings,
    is_path,
    lost_keyword,
    segments_of,
)


def cut(text: str) -> list[tuple[str, str]]:
    """Each segment as it stands, with what is around it."""
    return [
        (" ".join(text[each.start : each.end].split()), each.around.name)
        for each in segments_of(text.encode()).found
    ]


def bodies(text: str) -> list[str]:
    return [text[start:end].strip() for start, end in segments_of(text.encode()).bodies]


def completed(text: str) -> str:
    """The text with the keywords that are lost."""
    keywords = segments_of(text.encode()).keywords
    for splice in sorted(keywords.values(), reverse=True):
        text = text[: splice.at] + splice.text.decode() + text[splice.at :]
    return text


def test_semicolons_and_braces_end_segments() -> None:
    text = (
        "using A;\nnamespace N\n{\n    class T\n    {\n        int a;\n        void M() { b(); }\n    }\n}\n"
    )
    assert cut(text) == [
        ("using A;", "FILE"),
        ("namespace N", "FILE"),
        ("class T", "FILE"),
        ("int a;", "TYPE"),
        ("void M() { b(); }", "TYPE"),
    ]
    assert bodies(text) == ["b();"]


def test_members_of_an_enum_stay_together() -> None:
    assert cut("enum E { A, B = 2, C }") == [("enum E", "FILE"), ("A, B = 2, C", "ENUM")]


def test_a_semicolon_behind_the_braces_of_a_type_is_its_own() -> None:
    assert cut("class A { int a; };\nclass B { int b; }") == [
        ("class A", "FILE"),
        ("int a;", "TYPE"),
        ("class B", "FILE"),
        ("int b;", "TYPE"),
    ]


def test_of_accessors_the_bodies_alone_are_left_out() -> None:
    assert bodies("class A { int P { get { return 1; } set { x(); } } }") == ["return 1;", "x();"]
    assert bodies("class A { int P { get; set; } = 1; }") == []
    assert cut("class A { int P { get { return 1; } } int b; }")[1:] == [
        ("int P { get { return 1; } }", "TYPE"),
        ("int b;", "TYPE"),
    ]


@pytest.mark.parametrize(
    "member",
    [
        "int P { get; } = 5;",
        "int[] a = { 1, 2 };",
        "object o = new { A = 1 }.B;",
        "F f = x => { go(); };",
        "int Q { get { return 1; } } = new[] { 2 }.Length;",
    ],
)
def test_what_is_assigned_behind_braces_is_of_the_same_declaration(member: str) -> None:
    assert cut(f"class A {{ {member} int b; }}")[1:] == [(member, "TYPE"), ("int b;", "TYPE")]


def test_a_value_that_lacks_its_semicolon_ends_where_the_next_line_begins_no_deeper() -> None:
    text = "class A\n{\n    int[] a = { 1 }\n    int b;\n}\n"
    assert cut(text)[1:] == [("int[] a = { 1 }", "TYPE"), ("int b;", "TYPE")]
    deeper = text.replace("\n    int b", "\n        .Sum()")
    assert cut(deeper)[1:] == [("int[] a = { 1 } .Sum();", "TYPE")]


def test_an_unfinished_declaration_before_a_type_is_cut_from_it() -> None:
    text = "namespace N\n{\n    int lost\n    class T\n    {\n        int a;\n    }\n}\n"
    assert [text_ for text_, _ in cut(text)] == ["namespace N", "int lost", "class T", "int a;"]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("int a\nint b", [0, 1]),
        ("int a,\nint b", [0]),
        ("int a =\nb", [0]),
        ("[A]\nint b", [0]),
        ("int a\n    int b", [0]),
        ("int a\nwhere b", [0]),
        ("public\nint b", [0]),
        ("return null\nint b", [0, 1]),
        ("x(\npublic int b", [0, 1]),
        ("[A]\npublic int b", [0]),
        ("\n    int a\nint b\n  int c", [1, 2, 3]),
    ],
)
def test_declarations_begin_at_lines_that_go_on_with_nothing(text: str, lines: list[int]) -> None:
    found = beginnings(text.encode(), 0, len(text))
    assert [text[:at].count("\n") for at in found] == lines


def test_a_stretch_that_is_too_long_is_not_looked_into() -> None:
    text = b"int a\nint b" + b" " * LONGEST
    assert beginnings(text, 0, len(text)) == [0]
    assert beginnings(b"  ", 0, 2) == [0]


def test_what_lies_too_deep_is_left_out_as_a_body() -> None:
    deep = "class A { " * 102 + "int a;" + " }" * 102
    found = segments_of(deep.encode())
    assert len(found.bodies) == 1
    assert sum(each.around is Surroundings.TYPE for each in found.found) == 100


@pytest.mark.parametrize(
    ("text", "keyword"),
    [
        ("public A { public int B; }", "class"),
        ("public A : IB { }", "class"),
        ("A { public void M() { } }", "class"),
        ("public IThing { void M(); int N(); }", "interface"),
        ("public IThing { public int N; }", "class"),
        ("public Colour { Red, Green = 2, Blue }", "enum"),
        ("readonly P { public int X; }", "struct"),
        ("ref P { public int X; }", "struct"),
        ("partial A<T> where T : new() { public int X; }", "class"),
        ("[Serializable] public A { public int X; }", "class"),
        ("public A(int x) : B(x) { public int X; }", "class"),
        ("Shop.Orders { class A { int a; } }", "namespace"),
    ],
)
def test_a_lost_keyword_is_told_from_header_and_content(text: str, keyword: str) -> None:
    assert f"{keyword} " in completed(text)
    assert len(completed(text)) == len(text) + len(keyword) + 1


@pytest.mark.parametrize(
    ("header", "content", "in_type"),
    [
        (b"void M()", b" go(); ", True),  # two words
        (b"public A(int x)", b" public int y; ", True),  # a constructor
        (b"A", b" go(); ", False),
        (b"public P", b" go(); ", True),
        (b"A.B", b" int a; ", True),
        (b"A = b", b" public int y; ", False),
    ],
)
def test_a_member_lacks_no_keyword(header: bytes, content: bytes, in_type: bool) -> None:
    assert lost_keyword(header, content, in_type=in_type) is None


def test_the_keyword_stands_before_the_name() -> None:
    header = b" [A] public sealed Thing<T>"
    found = lost_keyword(header, b" public int a; ", in_type=True)
    assert found == (header.index(b"Thing"), 0, b"class ")


def test_a_type_inside_another_needs_members_to_be_one() -> None:
    assert lost_keyword(b"public A", b" ", in_type=True) is None
    assert lost_keyword(b"public A", b" ", in_type=False) is not None
    assert lost_keyword(b"A", b"one, two", in_type=True) == (0, 0, b"enum ")


def test_a_path_alone_is_a_namespace_or_a_using() -> None:
    assert completed("A.B;\nclass C { int a; }").startswith("namespace A.B;")
    assert completed("A.B;\nnamespace N;\nclass C { int a; }").startswith("using A.B;")
    assert completed("class C { x.y; }") == "class C { x.y; }"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [(b"A", True), (b" A . B ;", True), (b"A.B.C", True), (b"A.", False), (b"1A", False), (b"A B", False)],
)
def test_a_path_is_names_with_dots(text: bytes, is_one: bool) -> None:
    assert is_path(text) is is_one
