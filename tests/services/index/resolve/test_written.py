"""Symbol paths taken apart (SPEC, appendix): as people write them, as metadata does, and nonsense."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.resolve.written import WrittenParameter, written

NAME = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,6}", fullmatch=True).filter(
    lambda name: name.lower() not in ("global", "operator", "implicit", "explicit")
)
TYPES = st.sampled_from(["int", "string", "List<int>", "Dictionary<string, int[]>", "(int a, int b)", "A.B?"])


def names(text: str) -> list[str]:
    return [segment.name for segment in written(text).segments]


@given(st.lists(NAME, min_size=1, max_size=5), st.sampled_from([".", "+"]))
def test_names_between_dots_or_plus_signs_are_the_segments(parts: list[str], mark: str) -> None:
    path = written(mark.join(parts))
    assert [segment.name for segment in path.segments] == parts
    assert (path.parameters, path.arity, path.operator) == (None, None, False)


@given(st.lists(NAME, min_size=1, max_size=3), st.lists(TYPES, max_size=3))
def test_what_stands_in_brackets_asks_for_an_overload(parts: list[str], types: list[str]) -> None:
    path = written(f"{'.'.join(parts)}({', '.join(types)})")
    assert [segment.name for segment in path.segments] == parts
    assert path.parameters is not None
    assert [each.type for each in path.parameters] == [each.replace(", ", ",") for each in types] or [
        each.type.replace(" ", "") for each in path.parameters
    ] == [each.replace(" ", "") for each in types]


@given(NAME, st.lists(TYPES, min_size=1, max_size=3))
def test_type_arguments_tell_the_arity(name: str, types: list[str]) -> None:
    path = written(f"N.{name}<{', '.join(types)}>")
    assert (path.segments[-1].name, path.arity) == (name, len(types))


@given(NAME, st.integers(0, 9), st.sampled_from(["`", "``"]))
def test_the_arity_of_metadata_is_one_too(name: str, arity: int, mark: str) -> None:
    path = written(f"N.{name}{mark}{arity}")
    assert (path.segments[-1].name, path.arity) == (name, arity)


@given(st.text(max_size=60))
def test_nonsense_is_a_path_too(text: str) -> None:
    path = written(text)
    assert isinstance(path.segments, tuple)


@given(st.text("abc.+()[]<>,*? ", max_size=40))
def test_blanks_around_a_path_do_not_matter(text: str) -> None:
    assert written(f"  {text}\n") == written(text.strip())


@pytest.mark.parametrize(
    ("text", "modifiers"),
    [("M(ref int)", {"ref"}), ("M(this scoped in S)", {"this", "scoped", "in"}), ("M(int)", set())],
)
def test_words_before_the_type_of_a_parameter_are_kept_apart(text: str, modifiers: set[str]) -> None:
    (asked,) = written(text).parameters or ()
    assert asked.modifiers == modifiers
    assert " " not in asked.type


def test_empty_brackets_ask_for_the_overload_without_parameters() -> None:
    assert written("A.M()").parameters == ()
    assert written("A.M").parameters is None


@pytest.mark.parametrize("text", ["A.this[int]", "A[int]", "A.Item[int]"])
def test_square_brackets_ask_for_an_indexer(text: str) -> None:
    path = written(text)
    assert path.segments[-1].name.lower() in ("this", "item")
    assert path.parameters == (WrittenParameter("int", frozenset()),)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("A.operator +", "operator +"),
        ("A.operator+(A, A)", "operator +"),
        ("A.operator checked -", "operator checked -"),
        ("A.operator >>>=", "operator >>>="),
        ("A.operator true", "operator true"),
        ("A.Operator ==", "operator =="),
    ],
)
def test_an_operator_is_known_by_its_sign(text: str, name: str) -> None:
    path = written(text)
    assert (path.operator, path.names) == (True, ("a", name))


@pytest.mark.parametrize(
    ("text", "name", "target"),
    [
        ("A.implicit operator int", "implicit operator", "int"),
        ("A.explicit operator List<int>(A)", "explicit operator", "List<int>"),
        ("A.explicit operator checked byte", "explicit operator checked", "byte"),
        ("A.implicit operator int[]", "implicit operator", "int[]"),
        ("A.implicit operator (int, int)", "implicit operator", "(int,int)"),
        ("A.implicit operator", "implicit operator", None),
    ],
)
def test_a_conversion_is_known_by_what_it_makes(text: str, name: str, target: str | None) -> None:
    path = written(text)
    assert (path.operator, path.names[-1]) == (True, name)
    assert (path.target or "").replace(" ", "") == (target or "")


def test_a_star_in_a_name_is_a_wildcard_and_one_of_an_operator_is_none() -> None:
    assert written("A.Get*").wild
    assert written("?.B").wild
    assert not written("A.operator *").wild
    assert written("*.operator *").wild


def test_the_id_of_a_doc_comment_is_a_path() -> None:
    path = written("M:N.Outer.Method(System.Int32)")
    assert path.names == ("n", "outer", "method")
    assert path.parameters == (WrittenParameter("System.Int32", frozenset()),)
    assert names("P:N.A.#ctor")[-1] in ("ctor", "")


def test_an_alias_counts_as_a_name_and_the_global_one_does_not() -> None:
    assert names("global::A.B") == ["A", "B"]
    assert names("lib::A.B") == ["lib", "A", "B"]


def test_the_names_of_a_member_may_be_those_of_an_interface() -> None:
    shapes = [
        ([each.name for each in reading.segments], [each.name for each in reading.explicit])
        for reading in written("N.T.I.M").readings()
    ]
    assert shapes == [(["N", "T", "I", "M"], []), (["N", "T", "M"], ["I"]), (["N", "M"], ["T", "I"])]
