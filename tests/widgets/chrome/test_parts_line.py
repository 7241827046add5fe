"""A line that leaves out whole parts."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from widgets.chrome.parts_line import PartsLine


class Host(App[None]):
    """The line, as wide as the terminal."""

    CSS = "PartsLine { height: 1; }"

    def compose(self) -> ComposeResult:
        """It alone."""
        yield PartsLine()


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (40, "12 lines in 3 files · narrow it · 5 ms"),
        (37, "12 lines in 3 files · narrow it"),
        (30, "12 lines in 3 files"),
        (8, "12 lines"),
    ],
)
async def test_the_last_parts_go_first(width: int, shown: str) -> None:
    app = Host()
    async with app.run_test(size=(80, 3)) as pilot:
        line = app.query_one(PartsLine)
        line.say("12 lines in 3 files", "", "narrow it", "5 ms")
        await pilot.resize_terminal(width, 3)
        await pilot.pause()
        assert line.render_line(0).text.rstrip() == shown
        await pilot.resize_terminal(80, 3)
        await pilot.pause()
        assert line.render_line(0).text.rstrip() == "12 lines in 3 files · narrow it · 5 ms"
