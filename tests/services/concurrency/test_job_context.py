"""Work ends where whoever follows it has given up."""

from __future__ import annotations

import threading

import pytest

from services.concurrency.cancellation import job, job_checkpoint
from services.errors import Cancelled


def test_work_ends_at_a_checkpoint_once_it_is_given_up():
    cancel = threading.Event()
    with job(None, cancel):
        job_checkpoint()
        cancel.set()
        with pytest.raises(Cancelled):
            job_checkpoint()
    job_checkpoint()


def test_what_nobody_follows_goes_on():
    job_checkpoint()
