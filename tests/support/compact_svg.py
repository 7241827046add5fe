"""Exported screens without what changes nothing in the picture: a third of the size, a row of the screen a line."""

from __future__ import annotations

import re
from itertools import groupby, zip_longest
from typing import NamedTuple

_FONT = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_CLIPS = re.compile(r'\s*<clipPath id="terminal-(?:\d+-)?line-\d+">.*?</clipPath>', re.DOTALL)
_CLIPPED = re.compile(r' clip-path="url\(#terminal-(?:\d+-)?line-\d+\)"')
_NEWLINE = re.compile(r"<text [^>]*>\n</text>")
_CRISP = ' shape-rendering="crispEdges"'
_CRISP_RULE = "rect { shape-rendering: crispEdges }"
_GROUND = re.compile(
    rf'<rect fill="([^"]*)" x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"{_CRISP}/>'
)
_GROUNDS = re.compile(rf"(?:{_GROUND.pattern}\s*)+")
_TEXT = re.compile(r'\s*(<text [^>]*\by="([^"]*)")')
_TEXTS = re.compile(r"<text [^>]*>([^<]*)</text>")
_SEAM = 0.3  # rows overlap by a quarter of a pixel, so that no line shows between them


class _Ground(NamedTuple):
    """A rectangle of one colour behind the text, in pixels."""

    fill: str
    x: float
    y: float
    width: float
    height: float

    def __str__(self) -> str:
        x, y, width, height = (f"{round(size, 2):g}" for size in self[1:])
        return f'<rect fill="{self.fill}" x="{x}" y="{y}" width="{width}" height="{height}"/>'


def compact_svg(svg: str) -> str:
    """`svg` as Rich exports a screen, with the same picture: rectangles of one colour that touch are one, rows are
    clipped by the window alone, fonts that are named by an address are left out. What is compact stays as it is."""
    svg = _NEWLINE.sub("", _CLIPPED.sub("", _CLIPS.sub("", _FONT.sub("", svg))))
    svg = _GROUNDS.sub(_merged, svg).replace("&#160;", "\N{NO-BREAK SPACE}")
    if _CRISP_RULE not in svg:
        svg = svg.replace("    </style>", f"    {_CRISP_RULE}\n    </style>", 1)
    return _rows_as_lines(svg)


def first_difference(before: str, after: str) -> str:
    """The first row of the screen whose text differs between two compact drawings, as `'before' is 'after'`, and how
    many differ; where none does, that colours do."""
    pairs = [
        (old, new)
        for old, new in zip_longest(_row_texts(before), _row_texts(after), fillvalue="")
        if old != new
    ]
    if not pairs:
        return "colours differ"
    old, new = pairs[0]
    return f"{old!r} is {new!r} ({len(pairs)} rows differ)"


def _row_texts(svg: str) -> list[str]:
    return ["".join(_TEXTS.findall(line)).rstrip() for line in svg.splitlines() if line.startswith("<text ")]


def _merged(grounds: re.Match[str]) -> str:
    found = [_Ground(fill, *map(float, sizes)) for fill, *sizes in _GROUND.findall(grounds.group())]
    rows = [row for _, same in groupby(found, key=lambda ground: ground.y) for row in _beside(list(same))]
    return "\n".join(map(str, _below(rows))) + "\n"


def _beside(row: list[_Ground]) -> list[_Ground]:
    """Neighbours of one colour in a row as one."""
    merged = row[:1]
    for ground in row[1:]:
        last = merged[-1]
        if ground.fill == last.fill and abs(last.x + last.width - ground.x) < _SEAM:
            merged[-1] = last._replace(width=ground.x + ground.width - last.x)
        else:
            merged.append(ground)
    return merged


def _below(rows: list[_Ground]) -> list[_Ground]:
    """Join rectangles of one colour and width that are below each other, at the place of the first."""
    merged: list[_Ground] = []
    open_ends: dict[tuple[str, float, float], int] = {}
    for ground in rows:
        key = (ground.fill, round(ground.x, 1), round(ground.width, 1))
        above = open_ends.get(key)
        if above is not None and abs(merged[above].y + merged[above].height - ground.y) < _SEAM:
            merged[above] = merged[above]._replace(height=ground.y + ground.height - merged[above].y)
        else:
            open_ends[key] = len(merged)
            merged.append(ground)
    return merged


def _rows_as_lines(svg: str) -> str:
    """The text of each row of the screen on a line of its own, so that a difference is a line of `git diff`."""
    y = ""

    def begin(text: re.Match[str]) -> str:
        nonlocal y
        y, above = text[2], y
        return text[1] if y == above else f"\n{text[1]}"

    return _TEXT.sub(begin, svg)
