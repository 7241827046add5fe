"""Expressions grouped as the language groups them, whatever the parser makes of them.

An expression is made with as few parentheses as the precedences of C# ask for (specification 12.4.2), so that it is
known where each part of it begins and ends; the tree of its text has a node for each.
"""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.syntax.bodies.tree import Tree
from services.syntax.parse.lexer import lex

PRIMARY, CHAIN, UNARY, SWITCH, TEST, TERNARY, LOOSEST = 20, 19, 15, 13, 9, 1, 0
SIGNS = {
    "??": 2,
    "||": 3,
    "&&": 4,
    "|": 5,
    "^": 6,
    "&": 7,
    "==": 8,
    "!=": 8,
    "<<": 10,
    "+": 11,
    "-": 11,
    "/": 12,
}
SAME = {
    "conditional_access_expression": {"member_access_expression", "invocation_expression"},
    "is_expression": {"is_pattern_expression"},
}
"""What else a node is called: a chain by its last link, `is A` by the constant that `A` may be."""


@dataclass(frozen=True)
class Written:
    """An expression: the node that it is, how much it binds, and its parts."""

    kind: str
    strength: int
    parts: tuple[str | Written, ...]

    def __str__(self) -> str:
        return "".join(map(str, self.parts))

    def spans(self, at: int) -> list[tuple[str, int, int]]:
        """Kind, beginning and end of itself and of all in it, where it begins at an offset."""
        found = [(self.kind, at, at + len(str(self)))]
        for each in self.parts:
            found += each.spans(at) if isinstance(each, Written) else []
            at += len(str(each))
        return found


def bound(part: Written, least: int) -> Written:
    """The expression, in parentheses where it binds less."""
    return part if part.strength >= least else Written("parenthesized_expression", PRIMARY, ("(", part, ")"))


def around(kind: str, strength: int, least: int, before: str, after: str) -> Written:
    """A form with one operand, to be drawn: `hole` stands for it."""
    return Written(kind, strength, (before, Written("hole", least, ()), after))


FORMS = [
    around("member_access_expression", PRIMARY, PRIMARY, "", ".m"),
    around("invocation_expression", PRIMARY, PRIMARY, "", "(b)"),
    around("invocation_expression", PRIMARY, PRIMARY, "", ".M<List<T>>(b, c)"),
    around("conditional_access_expression", CHAIN, PRIMARY, "", "?.m"),
    around("conditional_access_expression", CHAIN, PRIMARY, "", "?.m(a).n"),
    around("object_creation_expression", PRIMARY, LOOSEST, "new N.T(", ")"),
    around("prefix_unary_expression", UNARY, UNARY, "!", ""),
    around("await_expression", UNARY, UNARY, "await ", ""),
    around("cast_expression", UNARY, UNARY, "(T)", ""),
    around("cast_expression", UNARY, UNARY, "(List<T[]>)", ""),
    around("is_expression", TEST, TEST + 1, "", " is int"),
    around("as_expression", TEST, TEST + 1, "", " as N.T"),
    around("switch_expression", SWITCH, UNARY, "", " switch { 1 => b, _ => c }"),
    around("assignment_expression", LOOSEST, LOOSEST, "x = ", ""),
    around("lambda_expression", LOOSEST, LOOSEST, "x => ", ""),
]


def filled(form: Written, operand: Written) -> Written:
    before, hole, after = form.parts
    assert isinstance(hole, Written)
    return Written(form.kind, form.strength, (before, bound(operand, hole.strength), after))


def joined(left: Written, sign: str, right: Written) -> Written:
    own = SIGNS[sign]
    least = (own + 1, own) if sign == "??" else (own, own + 1)
    parts = (bound(left, least[0]), f" {sign} ", bound(right, least[1]))
    return Written("binary_expression", own, parts)


def chosen(condition: Written, left: Written, right: Written) -> Written:
    parts = (bound(condition, TERNARY + 1), " ? ", bound(left, TERNARY), " : ", bound(right, TERNARY))
    return Written("conditional_expression", TERNARY, parts)


def cast(created: str, argument: Written) -> Written:
    made = Written("object_creation_expression", PRIMARY, (f"new {created}(a, ", argument, ")"))
    return Written("cast_expression", SWITCH, ("(N.T)", made))


