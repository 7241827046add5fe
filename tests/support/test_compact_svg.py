"""Compact snapshots show what was exported."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.widgets import DataTable, Input, Label

from tests.support.compact_svg import compact_svg, first_difference

_TESTS = Path(__file__).parents[1]
_RECT = re.compile(
    r'<rect fill="(#[0-9a-f]{6})" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"(?: shape[^/]*)?/>'
)
_TEXT = re.compile(r'<text class="([^"]*)" x="([^"]*)" y="([^"]*)" textLength="([^"]*)"[^>]*>([^<]*)</text>')


class _Screen(App[None]):
    CSS = "Label { background: $primary; color: $text; width: 30 } Input { border: round red }"

    def compose(self) -> ComposeResult:
        yield Label("Harvest  <&> ledger")
        yield Input("apples")
        yield DataTable()

    def on_mount(self) -> None:
        table = self.query_one(DataTable)
        table.add_columns("Tree", "Weight")
        table.add_rows((f"tree {row}", f"{row} kg") for row in range(9))


def _colours(svg: str) -> dict[tuple[int, int], str]:
    """The colour behind each cell of the screen, by column and row: the last rectangle over its middle."""
    found: dict[tuple[int, int], str] = {}
    for fill, *sizes in _RECT.findall(svg):
        x, y, width, height = map(float, sizes)
        for column in range(round(x / 12.2), round((x + width) / 12.2)):
            for row in range(round(y / 24.4), round((y + height) / 24.4)):
                found[column, row] = fill
    return found


def _texts(svg: str) -> list[tuple[str, ...]]:
    return [(*found[:-1], html.unescape(found[-1])) for found in _TEXT.findall(svg) if found[-1] != "\n"]


async def test_same_colours_and_texts_in_less() -> None:
    app = _Screen()
    async with app.run_test(size=(100, 30)):
        exported = app.export_screenshot()
    compact = compact_svg(exported)
    assert len(_colours(exported)) > 2900
    assert _colours(compact) == _colours(exported)
    assert "Harvest  <&> ledger".replace(" ", "\N{NO-BREAK SPACE}") in {text[-1] for text in _texts(compact)}
    assert _texts(compact) == _texts(exported)
    assert len(compact) < len(exported) / 2
    assert compact_svg(compact) == compact


@pytest.mark.parametrize("folder", sorted({path.parent for path in _TESTS.rglob("__snapshots__/*/*.svg")}))
def test_kept_snapshots_are_compact(folder: Path) -> None:
    assert [
        path.name
        for path in folder.glob("*.svg")
        if 'clip-path="url(#terminal-line' in path.read_text("utf-8")
    ] == []


async def test_what_differs_is_told() -> None:
    app = _Screen()
    async with app.run_test(size=(100, 30)) as pilot:
        before = compact_svg(app.export_screenshot())
        app.theme = "textual-light"
        await pilot.pause()
        recoloured = compact_svg(app.export_screenshot())
        app.query_one(Label).update("Plum ledger")
        await pilot.pause()
        changed = compact_svg(app.export_screenshot())
    assert first_difference(before, recoloured) == "colours differ"
    told = first_difference(recoloured, changed)
    assert "Plum" in told
    assert "(1 rows differ)" in told
