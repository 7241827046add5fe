"""Trees of bodies: offsets of the file, what the parser refuses, and texts with more than letters in them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.syntax.bodies.node import Node
from services.syntax.bodies.tree import Tree, header_end
from services.syntax.parse.lexer import lex

BODY = """void M()
{
    // é
    var s = $"a{b.C(1)}é{{x}}";
    foreach (Map<A, B> each in F<int>(c)) { G(each?.D ?? "é}"); }
    if (x is > 3 and < 5 && y[^1] is [1, ..]) return;
}"""


def tree(text: str, *, before: str = "", wrapped: str = "member") -> Tree:
    """The tree of a text that stands behind another."""
    source = (before + text).encode()
    return Tree(lex(source, frozenset()), len(before.encode()), len(source), wrapped=wrapped)


def shape(root: Node, text: bytes, shift: int = 0) -> list[tuple[str, str]]:
    """Kind and text of each node inside the text."""
    return [
        (node.type, text[node.start - shift : node.end - shift].decode())
        for node in root.walk()
        if shift <= node.start and node.end <= shift + len(text)
    ]


@given(st.sampled_from(["", "class A { ", "// é\n\t", "int x; /* ü */ "]))
def test_offsets_are_those_of_the_file_wherever_the_member_stands(before: str) -> None:
    text = BODY.encode()
    assert shape(tree(BODY, before=before).root, text, len(before.encode())) == shape(tree(BODY).root, text)


def identifiers(found: Tree) -> list[Node]:
    """The names in the text itself."""
    return [
        node
        for node in found.root.walk()
        if node.type == "identifier" and found.start <= node.start < found.end
    ]


def test_a_name_has_its_text_and_its_place() -> None:
    data = BODY.encode()
    names = identifiers(tree(BODY))
    assert {"M", "s", "b", "C", "F", "c", "G", "each", "D", "x", "y"} <= {node.text for node in names}
    assert all(data[node.start : node.end].decode() == node.text for node in names)


@pytest.mark.parametrize(
    ("literal", "names"),
    [
        ('"{a}"', []),
        ('$"{a}{b:x}"', ["a", "b"]),
        ('$"{{a}} {b}"', ["b"]),
        ('$"{{{a}}}"', ["a"]),
        ('$@"c:\\{a}"', ["a"]),
        ('$"""{a} "x" """', ["a"]),
        ('$$"""{a} {{b}} {{{c}}}"""', ["b", "c"]),
        ('$"{(a ? b : c)}"', ["a", "b", "c"]),
        ('$"{F("}", a)}"', ["F", "a"]),
    ],
)
def test_the_holes_of_a_string_are_code(literal: str, names: list[str]) -> None:
    assert [node.text for node in identifiers(tree(f"object x = {literal};"))] == ["x", *names]


def test_escapes_in_names_are_the_letters_that_they_mean() -> None:
    assert [node.text for node in identifiers(tree("int \\u0061b = c\\U00000064;"))] == ["ab", "cd"]


def test_a_statement_that_is_refused_costs_no_other() -> None:
    text = "void M()\n{\n    A(1);\n    b ! ! c d) = ;\n    E(f);\n}"
    found = tree(text)
    assert found.repaired
    names = {node.text for node in identifiers(found) if not node.broken}
    assert {"M", "A", "E", "f"} <= names
    assert all("b ! !" in text[start:end] for start, end in found.unread)


@given(st.integers(0, len(BODY)), st.integers(0, 8), st.sampled_from(["", "{", ")", '"', "<", "=> ", "é"]))
def test_damage_leaves_nodes_that_lie_in_the_member_and_nest(at: int, gone: int, put: str) -> None:
    text = BODY[:at] + put + BODY[at + gone :]
    found = tree(text, before="class A {\n")
    for node in found.root.walk():
        for child in node.children:
            assert child.parent is node
            assert node.start <= child.start <= child.end <= node.end
    assert all(node.end <= found.end for node in identifiers(found))


def test_code_nested_past_reason_is_read_as_far_as_it_goes() -> None:
    found = tree(f"int x = {'(' * 2_000}1{')' * 2_000};")
    depths, deepest = {id(found.root): 0}, 0
    for node in found.root.walk():
        if node.parent is not None:
            depths[id(node)] = depths[id(node.parent)] + 1
            deepest = max(deepest, depths[id(node)])
    assert 100 < deepest < 1_000


@pytest.mark.parametrize(
    ("declared", "header"),
    [
        ("class A { int x; }", "class A "),
        ("record A(int X);", "record A(int X)"),
        ("record A(int X = default(B)) : C(X) { }", "record A(int X = default(B)) : C(X) "),
        ('[X("{;}")] class A { }', '[X("{;}")] class A '),
        ("record A(Func<int> f /* { */) { }", "record A(Func<int> f /* { */) "),
        ("class A", "class A"),
    ],
)
def test_the_header_of_a_type_ends_before_what_it_holds(declared: str, header: str) -> None:
    source = declared.encode()
    assert source[: header_end(lex(source, frozenset()), 0, len(source))].decode() == header


@pytest.mark.parametrize(
    ("statement", "target"),
    [
        ("*p++ = x;", "*p++"),
        ("*(T*)p = x;", "*(T*)p"),
        ("*(p + 1) = x ? y : z;", "*(p + 1)"),
        ("*p-- += x && y;", "*p--"),
        ("if (a) *(byte*)(p + i) = (byte)x;", "*(byte*)(p + i)"),
        ("else_(); *F(x).p++=y;", "*F(x).p++"),
    ],
)
def test_what_a_pointer_points_to_is_assigned(statement: str, target: str) -> None:
    text = f"void M() {{ {statement} after(); }}"
    found = tree(text)
    assigned = [node for node in found.root.walk() if node.type == "assignment_expression"]
    assert not found.unread
    assert [text[left.start : left.end] for node in assigned if (left := node.get("left"))] == [target]
    assert {"after"} <= {node.text for node in identifiers(found)}


@pytest.mark.parametrize(
    "value",
    [
        "*(int*)p",
        "*(A.B**)p",
        "f(**(T***)p, 1)",
        "a + *(T*)p",
        "(byte)*(p + 1)",
        "a ? *(int*)p : 0",
        "-*(p + 1)",
    ],
)
def test_what_a_pointer_points_to_is_a_value(value: str) -> None:
    found = tree(f"int M() {{ return {value}; }}")
    signs = [node.children[0].type for node in found.root.walk() if node.type == "prefix_unary_expression"]
    assert not found.unread and "*" in signs and "~" not in signs


@pytest.mark.parametrize(
    ("arm", "patterns"),
    [
        ("[] when a => 1", 0),
        ("[_] when a => 1", 1),
        ("[int x, B { C: 2 }, ..] when x > a => 1", 3),
        ("null or [2, 3] when a => 1", 2),
    ],
)
def test_a_list_pattern_before_when_keeps_its_patterns_and_the_condition(arm: str, patterns: int) -> None:
    found = tree(f"int M() => o switch {{ {arm}, _ => after }};")
    lists = [node for node in found.root.walk() if node.type == "list_pattern"]
    assert not found.unread
    assert sum(len(each.named) for each in lists) == patterns
    assert {"a", "after"} <= {node.text for node in identifiers(found)}


@pytest.mark.parametrize(
    "written",
    [
        "required++;",
        "required |= 3;",
        "if (a) field <<= 1; else partial -= 2;",
        "int required = 3; F(required);",
        'var s = $"{x:h\\"m}{y}";',
    ],
)
def test_what_the_grammar_knows_as_something_else_costs_no_name(written: str) -> None:
    found = tree(f"void M() {{ {written} after(); }}")
    assert not found.unread
    assert "after" in {node.text for node in identifiers(found)}
