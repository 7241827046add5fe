"""Share of declarations that a file retains while it is broken.

    python -m benchmarks.index.broken FOLDER … [--files 2000] [--seed 1] [--cuts 1000] [--show 0]

One token (a brace, a parenthesis, a semicolon, a keyword or a comma: first the sort is drawn, then the token) is taken
out of each of a seeded choice of files, in its project's preprocessor symbols. Of the declarations of the whole file,
all but the innermost one that holds the token must still be there, with the same ids: the type's full name, kind and
arity, and the signature that a member's id is cut from. Then as many files are cut off, or lose a stretch, anywhere:
the time of the slowest is told, and whether each record makes sense.
"""

from __future__ import annotations

import argparse
import random
import re
import time
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.harness.machine import machine
from services.index.build.project_cache import ProjectRequest
from services.index.build.units import plan
from services.index.build.worker import as_utf8
from services.model import TYPE_KINDS, Quality
from services.syntax.parse.branches import lex_file
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import FileRecord
from services.syntax.records.hashing import type_name
from services.syntax.records.words import KEYWORDS
from services.workspace.files.root import Root

SORTS = ("brace", "parenthesis", "semicolon", "keyword", "comma")
_TOKEN = re.compile(rb"[{}]|[()]|;|,|@?[A-Za-z_]\w*")
_SORT = {b"{": 0, b"}": 0, b"(": 1, b")": 1, b";": 2, b",": 4}
_KEYWORDS = frozenset(word.encode() for word in (*KEYWORDS, "record", "get", "set", "init", "partial", "var"))

Identity = tuple[str, str, int, int]
"""Full name, kind, arity of the type; the number of the member's signature, 0 of the type itself."""


@dataclass(slots=True)
class Kept:
    """Declarations outside what was touched, those that stayed, and how many files lost some."""

    files: int = 0
    all: int = 0
    stayed: int = 0
    added: int = 0
    hurt: int = 0

    def add(self, found: Losses) -> None:
        """Counts a file."""
        self.files += 1
        self.all += found.wanted
        self.stayed += found.wanted - found.lost.total()
        self.added += found.added
        self.hurt += bool(found.lost)

    def row(self, name: str) -> str:
        """A line of the table."""
        share = 100 * self.stayed / self.all if self.all else 100.0
        return f"| {name} | {self.files:,} | {self.all:,} | {share:.2f} % | {self.added:,} | {self.hurt:,} |"


@dataclass(frozen=True, slots=True)
class Source:
    """A file: its path, its text, the symbols of its project."""

    path: str
    text: bytes
    symbols: frozenset[str]


def sources(folder: Path, most: int, chance: random.Random) -> list[Source]:
    """A choice of the C# files of a folder's projects."""
    root = Root.open(folder)
    planned = plan(root, ProjectRequest(), known=None, cancel=None)
    symbols = {unit.path: planned.symbol_sets[unit.symbols] for unit in reversed(planned.units)}
    chosen = chance.sample(sorted(symbols), min(most, len(symbols)))
    return [Source(path, as_utf8(root.read(path)[0], path), symbols[path]) for path in chosen]


def identities(record: FileRecord) -> list[Identity]:
    """Return the parts of each declaration's id."""
    numbers = array("I", record.signatures)
    types: dict[int, Identity] = {}
    found: list[Identity] = []
    for at, each in enumerate(record.declarations):
        holder = types.get(each.parent)
        if each.kind in TYPE_KINDS:
            name = type_name(each, holder[0] if holder else None, record.scopes)
            types[at] = (name, each.kind.value, len(each.type_parameters), 0)
            found.append(types[at])
        else:
            found.append((*holder[:3], numbers[at]) if holder else ("", each.kind.value, 0, numbers[at]))
    return found


def tokens(source: Source) -> list[list[tuple[int, int]]]:
    """Return the offsets of the tokens of each sort."""
    found: list[list[tuple[int, int]]] = [[] for _ in SORTS]
    for match in _TOKEN.finditer(lex_file(source.text, source.symbols).clean):
        sort = _SORT.get(match[0], 3 if match[0] in _KEYWORDS else None)
        if sort is not None:
            found[sort].append(match.span())
    return found


def untouched(record: FileRecord, at: int) -> Counter[Identity]:
    """The declarations outside the innermost one that holds the offset."""
    holding = [each for each in record.declarations if each.start <= at < each.end]
    inner = min(holding, key=lambda each: each.end - each.start, default=None)
    place = (inner.start, inner.end) if inner is not None else None
    return Counter(
        identity
        for identity, each in zip(identities(record), record.declarations, strict=True)
        if (each.start, each.end) != place
    )


