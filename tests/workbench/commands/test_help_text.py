"""The help: filtered as one types, with what the signs mean."""

from __future__ import annotations

from textual.widgets import Input, Static

from services.model import Level
from tests.support.stage import on_stage
from widgets.format.kinds import KIND_GLYPHS
from widgets.lists.window_list import FLAG_GLYPHS, LEVEL_LETTERS
from workbench.commands.commands import COMMANDS
from workbench.commands.help_text import help_text
from workbench.commands.keymap import resolve
from workbench.commands.situation import Situation


def told(query: str = "") -> str:
    return help_text(resolve({}), Situation(), query=query).plain


def test_every_command_and_every_sign_of_the_lists_is_explained() -> None:
    text = told()
    assert all(f"{command.title}. {command.help}" in text for command in COMMANDS)
    signs = text[text.index("Signs") :]
    assert all(sign in signs for sign in (*FLAG_GLYPHS.values(), *LEVEL_LETTERS.values()))
    assert all(sign in signs for kind, sign in KIND_GLYPHS.items() if kind in ("class", "method", "property"))


def test_what_is_typed_leaves_the_lines_that_have_all_its_words() -> None:
    lines = told("COPY since").splitlines()
    assert lines
    assert all("copy" in line.lower() and "since" in line.lower() for line in lines)
    assert told("zzzz") == "Nothing here has 'zzzz': type less."


def test_a_heading_that_has_what_is_typed_leaves_all_that_is_below_it() -> None:
    lines = told("glyphs").splitlines()
    assert lines[0].startswith("Signs")
    assert any(LEVEL_LETTERS[Level.BODIES] in line and "bodies" in line for line in lines)
    assert len(lines) > len(told("signature").splitlines())
    assert "Lock or unlock" not in told("glyphs")


async def test_the_help_is_filtered_on_the_screen() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "question_mark")
        assert isinstance(stage.app.focused, Input)
        await stage.type("white space")
        shown = stage.app.screen.query(Static).last(Static)
        assert "Ignore white space" in str(shown.content)
        assert "Search symbols" not in str(shown.content)
