"""Lists of places on the left, rows under their files, where they lead, or why there are none; and the usages of a
symbol, in three grades.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Generic, TypeVar

from textual.app import ComposeResult
from textual.getters import query_one
from textual.message import Message

from services.errors import UsageError
from services.model import Grade, GrepFile, GrepMatch, Usage, UsagesAnswer
from widgets.chrome.pane import EmptyState, Pane, bring_forward
from widgets.chrome.parts_line import PartsLine, Toggles
from widgets.format.shorten import grouped
from widgets.lists.place_list import PlaceList, PlaceRow
from workbench.commands.situation import Subject
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import HintedState
from workbench.ui.messages import Changed, CursorMoved, GoTo, Lit, Tell, working
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench

T = TypeVar("T")

_SHOWN_EVERY = 0.05
"""Seconds between two batches of results on the screen."""


class Batches(Generic[T]):
    """Results that are shown in batches, one for each period of time; the first at once."""

    def __init__(self, show: Callable[[list[T]], object]) -> None:
        self._show = show
        self._waiting: list[T] = []
        self._shown_at = 0.0

    def add(self, results: Iterable[T]) -> None:
        """Show these results now, or with the next batch."""
        self._waiting += results
        if time.monotonic() - self._shown_at > _SHOWN_EVERY:
            self.flush()

    def flush(self) -> None:
        """Show what waits."""
        if self._waiting:
            self._show(self._waiting)
            self._waiting, self._shown_at = [], time.monotonic()


class PlacesPane(Pane):
    """Base of the panes whose rows are places in files."""

    places = query_one(PlaceList)
    nothing = query_one(EmptyState)
    said = query_one(PartsLine)

    def __init__(self, *, title: str, id: str) -> None:  # noqa: A002
        super().__init__(title=title, id=id)
        self.bench: Bench | None = None
        self.jobs = Jobs(self, self.failed)

    def on_mount(self) -> None:
        """There is nothing yet."""
        self.places.display = False
        self.nothing.can_focus = True

    @property
    def front(self) -> PlaceList | EmptyState:
        """The widget to focus: the rows, or the explanation of their absence."""
        return self.places if self.places.display else self.nothing

    @property
    def subject(self) -> Subject | None:
        """The line under the cursor."""
        subjects = self.subjects
        return subjects[0] if subjects else None

    @property
    def subjects(self) -> list[Subject]:
        """The marked lines, or the one under the cursor; a file's row is the file."""
        return [_subject(row) for row in self.places.chosen]

    @property
    def hit_count(self) -> int:
        """How many places there are to step through."""
        return sum(row.line is not None and not row.dim for row in self.places.rows)

    def lit(self) -> Lit:
        """The matched ranges by file and line."""
        lit: dict[str, dict[int, list[tuple[int, int]]]] = {}
        for row in self.places.rows:
            if row.line is not None and row.spans:
                lit.setdefault(row.file, {}).setdefault(row.line, []).extend(row.spans)
        return lit

    def step(self, places: int) -> None:
        """Go to the next place, or the one before (-1)."""
        if self.places.step(places) is not None:
            self.open_current()

    def open_current(self) -> None:
        """Show the place under the cursor, everything that was found lit."""
        row = self.places.current
        if row is not None:
            self.post_message(GoTo(row.file, row.line or 1, column=_column(row), lit=self.lit()))

    @property
    def previewed(self) -> GoTo | None:
        """The place that the cursor is on; on a file, its first one."""
        cursor = self.places.cursor
        rows = () if cursor is None else self.places.rows[cursor:]
        row = next((row for row in rows if row.line is not None), None)
        return row and GoTo(row.file, row.line or 1, column=_column(row), lit=self.lit())

    def at(self, file: str, line: int) -> None:
        """Put the cursor on the row of a place, if there is one: the source was stepped through."""
        for index, row in enumerate(self.places.rows):
            if row.file == file and row.line == line and not row.dim:
                self.places.cursor = index
                return

    def on_place_list_selected(self, event: PlaceList.Selected) -> None:
        """A row was opened."""
        event.stop()
        self.open_current()

    def on_place_list_highlighted(self, event: PlaceList.Highlighted) -> None:
        """Another row is under the cursor."""
        event.stop()
        self.post_message(Changed())
        if self.has_focus_within:
            self.post_message(CursorMoved())

    def show_rows(self, rows: Sequence[PlaceRow], *, keep_cursor: bool = False) -> None:
        """Replace all rows."""
        cursor = self.places.cursor or 0 if keep_cursor else 0
        self.places.set_rows(rows, cursor=min(cursor, max(0, len(rows) - 1)))
        bring_forward(self.places, instead_of=self.nothing)
        self.post_message(Changed())

    def say_nothing(self, sentence: str, advice: str = "") -> None:
        """Show why there are no rows, in their place."""
        self.places.set_rows(())
        self.nothing.sentence, self.nothing.advice = sentence, advice
        bring_forward(self.nothing, instead_of=self.places)
        self.post_message(Changed())

    def failed(self, error: Exception) -> None:
        """Something went wrong that belongs in no place of its own."""
        self.post_message(Tell(notice_of(error)))


