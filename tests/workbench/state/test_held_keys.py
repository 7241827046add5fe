"""Keys that came too early: kept, and handed on in their order, one when what the one before led to is done."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App
from textual.pilot import Pilot

from tests.support.eventually import until
from workbench.state.held_keys import HeldKeys


class Host(App[int]):
    """Keeps what is typed for `held`, and says what was handed on. `on_taken`: what a key leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[str] = []
        self.held = HeldKeys(self, self.take)
        self.on_taken: Callable[[str], object] = lambda _: None

    async def take(self, event: events.Event) -> None:
        name = event.key if isinstance(event, events.Key) else "pasted"
        self.taken.append(name)
        self.on_taken(name)

    def type(self, *keys: str) -> list[bool]:
        """Whether each was kept."""
        return [self.held.keep(events.Key(key, key if len(key) == 1 else None)) for key in keys]

    async def handed_on(self, *keys: str) -> None:
        await until(lambda: self.held.are_none)
        assert self.taken == list(keys)


@asynccontextmanager
async def hosted() -> AsyncIterator[tuple[Host, Pilot[int]]]:
    app = Host()
    async with app.run_test() as pilot:
        yield app, pilot


async def test_what_is_typed_before_the_start_is_handed_on_in_its_order() -> None:
    async with hosted() as (app, _):
        assert app.type("a", "escape", "ctrl+q") == [True, True, True]
        assert app.held.keep(events.Paste("text"))
        assert not app.held.wait
        await app.held.release()
        await app.handed_on("a", "escape", "ctrl+q", "pasted")
        assert app.type("b") == [False], "from then on keys go where they are typed"


async def test_a_key_that_has_to_wait_itself_holds_those_behind_it() -> None:
    async with hosted() as (app, _):
        acts: list[str] = []
        app.on_taken = lambda key: app.held.hold(lambda: acts.append(key)) if key == "p" else None
        app.type("a", "p", "b")
        await app.held.release()
        await until(lambda: app.held.wait)
        assert (app.taken, acts) == (["a", "p"], [])
        app.type("c")
        await app.held.release()
        await app.handed_on("a", "p", "b", "c")
        assert acts == ["p"]


async def test_acts_that_wait_are_done_in_the_order_in_which_they_were_asked_for() -> None:
    async with hosted() as (app, _):
        await app.held.release()
        await until(lambda: app.held.are_none)
        app.held.hold(lambda: app.taken.append("first"))
        app.type("a")
        app.held.hold(lambda: app.taken.append("second"))
        app.type("b")
        await app.held.release()
        await app.handed_on("first", "a", "second", "b")


@pytest.mark.parametrize("key", ["ctrl+q", "ctrl+c", "ctrl+g"])
async def test_what_ends_the_program_or_the_waiting_waits_for_nothing(key: str) -> None:
    async with hosted() as (app, _):
        await app.held.release()
        await until(lambda: app.held.are_none)
        app.held.hold(lambda: None)
        assert app.type(key, "a") == [False, True]


async def test_escape_lets_go_of_all_that_waits() -> None:
    async with hosted() as (app, _):
        await app.held.release()
        await until(lambda: app.held.are_none)
        app.held.hold(lambda: app.taken.append("act"))
        assert app.type("a", "b", "escape", "c") == [True, True, True, False]
        await app.held.release()
        assert (app.taken, app.held.drop(), app.held.wait) == ([], 0, False)


async def test_what_is_dropped_is_counted_for_whoever_is_told() -> None:
    async with hosted() as (app, _):
        app.type("a", "b")
        assert (app.held.drop(), app.held.drop(), app.held.are_none) == (2, 0, True)


@pytest.mark.parametrize(
    ("typed", "order"),
    [(("r", "o"), ["r", "act", "o"]), (("down", "o"), ["act", "down", "o"]), ((), ["act"])],
    ids=["a letter", "no letter", "nothing"],
)
async def test_an_act_comes_behind_the_first_letter_where_one_was_typed(
    typed: tuple[str, ...], order: list[str]
) -> None:
    async with hosted() as (app, _):
        app.type(*typed)

        def act() -> None:
            app.taken.append("act")

        app.held.after_text(act, else_now=act)
        await app.held.release()
        await app.handed_on(*order)


async def test_what_is_neither_a_key_nor_pasted_is_never_kept() -> None:
    async with hosted() as (app, _):
        assert not app.held.keep(events.Focus())
        assert app.held.drop() == 0
