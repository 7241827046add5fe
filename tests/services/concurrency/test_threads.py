"""Threads that end with the process, and threads for calls, parallel and sequential."""

from __future__ import annotations

import threading
from functools import partial

import pytest

from services.concurrency.background import CallThreads, ThreadCall, start_thread


def test_a_function_is_run_with_its_arguments_in_a_named_daemon_thread() -> None:
    found: list[tuple[int, str, bool]] = []

    def work(number: int) -> None:
        thread = threading.current_thread()
        found.append((number, thread.name, thread.daemon))

    start_thread(work, 3, name="worker").join()
    assert found == [(3, "worker", True)]


def test_a_call_beside_hands_over_its_result_as_often_as_it_is_asked() -> None:
    with ThreadCall(lambda one, two: (one + two, threading.current_thread()), 1, 2) as beside:
        found, thread = beside.result()
    assert found == 3
    assert thread is not threading.current_thread()
    assert beside.result() == (3, thread)


def test_a_call_beside_raises_where_its_result_is_asked_for() -> None:
    def work() -> None:
        raise ValueError("here")

    with ThreadCall(work) as beside:
        pass
    with pytest.raises(ValueError, match="here"):
        beside.result()


def test_the_end_of_a_call_beside_is_waited_for_although_the_block_fails() -> None:
    go, ended = threading.Event(), threading.Event()

    def work() -> None:
        go.wait(10)
        ended.set()

    with pytest.raises(KeyError), ThreadCall(work):
        go.set()
        raise KeyError
    assert ended.is_set()


def test_sequential_calls_run_one_after_the_other() -> None:
    threads, done = CallThreads(4, 1, name="calls"), list[int]()
    running: list[int] = []
    may_begin = threading.Event()

    def call(number: int) -> None:
        may_begin.wait()
        running.append(number)
        assert running == [number]
        done.append(number)
        running.remove(number)

    for number in range(20):
        threads.sequential(partial(call, number))
    may_begin.set()
    threads.close()
    assert done == list(range(20))


def test_a_call_that_yields_its_turn_lets_the_next_one_run_and_then_waits_for_its_turn_again() -> None:
    threads, heard = CallThreads(4, 1, name="calls"), list[str]()
    second_runs, second_may_end = threading.Event(), threading.Event()

    def first() -> None:
        heard.append("first begins")
        with threads.yield_turn() as may_run:
            assert may_run
            second_runs.wait()
            second_may_end.set()
        heard.append("first goes on")

    def second() -> None:
        second_runs.set()
        second_may_end.wait()
        heard.append("second ends")

    threads.sequential(first)
    threads.sequential(second)
    threads.sequential(lambda: heard.append("third"))
    threads.close()
    assert heard[:2] == ["first begins", "second ends"]
    assert sorted(heard[2:]) == ["first goes on", "third"]


def test_parallel_calls_wait_for_no_sequential_one_and_a_failing_call_keeps_none_waiting() -> None:
    threads, done = CallThreads(4, 2, name="calls"), list[str]()
    meeting = threading.Barrier(3, timeout=30)

    def meet() -> None:
        meeting.wait()

    def fail() -> None:
        raise ValueError("no")

    threads.sequential(meet)
    threads.parallel(meet)
    threads.parallel(meet)
    threads.sequential(fail)
    threads.sequential(lambda: done.append("after it"))
    threads.close()
    assert done == ["after it"]
