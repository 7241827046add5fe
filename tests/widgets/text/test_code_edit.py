"""Boxes in which code and comments are typed: which keys they take, and which they leave to whoever is above."""

from __future__ import annotations

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Button

from tests.widgets.host import Host
from widgets.text.code_edit import CodeEdit, LinesEdit


class Above(App[None]):
    """Knows which keys reached it."""

    def __init__(self, edit: CodeEdit) -> None:
        super().__init__()
        self.edit = edit
        self.reached: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.edit
        yield Button("next")

    def on_key(self, event: events.Key) -> None:
        self.reached.append(event.key)


async def test_tab_indents_and_enter_begins_a_line() -> None:
    app = Above(CodeEdit())
    async with app.run_test() as pilot:
        app.edit.focus()
        await pilot.press("tab", "a", "enter", "b")
        assert (app.edit.text, app.edit.has_focus) == ("    a\nb", True)


@pytest.mark.parametrize("edit", [CodeEdit, LinesEdit])
async def test_escape_leaves_text_and_keyboard_alone_and_goes_to_whoever_is_above(
    edit: type[CodeEdit],
) -> None:
    app = Above(edit())
    async with app.run_test() as pilot:
        app.edit.focus()
        await pilot.press("a", "escape")
        await pilot.pause()
        assert (app.edit.text, app.edit.has_focus) == ("a", True)
        assert "escape" in app.reached


async def test_enter_is_left_to_whoever_takes_a_few_lines() -> None:
    app = Above(LinesEdit())
    async with app.run_test() as pilot:
        app.edit.focus()
        await pilot.press("a", "enter", "b")
        await pilot.pause()
        assert app.edit.text == "ab"
        assert "enter" in app.reached


async def test_code_goes_on_to_the_right_and_a_comment_in_the_next_row() -> None:
    code, lines = CodeEdit(), LinesEdit()
    async with Host(code, lines, css="CodeEdit { height: 5; }").run_test(size=(30, 12)) as pilot:
        code.text = lines.text = "word " * 20
        await pilot.pause()
        assert (code.wrapped_document.height, lines.wrapped_document.height > 1) == (1, True)
        assert (code.show_line_numbers, lines.show_line_numbers) == (True, False)
