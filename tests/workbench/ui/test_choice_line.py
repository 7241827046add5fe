"""A line of names where not all of them fit."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal

from workbench.ui.choice_line import ChoiceLine

VIEWS = ("Outline", "Semantic", "Source", "Diff")


class Host(App[None]):
    """The line in a pane that is as wide as the terminal."""

    CSS = "ChoiceLine { height: 1; width: auto; max-width: 100%; text-wrap: nowrap; }"

    def compose(self) -> ComposeResult:
        """It alone."""
        with Horizontal():
            yield ChoiceLine([(view.lower(), view) for view in VIEWS])


@pytest.mark.parametrize(
    ("width", "chosen", "shown"),
    [
        (60, "diff", " Outline   Semantic   Source  [Diff]"),
        (28, "diff", " Semantic   Source  [Diff]"),
        (28, "outline", "[Outline]  Semantic   Source"),
        (10, "semantic", "[Semantic]"),
        (4, "diff", "[Dif"),
    ],
)
async def test_the_chosen_name_is_shown_whatever_fits(width: int, chosen: str, shown: str) -> None:
    app = Host()
    async with app.run_test(size=(80, 3)) as pilot:
        line = app.query_one(ChoiceLine)
        line.chosen = chosen
        await pilot.resize_terminal(width, 3)
        await pilot.pause()
        assert line.render_line(0).text.rstrip() == shown


async def test_a_note_stands_behind_its_name() -> None:
    app = Host()
    async with app.run_test(size=(60, 3)) as pilot:
        line = app.query_one(ChoiceLine)
        line.chosen = "outline"
        line.note("semantic", "4 notes")
        await pilot.pause()
        assert line.render_line(0).text.rstrip() == "[Outline]  Semantic 4 notes   Source   Diff"
