"""Rank of symbols with a unique name when that name is typed.

    python -m benchmarks.search.unique_names FOLDER … [--seed 24] [--count 125]

So many names of each folder are drawn, types and members alike, and typed as they are.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from services.bench import Bench
from services.settings import Settings


def first_of(folder: Path, *, seed: int, count: int) -> tuple[int, int, list[str]]:
    """How many names are unique, how many were drawn, and those that did not come first."""
    with Bench.open(folder, settings=Settings()) as bench:
        bench.index.refresh()
        bench.index.relate()
        symbols = [symbol for symbol in bench.index.symbols() if not symbol.implicit]
        times = Counter(symbol.name for symbol in symbols)
        unique = [each for each in symbols if times[each.name] == 1 and each.name.replace("_", "").isalnum()]
        drawn = random.Random(seed).sample(sorted(unique, key=lambda each: each.id), min(count, len(unique)))
        missed = [each.name for each in drawn if not _is_first(bench, each.name, each.id)]
        return len(unique), len(drawn), missed


def _is_first(bench: Bench, name: str, id_: str) -> bool:
    hits = bench.index.search(name, limit=1).hits
    return bool(hits) and hits[0].symbol.id == id_


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--count", type=int, default=125)
    asked = parser.parse_args()
    total = missing = 0
    for folder in asked.folders:
        unique, drawn, missed = first_of(folder.resolve(), seed=asked.seed, count=asked.count)
        total, missing = total + drawn, missing + len(missed)
        print(f"{folder.name}: {unique} unique names, {drawn - len(missed)} of {drawn} first", *missed)
    print(f"all: {total - missing} of {total} first ({(total - missing) / max(1, total):.1%}, bar 99 %)")


if __name__ == "__main__":
    main()
