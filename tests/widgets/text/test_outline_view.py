from __future__ import annotations

from contextlib import asynccontextmanager
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.widgets.host import Ear, Host, painted
from widgets.format.display_line import DisplayLine
from widgets.text.outline_view import OutlineView

OUTLINE = """# Newtonsoft.Json.JsonConvert
Provides methods for `JObject` and JsonReader.

## Public API
  + string SerializeObject(object? value, JsonSerializerSettings settings)
  + T? DeserializeObject<T>(string value)
DependsOn   JsonSerializer, JsonWriter
"""


@asynccontextmanager
async def shown(view: OutlineView, ear: Ear | None = None, size: tuple[int, int] = (90, 10)):
    async with Host(view).run_test(size=size, message_hook=ear) as pilot:
        view.focus()
        await pilot.pause()
        yield pilot


def followed(ear: Ear) -> list[str]:
    return [message.text for message in ear.heard]  # pyright: ignore[reportAttributeAccessIssue]


def links(view: OutlineView, y: int) -> list[str]:
    return [s.text for s in view.render_line(y) if s.style and "link" in s.style.meta]


async def test_the_text_is_shown_as_it_stands() -> None:
    view = OutlineView(OUTLINE)
    async with shown(view):
        assert [line.rstrip() for line in painted(view)[:7]] == OUTLINE.splitlines()


async def test_names_of_types_are_links_where_names_stand() -> None:
    view = OutlineView(OUTLINE)
    async with shown(view):
        assert links(view, 1) == ["JObject"]
        assert links(view, 4) == ["JsonSerializerSettings"]
        assert links(view, 5) == []
        assert links(view, 6) == ["JsonSerializer", "JsonWriter"]


async def test_a_click_follows_a_link_and_elsewhere_does_nothing() -> None:
    ear = Ear(OutlineView.LinkSelected)
    view = OutlineView(OUTLINE)
    async with shown(view, ear) as pilot:
        await pilot.click(view, offset=(1 + OUTLINE.splitlines()[6].index("JsonWriter") + 2, 6))
        await pilot.click(view, offset=(3, 1))
        await pilot.pause()
    assert followed(ear) == ["JsonWriter"]


async def test_keys_step_through_the_links_round_the_end() -> None:
    ear = Ear(OutlineView.LinkSelected)
    async with shown(OutlineView(OUTLINE), ear) as pilot:
        await pilot.press("enter", "n", "enter", "n", "n", "n", "enter", "n", "enter", "N", "enter")
        await pilot.pause()
    assert followed(ear) == ["JObject", "JsonWriter", "JObject", "JsonWriter"]


async def test_stepping_to_a_link_out_of_view_scrolls() -> None:
    view = OutlineView("\n" * 100 + "DependsOn  Far")
    async with shown(view) as pilot:
        await pilot.press("n")
        await pilot.pause()
        assert any("Far" in line for line in painted(view))


async def test_code_blocks_are_read_as_code() -> None:
    view = OutlineView("```csharp\npublic Foo Bar(Baz x);\n```\nplain Foo")
    async with shown(view):
        assert links(view, 1) == ["Foo", "Baz"]
        assert links(view, 3) == []


async def test_selected_text_is_the_original() -> None:
    view = OutlineView("ab\x1bcd\nsecond")
    async with shown(view) as pilot:
        view.text_select_all()
        await pilot.pause()
        assert view.screen.get_selected_text() == "ab\x1bcd\nsecond"


async def test_the_mouse_selects_text_and_a_new_outline_forgets_it() -> None:
    view = OutlineView("first line\nsecond line")
    async with shown(view) as pilot:
        await pilot.mouse_down(view, offset=(1 + 6, 0))
        await pilot.hover(view, offset=(1 + 6, 1))
        await pilot.mouse_up(view, offset=(1 + 6, 1))
        await pilot.pause()
        assert view.screen.get_selected_text() == "line\nsecond "
        view.set_outline("third line")
        assert view.screen.get_selected_text() is None


@pytest.mark.parametrize("text", ["", "\n", "x"])
async def test_little_or_nothing(text: str) -> None:
    view = OutlineView(text, empty="Choose a symbol")
    async with shown(view) as pilot:
        await pilot.press("n", "N", "enter", "down", "end")
        assert any("Choose a symbol" in line for line in painted(view)) is (not text)


@pytest.mark.parametrize(
    "line", ["\x1b[2J", "[link=x]y[/]", "\u2066", "`" * 5000, '"' * 5000, "- A<" * 3000, "A." * 9000]
)
async def test_hostile_lines_fill_the_width_and_send_nothing(line: str) -> None:
    view = OutlineView(line)
    async with shown(view):
        strip = view.render_line(0)
        assert strip.cell_length == view.scrollable_content_region.width
        assert strip.text.isprintable()


async def test_long_lines_go_on_between_words_set_in_behind_their_indentation() -> None:
    words = " ".join(f"word{n}" for n in range(30))
    view = OutlineView(f"  + {words}\n{'x' * 300}END")
    async with shown(view, size=(40, 40)):
        rows = [row.rstrip() for row in painted(view)]
        end = rows.index(next(row for row in rows if row.startswith("x")))
        assert all(row.startswith("      word") for row in rows[1:end])
        assert "".join(rows[:end]).replace(" ", "") == "+" + words.replace(" ", "")
        assert "".join(row.strip() for row in rows[end:]).endswith("END")
        assert view.max_scroll_x == 0


async def test_a_name_that_fits_a_row_is_not_broken() -> None:
    view = OutlineView(
        "// used by 2 types: RetryResiliencePipelineBuilderExtensions, RetryResilienceStrategyTests"
    )
    async with shown(view, size=(50, 8)):
        rows = [row.strip() for row in painted(view) if row.strip()]
    assert rows == [
        "// used by 2 types:",
        "RetryResiliencePipelineBuilderExtensions,",
        "RetryResilienceStrategyTests",
    ]


@given(st.text(st.sampled_from("ab ,(漢\t\x1b"), max_size=60), st.integers(2, 20), st.integers(0, 6))
def test_rows_of_a_line_are_the_line_and_no_wider_than_the_room(text: str, width: int, hang: int) -> None:
    line = DisplayLine(text)
    starts = [*line.word_breaks(width, hang=hang), len(text)]
    assert "".join(text[a:b] for a, b in pairwise(starts)) == text
    for number, (start, end) in enumerate(pairwise(starts)):
        room = max(1, width - (hang if number else 0))
        blank = len(text[start:end]) - len(text[start:end].rstrip(" "))
        assert line.cell(end) - line.cell(start) - blank <= room or end - start - blank <= 1
