"""Work that waits for a quiet moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from services.concurrency.background import Debouncer
from services.concurrency.cancellation import BackgroundCancel, checkpoint
from services.errors import Cancelled


class Clock:
    """Timers that wait until the test says that the time is over."""

    def __init__(self) -> None:
        self.timers: list[threading.Timer] = []

    def timer(self, seconds: float, act: Callable[[], None]) -> threading.Timer:
        self.timers.append(threading.Timer(3600.0, act))
        return self.timers[-1]

    def pass_by(self) -> None:
        """What was not cancelled acts."""
        for timer in self.timers:
            if not timer.finished.is_set():
                timer.cancel()
                timer.function()


def test_many_nudges_are_one_act_after_them() -> None:
    clock, acts = Clock(), list[object]()
    quiet = Debouncer(acts.append, timer=clock.timer)
    for _ in range(50):
        quiet.nudge()
    assert acts == []
    clock.pass_by()
    assert len(acts) == 1
    clock.pass_by()
    assert len(acts) == 1
    quiet.nudge()
    clock.pass_by()
    assert len(acts) == 2
    quiet.close()


def test_it_acts_by_itself() -> None:
    acted = threading.Event()
    quiet = Debouncer(lambda _: acted.set(), seconds=0.01)
    quiet.nudge()
    assert acted.wait(30)
    quiet.close()


def test_closing_ends_what_is_under_way_and_what_waits() -> None:
    began, ended = threading.Event(), threading.Event()

    def act(cancel: threading.Event) -> None:
        began.set()
        cancel.wait(60)
        ended.set()

    quiet = Debouncer(act, seconds=0)
    quiet.nudge()
    assert began.wait(30)
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
    quiet.pause(60.0)
    quiet.nudge()
    assert began.wait(30)
    assert not ended.wait(0.05)
    quiet.nudge()  # whoever nudges does not rest
    quiet.resume()
    quiet.close()
    assert ended.is_set()
    assert told[0] == 0.0
