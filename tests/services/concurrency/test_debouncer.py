"""Work that waits for a quiet moment."""

from __future__ import annotations

import threading

from services.concurrency.cancellation import GivingWay
from services.concurrency.debouncer import Quiet


def test_many_nudges_are_one_act_after_them() -> None:
    acted = threading.Semaphore(0)
    quiet = Quiet(lambda _: acted.release(), seconds=0.05)
    for _ in range(50):
        quiet.nudge()
    assert acted.acquire(timeout=5)
    assert not acted.acquire(timeout=0.15)
    quiet.nudge()
    assert acted.acquire(timeout=5)
    quiet.close()


def test_closing_ends_what_is_under_way_and_what_waits() -> None:
    began, ended = threading.Event(), threading.Event()

    def act(cancel: threading.Event) -> None:
        began.set()
        cancel.wait(10)
        ended.set()

    quiet = Quiet(act, seconds=0)
    quiet.nudge()
    assert began.wait(5)
    quiet.close()
    assert ended.is_set()
    began.clear()
    quiet.nudge()
    assert not began.wait(0.1)


def test_held_an_act_rests_as_far_as_it_is_patient() -> None:
    told: list[float] = []
    began, ended = threading.Event(), threading.Event()

    def act(cancel: GivingWay) -> None:
        told.append(cancel.patience)
        cancel.is_set()  # it has no patience yet
        cancel.patience = 60.0
        began.set()
        told.append(float(cancel.is_set()))
        ended.set()

    quiet = Quiet(act, seconds=0)
    quiet.hold(60.0)
    quiet.nudge()
    assert began.wait(5)
    assert not ended.wait(0.05)
    quiet.nudge()  # whoever nudges does not rest
    quiet.hurry()
    quiet.close()
    assert ended.is_set()
    assert told[0] == 0.0
