"""Whose call runs when: one interpreter does one thing at a time, so many calls at once only make each other late.

Quick calls take turns, a few at a time: the first to come is the first to be done. What may take long, or waits for
the disk, has places of its own, so that it keeps nobody waiting.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

import anyio
import anyio.lowlevel
import anyio.to_thread

from services.operations import Operation, Work

T = TypeVar("T")
QUICK = 2
LONG = 16
SWITCH_EVERY = 0.0005
"""Seconds after which a thread lets another one go on (the interpreter's own: 5 ms). A request is read and answered in
several small steps on one thread, each of which would wait that long for calls that compute on others."""


class Turns:
    """Places for calls in threads. Made inside the event loop."""

    def __init__(self) -> None:
        self._quick = anyio.CapacityLimiter(QUICK)
        self._long = anyio.CapacityLimiter(LONG)

    async def take(
        self,
        call: Callable[[Work], T],
        following: Following,
        *,
        operation: Operation,
        settled: bool,
    ) -> T:
        """What `call` answers, made in a thread when its turn comes. `settled`: whether the index is all there; before
        that, any read may have to wait for it.

        A quick call has no time to tell how far it is, and nothing of it could be saved by ending it early: its thread
        is all there is to it."""
        if settled and operation.effect.read_only and not operation.works:
            return await anyio.to_thread.run_sync(call, Work(), limiter=self._quick)
        return await in_thread(lambda: call(following.work), following.report, limiter=self._long)


class Following(Protocol):
    """What a long call says of itself while it runs."""

    @property
    def work(self) -> Work:
        """What the call reports to."""
        ...

    async def report(self) -> None:
        """Passes on what was reported, until it is cancelled; then the call is to end."""
        ...


async def in_thread(
    call: Callable[[], T], beside: Callable[[], Coroutine[Any, Any, None]], *, limiter: anyio.CapacityLimiter
) -> T:
    """What `call` answers, made in a thread. `beside` runs until it has; being cancelled, it tells the call to end.

    A thread is waited for even if the request is cancelled: no write is left half-done."""
    answers: list[T] = []
    async with anyio.create_task_group() as group:
        group.start_soon(beside)
        answers.append(await anyio.to_thread.run_sync(call, limiter=limiter))
        group.cancel_scope.cancel()
    await anyio.lowlevel.checkpoint_if_cancelled()
    return answers[0]


def switch_often() -> None:
    """Has the interpreter of a server process let threads take turns more often."""
    sys.setswitchinterval(SWITCH_EVERY)
