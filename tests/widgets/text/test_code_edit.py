"""Boxes in which code and comments are typed: which keys they take, and which they leave to whoever is above."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Button

from tests.widgets.host import Host, painted
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
        assert (app.edit.text, app.edit.has_focus) == ("    a\n    b", True)


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


LINES = st.text(st.sampled_from("ab \t\r\n\x0b\x0c\x1b\x1d\x85\u2028\u202eé漢"), max_size=16)


@given(LINES)
def test_whatever_lines_of_a_file_hold_they_come_back_as_they_were(code: str) -> None:
    edit = CodeEdit()
    edit.load_code(code)
    lines = code.replace("\r\n", "\n").removesuffix("\n").split("\n")
    assert edit.document.line_count == len(lines)
    assert edit.code == ("\n".join(lines) + "\n" if any(lines[:1]) or len(lines) > 1 else "")


@pytest.mark.parametrize(
    ("code", "typed"),
    [
        ("a\r\n", "aX\nnew\n"),
        ("a\n", "aX\nnew\n"),
        ("a", "aX\nnew\n"),
        ("a\r\nb\r\n", "aX\nnew\nb\n"),
        ("a\n\n", "aX\nnew\n\n"),
        ("a\x0cb\n", "aX\nnew\x0cb\n"),
    ],
    ids=["CRLF", "LF", "no end", "two of CRLF", "a blank line behind", "form feed"],
)
async def test_a_line_that_is_begun_amid_others_is_one_whatever_their_ends_are(code: str, typed: str) -> None:
    edit = CodeEdit()
    async with Host(edit).run_test() as pilot:
        edit.load_code(code)
        edit.focus()
        await pilot.press("right", "X", "enter", *"new")
        assert edit.code == typed


async def test_what_a_terminal_would_act_on_is_a_symbol_of_one_cell_and_stays_in_the_text() -> None:
    code = "a\x1b]52;c;eA==\x07\u202eb\x0c\tc\u2028\n"
    edit = CodeEdit(numbered=False)
    async with Host(edit).run_test(size=(60, 4)) as pilot:
        edit.load_code(f"{code}{'and a longer line' * 2}\n")
        await pilot.pause()
        assert " ".join(painted(edit)[0].split()) == "a␛]52;c;eA==␇�b␌ c�"
        edit.focus()
        await pilot.press("end", "x")
        assert edit.code.startswith(code.replace("\u2028", "\u2028x"))
