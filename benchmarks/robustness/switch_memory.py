"""Memory of an open workspace while branches are switched under it.

python -m benchmarks.robustness.switch_memory REPOSITORY [--pair OLD:NEW] [--switches 100] [--seconds 600]

A clone is switched there and back between two commits far apart. After each switch the index is brought up to date and
asked as a workbench and its agents ask: search, outlines, usages, dependencies, the window. The anonymous memory of the
process is what can leak; mapped files are the kernel's to drop. Ends with 1 where its slope after the tenth switch is
told from zero.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.harness.corpus import settings
from benchmarks.harness.machine import anonymous
from benchmarks.index.branch_switches import Pair, check_out, clone_sources, git
from services.concurrency.gc_pause import few_arenas
from services.errors import CodeCortexError

if TYPE_CHECKING:
    from services.bench import Bench

_SETTLED = 10
"""Switches after which nothing is to grow any more."""
_LEAST_SLOPE = 0.05
"""MB a switch below which memory is flat: a hundred switches then come to 5 MB."""


def use(bench: Bench, paths: Sequence[str]) -> None:
    """Make the calls of a workbench and its agents after a switch."""
    bench.index.refresh()
    bench.index.relate()
    for query in ("get", "e", "async task"):
        bench.index.search(query, limit=50)
    for path in paths:
        with suppress(CodeCortexError):  # one of the commits may lack it
            bench.outlines.outline(path)
            bench.usages.find(path)
    bench.health.status()


def slope(values: Sequence[float]) -> tuple[float, float]:
    """Change a step by least squares, and its standard error."""
    count = len(values)
    middle, mean = (count - 1) / 2, sum(values) / count
    spread = sum((at - middle) ** 2 for at in range(count))
    found = sum((at - middle) * (value - mean) for at, value in enumerate(values)) / spread
    rest = sum((value - mean - found * (at - middle)) ** 2 for at, value in enumerate(values))
    return found, (rest / max(1, count - 2) / spread) ** 0.5


def switched(folder: Path, pair: Pair, *, switches: int, seconds: float) -> Iterator[float]:
    """Yield the anonymous memory (MB) after each switch of a folder whose workspace is open."""
    from services.bench import Bench

    few_arenas()  # as servers and the workbench do
    check_out(folder, pair[1])
    ends = time.monotonic() + seconds
    with Bench.open(folder, settings=settings(2)) as bench:
        use(bench, ())
        paths = [hit.symbol.path for hit in bench.index.search("e", limit=20).hits]
        for number in range(switches):
            check_out(folder, pair[number % 2])
            use(bench, paths)
            yield anonymous()
            if time.monotonic() > ends:
                return


def main() -> int:
    """0 where memory is flat."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("repository", type=Path)
    options.add_argument(
        "--pair", metavar="OLD:NEW", help="default: the last commit, and one a fifth before it"
    )
    options.add_argument("--switches", type=int, default=100)
    options.add_argument("--seconds", type=float, default=600)
    given = options.parse_args()
    commits = git(given.repository, "rev-list", "--first-parent", "HEAD").split()
    old, _, new = (given.pair or f"{commits[len(commits) // 5]}:{commits[0]}").partition(":")
    values: list[float] = []
    with TemporaryDirectory(prefix="codecortex-memory-") as temporary:
        folder = Path(temporary, given.repository.resolve().name)
        clone_sources(given.repository, folder)
        for value in switched(folder, (old, new), switches=given.switches, seconds=given.seconds):
            values.append(value)
            print(f"{len(values):3} {value:7.1f} MB", flush=True)
    if len(values) < _SETTLED + 3:
        print(f"{len(values)} switches tell nothing: give it more --seconds.")
        return 1
    found, error = slope(values[_SETTLED:])
    print(f"{len(values)} switches: {found:+.3f} ± {error:.3f} MB a switch after the {_SETTLED}th")
    return 1 if found - 2 * error > _LEAST_SLOPE else 0


if __name__ == "__main__":
    sys.exit(main())
