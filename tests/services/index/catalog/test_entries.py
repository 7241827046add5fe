"""Entries are the same whether they are read one by one or all together."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from msgspec.msgpack import Decoder

from services.index.catalog.entries import Entries, frozen

LISTS = st.lists(st.none() | st.text(max_size=3), max_size=100)


def entries(values: list[str | None]) -> Entries[str | None]:
    return Entries(Decoder(str | None), Decoder(list[str | None]), frozen(values))


@given(LISTS)
def test_one_by_one_and_all_together(values: list[str | None]) -> None:
    assert [entries(values).at(index) for index in range(len(values))] == values
    assert entries(values).all() == values
    assert list(entries(values)) == values
    assert len(entries(values)) == len(values)


@given(LISTS.filter(bool), st.data())
def test_one_read_before_is_the_one_read_with_all(values: list[str | None], data: st.DataObject) -> None:
    kept = entries(values)
    index = data.draw(st.integers(0, len(values) - 1))
    first = kept.at(index)
    assert kept.all()[index] is first


def test_what_is_done_to_all_is_done_to_the_entries() -> None:
    kept = entries(["a", "b"])
    kept.all().append("c")
    kept.all()[0] = "z"
    assert (len(kept), kept.at(0), kept.at(2)) == (3, "z", "c")
