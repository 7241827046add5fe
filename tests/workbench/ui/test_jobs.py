"""What is asked in threads: questions of which the last counts, and acts that are all made."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from tests.support.eventually import until
from workbench.ui.jobs import Jobs, finish_actions


class Host(App[None]):
    """A node with jobs."""

    def compose(self) -> ComposeResult:
        yield Static("here", id="node")

    def on_mount(self) -> None:
        self.failures: list[Exception] = []
        self.jobs = Jobs(self.query_one("#node"), self.failures.append)


@asynccontextmanager
async def hosted() -> AsyncIterator[tuple[Host, Pilot[None]]]:
    app = Host()
    async with app.run_test() as pilot:
        yield app, pilot


async def answered(pilot: Pilot[None], told: list[str], count: int) -> None:
    await until(lambda: len(told) >= count)
    await pilot.pause()


async def test_acts_are_all_made_in_the_order_they_were_asked_for() -> None:
    async with hosted() as (app, pilot):
        gate, made, told = threading.Event(), list[str](), list[str]()
        app.jobs.act("change", lambda: gate.wait(60), lambda _: told.append("held"))
        for name in "abc":
            app.jobs.act(
                "change", lambda name=name: made.append(name), lambda _, name=name: told.append(name)
            )
        assert made == []
        gate.set()
        await answered(pilot, told, 4)
        assert (made, told) == (["a", "b", "c"], ["held", "a", "b", "c"])


async def test_an_act_that_fails_is_told_and_the_next_is_made() -> None:
    async with hosted() as (app, pilot):
        told: list[str] = []
        fault = OSError("full")

        def fails() -> None:
            raise fault

        app.jobs.act("change", fails, lambda _: told.append("never"))
        app.jobs.act("change", lambda: None, lambda _: told.append("next"))
        await answered(pilot, told, 1)
        assert (told, app.failures) == (["next"], [fault])


async def test_an_act_is_made_though_its_node_is_gone() -> None:
    async with hosted() as (app, _):
        gate, made = threading.Event(), list[str]()
        app.jobs.act("change", lambda: gate.wait(60), lambda _: None)
        app.jobs.act("change", lambda: made.append("kept"), lambda _: None)
        await app.query_one("#node").remove()
        gate.set()
        finish_actions()
        assert made == ["kept"]


async def test_of_questions_the_last_is_answered() -> None:
    async with hosted() as (app, pilot):
        gate, told = threading.Event(), list[str]()
        app.jobs.run("ask", lambda: gate.wait(60), lambda _: told.append("first"))
        app.jobs.run("ask", lambda: None, lambda _: told.append("last"))
        await answered(pilot, told, 1)
        gate.set()
        await pilot.pause(0.05)
        assert told == ["last"]
