from __future__ import annotations

import threading

import pytest

from services.concurrency.cancellation import AnyCancel, BackgroundCancel, Deadline, checkpoint, until
from services.errors import Cancelled


def test_a_checkpoint_is_passed_at_once_where_nobody_holds_or_cancels() -> None:
    cancel = BackgroundCancel()
    checkpoint(cancel, "ended")
    cancel.pause(0.0)
    checkpoint(cancel, "ended")
    checkpoint(None, "ended")
    cancel.set()
    with pytest.raises(Cancelled, match="ended"):
        checkpoint(cancel, "ended")


def test_held_the_job_rests_at_a_checkpoint_until_it_is_to_end() -> None:
    cancel, ended = BackgroundCancel(), list[str]()
    cancel.pause(60.0)

    def work() -> None:
        with pytest.raises(Cancelled):
            checkpoint(cancel, "ended")
        ended.append("ended")

    job = threading.Thread(target=work)
    job.start()
    job.join(0.05)
    assert ended == []
    assert not cancel.is_set()  # asking does not wait
    cancel.set()
    job.join(50)
    assert ended == ["ended"]


def test_a_job_rests_no_longer_than_it_is_patient() -> None:
    cancel = BackgroundCancel(patience=0.01)
    cancel.pause(60.0)
    checkpoint(cancel, "ended")
    assert cancel.patience <= 0.0


def test_a_job_that_several_may_end_rests_where_one_of_them_has_it_rest() -> None:
    resting = BackgroundCancel(patience=0.01)
    resting.pause(60.0)
    checkpoint(AnyCancel(threading.Event(), resting), "ended")
    assert resting.patience <= 0.0


def test_items_come_until_the_checkpoint_at_which_work_is_to_end() -> None:
    cancel, seen = threading.Event(), list[int]()
    with pytest.raises(Cancelled, match="ended"):
        for item in until(cancel, range(10), message="ended", every=3):
            seen.append(item)
            if item == 1:
                cancel.set()
    assert seen == [0, 1, 2]


def test_a_deadline_ends_work_by_itself() -> None:
    checkpoint(Deadline(60.0), "ended")
    with pytest.raises(Cancelled):
        checkpoint(Deadline(0.0), "ended")
