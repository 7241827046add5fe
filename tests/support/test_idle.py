"""A pilot goes on once what a key led to is done, and not before."""

from __future__ import annotations

import threading
from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import Static

STEPS = 200


class _Steps(App[None]):
    """Each step leads to the next; the last one to a rest, and that to a repaint."""

    BINDINGS: ClassVar = [("x", "begin", "Begin"), ("t", "thread", "Work in a thread")]

    def __init__(self) -> None:
        super().__init__()
        self.steps, self.painted, self.gate = 0, False, threading.Event()

    def compose(self) -> ComposeResult:
        yield Static("none", id="said")

    def action_begin(self) -> None:
        self.steps += 1
        if self.steps < STEPS:
            self.query_one("#said").call_later(self.action_begin)
        else:
            self.set_timer(0.1, self._rested)

    def _rested(self) -> None:
        self.query_one("#said", Static).update("rested")
        self.call_after_refresh(setattr, self, "painted", True)

    def action_thread(self) -> None:
        self.run_worker(self.gate.wait, thread=True)


async def test_all_that_a_key_leads_to_is_waited_for() -> None:
    app = _Steps()
    async with app.run_test() as pilot:
        await pilot.press("x")
        assert app.steps == STEPS
        await pilot.pause()
        assert app.painted


async def test_short_timers_ring_in_their_order_and_long_ones_do_not() -> None:
    app, rung = _Steps(), list[float]()
    async with app.run_test() as pilot:
        for seconds in (0.1, 0.08, 0.09):
            app.set_timer(seconds, lambda seconds=seconds: rung.append(seconds))
        await pilot.pause()
        assert rung == [0.08, 0.09, 0.1]
        app.set_timer(60.0, lambda: rung.append(60.0))
        await pilot.pause()
        assert rung == [0.08, 0.09, 0.1]


async def test_a_thread_that_is_held_back_holds_nobody_up() -> None:
    app = _Steps()
    async with app.run_test() as pilot:
        try:
            await pilot.press("t")
            await pilot.pause()
            assert any(worker.is_running for worker in app.workers)
        finally:
            app.gate.set()
