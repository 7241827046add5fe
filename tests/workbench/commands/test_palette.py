"""The palette at moments when Textual's own raises."""

from __future__ import annotations

from textual.command import Command, CommandList, DiscoveryHit

from tests.support.stage import on_stage
from workbench.commands.palette import Palette


async def test_a_page_key_before_the_list_is_laid_out_moves_nothing() -> None:
    async with on_stage() as stage:
        palette = Palette(providers=[])
        await stage.app.push_screen(palette)
        commands = palette.query_one(CommandList)
        commands.add_option(Command("one", DiscoveryHit("one", lambda: None), id="0"))
        palette._action_command_list("page_down")
        assert commands.option_count == 1


async def test_what_is_gathered_after_the_palette_was_closed_is_dropped() -> None:
    async with on_stage() as stage:
        palette = Palette(providers=[])
        await stage.app.push_screen(palette)
        await palette.query(CommandList).remove()
        palette._list_visible = not palette._list_visible
        palette._show_busy = not palette._show_busy
        await stage.settle()
        assert stage.app.is_running
