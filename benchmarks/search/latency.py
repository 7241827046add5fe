"""How long a keystroke takes in symbol search: p50, p95, worst, and the memory of the columns.

    python -m benchmarks.search.latency [--symbols 1000000] [--corpus FOLDER] [--rounds 3]

Queries are typed character by character and then taken back. The bar is p95 < 16 ms at 1 000 000 symbols.
"""

from __future__ import annotations

import argparse
import gc
import time
from pathlib import Path

import numpy as np

from benchmarks.search import symbols as search_symbols
from services.index.search import SearchSegment, Symbols, SymbolSearch, dead_rows

QUERIES = (
    "serializeobject",
    "JCSO",
    "json ser obj",
    "JsonConverter.Write",
    "get value",
    "tostring",
    "seralzieobject",
    "kind:method create reader",
    "ns:Json access:public reader",
    "e",
    "s e",
    "dispose",
    "connectionfactory",
)


def strokes() -> list[str]:
    """Return the text of the box after each key: every query typed and then deleted."""
    found = []
    for query in QUERIES:
        typed = [query[:end] for end in range(1, len(query) + 1)]
        found += typed + typed[-2::-1]
    return found


def measure(search: SymbolSearch, rounds: int) -> list[tuple[float, float, str]]:
    """Milliseconds, milliseconds of the processor, and text of each keystroke."""
    found = []
    for _ in range(rounds):
        for text in strokes():
            start, busy = time.perf_counter(), time.thread_time()
            search.search(text)
            spent, busy = time.perf_counter() - start, time.thread_time() - busy
            found.append((spent * 1000, busy * 1000, text))
    return found


def report(title: str, found: list[tuple[float, float, str]]) -> None:
    """Print a line of figures and the slowest keystrokes."""
    print(f"{title}, {len(found)} keystrokes")
    for clock, times in (("elapsed", [one[0] for one in found]), ("processor", [one[1] for one in found])):
        p50, p95, worst = np.percentile(times, [50, 95, 100])
        print(f"  {clock}: p50 {p50:.1f} ms, p95 {p95:.1f} ms, worst {worst:.1f} ms")
    slowest = {text: busy for _, busy, text in sorted(found, key=lambda one: one[1])}
    for text, spent in sorted(slowest.items(), key=lambda item: -item[1])[:8]:
        print(f"    {spent:6.1f} ms  {text!r}")


def main() -> None:
    """Build, measure, print."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--symbols", type=int, default=1_000_000)
    options.add_argument("--corpus", type=Path)
    options.add_argument("--rounds", type=int, default=3)
    chosen = options.parse_args()
    rows = (
        search_symbols.of_folder(chosen.corpus) if chosen.corpus else search_symbols.made_up(chosen.symbols)
    )
    start = time.perf_counter()
    symbols = Symbols.build(rows)
    overlay = Symbols.build(rows[: len(rows) // 500] or rows)
    spent = time.perf_counter() - start
    print(f"{len(symbols):,} symbols, {len(symbols.names):,} names, {len(symbols.containers):,} containers")
    print(f"built in {spent:.2f} s, {symbols.nbytes / 1e6:.0f} MB of columns")
    del rows
    gc.collect()
    gc.freeze()
    report("one segment", measure(SymbolSearch([SearchSegment(symbols)]), chosen.rounds))
    dead = dead_rows(len(symbols), range(len(overlay)))
    report(
        "with an overlay",
        measure(SymbolSearch([SearchSegment(symbols, dead), SearchSegment(overlay)]), chosen.rounds),
    )


if __name__ == "__main__":
    main()
