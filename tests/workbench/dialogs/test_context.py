"""What a change needs, asked for and taken on a real workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from services.bench.window.context import ContextRequest
from tests.support.stage import Stage, on_stage
from tests.support.workspace import indexed, project
from workbench.dialogs.context import ContextScreen, TaskScreen

FILES = {
    "Shop.csproj": project(),
    "Basket.cs": "namespace Shop; public class Basket { public Discount Off; public void Pay() { } }",
    "Discount.cs": "namespace Shop; public class Discount { public int Percent; }",
    "Clock.cs": "namespace Shop; public class Clock { }",
}
TRACE = "System.Exception: no\n   at Shop.Basket.Pay() in /x/Basket.cs:line 1\n   at System.Threading.Thread.Start()"


@asynccontextmanager
async def asked(folder: Path, text: str) -> AsyncIterator[tuple[Stage, ContextScreen]]:
    """The dialog after somebody has pasted a text."""
    with indexed(folder, FILES) as bench:
        bench.context.find(ContextRequest("everything there is"))
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await stage.press("escape", "f")
            task = stage.app.screen
            assert isinstance(task, TaskScreen)
            task.editor.load_text(text)
            await stage.press("ctrl+s")
            screen = stage.app.screen
            assert isinstance(screen, ContextScreen)
            yield stage, screen


def labels(screen: ContextScreen) -> list[str]:
    return [row.label for row in screen.rows.rows]


async def test_words_lead_to_types_with_costs_and_reasons(tmp_path: Path) -> None:
    async with asked(tmp_path, "a discount in percent") as (_, screen):
        first = screen.rows.rows[0]
        assert first.label == "Discount"
        assert first.tail.startswith("+")
        assert "percent" in str(screen.detail.content)


async def test_one_is_taken_and_then_all_that_is_left(tmp_path: Path) -> None:
    async with asked(tmp_path, "discount basket") as (stage, screen):
        await stage.press("enter")
        assert [row.tail for row in screen.rows.rows].count("pinned") == 1
        await stage.press("a")
        assert {row.tail for row in screen.rows.rows} == {"pinned"}
        offered = labels(screen)
        await stage.press("escape")
        bench = stage.main.session.bench
        assert bench is not None
        assert {item.label for item in bench.window.render().items if item.pinned} == set(offered)


async def test_frames_of_a_trace_come_first_and_are_counted(tmp_path: Path) -> None:
    async with asked(tmp_path, TRACE) as (_, screen):
        assert labels(screen)[0] == "Basket"
        assert "1 frame of this workspace" in str(screen.pane.note)
        assert "frame 1 of the stack trace is Pay()" in str(screen.detail.content)


async def test_other_words_begin_with_those_that_were_said(tmp_path: Path) -> None:
    async with asked(tmp_path, "discount") as (stage, _):
        await stage.press("slash")
        task = stage.app.screen
        assert isinstance(task, TaskScreen)
        assert task.editor.text == "discount"


async def test_nothing_typed_asks_nothing(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await stage.press("escape", "f", "ctrl+s")
            assert stage.app.screen is stage.main


async def test_words_that_nothing_has_say_what_to_do(tmp_path: Path) -> None:
    async with asked(tmp_path, "quaternion") as (_, screen):
        assert labels(screen) == []
        assert "say more" in str(screen.rows.empty)


async def test_earlier_questions_come_back_by_the_arrow(tmp_path: Path) -> None:
    async with asked(tmp_path, "discount") as (stage, _):
        await stage.press("escape", "f")
        task = stage.app.screen
        assert isinstance(task, TaskScreen)
        await stage.type("basket")
        await stage.press("up")
        assert task.editor.text == "discount"
        await stage.press("down")
        assert task.editor.text == "basket"
        await stage.press("down", "ctrl+s")
        assert stage.main.questions == ("basket", "discount")


async def test_what_the_source_costs_is_said_before_it_is_pinned(tmp_path: Path) -> None:
    async with asked(tmp_path, "discount") as (stage, screen):
        bench = stage.main.session.bench
        assert bench is not None
        await stage.press("o")
        await stage.settle()
        said = str(screen.said.content)
        assert "o once more pins it" in said
        assert bench.window.render().items == ()
        await stage.press("o")
        await stage.settle()
        (item,) = bench.window.render().items
        assert f"takes {item.tokens} tokens" in said
        assert [row.tail for row in screen.rows.rows].count("pinned") == 1
