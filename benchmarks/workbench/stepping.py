"""How long a change set takes to open in the workbench, and each of its files to be stepped to, from key to frame.

python -m benchmarks.workbench.stepping FOLDER [--range HEAD~60..HEAD] [--files 40]

FOLDER is a repository, indexed before. Of each step two times: to the row under the cursor, and to the diff of the next
file under its path. Beside them a key of a trivial Textual app, right before and right after.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.harness.corpus import settings
from benchmarks.harness.figures import percentile
from benchmarks.workbench.screen import trivial
from benchmarks.workbench.terminal import Terminal
from services.bench import Bench

_ESCAPE, _ENTER, _NEXT_FILE = "\x1b", "\r", ">"
_ROW = "▸"
_QUIET, _AT_REST = 0.3, 20.0
_TOLD = 18
"""Characters of the end of a path that its heading shows in any case."""


def main() -> None:
    """Measure and print."""
    chosen = _options().parse_args()
    with Bench.open(chosen.folder, settings=settings(1)) as bench:
        bench.index.refresh()
        paths = [each.path for each in bench.review.open(chosen.range).set.files]
    before = trivial()
    with tempfile.TemporaryDirectory() as home:
        arguments = ["-m", "workbench", "open", str(chosen.folder)]
        with Terminal(arguments, environment={"XDG_STATE_HOME": home}) as terminal:
            opened = _opened(terminal, chosen.range, paths)
            steps = [_step(terminal, path) for path in paths[1 : chosen.files]]
    rows, diffs = ([step[at] for step in steps] for at in (0, 1))
    print(f"{chosen.folder.name} {chosen.range}, {len(paths)} files: opened {opened:.0f} ms")
    print(f"{len(steps)} steps: key to row {_told(rows)}; key to diff {_told(diffs)}")
    print(f"a trivial app: p95 {before:.1f} ms before, {trivial():.1f} ms after")


def _opened(terminal: Terminal, change: str, paths: Sequence[str]) -> float:
    """Milliseconds from choosing the change set to its list and its first diff."""
    terminal.first_text()
    terminal.until(_ROW)
    terminal.rest(_AT_REST)
    for key in (_ESCAPE, "b"):
        terminal.press(key)
        terminal.settle(_QUIET)
    terminal.press(change)
    terminal.rest(1.0)
    sent = terminal.press(_ENTER)
    frame = terminal.until(".")
    seen = frame.text
    while not (f"{len(paths)} file" in seen and re.search(r"hunk \d+ of", seen)):
        frame = terminal.until(".")
        seen += frame.text
    terminal.rest(2.0)
    return (frame.at - sent) * 1000


def _step(terminal: Terminal, path: str) -> tuple[float, float]:
    """Milliseconds to the row under the cursor, and to the diff of the next file."""
    sent, row, end = terminal.press(_NEXT_FILE), 0.0, path[-_TOLD:]
    while frame := terminal.frame(time.perf_counter() + 30):
        row = row or (frame.at if _ROW in frame.text else 0.0)
        if f"{end} ━" in frame.text or f"{end} ─" in frame.text:
            terminal.settle(_QUIET)
            return ((row or frame.at) - sent) * 1000, (frame.at - sent) * 1000
    raise TimeoutError(f"the diff of {path} was not painted")


def _told(values: Sequence[float]) -> str:
    p50, p95 = (percentile(list(values), share) for share in (0.5, 0.95))
    return f"p50 {p50:.1f}, p95 {p95:.1f}, max {max(values):.1f} ms"


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="python -m benchmarks.workbench.stepping", description=__doc__,
                                      formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    options.add_argument("folder", type=Path)
    options.add_argument("--range", default="HEAD~60..HEAD", help="the change set")
    options.add_argument("--files", type=int, default=40, help="how many of them are stepped to")
    return options


if __name__ == "__main__":
    main()
