"""A coroutine read as an iterator: it keeps pace with its reader, and ends with it."""

from __future__ import annotations

import threading
from contextlib import closing
from itertools import count

import pytest

from services.concurrency.coroutine_stream import Emit, streamed
from services.errors import Cancelled
from tests.support.eventually import eventually


def test_a_source_runs_no_further_ahead_than_its_reader_reads() -> None:
    made: list[int] = []

    async def endless(emit: Emit[int]) -> None:
        for number in count():
            made.append(number)
            await emit(number)

    with closing(streamed(endless)) as values:  # pyright: ignore[reportArgumentType]
        for wanted in range(1_000):
            assert next(values) == wanted
            assert len(made) <= wanted + 1 + 64 + 1  # read, waiting, and the one that is being handed on
        eventually(lambda: len(made) >= 1_000 + 32)


def test_a_source_that_waits_for_its_reader_ends_when_that_goes_or_cancels() -> None:
    ended = threading.Event()

    async def endless(emit: Emit[int]) -> None:
        try:
            for number in count():
                await emit(number)
        finally:
            ended.set()

    values = streamed(endless)
    assert next(values) == 0
    values.close()  # pyright: ignore[reportAttributeAccessIssue]
    assert ended.wait(60)
    ended.clear()
    cancel = threading.Event()
    values = streamed(endless, cancel)
    assert next(values) == 0
    cancel.set()
    assert ended.wait(60)
    with pytest.raises(Cancelled):
        next(values)
