"""Places that name types and members, packed and found again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from services.index.binding.facts import Fact
from services.index.graph.packing import (
    FOREIGN,
    NamedType,
    member_places,
    naming,
    packed,
    packed_members,
    renumbered_members,
    type_places,
)

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


MEMBERS = st.lists(
    st.tuples(
        st.integers(0, 2**31),
        st.one_of(st.just(FOREIGN), st.tuples(st.integers(0, 3), st.integers(0, 2**32 - 1))),
    ),
    max_size=12,
)


@given(MEMBERS)
def test_each_place_has_its_member_unless_it_names_two(places: list[tuple[int, tuple[int, int]]]) -> None:
    found = member_places(packed_members(places))
    for start, key in places:
        named = {other for at, other in places if at == start}
        assert found.get(start) == (key if len(named) == 1 else None)
    assert found.keys() <= {start for start, _ in places}


@given(MEMBERS)
def test_members_follow_the_numbers_of_their_types(places: list[tuple[int, tuple[int, int]]]) -> None:
    moved = {at: at + 7 for at in range(4)}
    again = renumbered_members(packed_members(places), moved)
    assert member_places(again) == {
        start: (moved.get(type_, type_), key)
        for start, (type_, key) in member_places(packed_members(places)).items()
    }


@given(PLACES)
def test_a_certain_name_of_a_type_is_settled(places: list[tuple[int, Fact]]) -> None:
    assert type_places(packed(places)) == [
        fact.start for _, fact in places if fact.sure and fact.kind != "nameof"
    ]
