"""Types as documentation ids and signatures write them, and the constraints of type parameters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.review.api.symbol import FOUND, PLAIN, TOLD, ApiTypeNames, NameScope, Style
from services.review.api.type_view import Constraints

VALUES = ("N.S", "N.G`1", "N.Outer`1.In", "System.DateTime")
NAMES = ApiTypeNames(VALUES.__contains__)
SCOPE = NameScope({"T": "`0", "U": "``0"}, values=frozenset({"T"}), variances={"U": "out"})


@pytest.mark.parametrize(
    ("text", "id_"),
    [
        ("int", "System.Int32"),
        ("dynamic", "System.Object"),
        ("nint", "System.IntPtr"),
        ("string?", "System.String"),
        ("int?", "System.Nullable{System.Int32}"),
        ("T?", "System.Nullable{`0}"),
        ("U?", "``0"),
        ("N.S?", "System.Nullable{N.S}"),
        ("N.G<int>?", "System.Nullable{N.G{System.Int32}}"),
        ("N.C?", "N.C"),
        ("N.Outer<T>.In?", "System.Nullable{N.Outer{`0}.In}"),
        ("int[][,]", "System.Int32[0:,0:][]"),
        ("int?[]?", "System.Nullable{System.Int32}[]"),
        ("ref readonly int", "System.Int32@"),
        ("int**", "System.Int32**"),
        ("(int a, string? b)", "System.ValueTuple{System.Int32,System.String}"),
        ("delegate*<int, void>", ""),
        ("global::N.S", "N.S"),
        ("@class", "class"),
        ("not a type", "not a type"),
    ],
)
def test_a_documentation_id_is_that_of_the_compiler(text: str, id_: str) -> None:
    assert NAMES.doc_id(text, SCOPE) == id_


@pytest.mark.parametrize("count", [2, 7, 8, 14, 15])
def test_a_long_tuple_has_the_rest_of_it_in_its_eighth_place(count: int) -> None:
    id_ = NAMES.doc_id(f"({', '.join(['int'] * count)})", SCOPE)
    assert id_.count("System.Int32") == count
    assert id_.count("System.ValueTuple{") == id_.count("}") == -(-count // 7)
    assert id_.endswith("}" * -(-count // 7))


@pytest.mark.parametrize(
    ("text", "plain", "told"),
    [
        ("System.Int32", "int", "int"),
        ("string?", "string", "string?"),
        ("int?", "int?", "int?"),
        ("System.Nullable<int>", "int?", "int?"),
        ("System.ValueTuple<int, string>", "(int, string)", "(int, string)"),
        ("System.ValueTuple<int>", "System.ValueTuple<int>", "System.ValueTuple<int>"),
        ("(int a, string? b)", "(int a, string b)", "(int a, string? b)"),
        ("N.I<U>", "N.I<U>", "N.I<out U>"),
        ("N.I<U?>", "N.I<U>", "N.I<out U?>"),
        ("N.I<T, int>", "N.I<T, int>", "N.I<T, int>"),
        ("int[,,]", "int[,,]", "int[*,*,*]"),
        ("int[]", "int[]", "int[]"),
        ("delegate*<int, void>", "delegate*<int, void>", "delegate*<int, void>"),
        ("", "", ""),
    ],
)
def test_a_type_is_written_as_signatures_and_messages_have_it(text: str, plain: str, told: str) -> None:
    assert NAMES.display(text, SCOPE) == plain
    assert NAMES.display(text, SCOPE, TOLD) == told


def test_what_stands_for_a_parameter_of_a_base_takes_its_place() -> None:
    scope = NameScope({"T": "`0"}, given={"K": "int?", "V": "N.C"})
    assert NAMES.display("N.Map<K, N.List<V>>", scope) == "N.Map<int?, N.List<N.C>>"


simple = st.sampled_from(["int", "string", "N.C", "N.S", "T", "U", "System.Int32", "global::N.C"])
types = st.recursive(
    simple,
    lambda inner: (
        inner.map("{}[]".format)
        | inner.filter(lambda text: not text.endswith("?")).map("{}?".format)
        | st.lists(inner, min_size=1, max_size=2).map(lambda each: f"N.G<{', '.join(each)}>")
        | st.lists(inner, min_size=2, max_size=3).map(lambda each: f"({', '.join(each)})")
    ),
    max_leaves=5,
)


@given(types, st.sampled_from([PLAIN, Style(annotated=True)]))
def test_a_type_that_is_written_is_written_again_the_same(text: str, style: Style) -> None:
    once = NAMES.display(text, SCOPE, style)
    assert NAMES.display(once, SCOPE, style) == once


@given(types)
def test_a_type_is_the_same_type_however_it_is_written(text: str) -> None:
    id_ = NAMES.doc_id(text, SCOPE)
    assert NAMES.doc_id(NAMES.display(text, SCOPE, Style(annotated=True)), SCOPE) == id_
    assert NAMES.doc_id(f"ref {text}", SCOPE) == f"{id_}@"


def constraints(text: str) -> Constraints:
    return Constraints(NAMES, SCOPE, lambda name: {"I": "N.I<T, U>", "C": "N.C"}.get(name, name))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("where T : struct", "where T : struct"),
        ("where T : class?, I, new ( )", "where T : class, N.I<T, U>, new()"),
        ("where T : C\n  where U : notnull, U", "where T : N.C where U : notnull, U"),
        ("where T : default where U : allows ref struct", ""),
        ("where @class : C", "where class : N.C"),
        ("where T : N.I<int, (int where, string b)>", "where T : N.I<int, (int where, string b)>"),
        ("where T : N.I<N.I<int, int>, int>, C", "where T : N.I<N.I<int, int>, int>, N.C"),
    ],
)
def test_constraints_are_shown_in_the_order_of_signatures(text: str, shown: str) -> None:
    assert constraints(text).shown(text) == shown
    assert constraints(shown).shown(shown) == shown


def test_constraints_are_told_by_words_and_by_types_with_their_ids() -> None:
    first, second = constraints("").of("where T : class, I, U, new() where U : default")
    assert (first.parameter, first.words) == ("T", {"class", "new()"})
    assert first.types == (("N.I<T, out U>", "T:N.I{`0,``0}"), ("U", "!:U"))
    assert (second.parameter, second.words, second.types) == ("U", frozenset(), ())
    assert NAMES.display("N.I<T, U?>", SCOPE, FOUND) == "N.I<T, out U>"
