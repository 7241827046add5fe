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
