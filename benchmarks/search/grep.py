"""Grep of a workspace against ripgrep: the same folder, both interleaved, so that a busy machine slows both.

    python -m benchmarks.search.grep [--rounds N] FOLDER [PATTERN …]

Both list the files themselves, leave out what git ignores and what is binary, and write down every matching line. A
pattern behind `i:` is matched in any case. ripgrep has to be on the PATH. Prints medians in ms, the time to the first
file with a match, and the ratio of the medians; `lines` differ where ripgrep's `\\w` and `\\d` know all of Unicode.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest, GrepTotals, grep_files
from services.workspace.files.root import Root

PATTERNS = (
    "ExecuteSqlRaw",
    "NoSuchTextAnywhere",
    "i:executesqlraw",
    r"public\s+\w+\s+Exec\w+\(",
    r"^\s+public override \w+ \w+\(.*\)$",
    r"\w+\s+\d{4}\b",
    r"TODO|HACK|FIXME",
)
_EVERY = 10**9


class Run(NamedTuple):
    """Search. `first`: seconds until the first file with a match, 0 without any."""

    seconds: float
    first: float
    lines: int


def ours(root: Root, pattern: str, case_insensitive: bool) -> Run:
    """The program's own search."""
    began = time.perf_counter()
    first = 0.0
    lines = 0
    wanted = GrepRequest(compiled(pattern, case_insensitive=case_insensitive), 0, _EVERY)
    for file in grep_files(root, wanted, tally=GrepTotals()):
        first = first or time.perf_counter() - began
        lines += file.match_count
    return Run(time.perf_counter() - began, first, lines)


def ripgrep(folder: Path, pattern: str, case_insensitive: bool) -> Run:
    """ripgrep's, its output read to the end."""
    program = shutil.which("rg")
    if program is None:
        sys.exit("ripgrep is not on the PATH.")
    options = [
        "--no-config",
        "--hidden",
        "-g",
        "!.git",
        "--no-heading",
        "-n",
        *(["-i"] if case_insensitive else []),
    ]
    began = time.perf_counter()
    done = subprocess.run(
        [program, *options, "-e", pattern, "./"], cwd=folder, capture_output=True, check=False
    )
    return Run(time.perf_counter() - began, 0.0, done.stdout.count(b"\n"))


def main() -> None:
    """Measure each pattern and print a line for it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("patterns", nargs="*", default=PATTERNS)
    parser.add_argument("--rounds", type=int, default=9)
    chosen = parser.parse_args()
    print(f"{'pattern':<40} {'lines':>7} {'rg':>7} {'ours ms':>8} {'rg ms':>7} {'first':>6} {'ratio':>6}")
    with Root.open(chosen.folder) as root:
        for each in chosen.patterns:
            pattern = each.removeprefix("i:")
            arguments = (pattern, pattern != each)
            pairs = [(ours(root, *arguments), ripgrep(root.path, *arguments)) for _ in range(chosen.rounds)]
            own, other = (median(run.seconds for run in runs) * 1000 for runs in zip(*pairs, strict=True))
            first = median(run.first for run, _ in pairs) * 1000
            lines = f"{pairs[0][0].lines:>7} {pairs[0][1].lines:>7}"
            print(f"{each:<40} {lines} {own:>8.0f} {other:>7.0f} {first:>6.0f} {own / other:>6.2f}")


if __name__ == "__main__":
    main()
