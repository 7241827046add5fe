"""Usages of a seeded choice of types and members: time of a query, share of bound ones, matches of a grep.

    python -m benchmarks.index.usages FOLDER [--symbols 200] [--seed 4] [--show bound|doubtful] [--lines 40]

Each symbol is asked for twice; the second time counts, when what it needs of types is known. *grep* counts the name as
a whole word in the C# files that the index holds. `--show` prints a seeded choice of usages of a grade, to be read.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.corpus import copied
from benchmarks.harness.figures import percentile
from benchmarks.harness.machine import machine

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model import Symbol

_NAMELESS = frozenset({"indexer", "operator", "conversion", "destructor", "constructor"})
_TYPES = frozenset({"class", "struct", "interface", "enum", "record", "record struct", "delegate"})


@dataclass(frozen=True, slots=True)
class Answer:
    """Query. `seconds`: to the end; `first`: to the first file with a usage; `grep`: matches of the name."""

    id: str
    seconds: float
    first: float
    bound: int
    doubtful: int
    grep: int
    usages: tuple[tuple[str, bool], ...]


def picked(bench: Bench, *, count: int, seed: int) -> dict[str, list[Symbol]]:
    """So many types and so many members that are used by their name."""
    every = [
        symbol
        for symbol in bench.index.symbols()
        if not symbol.implicit and symbol.kind not in _NAMELESS and not symbol.explicit_interface
    ]
    # By hash: a symbol more or less in the workspace changes the choice by one.
    every.sort(key=lambda symbol: hashlib.sha256(f"{seed} {symbol.id}".encode()).digest())
    types = [symbol for symbol in every if symbol.kind in _TYPES]
    members = [symbol for symbol in every if symbol.kind not in _TYPES]
    return {"types": types[:count], "members": members[:count]}


class Texts:
    """The files of the index, to count words in."""

    def __init__(self, folder: Path, paths: Sequence[str]) -> None:
        self._texts = [(folder / path).read_bytes() for path in paths]

    def count(self, name: str) -> int:
        """Count a name as a whole word."""
        word = re.escape(name.encode())
        pattern = re.compile(word + rb"(?<![\w\x80-\xff]" + word + rb")(?![\w\x80-\xff])")
        return sum(len(pattern.findall(text)) for text in self._texts)


def asked(bench: Bench, symbol: Symbol, texts: Texts) -> Answer:
    """The query, once to learn and once on the clock."""
    index = bench.index.facade  # pyright: ignore[reportPrivateUsage]
    found = index.resolve(symbol.id).found[0]
    for _ in index.usages(found):
        pass
    began = time.perf_counter()
    first = 0.0
    usages: list[tuple[str, bool]] = []
    for file in index.usages(found):
        first = first or time.perf_counter() - began
        usages += (
            (f"{file.path}:{s.line}:{s.column}: {s.snippet.strip()[:150]}", s.grade == "bound")
            for s in file.spots
        )
    seconds = time.perf_counter() - began
    bound = sum(is_bound for _, is_bound in usages)
    counted = texts.count(symbol.name.partition("<")[0])
    return Answer(symbol.id, seconds, first, bound, len(usages) - bound, counted, tuple(usages))


def row(name: str, answers: Sequence[Answer]) -> str:
    """The figures of a group as a row of a Markdown table."""
    seconds = [answer.seconds * 1000 for answer in answers]
    first = [answer.first * 1000 for answer in answers if answer.first]
    bound, doubtful, grep = (sum(getattr(a, of) for a in answers) for of in ("bound", "doubtful", "grep"))
    share = bound / max(1, bound + doubtful)
    times = " | ".join(f"{percentile(seconds, at):,.0f}" for at in (0.5, 0.95, 1.0))
    return (
        f"| {name} | {len(answers)} | {times} | {percentile(first, 0.5):,.0f} / {percentile(first, 0.95):,.0f} "
        f"| {bound:,} | {doubtful:,} | **{share:.1%}** | {grep:,} | {grep - bound - doubtful:,} |"
    )


def shown(answers: Sequence[Answer], *, bound: bool, count: int, seed: int) -> Iterator[str]:
    """A seeded choice of usages, every symbol alike, as lines."""
    chosen = [(a.id, [text for text, is_bound in a.usages if is_bound is bound]) for a in answers]
    chosen = [(id_, texts) for id_, texts in chosen if texts]
    choice = random.Random(seed)
    for _ in range(count if chosen else 0):
        id_, texts = choice.choice(chosen)
        yield f"{id_}\n    {choice.choice(texts)}"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--symbols", type=int, default=200, help="types, and as many members (200)")
    parser.add_argument("--seed", type=int, default=4)
    parser.add_argument("--show", choices=("bound", "doubtful"))
    parser.add_argument("--lines", type=int, default=40)
    chosen = parser.parse_args()
    name = chosen.folder.resolve().name
    with copied(chosen.folder, name=name, workers=2, rounds=1, kept=True) as corpus:
        answers = measured(corpus.folder, corpus.paths, count=chosen.symbols, seed=chosen.seed)
        print(f"{name}: {corpus.scale}; {machine()}\n")
    print(
        "| group | queries | p50 ms | p95 | most | first p50 / p95 | bound | name match | share | grep | left out |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for group, of_group in answers.items():
        print(row(f"{name}, {group}", of_group))
    for group, of_group in answers.items() if chosen.show else ():
        print(f"\n{group}")
        print(*shown(of_group, bound=chosen.show == "bound", count=chosen.lines, seed=chosen.seed), sep="\n")


def measured(folder: Path, paths: Sequence[str], *, count: int, seed: int) -> dict[str, list[Answer]]:
    """The answers for types and for members."""
    from benchmarks.harness.corpus import settings
    from services.bench import Bench

    texts = Texts(folder, paths)
    with Bench.open(folder, settings=settings(2)) as bench:
        bench.index.load()
        bench.index.refresh()
        chosen = picked(bench, count=count, seed=seed)
        return {group: [asked(bench, each, texts) for each in symbols] for group, symbols in chosen.items()}


if __name__ == "__main__":
    main()
