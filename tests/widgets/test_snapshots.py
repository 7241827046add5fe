"""What each widget looks like. The docstring says what to look for; sizes are fixed, nothing moves or blinks."""

from __future__ import annotations

import pytest
from textual.pilot import Pilot

from services.model import ItemFlag, Kind, Progress, Span, Window, WindowItem
from tests.widgets.host import Host
from widgets.chrome.pane import EmptyState, Pane
from widgets.chrome.search_box import CountLine, Counts
from widgets.chrome.status_bar import ProgressLine, StatusBar, StatusLine
from widgets.lists.symbol_list import SymbolList, SymbolRow
from widgets.lists.window_list import WindowList
from widgets.text.outline_view import OutlineView
from widgets.text.source_view import SourcePage, SourceView
from workbench.panes.window_pane import TokenMeter

THEMES = ["textual-dark", "textual-light", "ansi-dark"]

ROWS = [
    SymbolRow("JsonConvert", Kind.CLASS, "Newtonsoft.Json", (0, 1, 2, 3), 812, pinned=True),
    SymbolRow("SerializeObject(object?)", Kind.METHOD, "JsonConvert", (0, 1, 2), 96, depth=1),
    SymbolRow("Formatting", Kind.PROPERTY, "JsonConvert", (), 12, depth=1),
    SymbolRow("IJsonLineInfo", Kind.INTERFACE, "Newtonsoft.Json", (1,), 1204, approximate=True),
    SymbolRow("[b]evil\x1b]52\u202e漢字", Kind.ENUM, "x.y", (3,)),
    *(SymbolRow(f"Type{n}", Kind.STRUCT, "Some.Space", (4,), n * 37) for n in range(60)),
]

OUTLINE = """# Newtonsoft.Json.JsonConvert  T_7K2M9QXA
class · src/…/JsonConvert.cs:52-1102
Provides methods for converting between .NET types and `JToken`.

## Public API
  + string SerializeObject(object? value)
  + T? DeserializeObject<T>(string value, JsonSerializerSettings settings)

DependsOn   JsonSerializer, JsonWriter
Used by     41 types
"""

SOURCE = SourcePage(
    98,
    ["/// <summary>", 'public static string\tTrue = "漢字\\n";', "", "#if X\x1b[2J", "}"],
    [
        (Span(start=0, end=13, style="doc"),),
        (
            Span(start=0, end=6, style="keyword"),
            Span(start=7, end=13, style="keyword"),
            Span(start=14, end=20, style="type"),
            Span(start=28, end=31, style="string"),
            Span(start=31, end=33, style="escape"),
        ),
        (),
        (Span(start=0, end=9, style="preprocessor"),),
    ],
)

ITEMS = [
    WindowItem(key="a", kind="outline", label="JsonConvert", detail="outline", pinned=True, tokens=812),
    WindowItem(
        key="b",
        kind="outline",
        label="JsonReader",
        detail="outline",
        pinned=True,
        tokens=640,
        flags=(ItemFlag.STALE, ItemFlag.SECRET),
    ),
    WindowItem(
        key="c",
        kind="range",
        label="JsonWriter.cs",
        detail="10-40",
        pinned=False,
        tokens=410,
        flags=(ItemFlag.CUT,),
    ),
    WindowItem(
        key="d", kind="range", label="Gone.cs", detail="", pinned=False, tokens=0, flags=(ItemFlag.VANISHED,)
    ),
]

WINDOW = Window(
    text="", tokens=7812, budget=12800, pinned_tokens=5800, soft_budget=7680, model="gpt", tokenizer="o200k"
)


async def focus_first(pilot: Pilot[None]) -> None:
    await pilot.press("tab")
    await pilot.pause()


@pytest.mark.parametrize("theme", THEMES)
def test_symbol_list(snap_compare, theme: str) -> None:
    """The cursor on the first row, in the focused list's colours; matched letters lit; costs right-aligned; the
    fifth row shows its control characters as symbols; a count below."""
    pane = Pane(SymbolList(ROWS), CountLine(Counts(1204, 18230, 3.2)), title="Symbols")
    host = Host(pane, css="SymbolList { height: 1fr; }", theme=theme)
    assert snap_compare(host, terminal_size=(44, 14), run_before=focus_first)


def test_symbol_list_scrolled(snap_compare) -> None:
    """The cursor on the last row; the scrollbar at its end."""
    assert snap_compare(Host(SymbolList(ROWS)), press=["tab", "end"], terminal_size=(44, 10))


def test_symbol_list_empty(snap_compare) -> None:
    """A sentence in the upper third."""
    assert snap_compare(Host(SymbolList(empty="Nothing matches")), terminal_size=(44, 10))


@pytest.mark.parametrize("theme", THEMES)
def test_source_view(snap_compare, theme: str) -> None:
    """Lines 98 to 102; the string of line 99 lit; lines 100 to 101 selected; the escape character a symbol."""

    async def mark(pilot: Pilot[None]) -> None:
        view = pilot.app.query_one(SourceView)
        view.focus()
        view.select(100, 101)
        view.set_hits({99: [(28, 34)]})
        await pilot.pause()

    host = Host(Pane(SourceView(SOURCE), title="Source", note="98-102"), theme=theme)
    assert snap_compare(host, terminal_size=(60, 9), run_before=mark)


@pytest.mark.parametrize("theme", THEMES)
def test_outline_view(snap_compare, theme: str) -> None:
    """Headings, members, underlined links; the second link reversed, as stepped to by key."""
    host = Host(Pane(OutlineView(OUTLINE), title="JsonConvert"), theme=theme)
    assert snap_compare(host, press=["tab", "n", "n"], terminal_size=(84, 14))


@pytest.mark.parametrize("theme", THEMES)
def test_prompt_window(snap_compare, theme: str) -> None:
    """Meter with three patterns and a tick; groups with items, flags and costs; the cursor on the first item."""
    host = Host(
        Pane(TokenMeter(WINDOW), WindowList(ITEMS), title="Prompt window"),
        css="WindowList { height: 1fr; }",
        theme=theme,
    )
    assert snap_compare(host, terminal_size=(36, 14), run_before=focus_first)


@pytest.mark.parametrize("theme", THEMES)
def test_lines_of_state(snap_compare, theme: str) -> None:
    """Top: place, freshness, a job with its bar. Middle: a sentence and advice. Bottom: the job in full."""
    job = Progress(phase="indexing", done=1204, total=3000, elapsed=3)
    bar = StatusBar()
    bar.set_reactive(StatusBar.status, StatusLine("Newtonsoft.Json", "main", 3, 612, "fresh", job, 11))
    advice = EmptyState("Nothing is open", "Search with / and press Enter")
    host = Host(bar, advice, ProgressLine(job, cancel_hint="esc cancels"), theme=theme)
    assert snap_compare(host, terminal_size=(100, 9))
