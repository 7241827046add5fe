"""Which view of the middle is in use while the focus goes from one to the other."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.stage import on_stage


@pytest.mark.parametrize("size", [(120, 36), (200, 60)], ids=["alone", "adjacent"])
async def test_views_that_are_chosen_in_one_turn_end_with_the_last(size: tuple[int, int]) -> None:
    async with on_stage(size=size) as stage:
        await stage.press("enter")
        code = stage.main.code
        async with asyncio.timeout(20):  # they could call each other for ever
            for view in ("source", "outline", "source"):
                code.show_view(view)
            await stage.settle()
        assert (code.view, stage.app.screen.focused) == ("source", code.source)
