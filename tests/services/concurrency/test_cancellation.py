from __future__ import annotations

import threading

from services.concurrency.cancellation import GivingWay


def test_it_answers_at_once_where_nobody_holds_it() -> None:
    cancel = GivingWay()
    assert not cancel.is_set()
    cancel.hold(0.0)
    assert not cancel.is_set()
    cancel.set()
    assert cancel.is_set()


def test_held_it_lets_the_job_wait_until_it_is_to_end() -> None:
    cancel, answers = GivingWay(), list[bool]()
    cancel.hold(60.0)
    job = threading.Thread(target=lambda: answers.append(cancel.is_set()))
    job.start()
    job.join(0.05)
    assert answers == []
    cancel.set()
    job.join(10)
    assert answers == [True]


def test_a_job_waits_no_longer_than_it_is_patient() -> None:
    cancel = GivingWay(patience=0.01)
    cancel.hold(60.0)
    assert not cancel.is_set()
    assert cancel.patience <= 0.0
