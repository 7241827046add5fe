"""Idle signal of a Textual app under test, in place of Textual's, which sleeps 20 ms and looks at the processor.

An app is idle once its event loop has nothing ready, no repaint or timer is due, and no thread works for it. Of a
thread that a test holds back nobody knows when it goes on: then, and only then, the processor decides.
"""

from __future__ import annotations

import asyncio
import itertools
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Executor
from typing import Any

import textual.app
import textual.pilot
import textual.timer
from textual._context import active_app
from textual.screen import Screen

_LOOK = 0.02
"""Seconds that a thread is watched."""
_TOOK = 0.0005
"""Seconds of the processor from which on other threads have worked; less is how far two clocks differ."""
_WORKS = 0.05
"""Share of the processor from which on a process works."""
_LIMIT = 30.0
"""Seconds after which a loop that never rests is left alone; a busy machine takes long for a little."""
_SOON = 0.005
"""Seconds until a timer of the event loop that is waited for."""
_RUN_IN_EXECUTOR = asyncio.BaseEventLoop.run_in_executor
_BETWEEN_KEYS, _REST = 0.03, 0.1
"""The longest rests that are shortened to nothing, in seconds: behind each key, and in a pause."""


async def after_key(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Return once the running app is idle; what waits for a rest in typing may still come."""
    await _idle(min_sleep, max_sleep, _BETWEEN_KEYS)


async def wait_for_idle(min_sleep: float = 0.0, max_sleep: float = 1.0) -> None:
    """Return once the running app is idle; a thread is watched for `max_sleep` seconds at most."""
    await _idle(min_sleep, max_sleep, _REST)


async def _idle(min_sleep: float, max_sleep: float, rest: float) -> None:
    app, began = active_app.get(), time.monotonic()
    await asyncio.sleep(min_sleep)
    while time.monotonic() < began + _LIMIT:
        others = _others()
        await _loop_at_rest(began + _LIMIT)
        if _repaint(app) or await _timer_ran():
            continue
        if resting := _resting(app, rest):
            _ring(resting)
            await asyncio.wait(resting, timeout=_LIMIT)
            continue
        jobs = _jobs(app)
        is_worked = bool(jobs) or _others() > others + _TOOK
        if not is_worked or time.monotonic() > began + max_sleep or not await _works(jobs):
            return


_in_executors: weakref.WeakSet[asyncio.Future[Any]] = weakref.WeakSet()
"""Calls that the event loop handed to threads."""


def _run_in_executor(
    self: asyncio.AbstractEventLoop, executor: Executor | None, func: Callable[..., Any], *args: Any
) -> asyncio.Future[Any]:
    future = _RUN_IN_EXECUTOR(self, executor, func, *args)
    _in_executors.add(future)
    return future


def _jobs(app: textual.app.App[Any]) -> list[asyncio.Future[Any]]:
    """Return what threads have still to do for the app, as far as it is known."""
    loop = asyncio.get_running_loop()
    workers = (worker._task for worker in app.workers if not worker.is_finished)
    return [
        *(task for task in workers if task is not None and not task.done()),
        *(future for future in _in_executors if not future.done() and future.get_loop() is loop),
    ]


def _resting(app: textual.app.App[Any], longest: float) -> list[asyncio.Task[None]]:
    """Return the timers of at most `longest` seconds that have yet to ring once."""
    nodes = itertools.chain((app,), *(screen.walk_children(with_self=True) for screen in app.screen_stack))
    timers = itertools.chain.from_iterable(node._timers for node in nodes)
    return [
        timer._task
        for timer in timers
        if timer._repeat == 0 and timer._interval <= longest and timer._task and not timer._task.done()
    ]


_sleeping: dict[asyncio.Task[Any], tuple[float, asyncio.Future[None]]] = {}
"""When each timer that sleeps is to ring, and what wakes it."""


async def _sleep(seconds: float) -> None:
    """Sleep as Textual's timers do; `_ring` ends it earlier."""
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    woken: asyncio.Future[None] = loop.create_future()
    _sleeping[task] = (time.monotonic() + seconds, woken)
    try:
        await asyncio.wait((woken,), timeout=max(0.0, seconds))
    finally:
        del _sleeping[task]


def _ring(resting: list[asyncio.Task[None]]) -> None:
    """Have timers ring now, in the order of their times."""
    asleep = [_sleeping[task] for task in resting if task in _sleeping]
    for _, woken in sorted(asleep, key=lambda each: each[0]):
        if not woken.done():
            woken.set_result(None)


async def _loop_at_rest(end: float) -> None:
    """Let everything run that is ready."""
    loop: Any = asyncio.get_running_loop()
    is_ready = True
    while is_ready and time.monotonic() < end:
        await asyncio.sleep(0)
        is_ready = bool(loop._ready)


async def _timer_ran() -> bool:
    """Wait for a timer that is due soon; return whether there is one."""
    loop: Any = asyncio.get_running_loop()
    due = min((timer.when() for timer in loop._scheduled if not timer.cancelled()), default=None)
    if due is None or (rest := due - loop.time()) > _SOON:
        return False
    await asyncio.sleep(max(0.0, rest))
    return True


def _repaint(app: textual.app.App[Any]) -> bool:
    """Paint now what would be painted with the next frame; return whether there is any."""
    screen: Screen[Any] = app.screen
    is_due = (
        screen.is_current
        and not app._batch_count
        and bool(
            screen._layout_required
            or screen._scroll_required
            or screen._repaint_required
            or screen._recompose_required
            or screen._dirty_widgets
            or screen._callbacks
        )
    )
    if is_due:
        screen._on_timer_update()
    return is_due


def _others() -> float:
    """Return the processor time of all other threads."""
    return time.process_time() - time.thread_time()


async def _works(jobs: list[asyncio.Future[Any]]) -> bool:
    """Whether one of `jobs` ends or a thread uses the processor, as far as can be seen."""
    before, began = time.process_time(), time.monotonic()
    if jobs:
        ended, _ = await asyncio.wait(jobs, timeout=_LOOK, return_when=asyncio.FIRST_COMPLETED)
        if ended:
            return True
    else:
        await asyncio.sleep(_LOOK)
    return time.process_time() - before > _WORKS * min(_LOOK, time.monotonic() - began)


def use_for_pilots() -> None:
    """Have every pilot wait for this signal."""
    textual.pilot.wait_for_idle = wait_for_idle  # pyright: ignore[reportPrivateImportUsage]
    textual.app.wait_for_idle = after_key  # pyright: ignore[reportPrivateImportUsage]
    textual.timer.sleep = _sleep  # pyright: ignore[reportPrivateImportUsage]
    asyncio.BaseEventLoop.run_in_executor = _run_in_executor  # pyright: ignore[reportAttributeAccessIssue]