def _column(row: PlaceRow) -> int | None:
    return row.spans[0][0] if row.spans else None


def _subject(row: PlaceRow) -> Subject:
    if row.line is None:
        return Subject(row.file, row.file)
    return Subject(f"{row.file}:{row.line}-{row.line}", f"{row.file}:{row.line}")


BOUND_SIGN, RELATED_SIGN, NAME_SIGN = "●", "◐", "○"
_GRADE_SIGNS = {Grade.BOUND: BOUND_SIGN, Grade.RELATED: RELATED_SIGN, Grade.NAME_MATCH: NAME_SIGN}
"""Before a usage, by its grade."""


def grep_rows(found: Iterable[GrepFile]) -> Iterator[PlaceRow]:
    """Files, each with its matches and the lines around them."""
    for file in found:
        yield PlaceRow(file.file, count=file.match_count)
        for match in file.matches:
            yield from _around(match)


def files_of(matches: Sequence[GrepMatch], *, line_count: int) -> list[GrepFile]:
    """Matches of an object, by file."""
    by_file: dict[str, list[GrepMatch]] = {}
    for match in matches:
        by_file.setdefault(match.file, []).append(match)
    return [
        GrepFile(file=file, matches=tuple(those), match_count=len(those), line_count=line_count)
        for file, those in by_file.items()
    ]


def usage_rows(usages: Sequence[Usage], *, bound_only: bool) -> Iterator[PlaceRow]:
    """Yield usages under their files, with a sign and a word for bound ones and for name matches."""
    shown = [usage for usage in usages if usage.grade == Grade.BOUND or not bound_only]
    for file, group in groupby(shown, key=lambda usage: usage.file):
        those = list(group)
        yield PlaceRow(file, count=len(those))
        yield from map(_usage, those)


def _usage(usage: Usage) -> PlaceRow:
    where = f" in {usage.enclosing.label}" if usage.enclosing else ""
    reason = f", {usage.reason}" if usage.reason else ""
    reason += f", {usage.framework} only" if usage.framework else ""
    return PlaceRow(
        usage.file,
        line=usage.line,
        text=usage.snippet,
        spans=((usage.column - usage.snippet_start, usage.end_column - usage.snippet_start),),
        sign=_GRADE_SIGNS[Grade(usage.grade)],
        note=f"{usage.kind if usage.grade == Grade.BOUND else f'{usage.grade}, {usage.kind}'}{reason}{where}",
    )


def _around(match: GrepMatch) -> Iterator[PlaceRow]:
    first = match.line_number - len(match.context_before)
    for line, text in enumerate(match.context_before, first):
        yield PlaceRow(match.file, line=line, text=text, dim=True)
    yield PlaceRow(match.file, line=match.line_number, text=match.content, spans=match.spans)
    for line, text in enumerate(match.context_after, match.line_number + 1):
        yield PlaceRow(match.file, line=line, text=text, dim=True)


MOST_USAGES = 2_000
_ADVICE = "Put the cursor on a symbol, or open one, and press {usages:u}."


