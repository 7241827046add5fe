"""How long a change set takes to open, and each file of it to be stepped to the first time.

python -m benchmarks.change_sets FOLDER … [--ranges 20,60,150]

Ranges are HEAD~N..HEAD. Beside each, `git diff --raw --numstat` of the same range, run right before: what no viewer
over git can be quicker than. Times in ms, wall and (of this process) CPU, as a busy machine stretches the former. The
first range of a run has the imports in it.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.harness.corpus import settings
from services.bench import Bench


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """(wall, CPU) of a call, in ms."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1000, (time.process_time() - cpu) * 1000


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of them is."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main() -> None:
    """Measure and print."""
    chosen = _options().parse_args()
    for folder in chosen.folders:
        for commits in map(int, chosen.ranges.split(",")):
            print(_measured(folder, f"HEAD~{commits}..HEAD"), flush=True)


def _measured(folder: Path, change: str) -> str:
    with Bench.open(folder, settings=settings(1)) as bench:
        command = ["git", "-C", str(folder), "diff", "--raw", "--numstat", "-M", change]
        bare, _ = timed(lambda: subprocess.run(command, check=True, capture_output=True))
        opened = []
        wall, cpu = timed(lambda: opened.append(bench.review.open(change)))
        source, files = opened[0].source, opened[0].set.files
        steps = [timed(lambda file=file: source.hunks(file)) for file in files]
    walls, cpus = [step[0] for step in steps], [step[1] for step in steps]
    return (
        f"{folder.name} {change}: {len(files)} files; git {bare:.0f}; open {wall:.0f} (CPU {cpu:.0f}); "
        f"hunks first time p50 {percentile(walls, 0.5):.1f}, p95 {percentile(walls, 0.95):.1f}, max {max(walls):.1f} "
        f"(CPU p95 {percentile(cpus, 0.95):.1f}, max {max(cpus):.1f})"
    )


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.change_sets", description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    options.add_argument("folders", nargs="+", type=Path)
    options.add_argument("--ranges", default="20,60,150", help="how many commits back, separated by commas")
    return options


if __name__ == "__main__":
    main()
