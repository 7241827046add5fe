"""Search in files: a pattern, how it is taken, and the lines that match as they are found.

A search in files, without its pane: how a pattern is taken, what comes of it, and how that is said.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.getters import query_one
from textual.message import Message
from textual.timer import Timer

from services.errors import PatternInvalid, UsageError, quoted
from services.model import GrepFile, may_be_expression
from widgets.chrome.parts_line import PartsLine, Toggles
from widgets.chrome.search_box import SearchBox
from widgets.format.display import visible
from widgets.format.shorten import counted, grouped, keep_end
from widgets.lists.place_list import PlaceList, PlaceRow
from workbench.panes.places_pane import Batches, PlacesPane, files_of, grep_rows
from workbench.ui.key_line import HintedState
from workbench.ui.messages import Changed, working

if TYPE_CHECKING:
    from services.bench import Bench
    from services.bench.queries.sources import Grep


MOST_MATCHES = 2_000


class GrepOptions(Struct, frozen=True):
    """How a pattern is taken. `object`: what is searched alone, and what people call it; empty: the workspace."""

    regex: bool = False
    case: bool = False
    word: bool = False
    context: int = 0
    object: str = ""
    called: str = ""


class Outcome(Struct, frozen=True):
    """`matches`, in `files`; `searched`: files looked into."""

    matches: int
    files: int
    searched: int
    truncated: bool
    seconds: float

    @property
    def parts(self) -> tuple[str, ...]:
        """`12 lines in 3 of 40 files`, `5 ms`."""
        took = f"{self.seconds * 1000:.0f} ms"
        if not self.matches:
            return counted(self.searched, "file"), took
        first = "the first " if self.truncated else ""
        more = "there are more: narrow the pattern" if self.truncated else ""
        files = f"{grouped(self.files)} of {counted(self.searched, 'file')}"
        return f"{first}{counted(self.matches, 'line')} in {files}", more, took


def grep_of(pattern: str, options: GrepOptions, globs: str) -> Grep:
    """Return the request for the services."""
    from services.bench.queries.sources import Grep

    return Grep(
        pattern=pattern,
        case_insensitive=not options.case,
        context=options.context,
        most=MOST_MATCHES,
        globs="" if options.object else globs,
        literal=not options.regex,
        word=options.word,
    )


_REST = 0.06
"""Seconds a pattern has to rest before it is searched for."""
_MOST_CONTEXT = 9
_CALLED = 22
"""The most cells that the name of what is searched alone takes."""
_NOTHING_TYPED = (
    "Type what to look for.",
    "{grep-regex:alt+r} takes it as an expression, {grep-case:alt+c} lets capitals count.",
)


class GrepPane(PlacesPane):
    """Searches while one types. The arrow keys move the results while the box has the keyboard."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up", "move(-1)", "Up", show=False, id="grep.up"),
        Binding("down", "move(1)", "Down", show=False, id="grep.down"),
        Binding("pageup", "move(-10)", "Page up", show=False, id="grep.page-up"),
        Binding("pagedown", "move(10)", "Page down", show=False, id="grep.page-down"),
    ]
    box = query_one("#pattern", SearchBox)
    globs = query_one("#globs", SearchBox)
    toggles = query_one(Toggles)

    class Found(Message):
        """Some more files with matches, of the run that `cancel` stops."""

        def __init__(self, rows: list[PlaceRow], cancel: threading.Event) -> None:
            super().__init__()
            self.rows = rows
            self.cancel = cancel

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(title="Search in files", id=id)
        self.options = GrepOptions()
        self._cancel = threading.Event()
        self._rest: Timer | None = None
        self._started = False

    def compose(self) -> ComposeResult:
        """Pattern, globs, switches, results, and what was found in all."""
        yield SearchBox(placeholder="text or expression", id="pattern")
        yield SearchBox(placeholder="files: src/**/*.cs,!*.g.cs", id="globs")
        yield Toggles()
        yield PlaceList(id="matches")
        yield HintedState(*_NOTHING_TYPED)
        yield PartsLine(classes="list-said")

    def on_mount(self) -> None:
        """Hide the globs, which are seldom used."""
        self.globs.display = False
        self._show_options()

    def attach(self, bench: Bench) -> None:
        """Search this workspace from now on."""
        self.bench = bench

    def set_options(self, options: GrepOptions) -> None:
        """Take a pattern otherwise, and search again."""
        if options != self.options:
            self.options = options
            self._show_options()
            self.search(at_once=True)

    def more_context(self, lines: int) -> None:
        """So many lines more around each match, or fewer."""
        context = min(_MOST_CONTEXT, max(0, self.options.context + lines))
        self.set_options(replace(self.options, context=context))

    def show_globs(self) -> None:
        """Show the input of globs; the second time, remove it."""
        self.globs.display = not self.globs.display
        if self.globs.display:
            self.globs.focus_input()
        else:
            self.globs.value = ""
            self.box.focus_input()

    def search(self, *, at_once: bool = False) -> None:
        """Look for the pattern once it rests; what runs is stopped."""
        self._cancel.set()
        if self._rest is not None:
            self._rest.stop()
        if at_once:
            self._search()
        else:
            self._rest = self.set_timer(_REST, self._search)

    @property
    def is_working(self) -> bool:
        """Whether a search runs."""
        return self.jobs.is_running("grep") and not self._cancel.is_set()

    def stop(self) -> None:
        """Search no more."""
        self._cancel.set()

    def on_search_box_query_changed(self, event: SearchBox.QueryChanged) -> None:
        """Search as one types."""
        event.stop()
        self.search()

    def on_search_box_query_submitted(self, event: SearchBox.QuerySubmitted) -> None:
        """Open the first match, or the one under the cursor."""
        event.stop()
        row = self.places.current
        if row is not None and row.line is None:
            self.places.step(1)
        self.open_current()

    def on_toggles_switch_pressed(self, event: Toggles.SwitchPressed) -> None:
        """A switch was clicked."""
        event.stop()
        self.toggle(event.switch)

    def toggle(self, switch: str) -> None:
        """Turn a switch: regex, case, word, files, object, or one line more of context."""
        options = self.options
        if switch == "files":
            self.show_globs()
        elif switch == "context":
            self.set_options(replace(options, context=(options.context + 1) % (_MOST_CONTEXT + 1)))
        elif switch == "object":
            self.set_options(replace(options, object="", called=""))
        elif switch == "regex":
            self.set_options(replace(options, regex=not options.regex))
        elif switch == "case":
            self.set_options(replace(options, case=not options.case))
        else:
            self.set_options(replace(options, word=not options.word))
        self._show_options()

    def on_grep_pane_found(self, event: Found) -> None:
        """Show them, unless another search has begun since."""
        event.stop()
        if event.cancel is not self._cancel:
            return
        if self._started:
            self.places.add_rows(event.rows)
        else:
            self._started = True
            self.show_rows(event.rows)
        self.post_message(Changed())

    def action_move(self, rows: int) -> None:
        """Move the results' cursor; above the first row is what was looked for before."""
        if rows == -1 and not self.places.cursor and self.box.input.has_focus:
            self.box.recall()
        else:
            self.places.move_cursor(rows)

    def _show_options(self) -> None:
        options = self.options
        switches = [
            ("regex", ".*", options.regex),
            ("case", "Aa", options.case),
            ("word", "word", options.word),
            ("files", "files", self.globs.display),
            ("context", f"±{options.context}", options.context > 0),
        ]
        if options.object:
            switches.append(("object", f"in {keep_end(options.called.partition('(')[0], _CALLED)}", True))
        self.toggles.switches = switches

    def _search(self) -> None:
        bench, pattern = self.bench, self.box.value
        self._cancel, self._started = threading.Event(), False
        if bench is None:
            return
        if not pattern:
            self.said.say()
            self.say_nothing(*_NOTHING_TYPED)
            return
        cancel, options, globs = self._cancel, self.options, self.globs.value.strip()
        self.said.say("searching …")
        self.jobs.run(
            "grep",
            lambda: self._run(bench, grep_of(pattern, options, globs), cancel),
            lambda outcome: self._finished(outcome, pattern),
            failed=self._refused,
        )

    def _run(self, bench: Bench, grep: Grep, cancel: threading.Event) -> Outcome:
        """Search in a thread, reporting results on the way."""
        from services.source.grep_search import GrepTotals

        began, tally, files = time.monotonic(), GrepTotals(), 0
        if self.options.object:
            with working(self) as report:
                answer = bench.sources.grep(grep, self.options.object, progress=report, cancel=cancel)
            found = files_of(answer.matches, line_count=answer.line_count)
            self.post_message(self.Found(list(grep_rows(found)), cancel))
            seconds = time.monotonic() - began
            return Outcome(answer.match_count, len(found), answer.searched, answer.truncated, seconds)
        with working(self) as report:
            shown = Batches[GrepFile](
                lambda batch: self.post_message(self.Found(list(grep_rows(batch)), cancel))
            )
            for file in bench.sources.grep_files(grep, tally, progress=report, cancel=cancel):
                files += 1
                shown.add([file])
            shown.flush()
        return Outcome(tally.matches, files, tally.searched, tally.truncated, time.monotonic() - began)

    def _finished(self, outcome: Outcome, pattern: str) -> None:
        if not outcome.matches:
            self.say_nothing(f"Nothing matches {quoted(pattern)}.", self._advice(pattern))
        self.said.say(*outcome.parts)

    def _advice(self, pattern: str) -> str:
        signs = not pattern.replace(" ", "").isalnum()
        tips = [
            "Take it as plain text ({grep-regex:alt+r})." if self.options.regex and signs else "",
            "Take it as an expression ({grep-regex:alt+r})."
            if not self.options.regex and may_be_expression(pattern)
            else "",
            "Let capitals be small letters too ({grep-case:alt+c})." if self.options.case else "",
            "Allow parts of words ({grep-word:alt+w})." if self.options.word else "",
            "Search everywhere ({grep-object:alt+o})." if self.options.object else "",
            "Search all files ({grep-files:alt+g})." if self.globs.value else "",
        ]
        return " ".join(tip for tip in tips if tip)

    def _refused(self, error: Exception) -> None:
        if isinstance(error, PatternInvalid | UsageError):
            self.said.say()
            self.say_nothing(
                visible(error.message), "Correct it above, or take it as plain text ({grep-regex:alt+r})."
            )
        else:
            self.failed(error)