@dataclass(frozen=True, slots=True)
class Losses:
    """Lost ones of the `wanted` declarations, and the number of new ones."""

    wanted: int
    lost: Counter[Identity]
    added: int
    quality: Quality


def losses(source: Source, token: tuple[int, int]) -> Losses:
    """Return the losses of a file without the token at (start, end)."""
    start, end = token
    before = read_file(source.text, source.symbols)
    after = read_file(source.text[:start] + source.text[end:], source.symbols)
    wanted, now = untouched(before, start), Counter(identities(after))
    added = (now - Counter(identities(before))).total()
    return Losses(wanted.total(), wanted - now, added, after.quality)


def broken(folder: Path, files: int, seed: int) -> Iterator[tuple[str, str, Losses]]:
    """The sort of the token, what was done, and what it cost, of each file."""
    chance = random.Random(seed)
    for source in sources(folder, files, chance):
        places = tokens(source)
        sorts = [sort for sort, found in enumerate(places) if found]
        if not sorts:
            continue
        sort = chance.choice(sorts)
        start, end = chance.choice(places[sort])
        found = losses(source, (start, end))
        line = source.text.count(b"\n", 0, start) + 1
        what = f"{source.path}:{line} {source.text[start:end].decode()} ({found.quality.value})"
        yield SORTS[sort], what, found


def cut(source: Source, chance: random.Random) -> bytes:
    """The text cut off somewhere, or without a stretch."""
    start = chance.randrange(len(source.text) + 1)
    if chance.random() < 0.5:
        return source.text[:start]
    return source.text[:start] + source.text[start + chance.randrange(1, 400) :]


def is_sane(record: FileRecord, size: int) -> bool:
    """Whether every declaration is within the file, in existing lines, inside its type, and has a name."""
    declarations = record.declarations
    return all(
        0 <= each.start <= each.end <= size
        and 1 <= each.start_line <= each.end_line <= record.line_count + 1
        and -1 <= each.parent < at
        and (each.parent < 0 or declarations[each.parent].kind in TYPE_KINDS)
        and 0 <= each.scope < len(record.scopes)
        and bool(each.name)
        for at, each in enumerate(declarations)
    )


def cuts(folder: Path, count: int, seed: int) -> tuple[int, list[str], float, str]:
    """Files cut, those whose records make no sense, the seconds of the slowest, and which it was."""
    chance = random.Random(seed)
    chosen = sources(folder, count, chance)
    wrong, slowest = [], (0.0, "")
    for at in range(count if chosen else 0):
        source = chosen[at % len(chosen)]
        text = cut(source, chance)
        began = time.perf_counter()
        record = read_file(text, source.symbols)
        slowest = max(slowest, (time.perf_counter() - began, f"{source.path} ({len(text):,} bytes)"))
        if not is_sane(record, len(text)):
            wrong.append(source.path)
    return (count if chosen else 0), wrong, *slowest


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    options = argparse.ArgumentParser(prog="python -m benchmarks.index.broken", description=__doc__)
    options.add_argument("folders", type=Path, nargs="+")
    options.add_argument("--files", type=int, default=2_000, help="of each folder (2000)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--cuts", type=int, default=1_000, help="of each folder (1000)")
    options.add_argument("--show", type=int, default=0, help="so many files that lost most (0)")
    chosen = options.parse_args(arguments)
    print(
        f"*{machine()}*\n\n| | files | declarations | stayed | added | files that lost any |\n|---|---|---|---|---|---|"
    )
    for folder in chosen.folders:
        _print_folder(folder, chosen)


def _print_folder(folder: Path, chosen: argparse.Namespace) -> None:
    name = folder.resolve().name
    rows = {sort: Kept() for sort in SORTS} | {name: Kept()}
    hurt: list[tuple[int, str]] = []
    for sort, what, found in broken(folder, chosen.files, chosen.seed):
        lost = found.lost.total()
        for row in (rows[sort], rows[name]):
            row.add(found)
        if lost:
            hurt.append((lost, what))
    for title, row in rows.items():
        print(row.row(title if title == name else f"{name}: {title}"))
    for count, what in sorted(hurt, reverse=True)[: chosen.show]:
        print(f"  {count} lost: {what}")
    if chosen.cuts:
        count, wrong, seconds, which = cuts(folder, chosen.cuts, chosen.seed)
        text = f"{count:,} cuts of {name}: {len(wrong)} records without sense {wrong[:3]}"
        print(f"\n{text}, slowest {seconds:.2f} s, {which}\n")


if __name__ == "__main__":
    main()
