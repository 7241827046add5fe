"""Values and work that one thread has at a time; locks on open files part descriptors, threads and processes alike,
and end with their holder."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.concurrency import exclusion
from services.concurrency.exclusion import ExclusiveWork, Guarded, SharedTurns
from services.errors import Cancelled

HOLD = """
import os, sys
from services.concurrency import exclusion
descriptor = os.open(sys.argv[1], os.O_RDWR)
print(exclusion.lock(descriptor), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[tuple[int, int]]:
    """Two descriptors of one file."""
    file = tmp_path / "lock"
    opened = [os.open(file, os.O_RDWR | os.O_CREAT) for _ in range(2)]
    yield opened[0], opened[1]
    for each in opened:
        os.close(each)


def test_one_descriptor_at_a_time_holds_a_lock(pair: tuple[int, int]) -> None:
    first, second = pair
    assert exclusion.lock(first)
    assert not exclusion.lock(second, 0)
    exclusion.unlock(first)
    assert exclusion.lock(second, 0)


def test_who_holds_it_has_it_again(pair: tuple[int, int]) -> None:
    assert exclusion.lock(pair[0], 0)
    assert exclusion.lock(pair[0], 0)


def test_waiting_ends_when_the_time_is_over(pair: tuple[int, int]) -> None:
    exclusion.lock(pair[0])
    assert not exclusion.lock(pair[1], 0.05)


def test_giving_back_what_is_not_held_does_nothing(pair: tuple[int, int]) -> None:
    exclusion.unlock(pair[1])
    assert exclusion.lock(pair[0], 0)


def test_a_lock_ends_with_its_descriptor(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    first = os.open(file, os.O_RDWR | os.O_CREAT)
    assert exclusion.lock(first)
    os.close(first)
    second = os.open(file, os.O_RDWR)
    assert exclusion.lock(second, 0)
    os.close(second)


def test_a_lock_of_another_process_ends_when_that_is_killed(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    file.touch()
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(file)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline().strip() == "True"
        descriptor = os.open(file, os.O_RDWR)
        assert not exclusion.lock(descriptor, 0)
        other.kill()
        other.wait(60)
        assert exclusion.lock(descriptor, 60)
        os.close(descriptor)


def test_a_guarded_value_is_changed_by_one_thread_at_a_time() -> None:
    """Unguarded, threads that read and then write lose counts of each other."""
    guarded = Guarded([0])
    ready = threading.Barrier(4)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)

    def count(_: int) -> None:
        ready.wait()
        for _ in range(2000):
            with guarded as value:
                before = value[0]
                value[0] = int(str(before)) + 1

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(count, range(4)))
    finally:
        sys.setswitchinterval(interval)
    with guarded as value:
        assert value == [8000]


def test_a_guarded_value_is_free_again_after_an_error() -> None:
    guarded = Guarded({"a": 1})
    with pytest.raises(KeyError), guarded as value:
        value["b"]
    with guarded as value:
        assert value == {"a": 1}


def test_exclusive_work_is_done_by_one_thread_at_a_time() -> None:
    work, ready = ExclusiveWork(), threading.Barrier(4)
    at_work: list[int] = []
    most: list[int] = []

    def do(number: int) -> None:
        ready.wait()
        with work.turn():
            at_work.append(number)
            most.append(len(at_work))
            assert work.is_running
            at_work.remove(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(do, range(4)))
    assert most == [1, 1, 1, 1]
    assert not work.is_running


def test_exclusive_work_is_left_out_while_another_thread_does_it() -> None:
    work = ExclusiveWork()
    with work.turn(), work.attempt() as has_turn:
        assert not has_turn
    with work.attempt() as has_turn:
        assert has_turn
        assert work.is_running
        with work.attempt() as again:
            assert not again
        assert work.is_running
    assert not work.is_running


def test_who_waits_for_exclusive_work_hears_of_it_and_can_be_cancelled() -> None:
    work, cancel = ExclusiveWork(), threading.Event()
    heard: list[bool] = []

    def hear() -> None:
        heard.append(work.is_running)
        cancel.set()

    with work.turn():
        with pytest.raises(Cancelled, match="gave up"), work.turn(cancel, message="gave up", waiting=hear):
            raise AssertionError
        assert work.is_running
    assert heard == [True]
    assert not work.is_running


def test_calls_that_wait_share_the_run_that_began_after_them() -> None:
    turns, runs = SharedTurns(), Guarded([0])
    is_running, may_end = threading.Event(), threading.Event()

    def run() -> int:
        is_running.set()
        may_end.wait()
        with runs as counted:
            counted[0] += 1
            return counted[0]

    with ThreadPoolExecutor(4) as pool:
        first = pool.submit(turns.take, run)
        is_running.wait()
        calling = threading.Barrier(4)

        def call() -> int | None:
            calling.wait()
            return turns.take(run)

        later = [pool.submit(call) for _ in range(3)]
        calling.wait()
        may_end.set()
        assert first.result() == 1
        # A call may come after the others' run has begun, and then needs one of its own.
        found = [each.result() for each in later]
    own = [each for each in found if each is not None]
    assert own
    assert sorted(own) == list(range(2, 2 + len(own)))


def test_a_call_makes_the_run_itself_that_failed_for_another() -> None:
    turns, is_running, may_fail = SharedTurns(), threading.Event(), threading.Event()

    def fail() -> str:
        is_running.set()
        may_fail.wait()
        raise ValueError("no")

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(turns.take, fail)
        is_running.wait()
        second = pool.submit(turns.take, lambda: "mine")
        may_fail.set()
        with pytest.raises(ValueError, match="no"):
            first.result()
        assert second.result() == "mine"


def test_a_call_that_waits_for_a_shared_run_can_be_cancelled() -> None:
    turns, cancel = SharedTurns(), threading.Event()
    cancel.set()

    def call_inside() -> None:
        with pytest.raises(Cancelled):
            turns.take(lambda: None, cancel)

    def run() -> str:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(call_inside).result()
        return "done"

    assert turns.take(run) == "done"
