"""Type arguments and comparisons, by the rule of the language."""

from __future__ import annotations

import pytest

from services.syntax.bodies.generics import generic_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("F(G<A, B>(7))", ["G<A, B>"]),
        ("F(G<A, B>7)", []),
        ("F(G<A, B>>7)", []),
        ("F(G<A, B> + x)", []),
        ("a < b && c > (d)", []),
        ("i < 10, j > (k)", []),
        ("a < b ? c > (d) : e", []),
        ("a < this, b > (c)", []),
        ("x = A<B>.C<D>.E;", ["A<B>", "C<D>"]),
        ("A<B<C>, D[,]?>[]", ["A<B<C>, D[,]?>"]),
        ("A<(B b, C<D>), E*>?", ["A<(B b, C<D>), E*>"]),
        ("A<(B)>(c)", []),
        ("A<global::B.C>()", ["A<global::B.C>"]),
        ("new A<B> { c }", ["A<B>"]),
        ("new N.A<B>.C<D> { e }", ["A<B>", "C<D>"]),
        ("foreach (A<B> c in d)", ["A<B>"]),
        ("x is A<B> c", ["A<B>"]),
        ("F(out A<B> c)", ["A<B>"]),
        ("from a in b let c = D<E> select c", ["D<E>"]),
        ("F(a < b, c > select)", []),
        ("A<B", []),
        ("A<", []),
    ],
)
def test_the_token_behind_the_list_decides(text: str, names: list[str]) -> None:
    data = text.encode()
    assert [data[each.start : each.end].decode() for each in generic_names(data) if each.is_one] == names


def test_text_that_never_closes_is_no_list() -> None:
    for text in (b"a<" * 3_000, b"a<b," * 3_000, b"a<(" * 3_000, b"a<b.c" * 3_000):
        assert not any(each.is_one for each in generic_names(text))
