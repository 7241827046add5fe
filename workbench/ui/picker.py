"""Something to pick, found as one types: files and symbols, commits, commands, meanings of a name."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, ClassVar

from msgspec import Struct
from msgspec.structs import replace
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.getters import query_one

from services.errors import CodeCortexError
from services.model import Commit, FileHit, SearchHit, SymbolRef
from widgets.chrome.pane import Pane
from widgets.chrome.search_box import SearchBox
from widgets.format.kinds import KIND_GLYPHS
from widgets.lists.pick_list import PickList, PickRow
from workbench.commands.commands import COMMANDS
from workbench.commands.keymap import Keys
from workbench.commands.situation import ABOUT_SUBJECT, SOURCE, Situation
from workbench.ui.jobs import Jobs
from workbench.ui.key_line import with_keys
from workbench.ui.modal import Modal
from workbench.ui.notices import notice_of

if TYPE_CHECKING:
    from services.bench import Bench
    from workbench.code.source_part import PlacePreview
    from workbench.code.visits import Spot
    from workbench.state.ui_state import Mark

Find = Callable[[str], Sequence[PickRow]]
"""The rows for what is typed. It may block."""


class Picked(Struct, frozen=True):
    """`values` of the picked rows, top first; `otherwise`: they were picked by the other key; `earlier`: what was
    looked for in the picker, the last first."""

    values: tuple[str, ...]
    otherwise: bool = False
    earlier: tuple[str, ...] = ()


class Picker(Modal[Picked | None]):
    """Answers what was picked; None where nothing was."""

    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 - Textual declares it, as a class variable
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Close", show=False, id="picker.close"),
        Binding("up", "move(-1)", "Up", show=False, id="picker.up"),
        Binding("down", "move(1)", "Down", show=False, id="picker.down"),
        Binding("pageup", "move(-10)", "Page up", show=False, id="picker.page-up"),
        Binding("pagedown", "move(10)", "Page down", show=False, id="picker.page-down"),
        Binding("shift+up", "mark(-1)", "Mark up", show=False, id="picker.mark-up"),
        Binding("shift+down", "mark(1)", "Mark down", show=False, id="picker.mark-down"),
        Binding("ctrl+t", "pick(True)", "Pick otherwise", show=False, id="picker.otherwise"),
    ]
    box = query_one(SearchBox)
    rows = query_one(PickList)

    def __init__(
        self,
        title: str,
        find: Find,
        *,
        placeholder: str = "",
        note: str = "",
        empty: str = "",
        preview: PlacePreview | None = None,
        looked_at: Callable[[str], object] | None = None,
        at_once: Callable[[str], str | None] | None = None,
        earlier: Sequence[str] = (),
    ) -> None:
        """`preview`: shows the place that the value of the row under the cursor is; `looked_at` is called with that;
        `at_once`: answers a value for typed text that is enough to pick it; `earlier`: what was looked for before."""
        super().__init__()
        self._preview = preview
        self._looked_at = looked_at
        self._at_once = at_once
        self._earlier = tuple(earlier)
        self._pane_title = title
        self._find = find
        self._placeholder = placeholder
        self._note = note or "enter picks · esc closes"
        self._empty = empty or "Nothing fits: type less"
        self._jobs = Jobs(self, self._failed)
        self._wants_first = False

    def compose(self) -> ComposeResult:
        """Box and rows."""
        with Pane(title=self._pane_title, note=with_keys(self, self._note), id="picker"):
            yield SearchBox(placeholder=self._placeholder)
            with Horizontal(id="picker-body"):
                yield PickList(empty=self._empty)
                if self._preview is not None:
                    yield self._preview

    def on_mount(self) -> None:
        """Show the choices before anything was typed."""
        if self.is_open:
            self.set_class(self._preview is not None, "-preview")
            self.box.earlier = self._earlier
            self.box.focus_input()
            self._look()

    def on_search_box_query_changed(self, event: SearchBox.QueryChanged) -> None:
        """Look again as one types."""
        event.stop()
        picked = self._at_once(event.value) if self._at_once is not None else None
        if picked is None:
            self._look()
        elif self.is_open:
            self.dismiss(Picked((picked,)))

    def on_search_box_query_submitted(self, event: SearchBox.QuerySubmitted) -> None:
        """Pick what is under the cursor, or, with the answer still on its way, its first."""
        event.stop()
        if self._jobs.is_running("find"):
            self._wants_first = True
        else:
            self.action_pick()

    def on_pick_list_selected(self, event: PickList.Selected) -> None:
        """A row was opened."""
        event.stop()
        self.action_pick()

    def on_pick_list_highlighted(self) -> None:
        """Show what is under the cursor."""
        row = self.rows.current
        if self._preview is not None and self.is_open:
            self._preview.look(row.value if row else "")
        if self._looked_at is not None and self.is_open and row is not None:
            self._looked_at(row.value)

    def action_move(self, rows: int) -> None:
        """Move the cursor; above the first row is what was looked for before."""
        if rows == -1 and not self.rows.cursor:
            self.box.recall()
        else:
            self.rows.move_cursor(rows)

    def action_mark(self, rows: int) -> None:
        """Mark the way."""
        self.rows.action_mark(rows)

    def action_pick(self, otherwise: bool = False) -> None:
        """Answer the marked rows, or the one under the cursor."""
        if chosen := self.rows.chosen:
            self.box.remember()
            self.dismiss(Picked(tuple(row.value for row in chosen), otherwise, self.box.earlier))

    def _look(self) -> None:
        query = self.box.value
        self._wants_first = False
        self._jobs.run("find", lambda: self._find(query), self._show)

    def _show(self, rows: Sequence[PickRow]) -> None:
        if self.is_open:
            self.rows.set_rows(rows)
            if self._wants_first:
                self.action_pick()

    def _failed(self, error: Exception) -> None:
        if self.is_open:
            self.rows.empty = notice_of(error).message
            self.rows.set_rows(())


def fuzzy(rows: Sequence[PickRow]) -> Find:
    """Those of some rows that have every word of what is typed, those with all of it in their label first; then those
    whose label has its letters in their order."""

    def find(query: str) -> Sequence[PickRow]:
        typed = query.lower().strip()
        letters = typed.replace(" ", "")
        within = filtered(rows)(query)
        ranked = sorted(
            within, key=lambda row: (typed not in row.label.lower(), typed not in row.value.lower())
        )
        others = [row for row in rows if row not in within and _has_in_order(row.label.lower(), letters)]
        return [*ranked, *others]

    return find


def _has_in_order(text: str, letters: str) -> bool:
    rest = iter(text)
    return all(letter in rest for letter in letters)


def filtered(rows: Sequence[PickRow]) -> Find:
    """Return a search of the rows that show every typed word."""

    def find(query: str) -> Sequence[PickRow]:
        words = query.lower().split()
        shown = ((row, f"{row.label} {row.detail} {row.tail}".lower()) for row in rows)
        return [row for row, text in shown if all(word in text for word in words)]

    return find


_SYMBOLS, _FILES = 60, 40
_COMMITS = 1_000
_LINE = re.compile(r"(?P<file>[^:]+):(?P<line>[1-9]\d*)(?:[:,]\d+)?")
"""`File.cs:41`, also with a column as compilers print it."""
WORKING_TREE = ""
"""What is compared where no commit is named."""


def symbol_row(symbol: SymbolRef, positions: tuple[int, ...] = ()) -> PickRow:
    """A symbol as a row."""
    where = f"{symbol.file}:{symbol.start_line}"
    sign = KIND_GLYPHS[symbol.kind]
    return PickRow(symbol.id, symbol.label, symbol.container, sign=sign, tail=where, positions=positions)


def files_and_symbols(bench: Bench) -> Find:
    """Return a search of both, files first where the query looks like a path. `File.cs:41` finds a line of files."""

    def find(query: str) -> Sequence[PickRow]:
        if in_file := _LINE.fullmatch(query.strip()):
            files = bench.places.files(in_file["file"], most=_FILES)
            return [_file_row(hit, line=in_file["line"]) for hit in files]
        files = [_file_row(hit) for hit in bench.places.files(query, most=_FILES)]
        symbols = [_hit_row(hit) for hit in bench.index.search(query, limit=_SYMBOLS).hits]
        looks_like_path = "/" in query or "." in query
        return [*files, *symbols] if looks_like_path else [*symbols, *files]

    return find


def visited(spots: Sequence[Spot]) -> list[PickRow]:
    """Places that were visited: of the source the line one was at, else the symbol."""
    rows: list[PickRow] = []
    for spot in spots:
        at = f"{spot.file}:{spot.line}" if spot.line and (spot.view == SOURCE or spot.jump) else ""
        container, _, name = spot.label.rpartition(".") if at != spot.label else ("", "", "")
        label = name if "/" not in spot.label else spot.label.rpartition("/")[2]
        rows.append(
            PickRow(at or spot.place, label, container if "/" not in container else "", tail=at or spot.file)
        )
    return rows


def marks(known: Sequence[Mark]) -> list[PickRow]:
    """Marks, by their letters."""
    return [
        PickRow(each.letter, each.label, sign=each.letter, tail=each.place if ":" in each.place else "")
        for each in sorted(known, key=lambda mark: mark.letter)
    ]


def commits(bench: Bench) -> Find:
    """The working tree, and every commit whose subject, author, id or names have what is typed; what is typed itself
    where it may name one."""
    known: list[Commit] = []

    def find(query: str) -> Sequence[PickRow]:
        if not known:
            known.extend(_commits(bench))
        working = PickRow(WORKING_TREE, "Working tree", "against HEAD", sign="*")
        rows = filtered([working, *map(_commit_row, known)])(query)
        typed = query.strip()
        if typed and " " not in typed:
            rows = [
                *rows,
                PickRow(
                    typed, typed, "as written: a commit, A..B, A...B, or A.. (the tree against A)", sign=">"
                ),
            ]
        return rows

    return find


STASH = "+"
"""Before the word for what is put aside, in the value of the row that does it."""


def stashes(bench: Bench) -> Find:
    """Putting aside what is changed, named by what is typed, and every stash that has it."""

    def find(query: str) -> Sequence[PickRow]:
        word = query.strip()
        push = PickRow(
            f"{STASH}{word}",
            f"Put the changes aside as “{word}”" if word else "Put the changes of all tracked files aside",
            sign="+",
        )
        kept = [
            PickRow(each.id, each.subject, each.author, tail=f"{each.short} {_day(each)}")
            for each in bench.stashes.listed()
        ]
        return [push, *filtered(kept)(query)]

    return find


def file_commits(bench: Bench, file: str, line: int | None) -> Find:
    """Return a search of the commits of a file; that of a line, where one is meant, is first."""
    known: list[PickRow] = []

    def find(query: str) -> Sequence[PickRow]:
        if not known:
            if line is not None:
                known.append(_line_row(bench.changes.blame(file, line), line))
            known.extend(map(_commit_row, bench.changes.log(file)))
        return filtered(known)(query)

    return find


def _line_row(commit: Commit | None, line: int) -> PickRow:
    """Return the row of the commit of a line."""
    if commit is None:
        return PickRow(
            WORKING_TREE, f"Line {line} is not committed yet", "the working tree against HEAD", sign="▸"
        )
    row = _commit_row(commit)
    return replace(row, label=f"Line {line}: {row.label}", sign="▸")


def scope_of(picked: Picked) -> str:
    """Return the scope to compare: one commit by itself, or (`otherwise`) the working tree against it; several as a
    range."""
    first, last = picked.values[-1], picked.values[0]
    if len(picked.values) > 1:
        old = f"{first}^" if first else "HEAD"
        return f"{old}..{last}"
    return f"{last}.." if picked.otherwise and last and ".." not in last else last


def every_command(keys: Keys, situation: Situation) -> list[PickRow]:
    """All commands; one that makes no sense now shows why, and is offered all the same."""
    found: list[PickRow] = []
    for command in COMMANDS:
        refused = keys.unavailable_reason(command.id, situation)
        said = f"Not now: {refused}" if refused else command.help
        found.append(PickRow(command.id, command.title, said, tail=keys.shown(command.id), off=bool(refused)))
    return found


def commands(keys: Keys, situation: Situation) -> list[PickRow]:
    """The commands that make sense now: those of the pane in use first, and of these what acts on what the cursor is
    on."""
    fitting = [command for command in COMMANDS if not command.unavailable(situation) and command.id != "menu"]
    ranked = sorted(
        fitting,
        key=lambda command: (situation.pane not in command.footer, command.unavailable not in ABOUT_SUBJECT),
    )
    return [
        PickRow(command.id, command.title, command.help, tail=keys.shown(command.id)) for command in ranked
    ]


FOLLOW = "follow"
"""Value of the row that goes to the name under the cursor."""


def name_row(name: str) -> PickRow:
    """Return the row that opens the name under the cursor or the mouse."""
    return PickRow(FOLLOW, f"Go to {name}", "The name under the cursor.", sign="▸")


def _commits(bench: Bench) -> tuple[Commit, ...]:
    try:
        return bench.changes.commits(most=_COMMITS)
    except CodeCortexError:
        return ()


def _commit_row(commit: Commit) -> PickRow:
    refs = f" ({commit.refs})" if commit.refs else ""
    return PickRow(
        commit.short,
        commit.subject,
        f"{commit.author}{refs}",
        tail=f"{commit.short} {_day(commit)}",
    )


def _day(commit: Commit) -> str:
    return datetime.fromtimestamp(commit.at / 1000, UTC).strftime("%Y-%m-%d")


def _hit_row(hit: SearchHit) -> PickRow:
    return symbol_row(hit.symbol, hit.positions)


def _file_row(hit: FileHit, *, line: str = "") -> PickRow:
    """Return the row of a file, or of a line in it."""
    folder, _, name = hit.path.rpartition("/")
    start = len(hit.path) - len(name)
    positions = tuple(at - start for at in hit.positions if at >= start)
    at = f":{line}" if line else ""
    return PickRow(hit.path + at, name + at, folder, sign="/", positions=positions)
