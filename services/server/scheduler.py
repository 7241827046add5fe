"""Whose call runs when: one interpreter does one thing at a time, so many calls at once only make each other late.

Quick calls take turns, a few at a time: the first to come is the first to be done. What may take long, or waits for
the disk, has places of its own, so that it keeps nobody waiting. Whoever waits for a person gives up their place for as
long: people take minutes.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol, TypeVar

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread

from services.errors import Cancelled
from services.operations import Operation, Work

T = TypeVar("T")
QUICK = 2
LONG = 16
WAITING = 256
"""Calls that may wait for a person at once, each in a thread."""
SWITCH_EVERY = 0.0005
"""Seconds after which a thread lets another one go on (the interpreter's own: 5 ms). A request is read and answered in
several small steps on one thread, each of which would wait that long for calls that compute on others."""


class Scheduler:
    """Places for calls in threads. Made inside the event loop."""

    def __init__(self) -> None:
        self._quick = anyio.CapacityLimiter(QUICK)
        self._long = LongCallSlots()

    async def run(
        self,
        call: Callable[[Work], T],
        context: CallContext,
        *,
        operation: Operation,
        settled: bool,
    ) -> T:
        """What `call` answers, made in a thread when its turn comes. `settled`: whether the index is all there; before
        that, any read may have to wait for it. Raises Cancelled where the caller has left: what has not begun then does
        not begin."""
        if settled and operation.effect.read_only and not operation.works:
            return await cancelled_with_caller(
                lambda: anyio.to_thread.run_sync(call, context.work, limiter=self._quick),
                context.caller_gone,
            )
        return await in_thread(
            lambda slot: call(context.work._replace(yield_slot=slot)), context.report, places=self._long
        )


class CallContext(Protocol):
    """Context of a running call: its progress, and its caller's wish that it end."""

    @property
    def work(self) -> Work:
        """What the call reports to."""
        ...

    async def report(self) -> None:
        """Passes on what was reported, until the caller has left or this is cancelled; then the call is to end."""
        ...

    async def caller_gone(self) -> None:
        """Returns when the caller has left; then, or when this is cancelled, the call is to end."""
        ...


YieldSlot = Callable[[], AbstractContextManager[bool]]
"""Entered in a call's thread while it waits for a person; whether there is room for it to wait."""


class LongCallSlots:
    """Places for long calls in threads, LONG of them. Made inside the event loop.

    A call that waits has none and keeps its thread, so there are threads for all that may have a place or wait: who has
    a place never waits for a thread."""

    def __init__(self) -> None:
        self._places = anyio.CapacityLimiter(LONG)
        self._threads = anyio.CapacityLimiter(LONG + WAITING)
        self._waiting = 0

    async def run(self, call: Callable[[YieldSlot], T]) -> T:
        """What `call` answers, made in a thread once there is a place."""
        place = object()
        await self._places.acquire_on_behalf_of(place)
        try:
            yield_slot = functools.partial(self._yielded, place)
            return await anyio.to_thread.run_sync(call, yield_slot, limiter=self._threads)
        finally:
            self._places.release_on_behalf_of(place)

    @contextmanager
    def _yielded(self, place: object) -> Iterator[bool]:
        if not anyio.from_thread.run_sync(self._leave, place):
            yield False
            return
        try:
            yield True
        finally:
            anyio.from_thread.run(self._return, place)

    def _leave(self, place: object) -> bool:
        if self._waiting >= WAITING:
            return False
        self._waiting += 1
        self._places.release_on_behalf_of(place)
        return True

    async def _return(self, place: object) -> None:
        # A call that is cancelled has its proposal to take back: it, too, goes on in a place.
        with anyio.CancelScope(shield=True):
            await self._places.acquire_on_behalf_of(place)
        self._waiting -= 1


async def in_thread(
    call: Callable[[YieldSlot], T], left: Callable[[], Coroutine[Any, Any, None]], *, places: LongCallSlots
) -> T:
    """What `call` answers, made in a thread once there is a place. As `cancelled_with_caller`."""
    return await cancelled_with_caller(lambda: places.run(call), left)


async def cancelled_with_caller(
    call: Callable[[], Coroutine[Any, Any, T]], left: Callable[[], Coroutine[Any, Any, None]]
) -> T:
    """What `call` answers. `left` runs until it has; it returns when the caller is gone, and then, or when it is
    cancelled, has told the call to end. Raises Cancelled where a call of somebody who is gone had not begun.

    A thread is waited for even if the request is cancelled: no write is left half-done."""
    answers: list[T] = []

    async def watch() -> None:
        await left()
        group.cancel_scope.cancel()

    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        answers.append(await call())
        group.cancel_scope.cancel()
    await anyio.lowlevel.checkpoint_if_cancelled()
    if not answers:
        raise Cancelled("Whoever called has left.")
    return answers[0]


def switch_often() -> None:
    """Has the interpreter of a server process let threads take turns more often."""
    sys.setswitchinterval(SWITCH_EVERY)
