"""Coroutine on its own thread, read as an iterator. It ends as soon as its reader leaves or cancels, and runs no more
than a few values ahead of its reader."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from queue import SimpleQueue
from typing import Generic, TypeVar

from services.errors import Cancelled

T = TypeVar("T")
Emit = Callable[[T], Awaitable[None]]
"""Hands a value on; waits while too many are not read yet."""

_LOOK = 0.02
"""Seconds between two polls of the caller's event."""
_CLOSING = 0.5
_MOST = 64
"""Values that may wait for the reader: a source without end is read as fast as its reader reads, and no faster."""


class _Ended:
    def __init__(self, error: BaseException | None) -> None:
        self.error = error


class _Stream(Generic[T]):
    def __init__(self, work: Callable[[Emit[T]], Awaitable[None]], cancel: threading.Event | None) -> None:
        self._work = work
        self._cancel = cancel
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._left = threading.Event()
        self._room = asyncio.Event()
        self._is_full = False
        self.values: SimpleQueue[T | _Ended] = SimpleQueue()
        self.thread = threading.Thread(target=self._run, name="stream", daemon=True)

    def next(self) -> T | _Ended:
        """The next value, once it is there."""
        value = self.values.get()
        if self._is_full and self.values.qsize() <= _MOST // 2 and self._loop is not None:
            with suppress(RuntimeError):  # it has ended by itself meanwhile
                self._loop.call_soon_threadsafe(self._room.set)
        return value

    async def emit(self, value: T) -> None:
        """Hand a value on."""
        self.values.put(value)
        if self.values.qsize() < _MOST:
            return
        self._room.clear()
        self._is_full = True
        # The reader still has as many values to read, and then sees that the coroutine waits.
        if self.values.qsize() >= _MOST:
            await self._room.wait()
        self._is_full = False

    def leave(self) -> None:
        """Cancel the coroutine, because its reader leaves; its connection is closed."""
        self._left.set()
        loop, task = self._loop, self._task
        if loop is not None and task is not None:
            with suppress(RuntimeError):  # it has ended by itself meanwhile
                loop.call_soon_threadsafe(task.cancel)
        self.thread.join(_CLOSING)

    def _run(self) -> None:
        with suppress(asyncio.CancelledError):
            asyncio.run(self._whole())

    async def _whole(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.create_task(self._watched())
        if self._left.is_set():
            self._task.cancel()
        await self._task

    async def _watched(self) -> None:
        work = asyncio.ensure_future(self._work(self.emit))
        watch = asyncio.create_task(self._wished(work))
        error: BaseException | None = None
        try:
            await work
        except asyncio.CancelledError:
            error = Cancelled("The request was cancelled.")
        except Exception as failed:  # noqa: BLE001 (it is raised where the values are read)
            error = failed
        finally:
            watch.cancel()
            if not work.done():
                work.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await work
            self.values.put(_Ended(error))

    async def _wished(self, work: asyncio.Future[None]) -> None:
        while self._cancel is not None:
            if self._cancel.is_set():
                work.cancel()
                return
            await asyncio.sleep(_LOOK)


def streamed(
    work: Callable[[Emit[T]], Awaitable[None]], cancel: threading.Event | None = None
) -> Iterator[T]:
    """Iterate over the values that `work` emits, as they arrive. Setting `cancel`, or closing the iterator, cancels
    the coroutine at its next await. Raises Cancelled, and every error of the coroutine."""
    stream = _Stream(work, cancel)
    stream.thread.start()
    try:
        while True:
            value = stream.next()
            if isinstance(value, _Ended):
                if value.error is not None:
                    raise value.error
                return
            if cancel is not None and cancel.is_set():
                raise Cancelled("The request was cancelled.")
            yield value
    finally:
        stream.leave()
