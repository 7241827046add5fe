"""An answer as it comes: blocks that stay, the same picture however it was cut, widths, links, and what is selected."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.pilot import Pilot

from widgets.text.answer_view import AnswerView, Replacement
from widgets.text.markdown_lines import LONGEST_OPEN, Splitter

ANSWER = """# Why it fails

`Retry.Count` is a **constant**, so a List<int> never grows:

- first
- second, which is a long line that has to be wrapped where the view ends, and not cut

```csharp
public int Count() => 3;

public void Next() { }
```

| Type | Role |
|---|---|
| Retry | counts |

> As it was said.

See [Retry.cs:5](place:Retry.cs%3A5).
"""


class Host(App[None]):
    CSS = "VerticalScroll { height: 1fr; }"

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self.view = AnswerView(text)
        self.clicked: list[str] = []

    def compose(self) -> ComposeResult:
        with VerticalScroll():
            yield self.view

    def on_answer_view_link_clicked(self, event: AnswerView.LinkClicked) -> None:
        self.clicked.append(event.href)


@asynccontextmanager
async def hosted(text: str = "", width: int = 60) -> AsyncIterator[tuple[Host, Pilot[None]]]:
    host = Host(text)
    async with host.run_test(size=(width, 40)) as pilot:
        await settled(host, pilot)
        yield host, pilot


async def settled(host: Host, pilot: Pilot[None]) -> None:
    for _ in range(2_000):
        await pilot.pause()
        if host.view.is_settled:
            return
    raise AssertionError("it was never laid out")


def rows(host: Host) -> list[str]:
    return [host.view.render_line(y).text.rstrip() for y in range(host.view.size.height)]


async def test_markdown_is_laid_out_with_all_that_was_said() -> None:
    async with hosted(ANSWER) as (host, _):
        shown = "\n".join(rows(host))
        for part in (
            "Why it fails",
            "List<int>",
            "• first",
            "public void Next()",
            "Retry  counts",
            "▌ As it",
        ):
            assert part in shown
        assert "#" not in shown
        assert "```" not in shown
        assert "place:" not in shown
        assert "and not cut" in shown, "long lines are wrapped"


@pytest.mark.parametrize("size", [1, 7, 64])
async def test_it_looks_the_same_however_it_was_cut(size: int) -> None:
    async with hosted(ANSWER) as (whole, _):
        expected = rows(whole)
    async with hosted() as (host, pilot):
        for at in range(0, len(ANSWER), size):
            host.view.append(ANSWER[at : at + size])
        await settled(host, pilot)
        assert rows(host) == expected


async def test_another_width_lays_all_of_it_out_again() -> None:
    async with hosted(ANSWER * 3, width=100) as (host, pilot):
        wide = len(rows(host))
        await pilot.resize_terminal(40, 40)
        await settled(host, pilot)
        await pilot.pause()
        assert len(rows(host)) > wide
        assert all(len(row) <= 40 for row in rows(host))
        assert "and not cut" in "\n".join(rows(host))


async def test_a_place_is_a_link_that_only_the_view_hears_of() -> None:
    async with hosted(ANSWER) as (host, pilot):
        at = next(y for y, row in enumerate(rows(host)) if row.startswith("See Retry"))
        segment = next(each for each in host.view.render_line(at) if "Retry.cs:5" in each.text)
        assert segment.style is not None
        assert segment.style.link is None, "the terminal gets no address to open"
        await pilot.click(AnswerView, offset=(6, at))
        assert host.clicked == ["place:Retry.cs%3A5"]


async def test_stretches_are_replaced_wherever_they_stand() -> None:
    async with hosted("See A.cs:1.\n\nThen B.cs:2\n\nand C.cs:3") as (host, pilot):
        source = host.view.source
        found = [
            Replacement(source.index(name), source.index(name) + 6, f"[{name}](place:{name})")
            for name in ("A.cs:1", "B.cs:2", "C.cs:3")
        ]
        host.view.replace(found)
        await settled(host, pilot)
        assert host.view.source.count("](place:") == 3
        assert rows(host) == ["See A.cs:1.", "", "Then B.cs:2", "", "and C.cs:3"]
        host.view.append(" and more")
        await settled(host, pilot)
        assert rows(host)[-1] == "and C.cs:3 and more"


async def test_what_a_terminal_would_obey_is_shown() -> None:
    async with hosted("a\x1b]52;c;x\x07b\r\nc\n\n```\n\x9b31m\n```") as (host, _):
        shown = "\n".join(rows(host))
        assert "a␛]52;c;x␇b" in shown
        assert "\x9b" not in shown
        assert "\x1b" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "word " * 2_000,
        "x" * 9_000,
        "- item\n" * 800,
        "```cs\n" + "int a = 1;\n" * 600,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 400,
        "> " * 1_500,
        "[" * 6_000,
    ],
    ids=["line", "word", "list", "code", "table", "quotes", "brackets"],
)
async def test_a_block_without_an_end_is_laid_out_in_parts(text: str) -> None:
    async with hosted() as (host, pilot):
        host.view.append(text)
        await settled(host, pilot)
        assert host.view.source == text
        assert len(host.view._splitter.open.source) <= LONGEST_OPEN
        assert len(rows(host)) > 10


async def test_a_cut_table_keeps_its_columns_and_cut_code_its_colours() -> None:
    async with hosted("| name | role |\n|---|---|\n" + "| a | b |\n" * 400) as (host, _):
        assert not any("|" in row for row in rows(host))
    async with hosted("```cs\n" + "int a = 1;\n" * 400 + "```\n\nDone **so**.") as (host, _):
        shown = rows(host)
        assert not any("```" in row for row in shown)
        assert sum("int a" in row for row in shown) == 400
        assert shown[-1] == "Done so."


async def test_what_is_selected_is_what_is_seen() -> None:
    async with hosted("Some **bold** words.\n\nMore.") as (host, pilot):
        host.view.text_select_all()
        await pilot.pause()
        assert host.screen.get_selected_text() == "Some bold words.\n\nMore."
        assert "bold" in host.view.render_line(0).text


@given(st.lists(st.text(alphabet="ab `#*->|\n\t[](1.)_~<", max_size=60), max_size=30))
def test_nothing_is_lost_by_cutting(pieces: list[str]) -> None:
    splitter, done = Splitter(), ""
    for piece in pieces:
        done += "".join(block.source for block in splitter.take(piece))
    assert done + splitter.open.source == "".join(pieces)


@given(st.text(alphabet="ab `#*->|\n\t[](1.)_~<:", max_size=300))
def test_any_text_can_be_painted(text: Any) -> None:
    from rich.style import Style

    from widgets.text.markdown_lines import Block, Painter

    painter = Painter(Style(), {}, is_dark=True)
    for width in (1, 20):
        assert all(
            strip.cell_length <= max(width, 3) for strip in painter.lines(Block(text), width) if width > 4
        )
