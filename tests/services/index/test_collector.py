"""What stays as long as the process is not walked over again."""

from __future__ import annotations

import gc
import weakref

import pytest

from services.concurrency.gc_pause import freeze_objects, thaw_objects


@pytest.mark.usefixtures("freezing")
def test_what_is_there_is_left_out_of_the_collectors_walks() -> None:
    kept = [[] for _ in range(1_000)]
    assert id(kept) in {id(each) for each in gc.get_objects()}
    freeze_objects()
    assert id(kept) not in {id(each) for each in gc.get_objects()}


class _Circle:
    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("freezing")
def test_what_was_to_stay_and_was_replaced_is_freed_at_once() -> None:
    kept = _Circle()
    there = weakref.ref(kept)
    freeze_objects()
    del kept
    gc.collect()
    assert there() is not None
    thaw_objects()
    assert there() is None