EXPRESSIONS = st.recursive(
    st.sampled_from("abcd").map(lambda name: Written("identifier", PRIMARY, (name,))),
    lambda inner: st.one_of(
        st.builds(filled, st.sampled_from(FORMS), inner),
        st.builds(joined, inner, st.sampled_from(sorted(SIGNS)), inner),
        st.builds(chosen, inner, inner, inner),
        st.builds(cast, st.sampled_from(["List<T>", "N.List<T[]>", "Map<List<T>>"]), inner),
    ),
    max_leaves=6,
)
BEFORE = "async void M() { var q = "


def parsed(text: str) -> Tree:
    """The tree of a method that keeps what an expression gives."""
    source = f"{BEFORE}{text}; }}".encode()
    return Tree(lex(source, frozenset()), 0, len(source))


@given(EXPRESSIONS)
def test_every_operand_is_what_the_precedences_make_it(expression: Written) -> None:
    tree = parsed(str(expression))
    assert not tree.has_error
    found = {(node.type, node.start, node.end) for node in tree.root.walk()}
    for kind, start, end in expression.spans(len(BEFORE)):
        assert any((each, start, end) in found for each in {kind} | SAME.get(kind, set())), (kind, start, end)


@pytest.mark.parametrize(
    ("text", "kind", "parts"),
    [
        ("a && b?.c == d", "binary_expression", {"a && b?.c == d", "b?.c == d"}),
        ("a || b && c?.d != e || f", "binary_expression", {"a || b && c?.d != e", "b && c?.d != e", "c?.d != e"}),
        ("a ?? b?.c ?? d", "binary_expression", {"b?.c ?? d"}),
        ("a == b?.c + d * e", "binary_expression", {"b?.c + d * e", "d * e"}),
        ("a ?? b?.c switch { _ => d }", "switch_expression", {"b?.c switch { _ => d }"}),
        ("a is > 3 && b", "is_pattern_expression", {"a is > 3"}),
        ("a is B.C ? d : e", "is_pattern_expression", {"a is B.C"}),
        ("(A)(B<C>)new D<C>(e)", "cast_expression", {"(A)(B<C>)new D<C>(e)", "(B<C>)new D<C>(e)"}),
        ("(A)new global::B.C<D>(e).F(g)", "object_creation_expression", {"new global::B.C<D>(e)"}),
        ("(A)!b.C<D>(e)", "invocation_expression", {"b.C<D>(e)"}),
        ("F(new A<B>(c) { d })", "object_creation_expression", {"new A<B>(c) { d }"}),
        ("F<(int a, int b)>(c)", "invocation_expression", {"F<(int a, int b)>(c)"}),
        ("F((T)new D<A, B>(c))", "object_creation_expression", {"new D<A, B>(c)"}),
        ("F(new List<(A a, B b)> { (c, d) })", "tuple_element", {"A a", "B b"}),
        ("F(new Func<A<B>, C[]>(d).E)", "object_creation_expression", {"new Func<A<B>, C[]>(d)"}),
        ("F(a < b, c > (d))", "type_argument_list", {"< b, c >"}),
        ("(A)(*a->b.c).d", "prefix_unary_expression", {"*a->b.c"}),
        ("(a)[1].b + (c.d)[e]", "bracketed_argument_list", {"[1]", "[e]"}),
        ("F(a < b, c > d)", "binary_expression", {"a < b", "c > d"}),
        ('F("A<B>(c)", (T)new D<A, B>("E<F>"))', "object_creation_expression", {'new D<A, B>("E<F>")'}),
    ],
)  # fmt: skip
def test_what_the_parser_groups_otherwise_is_put_right(text: str, kind: str, parts: set[str]) -> None:
    source = f"{BEFORE}{text}; }}"
    found = {source[node.start : node.end] for node in parsed(text).root.walk() if node.type == kind}
    assert parts <= found


@given(EXPRESSIONS)
def test_nodes_nest_in_the_order_of_the_text(expression: Written) -> None:
    for node in parsed(str(expression)).root.walk():
        edges = [node.start, *(at for each in node.children for at in (each.start, each.end)), node.end]
        assert edges == sorted(edges)
        assert all(each.parent is node for each in node.children)
        assert [each for each in node.children if each in node.named] == node.named
