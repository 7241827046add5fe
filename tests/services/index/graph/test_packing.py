"""Places that name types, packed and found again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.index.binding.facts import Fact
from services.index.graph.packing import NamedType, naming, packed

KINDS = [
    "argument",
    "attribute",
    "base",
    "call",
    "cast",
    "catch",
    "constraint",
    "cref",
    "nameof",
    "new",
    "pattern",
]
KINDS += ["read", "type", "typeof", "using", "write"]
FACTS = st.builds(
    lambda target, start, length, kind, sure: Fact(start, start + length, target, kind, sure),
    st.integers(0, 3),
    st.integers(0, 2**31),
    st.integers(0, 2**16 - 1),
    st.sampled_from(KINDS),
    st.booleans(),
)
PLACES = st.lists(st.tuples(st.integers(-1, 2**20), FACTS), max_size=12)


@given(PLACES)
def test_each_type_has_its_places_in_their_order(places: list[tuple[int, Fact]]) -> None:
    data = packed(places)
    for type_ in range(4):
        assert naming(data, type_) == [
            NamedType(fact.start, fact.end, fact.kind, fact.sure, at)
            for at, fact in places
            if fact.target == type_
        ]


@given(PLACES, PLACES)
def test_places_of_two_files_put_together_are_those_of_both(
    first: list[tuple[int, Fact]], second: list[tuple[int, Fact]]
) -> None:
    assert packed(first) + packed(second) == packed([*first, *second])


def test_nothing_names_nothing() -> None:
    assert packed([]) == b""
    assert naming(b"", 0) == []
