"""The trail above the code, and when it follows the cursor."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult

from tests.support.eventually import until
from workbench.code.code_views import BreadcrumbsPart


class Host(App[None]):
    """Has a trail."""

    def compose(self) -> ComposeResult:
        yield BreadcrumbsPart()


async def test_it_follows_the_cursor_once_where_it_rests() -> None:
    app, followed = Host(), list[int]()
    async with app.run_test():
        part = app.query_one(BreadcrumbsPart)
        for number in range(9):
            part.once_rested(lambda number=number: followed.append(number))
        await until(lambda: followed)
        assert followed == [0], "what is followed is where the cursor is then"


async def test_no_cursor_is_followed_once_the_program_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    app, rested, followed = Host(), list[Callable[[], None]](), list[int]()

    def set_timer(self: BreadcrumbsPart, delay: float, act: Callable[[], None], **_: Any) -> None:
        rested.append(act)

    monkeypatch.setattr(BreadcrumbsPart, "set_timer", set_timer)
    async with app.run_test():
        app.query_one(BreadcrumbsPart).once_rested(lambda: followed.append(1))
        with monkeypatch.context() as ending:
            ending.setattr(Host, "is_running", property(lambda _: False))
            rested[0]()
        assert followed == []