class UsagesPane(PlacesPane):
    """Usages of one symbol. A sign and a word distinguish bound ones from name matches."""

    toggles = query_one(Toggles)

    class UsagesFound(Message):
        """Some more usages, of the search that `cancel` stops."""

        def __init__(self, usages: Sequence[Usage], cancel: threading.Event) -> None:
            super().__init__()
            self.usages = usages
            self.cancel = cancel

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Usages", id=id)
        self._target = ""
        self._found: list[Usage] = []
        self._answer: UsagesAnswer | None = None
        self._bound_only = False
        self._cancel = threading.Event()

    def compose(self) -> ComposeResult:
        """Compose the summary, the switch, the rows."""
        yield PartsLine(classes="list-said")
        yield Toggles()
        yield PlaceList(id="usage-places")
        yield HintedState("Nothing was asked for yet.", _ADVICE)

    def on_mount(self) -> None:
        """All of them are shown."""
        self._show_switch()

    def attach(self, bench: Bench) -> None:
        """Use this workspace from now on."""
        self.bench = bench

    def show(self, target: str, *, keep_cursor: bool = False) -> None:
        """Look for the usages of a symbol."""
        bench = self.bench
        if bench is None:
            return
        self._cancel.set()
        cancel = self._cancel = threading.Event()
        self._target = target
        if not keep_cursor:
            self._found, self._answer = [], None
            self.title = "Usages"
            self.say_nothing("Looking for usages …")
            self.said.say()
        self.jobs.run(
            "usages",
            lambda: self._look(bench, target, cancel, is_shown=not keep_cursor),
            lambda answer: self._show(answer, keep_cursor=keep_cursor or bool(self._found)),
            failed=self._refused,
        )

    def reload(self) -> None:
        """The index changed: look again."""
        if self._target:
            self.show(self._target, keep_cursor=True)

    def _look(self, bench: Bench, target: str, cancel: threading.Event, *, is_shown: bool) -> UsagesAnswer:
        """Search in a thread. `is_shown`: whether usages are shown as they are found."""
        shown = Batches[Usage](lambda usages: self.post_message(self.UsagesFound(usages, cancel)))
        with working(self) as report:
            return bench.usages.find(
                target,
                limit=MOST_USAGES,
                found=shown.add if is_shown else None,
                progress=report,
                cancel=cancel,
            )

    def on_usages_pane_usages_found(self, event: UsagesFound) -> None:
        """Show them, unless another search has begun since, or this one has ended."""
        event.stop()
        if event.cancel is not self._cancel or not self.is_working:
            return
        self._found += event.usages
        rows = list(usage_rows(event.usages, bound_only=self._bound_only))
        if self.places.rows:
            self.places.add_rows(rows)
        elif rows:
            self.show_rows(rows)
        self.said.say(f"{grouped(len(self._found))} so far …")

    @property
    def is_working(self) -> bool:
        """Whether usages are looked for."""
        return self.jobs.is_running("usages") and not self._cancel.is_set()

    def stop(self) -> None:
        """Look no more; what was found until now stays."""
        self._cancel.set()
        if not self.places.rows:
            self.say_nothing("The search was cancelled.", _ADVICE)

    def toggle_bound(self) -> None:
        """Leave out what only has the name, or show it again."""
        self._bound_only = not self._bound_only
        self._show_switch()
        if self._answer is not None:
            self._show(self._answer, keep_cursor=False)
        elif self._found:
            self.show_rows(list(usage_rows(self._found, bound_only=self._bound_only)))

    def on_toggles_switch_pressed(self, event: Toggles.SwitchPressed) -> None:
        """The switch was clicked."""
        event.stop()
        self.toggle_bound()

    def _show_switch(self) -> None:
        self.toggles.switches = [("bound", "bound only", self._bound_only)]

    def _show(self, answer: UsagesAnswer, *, keep_cursor: bool) -> None:
        self._answer = answer
        self.title = f"Usages of {answer.symbol.label}"
        rows = list(usage_rows(answer.usages, bound_only=self._bound_only))
        first = f"the first {grouped(len(answer.usages))} shown" if answer.truncated else ""
        self.said.say(_counted(answer), first, f"{answer.elapsed_ms:.0f} ms")
        shown = len(self.places.rows)
        if shown and rows[:shown] == self.places.rows:
            self.places.add_rows(rows[shown:])
            self.post_message(Changed())
        elif rows:
            self.show_rows(rows, keep_cursor=keep_cursor)
        elif answer.total:
            self.say_nothing("None is bound.", "Show the places that have the name ({bound-only:alt+u}).")
        else:
            self.say_nothing(
                f"{answer.symbol.label} is not used in this workspace.",
                "Search for its name in files ({grep:g}).",
            )

    def _refused(self, error: Exception) -> None:
        if isinstance(error, UsageError):
            self.say_nothing(error.message, _ADVICE)
        else:
            self.say_nothing("There is no answer.", _ADVICE)
            self.failed(error)


def _counted(answer: UsagesAnswer) -> str:
    """How many there are, of each grade that there is."""
    named = answer.total - answer.bound - answer.related
    grades = (
        (answer.bound, f"{BOUND_SIGN} bound"),
        (answer.related, f"{RELATED_SIGN} related"),
        (named, f"{NAME_SIGN} name match"),
    )
    told = [f"{grouped(count)} {grade}" for count, grade in grades if count]
    return f"{grouped(answer.total)}: {', '.join(told)}" if len(told) > 1 else "".join(told) or "none"
