"""Measures what FindContext costs on a large workspace: questions, history, a changed file.

python -m benchmarks.context.latency FOLDER [--questions N]

The newest commit is checked out in a clone that is gone afterwards and indexed. *Questions*: words are subjects of the
newest commits, seeds are types by chance; all are asked once before the clock runs, as a workbench asks on. Times are
those of the clock and of the processor, which tells more on a machine that others work on. *Changed file*: a method is
added; the time is from when the index has it to when its words are found.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.context.commits import check_out, cloned, git
from benchmarks.harness.corpus import settings
from services.bench import Bench
from services.bench.window.context import ContextRequest
from services.context import cochange as log
from services.context.cochange import CoChangeHistory

_WORD = "Zyxwvutsr"


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.context.latency")
    parser.add_argument("folder", type=Path, help="a git repository of C#")
    parser.add_argument("--questions", type=int, default=50, help="of each kind")
    chosen = parser.parse_args()
    with TemporaryDirectory(prefix="codecortex-latency-") as temporary:
        clone = cloned(chosen.folder.resolve(), Path(temporary, "clone"))
        check_out(clone, "HEAD")
        _history(clone)
        with Bench.open(clone, settings=settings(2)) as bench:
            bench.index.refresh()
            bench.index.relate()
            bench.index.read_bodies()
            _row("words and history read anew", [_timed(bench.context.prepare)])
            index = bench.index.facade
            print(f"  of {len(list(index.catalogue.live_types())):,} types, {len(index.catalogue):,} symbols")
            for kind, questions in _questions(bench, clone, chosen.questions).items():
                asked = [lambda q=question: bench.context.find(q) for question in questions]
                _row(f"{kind}, first time", [_timed(ask) for ask in asked])
                _row(f"{kind}, warm", [_timed(ask) for ask in asked])
            _row("changed file", [_changed(bench, clone, number) for number in range(10)])


def _history(clone: Path) -> None:
    history, tip = CoChangeHistory(), log.tip(clone) or ""
    took = _timed(lambda: history.add(tip, log.read(clone, tip)))
    commits = git(clone, "rev-list", "--count", "HEAD").strip()
    size = len(msgspec.msgpack.encode(history.stored())) / 1e6
    _row(f"history of {commits} commits, {len(history):,} kept, {size:.1f} MB", [took])


def _questions(bench: Bench, clone: Path, count: int) -> dict[str, list[ContextRequest]]:
    chance = random.Random(1)
    subjects = git(clone, "log", "--no-merges", f"-{4 * count}", "--format=%s").splitlines()
    index = bench.index.facade
    live = list(index.catalogue.live_types())
    types = chance.sample(live, min(count, len(live)))
    ids = [id_ for at, _ in types if (id_ := index.identities.type_id(at))]
    return {
        "words": [ContextRequest(words=said) for said in chance.sample(subjects, min(count, len(subjects)))],
        "seed": [ContextRequest(seeds=(id_,)) for id_ in ids],
    }


def _changed(bench: Bench, clone: Path, number: int) -> tuple[float, float]:
    """Measure how long a word just written into a file takes to be found."""
    files = [entry.path for entry in bench.index.facade.catalogue.files if entry is not None]
    file = clone / random.Random(number).choice(files)
    word = _WORD + chr(ord("a") + number) * 3
    file.write_bytes(file.read_bytes() + f"\npublic class {word}Probe {{ }}\n".encode())
    bench.index.refresh()
    bench.index.relate()
    took = _timed(bench.context.prepare)
    found = bench.context.find(ContextRequest(words=word)).items
    if not any(word in item.symbol.label for item in found):
        raise SystemExit(f"{word} in {file.name} was not found")
    return took


def _timed(act: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds by the clock, and of the processor, git's with them."""
    clock, processor = time.perf_counter(), sum(os.times()[:4])
    act()
    return (time.perf_counter() - clock) * 1000, (sum(os.times()[:4]) - processor) * 1000


def _row(what: str, took: Sequence[tuple[float, float]]) -> None:
    told: list[str] = []
    for name, values in zip(("clock", "processor"), zip(*took, strict=True), strict=True):
        ordered = sorted(values)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        told.append(f"{name} median {ordered[len(ordered) // 2]:,.0f} ms, p95 {p95:,.0f} ms")
    print(f"{what}: {'; '.join(told)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
