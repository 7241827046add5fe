"""Locks on open files: they part descriptors, threads and processes alike, and end with their holder."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.concurrency import filelock

HOLD = """
import os, sys
from services.concurrency import filelock
descriptor = os.open(sys.argv[1], os.O_RDWR)
print(filelock.lock(descriptor), flush=True)
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
    assert filelock.lock(first)
    assert not filelock.lock(second, 0)
    filelock.unlock(first)
    assert filelock.lock(second, 0)


def test_who_holds_it_has_it_again(pair: tuple[int, int]) -> None:
    assert filelock.lock(pair[0], 0)
    assert filelock.lock(pair[0], 0)


def test_waiting_ends_when_the_time_is_over(pair: tuple[int, int]) -> None:
    filelock.lock(pair[0])
    assert not filelock.lock(pair[1], 0.05)


def test_giving_back_what_is_not_held_does_nothing(pair: tuple[int, int]) -> None:
    filelock.unlock(pair[1])
    assert filelock.lock(pair[0], 0)


def test_a_lock_ends_with_its_descriptor(tmp_path: Path) -> None:
    file = tmp_path / "lock"
    first = os.open(file, os.O_RDWR | os.O_CREAT)
    assert filelock.lock(first)
    os.close(first)
    second = os.open(file, os.O_RDWR)
    assert filelock.lock(second, 0)
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
        assert not filelock.lock(descriptor, 0)
        other.kill()
        other.wait(60)
        assert filelock.lock(descriptor, 60)
        os.close(descriptor)
