"""What a window refers to and does not show, and what showing it is worth."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from services.model import Level
from services.prompt.missing_types import Costs, MissingType, referred
from services.prompt.references import ItemReferences

COUNTS = st.integers(0, 40)
TYPES = st.dictionaries(st.sampled_from(["T_1", "T_2", "T_3"]), st.integers(1, 5), max_size=3).map(Counter)
ITEMS = st.dictionaries(
    st.sampled_from(["type:A", "type:B", "range:C"]),
    st.builds(
        ItemReferences,
        named=TYPES,
        used=TYPES,
        about=st.frozensets(st.sampled_from(["T_1"])),
        source=st.booleans(),
    ),
    max_size=3,
)


@given(COUNTS, COUNTS, COUNTS)
def test_more_references_are_worth_more(named: int, used: int, in_source: int) -> None:
    worth = MissingType(named, used, in_source).worth
    assert MissingType(named + 1, used, in_source).worth >= worth
    assert MissingType(named, used, in_source + 1).worth > worth


@given(COUNTS, COUNTS)
def test_each_further_reference_is_worth_less(named: int, used: int) -> None:
    first = MissingType(named + 1, used).worth - MissingType(named, used).worth
    later = MissingType(named + 20, used).worth - MissingType(named + 19, used).worth
    assert later <= first + 1  # worths are rounded


@given(COUNTS, st.integers(1, 40))
def test_what_the_source_names_comes_before_what_signatures_name(named: int, in_source: int) -> None:
    assert MissingType(in_source, 0, in_source).rank < MissingType(named, 0, 0).rank


@given(ITEMS)
def test_every_reference_is_counted_once_and_told_with_its_item(items: dict[str, ItemReferences]) -> None:
    found = referred(items)
    for id_, its in found.items():
        naming = [key for key, each in items.items() if id_ in each.named or id_ in each.used]
        counted = [key for key in naming if not (items[key].source and id_ in items[key].about)]
        assert its.by == counted
        assert its.named == sum(items[key].named[id_] for key in counted)
        assert its.used == sum(items[key].used[id_] for key in counted)
        assert its.in_source <= its.named + its.used


@given(ITEMS)
def test_source_says_nothing_of_the_type_it_stands_in(items: dict[str, ItemReferences]) -> None:
    only = {key: each for key, each in items.items() if each.source}
    assert not set(referred(only)) & frozenset.intersection(
        *(each.about for each in only.values()), frozenset({"T_1"})
    )


@given(st.integers(1, 500), st.integers(1, 500), st.integers(1, 4000))
def test_a_signature_is_a_choice_only_where_it_costs_less(signature: int, outline: int, worth: int) -> None:
    options = dict(Costs(signature, outline).options(worth))
    assert (Level.SIGNATURE in options) is (signature < outline)
    assert (options[Level.OUTLINE].cost, options[Level.OUTLINE].value) == (outline, worth)
    if Level.SIGNATURE in options:
        assert 1 <= options[Level.SIGNATURE].value <= max(1, worth)


def test_a_member_is_shown_by_its_source_or_not_at_all() -> None:
    assert [level for level, _ in Costs(10, 50, is_member=True).options(9)] == [Level.BODIES]
