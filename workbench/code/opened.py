"""Opened item of the middle pane: a symbol with its file, or lines of a file alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from services.model import OutlineAnswer, SourceRange
from services.model.source import is_adt
from widgets.text.line_view import widest
from workbench.code.place import Place, lines_of

if TYPE_CHECKING:
    from services.bench import Bench
    from services.syntax.highlight import Colours


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
