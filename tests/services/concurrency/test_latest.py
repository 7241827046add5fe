from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.concurrency.latest import LRUCache, MadeOnce, SharedCache

KEYS = st.integers(0, 5)
STEPS = st.lists(st.tuples(st.sampled_from(["keep", "find", "peek", "drop", "get"]), KEYS, st.integers(1, 4)))


def kept_of(latest: LRUCache[int, int]) -> set[int]:
    return {key for key in range(6) if key in latest}


@pytest.mark.parametrize("kind", [LRUCache, SharedCache])
@given(steps=STEPS, most=st.integers(1, 8), weighed=st.booleans())
def test_what_is_kept_is_what_was_asked_for_last_as_far_as_there_is_room(
    kind: type[LRUCache[int, int]], steps: list[tuple[str, int, int]], most: int, weighed: bool
) -> None:
    latest: LRUCache[int, int] = kind(most, (lambda value: value) if weighed else None)
    model: list[tuple[int, int]] = []  # the last asked for last
    for step, key, value in steps:
        known = dict(model).get(key)
        if step in ("keep", "drop") or (known is not None and step in ("find", "get")):
            model = [each for each in model if each[0] != key]
        if step == "keep" or (step == "get" and known is None):
            model.append((key, value))
        elif known is not None and step in ("find", "get"):
            model.append((key, known))
        while len(model) > 1 and sum(each[1] if weighed else 1 for each in model) > most:
            del model[0]
        match step:
            case "keep":
                assert latest.keep(key, value) == value
            case "get":
                assert latest.get(key, lambda value=value: value) == (value if known is None else known)
            case "drop":
                latest.drop(key)
            case _:
                found = latest.find(key) if step == "find" else latest.peek(key)
                assert found == known
        assert kept_of(latest) == {each[0] for each in model}
        assert len(latest) == len(model)


def test_one_that_is_larger_than_all_room_is_kept_until_the_next() -> None:
    latest: LRUCache[str, str] = LRUCache(3, len)
    latest.keep("a", "ab")
    latest.keep("b", "too long")
    assert ("a" in latest, "b" in latest) == (False, True)
    latest.keep("c", "abc")
    assert ("b" in latest, "c" in latest) == (False, True)


def test_another_value_of_a_key_weighs_instead_of_the_first() -> None:
    latest: LRUCache[str, str] = LRUCache(4, len)
    for _ in range(3):
        latest.keep("a", "aa")
    latest.keep("b", "bb")
    assert "a" in latest
    latest.clear()
    latest.keep("c", "cccc")
    assert len(latest) == 1


def test_a_shared_cache_loses_nothing_to_threads_that_use_it_at_once() -> None:
    """Unguarded, two threads that evict at once take the weight of one value off twice, or raise KeyError."""
    shared: SharedCache[int, int] = SharedCache(8, weigh=lambda value: value)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def use(first: int) -> None:
        for step in range(4000):
            key = (first + step) % 11
            shared.keep(key, 1 + key % 3)
            shared.find(key)
            if step % 7 == 0:
                shared.drop(key)

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(use, range(4)))
    finally:
        sys.setswitchinterval(interval)
    weight = sum(shared.peek(key) or 0 for key in range(11))
    assert weight <= 8
    shared.keep(100, 8)
    assert (len(shared), shared.peek(100)) == (1, 8)


def test_a_value_is_made_once_by_whichever_thread_asks_first() -> None:
    values: MadeOnce[str, object] = MadeOnce()
    ready, made = threading.Barrier(4), []

    def get(_: int) -> object:
        ready.wait()
        return values.get("key", lambda: made.append(1) or object())

    with ThreadPoolExecutor(4) as pool:
        found = set(pool.map(get, range(4)))
    assert len(made) == 1
    assert set(values.values()) == found


def test_making_a_value_may_ask_for_another_and_may_fail() -> None:
    values: MadeOnce[str, int] = MadeOnce()
    assert values.get("outer", lambda: values.get("inner", lambda: 1) + 1) == 2
    with pytest.raises(ValueError, match="no"):
        values.get("failing", lambda: int("no"))
    assert values.get("failing", lambda: 3) == 3
    assert sorted(values.values()) == [1, 2, 3]


def test_a_value_is_seen_without_waiting_for_one_that_is_being_made() -> None:
    values: MadeOnce[str, int] = MadeOnce()
    values.get("there", lambda: 1)
    is_making, may_end = threading.Event(), threading.Event()

    def make() -> int:
        is_making.set()
        may_end.wait()
        return 2

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(values.get, "slow", make)
        is_making.wait()
        assert (values.peek("there"), values.peek("slow")) == (1, None)
        may_end.set()
        assert made.result() == 2
    assert values.peek("slow") == 2


def test_each_value_is_ended_before_all_are_forgotten() -> None:
    values: MadeOnce[str, str] = MadeOnce()
    ended: list[str] = []
    values.get("a", lambda: "first")
    values.get("b", lambda: "second")
    values.clear(ended.append)
    assert (ended, values.values()) == (["first", "second"], ())
    assert values.get("a", lambda: "again") == "again"
