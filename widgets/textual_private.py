"""Everything that touches private parts of Textual: repaints, focus styles, scrollbars, the escape key.

A screen styles and paints no more than what changed: Textual restyles every widget that shares a pane with the focused
one. The escape key: Textual checks the terminal ten times a second, so that escape waits a tenth of a second, however
short the time is in which a following byte would make another key of it (`ESCDELAY`).
"""

from __future__ import annotations

import io
import os
import selectors
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from textual import constants
from textual._compositor import ChopsUpdate, Compositor, LayoutUpdate
from textual._context import NoActiveAppError
from textual._parser import ParseError
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.css.model import RuleSet
from textual.dom import DOMNode
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import ScreenResume
from textual.filter import LineFilter, Monochrome, NoColor
from textual.geometry import Region, Size
from textual.screen import ModalScreen, Screen
from textual.strip import Strip
from textual.widget import Widget


def without_colours(app: App[Any]) -> None:
    """Send no colours at all, as NO_COLOR requires; Textual alone would send greys."""
    filters: list[LineFilter] = vars(app)["_filters"]
    filters[:] = [*(each for each in filters if not isinstance(each, Monochrome | NoColor)), NoColor()]


def without_descriptor(app: App[Any]) -> None:
    """Have the stream in place of standard error refuse to name a descriptor, as streams without one do. Textual's
    names -1, which multiprocessing would hand to the processes that it starts."""

    def refuse() -> int:
        raise io.UnsupportedOperation("fileno")

    vars(app)["_capture_stderr"].fileno = refuse


_LOOK = 0.2
"""Seconds between two looks at whether the program is to end."""
_PIECE = 4_096
_SELECTOR = selectors.PollSelector if sys.platform == "linux" else selectors.SelectSelector
"""`select` takes no descriptor above 1 023; elsewhere `poll` does not take a terminal."""


class QuickEscapeDriver(LinuxDriver):
    """Textual's own, but for how long it waits behind an escape."""

    def run_input_thread(self) -> None:
        """Hand on what is typed, until the program is to end."""
        parser = XTermParser(self._debug)
        decode = getincrementaldecoder("utf-8")().decode
        with _SELECTOR() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                is_open = getattr(parser, "_timeout_time", None) is not None
                if selector.select(constants.ESCAPE_DELAY if is_open else _LOOK):
                    if not (piece := os.read(self.fileno, _PIECE)):
                        break  # the terminal is gone, or what was piped in has ended
                    text = decode(piece)  # "" of half a character, which the parser would take for the end
                    for event in parser.feed(text) if text else ():
                        self.process_message(event)
                for event in parser.tick():
                    self.process_message(event)
        try:
            for _ in parser.feed(""):
                pass
        except (EOFError, ParseError):
            pass


def quick_escape(driver: type[Driver]) -> type[Driver]:
    """The driver to use in the place of one: of a terminal, the quick one; any other as it is."""
    return QuickEscapeDriver if driver is LinuxDriver else driver


class FrugalCompositor(Compositor):
    """Textual's renders every widget that shares a container with what changed, whole: for a cursor that blinks, all
    lists beside it; and cuts the lines of what is behind something into pieces that nobody sees. This one renders the
    lines of what changed, of the widgets that can be seen there, and cuts out what is seen of them."""

    def __init__(self) -> None:
        super().__init__()
        self._changed: frozenset[Region] | None = None
        """Of the screen, while it is painted; None while it is rendered for something else."""

    def render_partial_update(self) -> ChopsUpdate | None:
        """Return the changes since the last call, for the terminal; None where there are none."""
        with self._painting(self._dirty_regions):
            return super().render_partial_update()

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        """All of the screen, to be written to the terminal."""
        with self._painting([self.size.region]):
            return super().render_full_update(simplify)

    @contextmanager
    def _painting(self, changed: Iterable[Region]) -> Iterator[None]:
        self._changed = frozenset(changed)
        try:
            yield
        finally:
            self._changed = None

    def _get_renders(self, crop: Region | None = None) -> Iterable[tuple[Region, Region, list[Strip]]]:
        """Region, clip region and lines of each widget, the front ones first. Where the screen is painted, the clip
        region is as high as what changed in the widget."""
        return super()._get_renders(crop) if self._changed is None else self._changes(self._changed)

    def _render_chops(
        self, crop: Region, is_rendered_line: Callable[[int], bool]
    ) -> Sequence[Mapping[int, Strip]]:
        """For each line of the screen its pieces by the cell they begin at; None where nothing was rendered."""
        cuts = self.cuts
        lines: list[dict[int, Strip | None]] = [dict.fromkeys(cut[:-1]) for cut in cuts]
        for region, clip, strips in self._get_renders(crop):
            shown = region.intersection(clip)
            left, right = shown.column_span
            for y, strip in zip(shown.line_range, strips, strict=False):
                if is_rendered_line(y):
                    _fill(lines[y], [cut for cut in cuts[y] if left <= cut <= right], strip)
        return lines  # type: ignore[return-value] # pyright: ignore[reportReturnType] - as Textual's own

    def _changes(self, changed: Iterable[Region]) -> Iterator[tuple[Region, Region, list[Strip]]]:
        """From front to back, until nothing that changed is left to be seen: a widget paints all of its region."""
        bare = list(changed)
        for widget, (region, clip) in self.visible_widgets.items():
            shown = region.intersection(clip)
            parts = [part for each in bare if (part := shown.intersection(each))]
            if parts:
                top, bottom = min(part.y for part in parts), max(part.bottom for part in parts)
                band = Region(shown.x, top, shown.width, bottom - top)
                yield region, band, widget.render_lines(band.translate(-region.offset))
                bare = [rest for each in bare for rest in _without(each, shown)]
                if not bare:
                    return


