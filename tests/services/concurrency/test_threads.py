"""Threads that end with the process."""

from __future__ import annotations

import threading

import pytest

from services.concurrency.background import ThreadCall, start_thread


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
