"""How long a key takes until the middle shows what the cursor of the list has come to, on a terminal.

    python -m benchmarks.workbench.preview FOLDER QUERY [--keys 60]

A query is typed in a copy of FOLDER, then the cursor goes down row by row; each key is pressed when the screen has
stood still for a while. Measured is the time to the frame in which the title of the middle pane is another one, the
30 ms of rest before a preview among it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.harness.figures import percentile
from benchmarks.workbench.terminal import Terminal

_TITLE = r"╭─ [^─│╭]{1,90} ─+╮"
_DOWN = "\x1b[B"
_STILL = 0.5
_PATIENCE = 300.0


def measured(folder: Path, query: str, keys: int, home: Path) -> list[float]:
    """Milliseconds from each key to the title of its preview."""
    names = ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")
    environment = {name: str(home) for name in names}
    found: list[float] = []
    with Terminal(["-m", "workbench", "open", str(folder)], environment=environment) as terminal:
        terminal.first_text()
        terminal.until(r"fresh\s+idle", patience=_PATIENCE)
        terminal.settle(3.0)
        for letter in query:
            terminal.press(letter)
            terminal.rest(0.08)
        terminal.settle(_STILL)
        for _ in range(keys):
            sent = terminal.press(_DOWN)
            try:
                found.append(1000 * (terminal.until(_TITLE, patience=2.0).at - sent))
            except TimeoutError:  # the next row has the same title
                time.sleep(0)
            terminal.settle(_STILL)
    return found


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("query")
    parser.add_argument("--keys", type=int, default=60)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        found = sorted(measured(asked.folder, asked.query, asked.keys, Path(scratch)))
    p50, p95 = percentile(found, 0.5), percentile(found, 0.95)
    print(
        f"{asked.query}: {len(found)} previews, p50 {p50:.0f} ms, p95 {p95:.0f} ms, worst {found[-1]:.0f} ms"
    )


if __name__ == "__main__":
    main()
