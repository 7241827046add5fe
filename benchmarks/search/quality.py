"""Quality of symbol search, compared with fzf on the same symbols.

    python -m benchmarks.search.quality FOLDER [--queries 60] [--seed 7]

Needs `fzf` and universal-ctags. Symbols are drawn from the folder by a fixed seed; for each, queries are made as a
developer would type them, without looking at either ranking. Each tool gets the distinct dotted paths of the same
symbols; a place is that of the meant path. Both answer `fzf --filter` and `search` with the same text, but for dots,
which both take as typed.
"""

from __future__ import annotations

import argparse
import random
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks.search import symbols as search_symbols
from services.index.search import SearchSegment, SymbolRow, Symbols, SymbolSearch

SHOWN = 50
"""A symbol that is not among the first 50 counts as not found, for both."""


@dataclass(frozen=True, slots=True)
class Case:
    """A query and the path that was meant by it."""

    kind: str
    query: str
    path: str


def words(name: str) -> list[str]:
    """The words of a Pascal-cased name."""
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+", name)


def prefix(row: SymbolRow, chance: random.Random) -> str:
    """The beginning of the name, small letters."""
    return row.name[: max(4, int(len(row.name) * chance.uniform(0.5, 1)))].lower()


def whole(row: SymbolRow, _: random.Random) -> str:
    """The name as it is written."""
    return row.name


def humps(row: SymbolRow, chance: random.Random) -> str:
    """Initials of the type and the name, capitals: `JCSO`."""
    own = "".join(word[0] for word in words(row.name))
    return (
        ("".join(word[0] for word in words(last(row))) + own).upper()
        if chance.random() < 0.5
        else own.upper()
    )


def hump_pieces(row: SymbolRow, chance: random.Random) -> str:
    """Two to four letters of each of the first words: `serobj`."""
    return "".join(word[: chance.randrange(2, 5)] for word in words(row.name)[:4]).lower()


def middle(row: SymbolRow, _: random.Random) -> str:
    """The words after the first."""
    return "".join(words(row.name)[1:]).lower()


def scattered(row: SymbolRow, chance: random.Random) -> str:
    """The name with about a third of its letters left out, never the first."""
    kept = [char for index, char in enumerate(row.name) if not index or chance.random() > 0.35]
    return "".join(kept).lower()


def type_and_name(row: SymbolRow, chance: random.Random) -> str:
    """Pieces of the type and of the name, a blank between."""
    return f"{piece(last(row), chance)} {piece(row.name, chance)}"


def dotted(row: SymbolRow, chance: random.Random) -> str:
    """The type, a dot, the beginning of the name."""
    return f"{last(row)}.{piece(row.name, chance)}"


def swapped(row: SymbolRow, chance: random.Random) -> str:
    """The name with two neighbouring letters swapped."""
    at = chance.randrange(1, len(row.name) - 2)
    return (row.name[:at] + row.name[at + 1] + row.name[at] + row.name[at + 2 :]).lower()


def mistyped(row: SymbolRow, chance: random.Random) -> str:
    """The name with one letter wrong."""
    at = chance.randrange(1, len(row.name) - 1)
    return (row.name[:at] + chance.choice("aeinrst") + row.name[at + 1 :]).lower()


def words_apart(row: SymbolRow, chance: random.Random) -> str:
    """Three to five letters of each of the first words, blanks between: `retr stra opti`."""
    return " ".join(word[: chance.randrange(3, 6)] for word in words(row.name)[:4]).lower()


def last(row: SymbolRow) -> str:
    """The simple name of the type a symbol is in."""
    return row.container.rpartition(".")[2]


def piece(name: str, chance: random.Random) -> str:
    """The beginning of a name, a few letters or a few words."""
    return name[: chance.randrange(4, max(6, len(name)))].lower()


MAKERS: tuple[Callable[[SymbolRow, random.Random], str], ...] = (
    prefix,
    whole,
    humps,
    hump_pieces,
    middle,
    scattered,
    type_and_name,
    dotted,
    swapped,
    mistyped,
    words_apart,
)


def cases(rows: list[SymbolRow], each: int, seed: int) -> list[Case]:
    """`each` cases of every kind, the same for the same rows and seed."""
    chance = random.Random(seed)
    meant = [row for row in rows if 6 <= len(row.name) <= 40 and row.container and len(words(row.name)) > 1]
    return [
        Case(maker.__name__, maker(row, chance), f"{row.container}.{row.name}")
        for maker in MAKERS
        for row in chance.sample(meant, min(each, len(meant)))
    ]


def by_fzf(paths: list[str], queries: list[str]) -> list[list[str]]:
    """The first paths fzf gives for each query."""
    given = "\n".join(paths).encode()
    found = []
    for query in queries:
        done = subprocess.run(
            ["fzf", "-i", f"--filter={query}"], input=given, capture_output=True, check=False
        )
        found.append(done.stdout.decode().splitlines()[:SHOWN])
    return found


def by_search(rows: list[SymbolRow], queries: list[str]) -> list[list[str]]:
    """The first paths symbol search gives for each query."""
    search = SymbolSearch([SearchSegment(Symbols.build(rows))])
    answers = [search.search(query, limit=SHOWN) for query in queries]
    return [[f"{rows[hit.row].container}.{rows[hit.row].name}" for hit in answer.hits] for answer in answers]


def figures(found: list[list[str]], made: list[Case]) -> tuple[float, float]:
    """Mean reciprocal rank, and the share of cases whose path is among the first ten."""
    places = [
        paths.index(case.path) + 1 if case.path in paths else 0
        for paths, case in zip(found, made, strict=True)
    ]
    return sum(1 / place for place in places if place) / len(places), sum(0 < p <= 10 for p in places) / len(
        places
    )


def main() -> None:
    """Print both tools' figures for each kind of query and for all."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    options.add_argument("--queries", type=int, default=60, help="of each kind")
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--show", metavar="KIND", help="print the cases of a kind that search lost to fzf")
    chosen = options.parse_args()
    paths = {f"{row.container}.{row.name}": row for row in reversed(search_symbols.of_folder(chosen.folder))}
    rows = list(reversed(paths.values()))
    made = cases(rows, chosen.queries, chosen.seed)
    queries = [case.query for case in made]
    ours, theirs = by_search(rows, queries), by_fzf([f"{r.container}.{r.name}" for r in rows], queries)
    print(
        f"{len(rows):,} paths, {len(made)} queries\n{'kind':16}{'MRR':>8}{'fzf':>8}{'hit@10':>10}{'fzf':>8}"
    )
    for kind in [maker.__name__ for maker in MAKERS] + ["all"]:
        own = [index for index, case in enumerate(made) if kind in (case.kind, "all")]
        mine = figures([ours[i] for i in own], [made[i] for i in own])
        other = figures([theirs[i] for i in own], [made[i] for i in own])
        print(f"{kind:16}{mine[0]:8.3f}{other[0]:8.3f}{mine[1]:10.3f}{other[1]:8.3f}")
        if kind == chosen.show:
            for i in own:
                show(made[i], ours[i], theirs[i])


def show(case: Case, ours: list[str], theirs: list[str]) -> None:
    """Print a case in which search did worse than fzf, with what it preferred."""
    mine = ours.index(case.path) if case.path in ours else SHOWN
    other = theirs.index(case.path) if case.path in theirs else SHOWN
    if mine > other:
        print(f"    {case.query!r} → {case.path}: {mine + 1} against {other + 1}; first {ours[:2]}")


if __name__ == "__main__":
    main()
