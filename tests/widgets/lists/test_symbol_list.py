from __future__ import annotations

from contextlib import asynccontextmanager

import pytest

from services.model import Kind
from tests.widgets.host import Ear, Host, painted
from widgets.lists.symbol_list import SymbolList, SymbolRow


def rows(count: int) -> list[SymbolRow]:
    return [SymbolRow(f"Type{n}", Kind.CLASS, "Some.Space", tokens=n) for n in range(count)]


@asynccontextmanager
async def shown(view: SymbolList, ear: Ear | None = None, size: tuple[int, int] = (40, 10)):
    async with Host(view).run_test(size=size, message_hook=ear) as pilot:
        view.focus()
        await pilot.pause()
        yield pilot


def indexes(ear: Ear) -> list[int]:
    return [message.index for message in ear.heard]  # pyright: ignore[reportAttributeAccessIssue]


async def test_a_row_shows_dot_kind_label_container_and_cost() -> None:
    row = SymbolRow("JsonConvert", Kind.CLASS, "Newtonsoft.Json", (0,), 1204, pinned=True)
    view = SymbolList([row])
    async with shown(view):
        assert painted(view)[0] == "▸● C JsonConvert  Newtonsoft.Json 1\N{NO-BREAK SPACE}204 "


async def test_an_approximate_cost_says_so_and_an_unknown_one_is_blank() -> None:
    view = SymbolList([SymbolRow("A", Kind.ENUM, tokens=7, approximate=True), SymbolRow("B", Kind.ENUM)])
    async with shown(view):
        assert painted(view)[0].endswith(" ≈7 ")
        assert painted(view)[1].strip() == "E B"


async def test_matched_letters_are_lit() -> None:
    view = SymbolList([SymbolRow("JsonConvert", Kind.CLASS, positions=(0, 4))])
    async with shown(view):
        lit = [segment.text for segment in view.render_line(0) if segment.style and segment.style.underline]
        assert lit == ["J", "C"]


async def test_keys_move_the_cursor_and_stop_at_the_ends() -> None:
    ear = Ear(SymbolList.Highlighted)
    async with shown(SymbolList(rows(100)), ear) as pilot:
        await pilot.press("up", "down", "pagedown", "end", "down", "pageup", "home")
        await pilot.pause()
    assert indexes(ear) == [0, 1, 10, 99, 90, 0]


async def test_enter_and_a_double_click_open() -> None:
    ear = Ear(SymbolList.Selected)
    async with shown(SymbolList(rows(5)), ear) as pilot:
        await pilot.press("down", "enter")
        await pilot.click(SymbolList, offset=(8, 3), times=2)
        await pilot.pause()
    assert indexes(ear) == [1, 3]


async def test_a_click_on_the_dot_pins() -> None:
    ear = Ear(SymbolList.PinToggled)
    view = SymbolList(rows(5))
    async with shown(view, ear) as pilot:
        await pilot.click(SymbolList, offset=(1, 2))
        await pilot.pause()
        assert view.cursor == 2
        view.action_toggle_pin()
        await pilot.pause()
    assert indexes(ear) == [2, 2]


async def test_a_click_below_the_last_row_does_nothing() -> None:
    ear = Ear(SymbolList.Highlighted)
    async with shown(SymbolList(rows(2)), ear) as pilot:
        await pilot.click(SymbolList, offset=(8, 6))
        await pilot.pause()
    assert indexes(ear) == [0]


async def test_of_a_million_rows_only_those_in_view_are_asked_for() -> None:
    asked: set[int] = set()

    def row(index: int) -> SymbolRow:
        asked.add(index)
        return SymbolRow(f"Type{index}", Kind.CLASS)

    view = SymbolList()
    async with shown(view) as pilot:
        view.set_provider(1_000_000, row)
        await pilot.press("end")
        await pilot.pause()
        assert "Type999999" in painted(view)[-1]
        view.scroll_to(y=500_000, animate=False, immediate=True)
        await pilot.pause()
        assert "Type500000" in painted(view)[0]
    assert len(asked) <= 60


async def test_new_rows_put_the_cursor_back_and_say_so() -> None:
    ear = Ear(SymbolList.Highlighted)
    view = SymbolList(rows(50))
    async with shown(view, ear) as pilot:
        await pilot.press("end")
        view.set_rows(rows(3))
        await pilot.pause()
        assert view.scroll_offset.y == 0
        view.set_rows([])
        await pilot.pause()
        assert view.cursor is None
        await pilot.press("down", "enter", "end", "pageup")
    assert indexes(ear) == [0, 49, 0]


async def test_new_values_of_the_same_rows_leave_cursor_and_scroll() -> None:
    ear = Ear(SymbolList.Highlighted)
    view = SymbolList(rows(50))
    async with shown(view, ear) as pilot:
        await pilot.press("end")
        view.update_rows([SymbolRow(f"Other{n}", Kind.ENUM) for n in range(50)])
        await pilot.pause()
        assert "Other49" in painted(view)[-1]
        with pytest.raises(ValueError):
            view.update_rows(rows(2))
    assert indexes(ear) == [0, 49]


