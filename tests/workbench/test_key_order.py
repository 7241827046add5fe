"""Keys that arrive in one read, as over a slow line, act in the order in which they were typed, wherever that is."""

from __future__ import annotations

import pytest
from textual import events
from textual.widgets import Input

from tests.support.stage import on_stage


@pytest.mark.parametrize(
    ("typed", "left"),
    [
        (("a", "b", "c", "backspace", "d"), "abd"),
        (("a", "space", "b", "ctrl+w", "c"), "a c"),
        (("b", "c", "left", "left", "a"), "abc"),
        (("b", "c", "home", "a", "end", "d"), "abcd"),
        (("x", "ctrl+u", "a", "b"), "ab"),
    ],
    ids=["backspace", "a word", "arrows", "ends", "all"],
)
@pytest.mark.parametrize(
    "way",
    [("ctrl+u",), ("escape", "g"), ("escape", "question_mark"), ("escape", "4", "/")],
    ids=["symbols", "grep", "help", "grep by number"],
)
async def test_no_letter_overtakes_a_key_that_is_bound(
    way: tuple[str, ...], typed: tuple[str, ...], left: str
) -> None:
    async with on_stage() as stage:
        await stage.press(*way)
        box = stage.app.focused
        assert isinstance(box, Input)
        stage.type_at_once(*(" " if key == "space" else key for key in typed))
        await stage.heard()
        assert box.value == left


async def test_what_is_typed_behind_the_key_that_opens_a_box_goes_into_it() -> None:
    async with on_stage() as stage:
        stage.type_at_once("escape", "question_mark", "p", "i", "x", "backspace", "n")
        await stage.heard()
        box = stage.app.focused
        assert isinstance(box, Input)
        assert (box.value, stage.app.screen is stage.main) == ("pin", False)
        stage.type_at_once("escape", "slash", "ctrl+u", "r", "o", "x", "backspace", "w")
        await stage.heard()
        assert (stage.main.symbols.box.value, stage.app.screen is stage.main) == ("row", True)


async def test_what_is_typed_behind_the_key_that_leaves_a_box_is_a_command() -> None:
    async with on_stage() as stage:
        stage.type_at_once("r", "o", "w", "escape", "3", "1", "/", "s")
        await stage.heard()
        assert (stage.main.pane, stage.main.symbols.box.value) == ("symbols", "rows")


async def test_pasted_text_keeps_its_place_between_keys() -> None:
    async with on_stage() as stage:
        stage.type_at_once("x", "backspace")
        stage.app.post_message(events.Paste("ro"))
        stage.type_at_once("x", "backspace", "w")
        await stage.heard()
        assert stage.main.symbols.box.value == "row"
