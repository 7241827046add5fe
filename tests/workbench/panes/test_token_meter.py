from __future__ import annotations

import pytest

from services.model import ModelPrice, Window
from tests.widgets.host import Host, painted
from workbench.panes.window_pane import TokenMeter


def window(
    tokens: int,
    pinned: int,
    *,
    budget: int = 100,
    soft: int = 60,
    tokenizer: str = "o200k",
    approximate: bool = False,
) -> Window:
    return Window(
        text="",
        tokens=tokens,
        budget=budget,
        pinned_tokens=pinned,
        soft_budget=soft,
        model="m",
        tokenizer=tokenizer,
        approximate=approximate,
    )


async def lines(value: Window | None, width: int = 28, price: ModelPrice | None = None) -> list[str]:
    meter = TokenMeter()
    async with Host(meter).run_test(size=(width, 5)) as pilot:
        meter.window = value
        meter.price = price
        await pilot.pause()
        return [line.strip() for line in painted(meter)]


async def test_parts_tick_and_figures() -> None:
    assert await lines(window(50, 30)) == [
        "██████▒▒▒▒░░│░░░░░░░  50 %",
        "50 of 100 · o200k",
        "pinned 30 % of 60 %",
    ]


async def test_a_meter_made_with_an_approximate_window_has_a_line_for_its_range() -> None:
    meter = TokenMeter(window(50, 30, approximate=True))
    async with Host(meter).run_test(size=(28, 5)):
        assert meter.size.height == 4


async def test_blank_before_there_is_a_window() -> None:
    assert await lines(None) == ["", "", ""]


async def test_over_the_budget_the_meter_is_full_and_the_figure_true() -> None:
    assert (await lines(window(150, 90)))[0] == "████████████│█████▒▒ 150 %"


async def test_no_budget_and_no_room() -> None:
    assert (await lines(window(0, 0, budget=0)))[0].endswith("0 %")
    assert len(await lines(window(50, 30), width=4)) == 4


async def test_in_a_strip_each_line_says_less() -> None:
    assert await lines(window(50, 30), width=15) == ["██▒░│░░  50 %", "50", "of 100", "pinned 30 %"]


@pytest.mark.parametrize("approximate", [False, True])
async def test_a_new_width_changes_what_each_line_says(approximate: bool) -> None:
    counted = window(50, 30, approximate=approximate)
    meter = TokenMeter()
    async with Host(meter).run_test(size=(28, 5)) as pilot:
        meter.window = counted
        for width in (15, 28):
            await pilot.resize_terminal(width, 5)
            await pilot.pause()
            assert [line.strip() for line in painted(meter)] == await lines(counted, width)


async def test_a_tokenizer_with_a_foreign_name_sends_nothing() -> None:
    assert (await lines(window(1, 0, tokenizer="[b]\x1b")))[1] == "1 of 100 · [b]␛"


async def test_what_sending_it_costs_where_the_price_is_known() -> None:
    price = ModelPrice(profile="big", sent=1.25, received=10, currency="USD")
    assert (await lines(window(8_000, 30, budget=10_000), price=price))[-1] == "0.0100 USD to big"