async def test_without_rows_it_says_what_it_was_given_to_say() -> None:
    view = SymbolList(empty="Nothing matches [x]")
    async with shown(view):
        assert any("Nothing matches [x]" in line for line in painted(view))


async def test_the_cursor_stays_in_view_when_the_list_shrinks() -> None:
    view = SymbolList(rows(50))
    async with shown(view, size=(40, 20)) as pilot:
        view.cursor = 18
        await pilot.resize_terminal(30, 5)
        await pilot.pause()
        assert any("▸" in line and "Type18" in line for line in painted(view))


HOSTILE = [
    "\x1b[31m\x07",
    "[bold red]x[/]",
    "a\u202eb",
    "漢字" * 30,
    "x\ny",
    "\ud800",
    "",
    "e\u0301" * 50,
    "x" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("width", [1, 5, 12, 40])
async def test_hostile_names_fill_the_width_and_send_nothing(text: str, width: int) -> None:
    row = SymbolRow(
        text, Kind.METHOD, text, positions=tuple(range(0, 200, 3)), tokens=5, depth=1, pinned=True
    )
    view = SymbolList([row])
    async with shown(view, size=(width, 3)):
        strip = view.render_line(0)
        assert strip.cell_length == view.scrollable_content_region.width
        assert strip.text.isprintable() or "\N{NO-BREAK SPACE}" in strip.text
        assert "\x1b" not in strip.text


async def test_overloads_show_the_parameters_in_which_they_differ() -> None:
    labels = [f"Retry(this PolicyBuilder, Action<Exception, {last}>)" for last in ("int", "Context")]
    view = SymbolList(
        [SymbolRow(label, Kind.METHOD, "Polly", (0,), 300, overloads=tuple(labels)) for label in labels]
    )
    async with shown(view, size=(33, 5)):
        assert painted(view)[0] == "▸  M Retry(…Exception, int>) 300 "
        assert painted(view)[1] == "   M Retry(…ption, Context>) 300 "
        assert [part.text for part in view.render_line(0) if part.style and part.style.underline] == ["R"]


@pytest.mark.parametrize("width", [40, 46, 60])
async def test_no_two_overloads_look_the_same(width: int) -> None:
    lists = ("", ", int", ", Action<Exception, int>", ", int, Action<Exception, int>",
             ", Action<Exception, int, Context>", ", int, Action<Exception, int, Context>")  # fmt: skip
    labels = tuple(f"Retry(this PolicyBuilder{parameters})" for parameters in lists)
    view = SymbolList([SymbolRow(label, Kind.METHOD, "Polly", overloads=labels) for label in labels])
    async with shown(view, size=(width, 8)):
        rows = [row[1:] for row in painted(view)[: len(labels)]]
        assert len(set(rows)) == len(labels), rows


async def test_names_that_begin_alike_are_told_apart_by_their_ends() -> None:
    labels = ["RetryStrategyOptions<TResult>", "RetryStrategyOptionsTests"]
    view = SymbolList([SymbolRow(label, Kind.CLASS, "Polly", (0, 5, 13, 24), 300) for label in labels])
    async with shown(view, size=(33, 5)):
        assert painted(view)[0] == "▸  C RetryStrate…ns<TResult> 300 "
        assert painted(view)[1] == "   C RetryStrate…ptionsTests 300 "
        lit = [part.text for part in view.render_line(1) if part.style and part.style.underline]
        assert lit == ["R", "S", "s"]


async def test_symbols_that_look_the_same_show_what_they_are_in() -> None:
    label = "CircuitBreakerPolicyOptions"
    owners = ("Polly.A", "Polly.Bee")
    rows = [SymbolRow(label, Kind.CLASS, owner, tokens=95, namesake=True) for owner in owners]
    view = SymbolList(rows)
    async with shown(view, size=(33, 5)):
        assert [line.split()[-2] for line in painted(view)[:2]] == ["Polly.A", "Polly.Bee"]


async def test_a_name_that_fits_is_not_broken_for_what_it_is_in() -> None:
    owners = ("MediaBrowser.Controller.Entities.BaseItem", "Emby.Server.NfoSaver")
    rows = [SymbolRow("LibraryManager", Kind.PROPERTY, owner, tokens=80, namesake=True) for owner in owners]
    view = SymbolList(rows)
    async with shown(view, size=(33, 5)):
        assert painted(view)[0] == "▸  P LibraryManager  …aseItem 80 "
        assert painted(view)[1] == "   P LibraryManager  …foSaver 80 "


async def test_of_a_container_the_end_is_shown_as_containers_begin_alike() -> None:
    row = SymbolRow("Reset()", Kind.METHOD, "Polly.CircuitBreaker.CircuitBreakerPolicy", tokens=95)
    view = SymbolList([row])
    async with shown(view, size=(33, 5)):
        assert painted(view)[0] == "▸  M Reset()  …tBreakerPolicy 95 "
