from __future__ import annotations

from contextlib import asynccontextmanager
from typing import Any

from services.model import ItemFlag, WindowItem
from tests.widgets.host import Ear, Host, painted
from widgets.lists.window_list import WindowList


def item(key: str, *, pinned: bool = True, tokens: int = 10, flags: tuple[ItemFlag, ...] = ()) -> WindowItem:
    return WindowItem(
        key=key, kind="outline", label=key, detail="", pinned=pinned, tokens=tokens, flags=flags
    )


ITEMS = [item("a", tokens=1812), item("b", flags=(ItemFlag.STALE, ItemFlag.SECRET)), item("c", pinned=False)]


@asynccontextmanager
async def shown(view: WindowList, ear: Ear | None = None):
    async with Host(view).run_test(size=(28, 10), message_hook=ear) as pilot:
        view.focus()
        await pilot.pause()
        yield pilot


def keys(ear: Ear) -> list[tuple[str, str]]:
    heard: list[Any] = ear.heard
    return [(type(message).__name__, message.item.key) for message in heard]


async def test_items_stand_in_their_groups_with_costs_and_flags() -> None:
    view = WindowList(ITEMS)
    async with shown(view):
        assert [" ".join(line.split()) for line in painted(view)[:6]] == [
            "▾ pinned 2",
            "▸● a 1 812",
            "● b ⟳ ⚠ 10",
            "▾ recent 1",
            "c 10",
            "",
        ]


async def test_what_an_agent_pinned_says_who_it_was() -> None:
    """Its name is text, never a control sequence."""
    pinned = WindowItem(
        key="a", kind="type", label="A", detail="a.cs", pinned=True, tokens=9, by="claude\x1b[2J"
    )
    view = WindowList([pinned])
    async with Host(view).run_test(size=(60, 5)):
        row = painted(view)[1]
    assert "by claude␛[2J · a.cs" in row


async def test_enter_opens_an_item() -> None:
    ear = Ear(WindowList.ItemOpened)
    view = WindowList(ITEMS)
    async with shown(view, ear) as pilot:
        await pilot.press("enter")
        await pilot.pause()
    assert keys(ear) == [("ItemOpened", "a")]


async def test_a_heading_folds_its_group_and_is_no_item() -> None:
    ear = Ear(WindowList.ItemOpened)
    view = WindowList(ITEMS)
    async with shown(view, ear) as pilot:
        await pilot.press("home", "enter")
        await pilot.pause()
        assert [" ".join(line.split()) for line in painted(view)[:3]] == ["▸▸ pinned 2", "▾ recent 1", "c 10"]
        await pilot.press("enter")
        await pilot.pause()
        assert "●   b" in painted(view)[2]
    assert keys(ear) == []


async def test_the_cursor_stays_with_its_item() -> None:
    view = WindowList(ITEMS)
    async with shown(view) as pilot:
        await pilot.press("down")
        view.set_items([item("new"), *ITEMS])
        assert view.current is not None
        assert view.current.key == "b"


async def test_the_cursor_stays_at_its_place_where_its_item_has_gone() -> None:
    view = WindowList(ITEMS)
    async with shown(view) as pilot:
        await pilot.press("down")
        view.set_items([ITEMS[0], ITEMS[2]])
        assert view.cursor == 2
        view.set_items([])
        assert view.current is None
        await pilot.press("enter", "down")
        await pilot.pause()
        assert any("Nothing in the window yet" in line for line in painted(view))


async def test_approximate_costs_say_so() -> None:
    view = WindowList()
    async with shown(view) as pilot:
        view.set_items(ITEMS, approximate=True)
        await pilot.pause()
        assert painted(view)[1].endswith(" ≈1\N{NO-BREAK SPACE}812 ")


async def test_a_long_label_leaves_room_for_flags_and_cost() -> None:
    view = WindowList([item("x\x1b" * 50, tokens=7, flags=(ItemFlag.CUT,))])
    async with shown(view):
        line = painted(view)[1]
        assert line.endswith("… ✂ 7 ")
        assert "\x1b" not in line
