"""The types that constraint clauses list, of all parameters and of one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.index.names.type_text import bounds, types_in

WORDS = ["class", "class?", "struct", "notnull", "unmanaged", "default", "new()", "allows ref struct"]
TYPES = ["IA", "A.B", "IMap<K, List<V>>", "IPair<(int a, int b)>", "U?"]


@given(
    st.dictionaries(
        st.sampled_from(["T", "TKey", "U"]), st.lists(st.sampled_from([*WORDS, *TYPES]), min_size=1)
    )
)
def test_types_are_listed_in_their_order_and_words_left_out(clauses: dict[str, list[str]]) -> None:
    text = " ".join(f"where {name} : {', '.join(listed)}" for name, listed in clauses.items())
    types = {name: [each for each in listed if each in TYPES] for name, listed in clauses.items()}
    assert list(types_in(text)) == [each for listed in types.values() for each in listed]
    for name in ("T", "TKey", "U"):
        assert list(bounds(text, name)) == types.get(name, [])


@pytest.mark.parametrize("text", ["", "where T", "where T :", "T : IA"])
def test_what_lists_nothing_has_none(text: str) -> None:
    assert list(types_in(text)) == list(bounds(text, "T")) == []
