"""Measures FindContext on a repository's own history, without looking ahead.

python -m benchmarks.context FOLDER [--commits FILE] [--json OUT] [--count N] [--among N]

Each commit's parent is checked out in a clone that is gone afterwards and indexed as it is, and the history ends with
it. *words*: from the commit's own words find the types it changed. *seed*: from one member it changed find the other
types it changed. Tests are not to be found (they come last by intent); of what is nested the outermost type counts.
BM25, counting and chance rank the same types, tests last too, and are packed into the same budgets: as outlines
alone, those of large types shortened as they are offered, and as a window of ten outlines with signatures behind them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from benchmarks.context.baselines import Sources
from benchmarks.context.commits import check_out, cloned, ordered, parent, sampled
from benchmarks.context.tasks import BUDGETS, Score, Scorer, tasks_of
from benchmarks.harness.corpus import settings
from services.bench import Bench

RANKINGS = ("FindContext", "BM25", "counting", "random")


class Result(msgspec.Struct):
    """Results of a run. `skipped`: commits with fewer than two types to find, or without a parent; `symbols`: of the
    last parent; `prepare_ms`: the time of reading words and history, commit by commit."""

    repository: str
    commits: int = 0
    skipped: int = 0
    symbols: int = 0
    prepare_ms: list[float] = []
    scores: list[Score] = []


def main() -> None:
    """Measure, print and store the results."""
    chosen = _options().parse_args()
    with TemporaryDirectory(prefix="codecortex-context-") as temporary:
        clone = cloned(chosen.folder.resolve(), Path(temporary, "clone"))
        if chosen.commits:
            commits = ordered(clone, chosen.commits.read_text().split())
        else:
            commits = sampled(clone, count=chosen.count, among=chosen.among)
        result = measured(clone, commits, name=chosen.folder.resolve().name)
    print(table(result))
    if chosen.json:
        chosen.json.write_bytes(msgspec.json.format(msgspec.json.encode(result), indent=1))


def measured(clone: Path, commits: Sequence[str], *, name: str) -> Result:
    """Every commit, one after the other."""
    result, sources = Result(name), Sources()
    bench: Bench | None = None
    try:
        for number, commit in enumerate(commits, 1):
            before = parent(clone, commit)
            if before is None:
                result.skipped += 1
                continue
            check_out(clone, before)
            bench = bench or Bench.open(clone, settings=settings(2))
            _measure(bench, clone, commit, sources, result)
            print(f"{number}/{len(commits)} {commit[:10]}", end="\r", file=sys.stderr)
    finally:
        if bench is not None:
            bench.close()
    return result


def _measure(bench: Bench, clone: Path, commit: str, sources: Sources, result: Result) -> None:
    bench.index.refresh()
    bench.index.relate()
    bench.index.read_bodies()
    began = time.perf_counter()
    bench.context.prepare()
    result.prepare_ms.append(round((time.perf_counter() - began) * 1000, 1))
    index = bench.index.facade
    structure = bench.context.structure()
    tasks = tasks_of(bench, structure, clone, commit)
    if not tasks:
        result.skipped += 1
        return
    sources.update(index.catalogue, index.records)
    scorer = Scorer(bench, structure, sources)
    result.commits += 1
    result.symbols = len(index.catalogue)
    for task in tasks:
        result.scores += scorer.scores(task)


def table(result: Result) -> str:
    """The means over commits, as Markdown."""
    rows = [
        f"# {result.repository}: {result.commits} commits ({result.skipped} skipped), {result.symbols:,} symbols",
        "",
        "| task | ranking | recall@10 | "
        + " | ".join(f"{kind} of {budget // 1000} k" for budget in BUDGETS for kind in ("outlines", "window"))
        + " |",
        "|---|---|---|" + "---|" * 2 * len(BUDGETS),
    ]
    for kind in dict.fromkeys(score.kind for score in result.scores):
        for ranking in RANKINGS:
            found = [each for each in result.scores if (each.kind, each.ranking) == (kind, ranking)]
            figures = [_mean(found, [each.first for each in found])]
            for n in range(len(BUDGETS)):
                figures.append(_mean(found, [each.outlines[n] for each in found]))
                figures.append(_mean(found, [each.within[n] for each in found]))
            rows.append(
                f"| {kind} | {ranking} | " + " | ".join(f"{100 * each:.1f} %" for each in figures) + " |"
            )
    times = sorted(each.ms for each in result.scores if each.ranking == "FindContext")
    if times:
        rows += ["", f"FindContext: median {_at(times, 0.5):.0f} ms, p95 {_at(times, 0.95):.0f} ms."]
    return "\n".join(rows)


def _mean(scores: Sequence[Score], values: Sequence[float]) -> float:
    weight = sum(each.weight for each in scores)
    return sum(each.weight * value for each, value in zip(scores, values, strict=True)) / (weight or 1.0)


def _at(values: Sequence[float], share: float) -> float:
    return values[min(len(values) - 1, int(len(values) * share))]


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.context")
    parser.add_argument("folder", type=Path, help="a git repository of C#")
    parser.add_argument("--commits", type=Path, help="a file of commit hashes, instead of a sample")
    parser.add_argument("--json", type=Path, help="where every score goes")
    parser.add_argument("--count", type=int, default=30, help="commits in the sample")
    parser.add_argument("--among", type=int, default=150, help="newest commits it is taken from")
    return parser


if __name__ == "__main__":
    try:
        main()
    except subprocess.CalledProcessError as error:
        sys.exit(f"git failed: {error.stderr.decode('utf-8', 'replace').strip() or error}")
