"""A coroutine read as an iterator: its values in order, its errors where they are read, and an end whenever the reader
wants one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.concurrency.coroutine_stream import streamed
from services.errors import Cancelled

Emit = Callable[[int], Awaitable[None]]


class Work:
    """Emits numbers, then waits for ever; says whether it was cancelled there."""

    def __init__(self, count: int = 2) -> None:
        self.count = count
        self.left = threading.Event()
        self.waits = threading.Event()

    async def __call__(self, emit: Emit) -> None:
        for each in range(self.count):
            await emit(each)
        try:
            self.waits.set()
            await asyncio.Event().wait()
        finally:
            self.left.set()


@given(st.lists(st.integers(), max_size=20), st.booleans())
def test_values_come_in_their_order_and_the_end_after_the_last(values: list[int], pauses: bool) -> None:
    async def work(emit: Emit) -> None:
        for each in values:
            await emit(each)
            if pauses:
                await asyncio.sleep(0)

    assert list(streamed(work)) == values


def test_an_error_is_raised_where_the_values_are_read_after_all_that_came_before() -> None:
    async def work(emit: Emit) -> None:
        await emit(1)
        raise ConnectionError("gone")

    stream = streamed(work)
    assert next(stream) == 1
    with pytest.raises(ConnectionError, match="gone"):
        next(stream)


def test_a_reader_that_goes_ends_the_work_wherever_it_waits() -> None:
    work = Work()
    stream = streamed(work)
    assert [next(stream), next(stream)] == [0, 1]
    stream.close()
    assert work.left.wait(60)


def test_setting_the_event_ends_the_work_and_says_so() -> None:
    work, cancel = Work(1), threading.Event()
    stream = streamed(work, cancel)
    assert next(stream) == 0
    cancel.set()
    with pytest.raises(Cancelled):
        next(stream)
    assert work.left.wait(60)


def test_nothing_is_given_out_any_more_once_the_event_is_set() -> None:
    """What was emitted before is no answer to somebody who has given up."""
    work, cancel = Work(10), threading.Event()
    stream = streamed(work, cancel)
    assert next(stream) == 0
    assert work.waits.wait(60)
    cancel.set()
    with pytest.raises(Cancelled):
        next(stream)


def test_an_event_that_is_set_from_the_start_lets_nothing_through() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        list(streamed(Work(), cancel))


def test_work_that_cleans_up_has_done_so_when_the_reader_is_gone() -> None:
    done: list[str] = []

    async def work(emit: Emit) -> None:
        await emit(1)
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            done.append("closed")

    stream = streamed(work)
    next(stream)
    stream.close()
    assert done == ["closed"]


def test_work_that_is_never_read_is_never_begun() -> None:
    work = Work()
    streamed(work)
    assert not work.waits.is_set()


def test_several_streams_do_not_disturb_each_other() -> None:
    first, second = Work(3), Work(3)
    streams = streamed(first), streamed(second)
    assert [(next(streams[0]), next(streams[1])) for _ in range(3)] == [(0, 0), (1, 1), (2, 2)]
    streams[0].close()
    assert first.left.wait(60)
    assert not second.left.is_set()
    streams[1].close()
