"""Processor time of starts that come before any work: `python -m benchmarks.workbench.start_up [--against CHECKOUT]`.

Two checkouts are started in turn, so that what else the machine does costs both alike.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROUNDS = 15
_TOLD = "import atexit, sys, time; atexit.register(lambda: print('ms', time.process_time() * 1000))\n"
_MAIN = """
import importlib, pathlib
name = 'workbench.shell.cli' if pathlib.Path('workbench/shell/cli.py').exists() else 'workbench.cli'
importlib.import_module(name).run(sys.argv[1:])
"""
STARTS: Mapping[str, str] = {
    "--version": f"sys.argv = ['codecortex', '--version']{_MAIN}",
    "search --help": f"sys.argv = ['codecortex', 'search', '--help']{_MAIN}",
    "the operations imported": "import services.operations",
}


def main() -> None:
    """Median milliseconds of each start, by checkout."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout of this repository")
    against: Path | None = parser.parse_args().against
    trees = [Path.cwd(), *([against] if against else [])]
    for tree in trees:
        subprocess.run(
            [sys.executable, "-m", "compileall", "-q", "services", "workbench"], cwd=tree, check=False
        )
    for name, code in STARTS.items():
        figures = [round(each) for each in measured(code, trees)]
        print(f"{name}: {figures[0]} ms" + (f", {figures[1]} there" if against else ""))


def measured(code: str, trees: Sequence[Path]) -> list[float]:
    """The median of each checkout, in ms of processor time."""
    found: dict[Path, list[float]] = {tree: [] for tree in trees}
    for _ in range(ROUNDS):
        for tree in trees:
            found[tree].append(_started(code, tree))
    return [statistics.median(found[tree]) for tree in trees]


def _started(code: str, tree: Path) -> float:
    command = [sys.executable, "-c", _TOLD + code]
    done = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=True)
    return float(done.stdout.rpartition("ms ")[2])


if __name__ == "__main__":
    main()
