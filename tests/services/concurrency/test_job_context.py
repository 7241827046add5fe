"""Work ends where whoever follows it has given up."""

from __future__ import annotations

import threading

import pytest

from services.concurrency.cancellation import Job, current_job, job, job_checkpoint, report_job
from services.errors import Cancelled
from services.model import Progress


def test_work_ends_at_a_checkpoint_once_it_is_given_up():
    cancel = threading.Event()
    with job(None, cancel):
        job_checkpoint()
        cancel.set()
        with pytest.raises(Cancelled):
            job_checkpoint()
    job_checkpoint()


def test_what_nobody_follows_goes_on():
    assert current_job() == Job()
    report_job(Progress(phase="Reading", done=1, total=2))
    with job(None, cancel := threading.Event()):
        cancel.set()
        with pytest.raises(Cancelled):
            report_job(Progress(phase="Reading", done=2, total=2))
    assert current_job() == Job()
