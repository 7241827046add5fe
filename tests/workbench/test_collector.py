from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from workbench.collector import Collector, give_back

_HOME = Path(__file__).resolve().parents[2]


class _Node:
    """Garbage that only the collector finds, once nobody else holds it."""

    def __init__(self) -> None:
        self.self = self


@pytest.fixture(autouse=True)
def _own_collector(freezing: None) -> Iterator[None]:
    """No walk of its own comes in between."""
    gc.disable()
    yield
    gc.enable()


class _Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def _left_behind() -> weakref.ref[_Node]:
    return weakref.ref(_Node())


def test_garbage_waits_while_keys_come() -> None:
    clock = _Clock()
    collector, garbage = Collector(clock), _left_behind()
    for _ in range(50):
        clock.now += 1.0
        collector.pressed()
        collector.look()
    assert garbage() is not None


def test_garbage_goes_once_nobody_has_pressed_a_key_for_a_while() -> None:
    clock = _Clock()
    collector, garbage = Collector(clock), _left_behind()
    collector.pressed()
    clock.now += 3.0
    collector.look()
    assert garbage() is None


def test_nothing_is_walked_over_again_where_no_key_was_pressed_since() -> None:
    clock = _Clock()
    collector = Collector(clock)
    collector.pressed()
    clock.now += 3.0
    collector.look()
    garbage = _left_behind()
    clock.now += 3.0
    collector.look()
    assert garbage() is not None


def test_what_was_loaded_is_walked_over_after_a_long_rest_alone() -> None:
    clock = _Clock()
    collector, garbage = Collector(clock), _left_behind()
    collector.loaded()
    collector.pressed()
    clock.now += 3.0
    collector.look()
    assert garbage() is not None
    clock.now += 700.0
    collector.look()
    assert garbage() is None


def test_the_interpreter_walks_over_everything_next_to_never_of_itself() -> None:
    Collector().start()
    assert gc.get_threshold()[2] >= 1_000


def test_freed_memory_is_given_back_at_rest_after_a_key_or_a_load_alone() -> None:
    clock, given = _Clock(), list[float]()
    collector = Collector(clock, lambda: given.append(clock.now))
    collector.look()
    collector.pressed()
    collector.look()
    assert given == []
    clock.now = 3.0
    collector.look()
    collector.look()
    assert given == [3.0]
    collector.loaded()
    collector.look()
    assert given == [3.0, 3.0]


def test_freed_memory_is_given_back_now_and_then_while_keys_come() -> None:
    clock, given = _Clock(), list[float]()
    collector = Collector(clock, lambda: given.append(clock.now))
    for _ in range(24):
        clock.now += 0.5
        collector.pressed()
        collector.look()
    assert given == [5.0, 10.0]


def test_what_a_job_leaves_behind_goes_though_nobody_presses_a_key() -> None:
    clock, work, given = _Clock(), _Clock(), list[float]()
    collector = Collector(clock, lambda: given.append(clock.now), worked=work)
    for _ in range(10):
        garbage = _left_behind()
        clock.now += 2.0
        work.now += 0.6
        collector.look()
    assert given == [4.0, 8.0, 12.0, 16.0, 20.0]
    assert garbage() is None


def test_giving_back_is_no_error_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def no_library(name: object) -> None:
        asked.append(name)
        raise OSError

    give_back()
    monkeypatch.setattr(ctypes, "CDLL", no_library)
    give_back()
    assert asked == [None]


_ARENAS_OF_THREADS = """
import ctypes, threading
from workbench.collector import Collector

Collector().before_threads()
together = threading.Barrier(8)

def work():
    held = [bytes(2_000) for _ in range(10)]
    together.wait()

threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
libc = ctypes.CDLL(None)
libc.malloc_info(0, ctypes.c_void_p.in_dll(libc, "stdout"))
libc.fflush(None)
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_info"), reason="another C library")
def test_threads_share_the_memory_that_is_free() -> None:
    told = subprocess.run(
        [sys.executable, "-c", _ARENAS_OF_THREADS], capture_output=True, text=True, check=True, cwd=_HOME
    )
    assert 1 <= told.stdout.count("<heap nr=") <= 2


def test_what_is_only_held_to_be_quick_is_let_go_once_after_a_long_rest() -> None:
    clock, asked = _Clock(), list[float]()
    answers = iter((False, True, True))

    def let_go() -> bool:
        asked.append(clock.now)
        return next(answers)

    collector = Collector(clock)
    for clock.now in (0.0, 59.0, 60.0, 61.0, 62.0, 300.0):
        collector.look(let_go)
    assert asked == [60.0, 61.0], "again where it could not, and not where it could"
    collector.pressed()
    for clock.now in (301.0, 370.0, 371.0):
        collector.look(let_go)
    assert asked == [60.0, 61.0, 370.0]


def test_what_a_job_has_made_in_a_long_rest_is_let_go_too() -> None:
    clock, work, asked = _Clock(), _Clock(), list[float]()
    collector = Collector(clock, worked=work)
    for clock.now, work.now in ((60.0, 0.0), (70.0, 0.1), (80.0, 0.3), (90.0, 0.4)):
        collector.look(lambda: asked.append(clock.now) is None)
    assert asked == [60.0, 80.0]
