"""Rows of the pickers: files and symbols, commits, commands, symbols."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.errors import CodeCortexError
from services.model import Commit, FileHit, SearchHit, SymbolRef
from widgets.format.kinds import KIND_GLYPHS
from widgets.lists.pick_list import PickRow
from workbench.commands.commands import COMMANDS
from workbench.commands.keymap import Keys
from workbench.commands.situation import ABOUT_SUBJECT, SOURCE, Situation
from workbench.ui.picker import Find, Picked, filtered

if TYPE_CHECKING:
    from services.bench import Bench
    from workbench.code.visits import Spot
    from workbench.state.ui_state import Mark

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
