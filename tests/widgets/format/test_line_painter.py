"""Layers over a line are painted cell by cell as they lie, in whatever window."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.style import Style

from services.model import Span
from widgets.format.display_line import DisplayLine
from widgets.format.line_painter import Layer, paint, within

BASE = Style(bgcolor="black")
RED, BOLD = Style(color="red"), Style(bold=True)
LAYERS = st.lists(
    st.builds(
        lambda start, size, style: Layer(start, start + size, style),
        st.integers(0, 9),
        st.integers(0, 5),
        st.sampled_from([RED, BOLD, Style(color="blue")]),
    ),
    max_size=4,
)


def cells(line: DisplayLine, layers: list[Layer], window: tuple[int, int]) -> list[tuple[str, Style]]:
    strip = paint(line, layers, window=window, base=BASE)
    assert strip.cell_length == window[1]
    return [(char, segment.style or Style()) for segment in strip for char in segment.text]


@given(st.text("abcdefgh", max_size=10), LAYERS, st.integers(0, 12), st.integers(1, 12))
def test_each_cell_has_the_styles_that_lie_over_it_the_later_over_the_earlier(
    text: str, layers: list[Layer], cell: int, width: int
) -> None:
    found = cells(DisplayLine(text), layers, (cell, width))
    for at, (char, style) in enumerate(found, start=cell):
        assert char == (text[at] if at < len(text) else " ")
        over = [layer.style for layer in layers if layer.start <= at < layer.end and at < len(text)]
        wanted = sum(over, BASE)
        assert (style.color, style.bold, style.bgcolor) == (wanted.color, wanted.bold, wanted.bgcolor)


@given(st.text("a世é\t", max_size=8), st.integers(0, 20), st.integers(1, 12))
def test_a_window_is_as_wide_as_it_is_asked_for_also_amid_a_wide_character(
    text: str, cell: int, width: int
) -> None:
    line = DisplayLine(text)
    strip = paint(line, [Layer(0, len(text), RED)], window=(cell, width), base=BASE)
    assert strip.cell_length == width
    whole = paint(line, [Layer(0, len(text), RED)], window=(0, cell + width), base=BASE)
    assert strip.text == whole.crop(cell, cell + width).text


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3)), max_size=6),
    st.integers(0, 20),
    st.integers(0, 20),
)
def test_spans_within_a_window_are_those_that_overlap_it(
    drawn: list[tuple[int, int]], start: int, end: int
) -> None:
    spans, at = [], 0
    for gap, size in drawn:
        spans.append(Span(start=at + gap, end=at + gap + size, style="keyword"))
        at += gap + size
    if start < end:
        wanted = [span for span in spans if span.start < end and span.end > start]
        assert list(within(spans, (start, end))) == wanted
