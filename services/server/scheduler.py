"""Scheduling of calls: one interpreter does one thing at a time, so parallel calls only delay each other.

Whatever door they came through, four reads compute at once: for each further thread that computes, the event loop
waits one more turn before it takes a request or hands an answer over. Two of the four places are for quick calls, which
so never wait behind long ones; the first to come is the first to be done. Writes, commands, and reads that may have to
wait for the index, have places of their own. Whoever waits for a person or the network gives up their place meanwhile.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Coroutine, Iterator, Sequence
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
LONG_READS = 2
OTHERS = 16
WAITING = 256
"""Calls that may wait for a person or the network at once, each in a thread."""
SWITCH_EVERY = 0.0005
"""Seconds after which a thread lets another one go on (the interpreter's own: 5 ms). A request is read and answered in
several small steps on one thread, each of which would wait that long for calls that compute on others."""


class Scheduler:
    """Places for the calls of one server in threads. `settled`: whether the index is all there; before that, any read
    may have to wait for it."""

    def __init__(self, settled: Callable[[], bool]) -> None:
        self._settled = settled
        room = WaitingRoom()
        self._quick, self._long_reads = CallSlots(QUICK, room), CallSlots(LONG_READS, room)
        self._others = CallSlots(OTHERS, room)

    async def run(
        self,
        call: Callable[[Work], T],
        context: CallContext,
        *,
        operations: Sequence[Operation],
        batch: bool = False,
    ) -> T:
        """Run `call` in a thread when its turn comes and return its answer. `operations`: those it calls; `batch`:
        several in sequence, which is not quick. Raises Cancelled where the caller has left: a call that has not begun
        then never does."""
        slots = self._slots(operations, batch=batch)
        return await cancelled_with_caller(
            lambda: slots.run(lambda slot: call(context.work._replace(yield_slot=slot))),
            context.caller_gone if slots is self._quick else context.report,
        )

    async def read(self, call: Callable[[], T]) -> T:
        """Return the answer of a quick read, whose caller is not watched."""
        slots = self._quick if self._settled() else self._others
        return await slots.run(lambda _: call())

    def _slots(self, operations: Sequence[Operation], *, batch: bool) -> CallSlots:
        if not self._settled() or any(map(_may_wait, operations)):
            return self._others
        is_quick = not batch and not any(operation.works for operation in operations)
        return self._quick if is_quick else self._long_reads


def _may_wait(operation: Operation) -> bool:
    """Whether it writes or runs something, or yields results for as long as somebody reads them."""
    return operation.stream or not operation.effect.read_only


class CallContext(Protocol):
    """Context of a running call: its progress, and its caller's wish that it end."""

    @property
    def work(self) -> Work:
        """The job context of the call."""
        ...

    async def report(self) -> None:
        """Passes on what was reported, until the caller has left or this is cancelled; then the call is to end."""
        ...

    async def caller_gone(self) -> None:
        """Returns when the caller has left; then, or when this is cancelled, the call is to end."""
        ...


YieldSlot = Callable[[], AbstractContextManager[bool]]
"""Entered in a call's thread while it waits for a person or the network; whether there is room for it to wait."""


class WaitingRoom:
    """Limit of `WAITING` calls in all queues. Used on the event loop alone."""

    def __init__(self) -> None:
        self._taken = 0

    def enter(self) -> bool:
        """Take a place in the queue; return whether there was one."""
        has_room = self._taken < WAITING
        self._taken += has_room
        return has_room

    def leave(self) -> None:
        """Release a place."""
        self._taken -= 1


class CallSlots:
    """Slots for calls in threads. `room`: the limit of waiting calls.

    A call that waits has none and keeps its thread, so there are threads for all that may have a place or wait: who has
    a place never waits for a thread."""

    def __init__(self, places: int, room: WaitingRoom) -> None:
        self._places = anyio.CapacityLimiter(places)
        self._threads = anyio.CapacityLimiter(places + WAITING)
        self._room = room

    async def run(self, call: Callable[[YieldSlot], T]) -> T:
        """Run `call` in a thread once a slot is free, and return its answer."""
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
        if not self._room.enter():
            return False
        self._places.release_on_behalf_of(place)
        return True

    async def _return(self, place: object) -> None:
        # A call that is cancelled has its proposal to take back: it, too, goes on in a place.
        with anyio.CancelScope(shield=True):
            await self._places.acquire_on_behalf_of(place)
        self._room.leave()


async def cancelled_with_caller(
    call: Callable[[], Coroutine[Any, Any, T]], left: Callable[[], Coroutine[Any, Any, None]]
) -> T:
    """Return the answer of `call`. `left` runs beside it; it returns when the caller is gone, and then, or when it is
    cancelled, has cancelled the call. Raises Cancelled where the call of a gone caller had not begun.

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
