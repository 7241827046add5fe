"""Something that can be opened, as one string, and what is open in the middle pane."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Self

from msgspec import Struct

from services.model import OutlineAnswer, SourceRange, SymbolRef, WindowItem, is_symbol_id
from services.model.source import is_adt
from widgets.text.line_view import widest

if TYPE_CHECKING:
    from services.bench import Bench
    from services.syntax.highlight import Colours

_RANGE = re.compile(r"(?P<file>.+?)(?::(?P<start>\d+)(?:-(?P<end>\d+))?)?", re.DOTALL)

_NAMES = re.compile(r"(?:[^.<>]|<(?:[^<>]|<[^<>]*>)*>)+")
"""The parts of a dotted name; type arguments belong to theirs."""


class Place(Struct, frozen=True):
    """`target`: how it is named to the services; `file` is empty until a symbol's is known; lines are 0 likewise, and
    `end` is where one line is meant to be gone to, none to be selected."""

    target: str
    file: str = ""
    start: int = 0
    end: int = 0

    @classmethod
    def parse(cls, text: str) -> Self:
        """The place of a string."""
        match = _RANGE.fullmatch(text)
        if match is None or is_symbol_id(text):
            return cls(text)
        return cls(text, match["file"], int(match["start"] or 0), int(match["end"] or 0))

    @property
    def is_range(self) -> bool:
        """Whether it is a file, or lines of one, rather than a symbol."""
        return bool(self.file) and not is_symbol_id(self.target)


def target_of(item: WindowItem) -> str:
    """How an item of the prompt window is opened."""
    return item.symbol_id or item.key.partition(":")[2]


def lines_of(content: str) -> list[str]:
    """The lines of a text, without their endings: a line ends at LF, and a CR before it belongs to the ending."""
    lines = content.split("\n")
    if "\r" in content:
        lines = [line.removesuffix("\r") for line in lines]
    if not lines[-1]:
        lines.pop()
    return lines


def steps_of(symbol: SymbolRef | None) -> list[tuple[str, str]]:
    """A trail to a symbol: (what each step leads to, what it is called), the namespace first, as one step for each
    name in it."""
    if symbol is None:
        return []
    names, steps = _NAMES.findall(symbol.container), []
    for at, name in enumerate(names, 1):
        steps.append((".".join(names[:at]), name))
    return [*steps, (symbol.id, symbol.label)]


class Opened(Struct, frozen=True):
    """`outline` belongs to a symbol alone; `source` is the whole file, `lines` are its lines, `width` the cells of the
    longest and `colours` theirs. `count`: has the file count as read, for which it has to be shown; it blocks."""

    place: Place
    outline: OutlineAnswer | None
    source: SourceRange
    lines: Sequence[str]
    width: int
    colours: Colours
    count: Callable[[], None]

    @property
    def path(self) -> str:
        """The symbol's path, or the file's with its lines."""
        return self.outline.symbol.path if self.outline else self.place.target

    @property
    def title(self) -> str:
        """The title of the pane: the symbol's name, as the breadcrumbs say what it is in, or the file."""
        return self.outline.symbol.label if self.outline else self.source.file

    @property
    def note(self) -> str:
        """The location: the file, and the line if there is one."""
        start = self.place.start
        return f"{self.source.file}:{start}" if start else self.source.file

    def is_same_file(self, other: Opened | None) -> bool:
        """Whether the other shows the same bytes of the same file."""
        return other is not None and (self.source.file, self.source.token) == (
            other.source.file,
            other.source.token,
        )


def read(bench: Bench, place: Place, *, again: bool = False) -> Opened:
    """Everything about a place that is shown. A symbol counts as used, unless it is read `again` where it is shown:
    what others write says nothing of what a person uses. Blocks; raises what the services do."""
    if is_adt(place.target):
        return _object_of_system(bench, place)
    if place.is_range:
        return _opened(bench, place, place.file)
    outline = bench.outlines.outline(place.target)
    symbol = outline.symbol
    if not again:
        bench.window.visit(symbol.id)
    at = Place(symbol.id, symbol.file, symbol.start_line, symbol.end_line)
    return _opened(bench, at, symbol.file, outline)


def _object_of_system(bench: Bench, place: Place) -> Opened:
    outline = bench.outlines.priced(*bench.systems.outline(place.target))
    symbol = outline.symbol
    bench.window.visit(symbol.id)
    source = bench.systems.read(symbol.file)
    lines = lines_of(source.content)
    at = Place(symbol.id, symbol.file, symbol.start_line, symbol.end_line)
    return Opened(at, outline, source, lines, widest(lines), bench.sources.colours(()), lambda: None)


def _opened(bench: Bench, place: Place, file: str, outline: OutlineAnswer | None = None) -> Opened:
    from services.source.read.known_lines import withheld

    with withheld() as reading:
        source = bench.sources.read(file)

    def count() -> None:
        reading.delivered(source.file, source.start_line, source.end_line)

    lines = lines_of(source.content)
    return Opened(place, outline, source, lines, widest(lines), bench.sources.colours(lines), count)
