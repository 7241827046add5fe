"""Work that waits for a quiet moment."""

from __future__ import annotations

import threading
from contextlib import suppress

from services.concurrency.cancellation import BackgroundCancel, checkpoint
from services.concurrency.debouncer import Debouncer
from services.errors import Cancelled


def test_many_nudges_are_one_act_after_them() -> None:
    acted = threading.Semaphore(0)
    quiet = Debouncer(lambda _: acted.release(), seconds=0.05)
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

    quiet = Debouncer(act, seconds=0)
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

    def act(cancel: BackgroundCancel) -> None:
        told.append(cancel.patience)
        checkpoint(cancel, "")  # it has no patience yet
        cancel.patience = 60.0
        began.set()
        with suppress(Cancelled):
            checkpoint(cancel, "")
        ended.set()

    quiet = Debouncer(act, seconds=0)
    quiet.hold(60.0)
    quiet.nudge()
    assert began.wait(5)
    assert not ended.wait(0.05)
    quiet.nudge()  # whoever nudges does not rest
    quiet.hurry()
    quiet.close()
    assert ended.is_set()
    assert told[0] == 0.0
