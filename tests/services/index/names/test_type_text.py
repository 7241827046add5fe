"""Type texts as trees: every way in which C# writes a type, and nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.names.type_text import (
    KEYWORDS,
    FunctionPointer,
    Named,
    Node,
    Predefined,
    Tuple,
    TypeTextSegment,
    Wrapped,
    attribute_classes,
    identifiers,
    parse,
    unqualified,
)

NAMES = st.sampled_from(["List", "T", "Key", "a", "_x1", "Größe"])
SUFFIXES = st.sampled_from(["?", "[]", "[,]", "*", "[,,]"])


def _trees() -> st.SearchStrategy[Node]:
    leaves = st.builds(Predefined, st.sampled_from(sorted(KEYWORDS))) | st.builds(
        Named, st.tuples(st.builds(TypeTextSegment, NAMES)), st.sampled_from(["", "global", "alias"])
    )

    def larger(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
        segments = st.lists(
            st.builds(TypeTextSegment, NAMES, st.lists(inner, max_size=2).map(tuple)), min_size=1, max_size=3
        )
        elements = st.lists(st.tuples(inner, st.sampled_from(["", "count", "name"])), min_size=2, max_size=3)
        pointed = st.lists(inner, min_size=1, max_size=3).map(tuple)
        return (
            st.builds(Named, segments.map(tuple))
            | st.builds(Wrapped, inner, SUFFIXES)
            | st.builds(Tuple, elements.map(tuple))
            | st.builds(FunctionPointer, st.just("delegate*"), pointed)
        )

    return st.recursive(leaves, larger, max_leaves=8)


def shown(node: Node) -> str:
    """A tree as C# writes it."""
    match node:
        case Predefined():
            return node.name
        case Named():
            qualifier = f"{node.qualifier}::" if node.qualifier else ""
            return qualifier + ".".join(map(_segment, node.segments))
        case Wrapped():
            return f"{node.prefix}{shown(node.inner)}{node.suffix}"
        case Tuple():
            return "(" + ", ".join(f"{shown(each)} {name}".rstrip() for each, name in node.elements) + ")"
        case FunctionPointer():
            return f"{node.head}<{', '.join(map(shown, node.arguments))}>"


def _segment(segment: TypeTextSegment) -> str:
    inner = f"<{', '.join(map(shown, segment.arguments))}>" if segment.arguments else ""
    return segment.name + inner


@given(_trees())
def test_what_is_written_is_read_back(tree: Node) -> None:
    assert parse(shown(tree)) == tree


@given(_trees())
def test_layout_does_not_matter(tree: Node) -> None:
    loose = shown(tree)
    for mark in "<>,[]?.":
        loose = loose.replace(mark, f" {mark}\n ")
    assert parse(loose) == tree


@given(_trees(), st.integers(0, 200))
def test_half_a_type_is_none_or_another(tree: Node, at: int) -> None:
    text = shown(tree)[:at]
    found = parse(text)
    assert found is None or parse(shown(found)) == found


@given(st.text("<>()[],?*.:aT @&|", max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    found = parse(text)
    assert found is None or parse(shown(found)) == found


@pytest.mark.parametrize(
    "text", ["", " ", "List<", "List<>", "a.", ".a", "int]", "(int", "()", "a::", "1+2", "a,b"]
)
def test_what_is_no_type_has_no_tree(text: str) -> None:
    assert parse(text) is None


def test_words_before_a_type_are_kept_apart_from_it() -> None:
    assert parse("ref readonly int") == Wrapped(Predefined("int"), prefix="ref readonly ")


def test_a_name_behind_an_at_sign_is_the_same_name() -> None:
    assert parse("@class.@event") == Named((TypeTextSegment("class"), TypeTextSegment("event")))


@pytest.mark.parametrize("deep", ["(" * 90 + "int", "List<" * 90 + "int" + ">" * 90, "int" + "[]" * 90])
def test_a_type_deeper_than_anybody_writes_is_refused_at_once(deep: str) -> None:
    assert parse(deep) is None


def test_a_type_longer_than_anybody_writes_is_refused() -> None:
    assert parse("(" + ", ".join(["int"] * 9_000) + ")") is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("System.Collections.Generic.List<int>", "List<System.Int32>"),
        ("string?", "String"),
        ("global::A.B", "B"),
        ("Dictionary<string, object?>", "Dictionary<String,Object>"),
    ],
)
def test_types_that_may_be_the_same_are_alike_without_namespaces(first: str, second: str) -> None:
    assert unqualified(first) == unqualified(second)


@pytest.mark.parametrize(("first", "second"), [("int", "long"), ("List<int>", "List<string>"), ("A", "A[]")])
def test_types_that_differ_are_told_apart(first: str, second: str) -> None:
    assert unqualified(first) != unqualified(second)


@given(_trees())
def test_a_type_without_namespaces_has_none_left(tree: Node) -> None:
    once = unqualified(shown(tree))
    assert unqualified(once) == once


def test_the_class_of_an_attribute_is_tried_with_its_suffix_first() -> None:
    assert attribute_classes("Obsolete") == ("ObsoleteAttribute", "Obsolete")
    assert attribute_classes("Of<List<int>>") == ("OfAttribute<List<int>>", "Of<List<int>>")
    assert attribute_classes("A.B <int>") == ("A.BAttribute<int>", "A.B <int>")


def test_names_in_a_type_are_those_of_types_and_of_elements() -> None:
    assert identifiers("Dictionary<string, (Key key, int)>") == ("Dictionary", "Key", "key")