def _fill(line: dict[int, Strip | None], cuts: Sequence[int], strip: Strip) -> None:
    """Put what is seen of a strip, which begins at the first cut, into the pieces of a line that are still empty."""
    empty = [number for number, cut in enumerate(cuts[:-1]) if line.get(cut) is None]
    if len(empty) == len(cuts) - 1:
        origin = cuts[0]
        line.update(zip(cuts, strip.divide([cut - origin for cut in cuts[1:]]), strict=False))
        return
    for number in empty:
        start, end = cuts[number], cuts[number + 1] - cuts[0]
        if end <= strip.cell_length:
            line[start] = strip.crop(start - cuts[0], end)


def _without(region: Region, cover: Region) -> Iterator[Region]:
    """Yield the parts of a region outside a cover: above it, below it, and on its sides."""
    hidden = region.intersection(cover)
    if not hidden:
        yield region
        return
    sides = (
        (region.x, region.y, region.right, hidden.y),
        (region.x, hidden.bottom, region.right, region.bottom),
        (region.x, hidden.y, hidden.x, hidden.bottom),
        (hidden.right, hidden.y, region.right, hidden.bottom),
    )
    for left, top, right, bottom in sides:
        if left < right and top < bottom:
            yield Region.from_corners(left, top, right, bottom)


_FOCUS_WITHIN = "focus-within"


def style_focus(screen: Screen[Any], *moved: Widget | None) -> None:
    """Restyle the widgets affected by a focus change: `moved` are the widgets that got and lost it, which style
    themselves.

    Textual styles every widget that shares a pane with them, with all component classes: 40 ms for panes of lists and
    code. These are the widgets round them whose style says what they look like with the keyboard in them, and those
    that a rule styles by the keyboard being in something round them."""
    names = frozenset(_names_behind(screen.app.stylesheet.rules))
    changed: set[DOMNode] = set()
    for widget in moved:
        if widget is not None:
            changed.update(_concerned(widget, names))
    if changed:
        screen.app.stylesheet.update_nodes(changed, animate=True)


def _concerned(widget: Widget, names: frozenset[str]) -> Iterator[DOMNode]:
    around = [node for node in widget.ancestors_with_self if node._has_focus_within]  # noqa: SLF001
    yield from around
    if around and names:
        yield from (node for node in around[-1].walk_children() if not names.isdisjoint(_names_of(node)))


def _names_behind(rules: Iterable[RuleSet]) -> Iterator[str]:
    """The names of what is styled by the keyboard being in something round it."""
    for rule in rules:
        if _FOCUS_WITHIN in rule.pseudo_classes and any(
            _FOCUS_WITHIN in selector.pseudo_classes
            for selectors in rule.selector_set
            for selector in selectors.selectors[:-1]
        ):
            yield from rule.selector_names


def _names_of(node: DOMNode) -> set[str]:
    """Return the selectors that may match a node or one of its component classes."""
    return node._selector_names | {f".{name}" for name in node._get_component_classes()}  # noqa: SLF001


def _take_size(screen: Screen[Any]) -> None:
    """Give a screen the classes of the terminal's size before it is mounted. Textual does so with its first resize, and
    then styles all widgets once more."""
    with suppress(NoActiveAppError):
        app = screen.app
        for own, common, cells in (
            (screen.HORIZONTAL_BREAKPOINTS, app.HORIZONTAL_BREAKPOINTS, app.size.width),
            (screen.VERTICAL_BREAKPOINTS, app.VERTICAL_BREAKPOINTS, app.size.height),
        ):
            names = screen._get_breakpoint_classes(cells, (common if own is None else own) or [])  # noqa: SLF001
            screen.add_class(*names, update=False)


class FrugalScreen(Screen[None]):
    """For a screen of many panes.

    Textual parses all styles anew for each screen that has just been made, and styles all its widgets as often as it is
    brought to the front, twice for the first of a mode: each widget was styled when it was mounted."""

    def __init__(self) -> None:
        super().__init__()
        self._compositor = FrugalCompositor()
        self._was_behind = False
        with suppress(NoActiveAppError):
            self._css_update_count = self.app._css_update_count  # noqa: SLF001
        _take_size(self)

    def _on_screen_suspend(self) -> None:
        self._was_behind = True

    def _on_screen_resume(self, event: ScreenResume) -> None:
        event.refresh_styles = event.refresh_styles and self._was_behind

    def _update_focus_styles(self, focused: Widget | None = None, blurred: Widget | None = None) -> None:
        style_focus(self, focused, blurred)


T = TypeVar("T")


class FrugalModal(ModalScreen[T]):
    """For a dialog over such a screen."""

    def __init__(self) -> None:
        super().__init__()
        _take_size(self)

    def _update_focus_styles(self, focused: Widget | None = None, blurred: Widget | None = None) -> None:
        style_focus(self, focused, blurred)


def follow_size(view: Widget, size: Size) -> None:
    """Fit the scrollbars of a running view to `size`; the public way would repeat the whole layout."""
    if view.is_running:
        view._scrollbar_changes.clear()  # noqa: SLF001
        view._scroll_update(size)  # noqa: SLF001
