"""Service calls in threads: started by name, answered in the turn of a node, stale answers dropped."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any, TypeVar

from msgspec import Struct
from textual.dom import DOMNode
from textual.worker import get_current_worker

from services.concurrency.latest import MadeOnce
from services.errors import Cancelled

T = TypeVar("T")


_LANES: MadeOnce[str, ThreadPoolExecutor] = MadeOnce()


def lane(name: str) -> ThreadPoolExecutor:
    """Return the thread of a name, which makes its calls one after the other: acts, searches or previews. They wait
    for no job, as no job waits for them."""
    return _LANES.get(name, lambda: ThreadPoolExecutor(1, name))  # it outlives the nodes that use it


_LEFT_AFTER = 5.0
"""Seconds after which a program that ends waits no longer for an act."""


class _Job(Struct, frozen=True, eq=False):
    name: str
    call: Callable[[], Any]
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Jobs:
    """The jobs of one node. A job is a call that blocks; what it answers is handed to `done` on the screen's
    thread.

    `run` is for questions: of those with one name only the last one started is answered. A thread cannot be stopped: a
    stale job that has not begun is skipped, one that has is let run and not listened to. `act` is for what changes
    something, which is never skipped.

    The threads are those that all nodes share, which others may have taken for a while. `lane`: the name of a thread
    for a node whose jobs must not wait for that.
    """

    def __init__(self, owner: DOMNode, failed: Callable[[Exception], None], *, lane: str = "") -> None:
        self._owner = owner
        self._failed = failed
        self._lane = lane
        self._latest: dict[str, _Job] = {}
        self._once_more: dict[str, Callable[[], None]] = {}

    def run(
        self,
        name: str,
        call: Callable[[], T],
        done: Callable[[T], None],
        *,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Start `call`. Its exception is passed to `failed`, or to the common handler; Cancelled only ends it."""
        job = _Job(name, call, done, failed or self._failed)
        self._latest[job.name] = job
        if not self._lane:
            self._owner.run_worker(
                lambda: self._work_as_worker(job),
                name=name,
                group=name,
                exclusive=True,
                thread=True,
            )
        else:
            asyncio.get_running_loop().run_in_executor(lane(self._lane), self._work, job)

    def run_after(
        self,
        name: str,
        call: Callable[[], T],
        done: Callable[[T], None],
        *,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Start `call`; where a job of that name is under way, once that is done. Of requests faster than answers
        each running one is answered, and then the last one."""

        self.after(name, lambda: self.run(name, call, done, failed=failed))

    def after(self, name: str, start: Callable[[], None]) -> None:
        """Call `start`, which runs a job of that name; where one is under way, once that is answered, and once however
        often it is asked for meanwhile."""
        if self.is_running(name):
            self._once_more[name] = start
        else:
            start()

    def act(
        self,
        name: str,
        call: Callable[[], T],
        done: Callable[[T], None],
        *,
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        """Start `call`, a change that takes little time: all are made, those of all nodes one after the other in the
        order of submission, even if the person presses the next key or leaves the screen."""
        job = _Job(f"{name} {id(call)}", call, done, failed or self._failed)
        self._latest[job.name] = job
        asyncio.get_running_loop().run_in_executor(lane("acts"), self._work, job)

    def drop(self, name: str) -> None:
        """Listen to no job of that name that has been started, and start none that waits."""
        self._latest.pop(name, None)
        self._once_more.pop(name, None)

    def is_running(self, name: str) -> bool:
        """Whether the last job of that name has still to be answered."""
        return name in self._latest

    def _work_as_worker(self, job: _Job) -> None:
        if not get_current_worker().is_cancelled:
            self._work(job)

    def _work(self, job: _Job) -> None:
        if self._is_stale(job):
            return
        try:
            value = job.call()
        except Cancelled:
            self._owner.call_later(self._end, job, lambda: None)
        except Exception as error:  # noqa: BLE001 - whatever a job runs into is said on the screen, which goes on
            self._owner.call_later(self._end, job, lambda error=error: job.failed(error))
        else:
            self._owner.call_later(self._end, job, lambda: job.done(value))

    def _end(self, job: _Job, answer: Callable[[], None]) -> None:
        if not self._is_stale(job):
            del self._latest[job.name]
            answer()
            if once_more := self._once_more.pop(job.name, None):
                once_more()

    def _is_stale(self, job: _Job) -> bool:
        return self._latest.get(job.name) is not job


def finish_actions() -> None:
    """Wait until every call submitted to `Jobs.act` is made, or for a few seconds."""
    wait([lane("acts").submit(lambda: None)], timeout=_LEFT_AFTER)
