"""The Source view of the middle pane: a file, what was found in it lit, the cursor where it belongs.

The colours of what is in view, asked for as one gets there: of a long file most lines are never looked at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from services.model import Span
from widgets.format.shorten import counted
from widgets.text.source_view import SourcePage, SourceView
from workbench.code.opened import Opened, Place, read
from workbench.commands.situation import Subject
from workbench.ui.jobs import Jobs
from workbench.ui.messages import Lit, Tell
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from textual.timer import Timer

    from services.bench import Bench
    from services.syntax.highlight import Colours

Taken = Callable[[Mapping[int, Sequence[Span]]], None]


class Colouring:
    """Colours of a text in a view. One job at a time, under its own name: while it runs a key held down may scroll
    on, and its last position is requested next.

    `in_view` answers the lines to be coloured, `take` gets what was found, by line."""

    def __init__(self, jobs: Jobs, name: str, *, in_view: Callable[[], Collection[int]], take: Taken) -> None:
        self._jobs = jobs
        self._name = name
        self._in_view = in_view
        self._take = take
        self._colours: Colours | None = None
        self._known: set[int] = set()
        self._cancel = threading.Event()
        self._running = False

    def begin(self, colours: Colours | None, *, known: Iterable[int] = ()) -> None:
        """Another text is shown, or one without colours; what is still being worked out for the last one ends. `known`:
        the lines whose colours the view has got."""
        self._cancel.set()
        self._cancel = threading.Event()
        self._colours, self._known, self._running = colours, set(known), False

    def look(self) -> None:
        """Other lines may be in view."""
        colours, cancel = self._colours, self._cancel
        if colours is None or self._running:
            return
        lines = set(self._in_view()) - self._known
        if lines:
            self._running = True
            self._jobs.run(
                self._name,
                lambda: colours.of(lines, cancel=cancel),
                lambda found: self._took(lines, found) if colours is self._colours else None,
            )

    def _took(self, asked: Collection[int], found: Mapping[int, Sequence[Span]]) -> None:
        self._running = False
        self._known.update(asked, found)
        self._take(found)
        self.look()


_REST = 0.03
"""Seconds that the cursor of a list rests before what it is on is shown."""


class SourcePart(SourceView):
    """Shows the file of what is open."""

    def __init__(self, *, empty: str, id: str) -> None:  # noqa: A002
        super().__init__(empty=empty, id=id)
        self._jobs = Jobs(self, self._failed)
        self._open: Opened | None = None
        self._lit: Lit = {}
        self._colouring = Colouring(self._jobs, "colour", in_view=self._to_colour, take=self.colour)

    @property
    def place(self) -> tuple[str, int] | None:
        """File and line under the cursor."""
        return (self._open.source.file, self.cursor_line) if self._open else None

    @property
    def subject(self) -> Subject | None:
        """The selected lines, if there are any."""
        if self._open is None or self.selection_range is None:
            return None
        start, end = self.selection_range
        return Subject(target=f"{self._open.source.file}:{start}-{end}", label="the selected lines")

    @property
    def text(self) -> tuple[str, str]:
        """The selected lines, else the whole file, and what to call them; both empty where nothing is open."""
        if self._open is None:
            return "", ""
        whole, selected = self._open.source, self.selection_range
        if selected is None:
            return whole.content, whole.file
        first, last = (line - whole.start_line for line in selected)
        lines = whole.content.split("\n")[first : last + 1]
        return "\n".join(lines) + "\n", counted(last - first + 1, "line")

    @property
    def lit_lines(self) -> int:
        """How many lines of the file are lit."""
        return len(self._lit_here)

    @property
    def _lit_here(self) -> Mapping[int, Sequence[tuple[int, int]]]:
        return self._lit.get(self._open.source.file, {}) if self._open else {}

    def light(self, lit: Lit) -> None:
        """Light this from now on, and nothing else."""
        self._lit = lit
        self.set_hits(self._lit_here)

    def show(self, opened: Opened, *, keep_line: bool = False, column: int | None = None) -> None:
        """Show a file, the cursor at the place that was opened. `keep_line`: the cursor stays at its line, where the
        same place is shown again; `column`: where in its line the cursor goes."""
        known, place = opened.is_same_file(self._open), opened.place
        line = self.cursor_line if keep_line else place.start
        self._open = opened
        if not known:
            self._set_content(opened, line or None)
        self.set_hits(self._lit_here)
        if not keep_line or column is not None:
            self.go_to(line or 1, column=column)
        if not keep_line:
            self._select(place)

    def show_context(self) -> None:
        """Lines before the cursor's too: a page that was set out of sight knew no height."""
        if not self.cursor_line:
            return
        self.reveal_column()
        row, height = self.row_of(self.cursor_line - 1), self.view_size.height
        if row == self.scroll_offset.y and row:
            self.scroll_to(y=max(0, row - height // 3), animate=False, immediate=True)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Colour the lines in view."""
        super().watch_scroll_y(old_value, new_value)
        self._colouring.look()

    def on_resize(self) -> None:
        """More may be in view, and may get its colours."""
        super().on_resize()
        self._colouring.look()

    def _set_content(self, opened: Opened, line: int | None) -> None:
        self._colouring.begin(opened.colours)
        self.set_page(SourcePage(opened.source.start_line, opened.lines, width=opened.width), line=line)
        self.call_after_refresh(self._colouring.look)

    def _to_colour(self) -> range:
        """Return the lines in view, with a page on either side for further scrolling."""
        shown = self.lines_in_view
        return range(max(1, shown.start - len(shown)), min(shown.stop + len(shown), self.last_line + 1))

    def _select(self, place: Place) -> None:
        if place.end and place.is_range:
            self.select(place.start, place.end)

    def _failed(self, error: Exception) -> None:
        self.post_message(Tell(notice_of(error)))


class PlacePreview(SourcePart, can_focus=False):
    """Shows the source of what the cursor of a dialog's list is on, without opening it. It takes no keys."""

    def __init__(self, bench: Bench) -> None:
        super().__init__(empty="", id="code-preview")
        self._bench = bench
        self._place = ""
        self._rest: Timer | None = None

    def look(self, place: str) -> None:
        """Show a symbol by id, a file or `file:line`, once the cursor rests there; empty: nothing."""
        if place == self._place:
            return
        self._place = place
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(_REST, self._read)

    def _read(self) -> None:
        place, bench = self._place, self._bench
        if place:
            call = lambda: read(bench, Place.parse(place), again=True)  # noqa: E731
            self._jobs.run("preview", call, self.show, failed=lambda _: self._clear())
        else:
            self._jobs.drop("preview")
            self._clear()

    def _clear(self) -> None:
        self._open = None
        self.set_lines(())
