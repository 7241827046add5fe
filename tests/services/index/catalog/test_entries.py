"""Entries are the same whether they are read one by one or all together."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import cast

from hypothesis import given
from hypothesis import strategies as st
from msgspec.msgpack import Decoder, decode

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


class _MeetingDecoder:
    """Decoder that finds out whether two threads decode at once. `met`: whether they did."""

    def __init__(self) -> None:
        self.met = False
        self._meeting = threading.Barrier(2)

    def decode(self, data: memoryview) -> list[int]:
        with suppress(threading.BrokenBarrierError):
            self._meeting.wait(0.1)
            self.met = True
        return decode(data, type=list[int])


def test_threads_that_read_one_by_one_have_the_entries_that_are_read_with_all() -> None:
    """Entries are changed in place: a second one of the same place would miss the change."""
    decoder, ready = _MeetingDecoder(), threading.Barrier(3)
    rows = frozen([[number] for number in range(20)])
    kept = Entries(cast("Decoder[list[int]]", decoder), Decoder(list[list[int]]), rows)

    def one_by_one() -> list[list[int]]:
        ready.wait()
        return [kept.at(index) for index in range(20)]

    with ThreadPoolExecutor(3) as pool:
        found = [call.result() for call in [pool.submit(one_by_one) for _ in range(3)]]
    assert not decoder.met
    for entries_read in found:
        assert all(row is entry for row, entry in zip(entries_read, kept.all(), strict=True))
