"""Everyday use of the workbench: the first letter, each letter, and its cost at rest.

    python -m benchmarks.workbench.everyday FOLDER [--rounds 3] [--rest 30]

The workspace is indexed before. The workbench runs on a terminal of its own and is driven by keys alone. A figure says
how long it was from the key until the row it leads to was painted. The load of the machine is printed beside, for it
decides what the figures are worth.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from benchmarks.harness.figures import percentile
from benchmarks.harness.machine import proportional
from benchmarks.workbench.terminal import Terminal

QUERIES = ("control", "json", "read", "item", "context")
_ROW = "▸"
_CTRL_SPACE, _CLEAR = "\x00", "\x15"
_A_WHILE, _MOST_WAITS, _HARDLY = 5.0, 24, 0.02
"""Seconds that are looked at, how often, and the share of a core below which the background is at its end."""
_TICK = os.sysconf("SC_CLK_TCK")


def worked(process: int) -> float:
    """Seconds of processor that a process and its children have had."""
    total = 0.0
    for one in family(process):
        fields = Path(f"/proc/{one}/stat").read_text("ascii").rpartition(")")[2].split()
        total += (int(fields[11]) + int(fields[12])) / _TICK
    return total


def family(process: int) -> list[int]:
    """A process and all that it and its children have started, each thread of theirs."""
    children: list[str] = []
    for thread in Path(f"/proc/{process}/task").iterdir():
        with suppress(OSError):  # it has just ended
            children += (thread / "children").read_text("ascii").split()
    return [process, *(each for child in children for each in family(int(child)))]


def first_letter(folder: Path, state: Path) -> tuple[float, float]:
    """Seconds from the start to the first text, and from a letter typed then to its results."""
    with _opened(folder, state) as terminal:
        painted = terminal.first_text()
        sent = terminal.press("c")
        frame = terminal.until(_ROW)
        return painted, frame.at - sent


def letters(folder: Path, state: Path) -> list[float]:
    """Seconds from each letter to its row, typed one after the other into a box that was emptied."""
    found: list[float] = []
    with _ready(folder, state) as terminal:
        for query in QUERIES:
            terminal.press(_CLEAR)
            terminal.settle(0.3)
            for letter in query:
                sent = terminal.press(letter)
                found.append(terminal.until(_ROW).at - sent)
                terminal.settle(0.1)
    return found


def at_rest(folder: Path, state: Path, seconds: float) -> tuple[float, float]:
    """MB of the workbench with all its processes, shared pages in parts, and the share of a core it takes."""
    with _ready(folder, state) as terminal:
        terminal.press(_CTRL_SPACE)
        _wait_for_rest(terminal)
        before = worked(terminal.process)
        terminal.rest(seconds)
        share = (worked(terminal.process) - before) / seconds
        return sum(proportional(one) for one in family(terminal.process)), share


def _wait_for_rest(terminal: Terminal) -> None:
    """Read on until nothing is left to do: what bodies name, words and history are worked out in the background."""
    for _ in range(_MOST_WAITS):
        before = worked(terminal.process)
        terminal.rest(_A_WHILE)
        if worked(terminal.process) - before < _HARDLY * _A_WHILE:
            return


def _ready(folder: Path, state: Path) -> Terminal:
    terminal = _opened(folder, state)
    terminal.first_text()
    terminal.press("c")
    terminal.until(_ROW)
    terminal.settle(0.5)
    return terminal


def _opened(folder: Path, state: Path) -> Terminal:
    homes = {name: str(state) for name in ("HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    return Terminal(["-m", "workbench", "open", str(folder)], environment=homes)


def _said(name: str, values: Sequence[float], bar: str) -> str:
    middle, slow = percentile([*values], 0.5) * 1000, percentile([*values], 0.95) * 1000
    return f"{name}: p50 {middle:.0f} ms, p95 {slow:.0f} ms of {len(values)} (bar {bar})"


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rest", type=float, default=30.0)
    asked = parser.parse_args()
    folder = asked.folder.resolve()
    with tempfile.TemporaryDirectory() as home:
        state = Path(home)
        with _ready(folder, state) as terminal:  # what is kept for the next start is made at rest
            _wait_for_rest(terminal)
        firsts = [first_letter(folder, state) for _ in range(asked.rounds)]
        print(_said("first text", [text for text, _ in firsts], "-"))
        print(_said("a letter at first paint to its results", [letter for _, letter in firsts], "200 ms"))
        print(_said("a letter to its results", letters(folder, state), "33 ms"))
        memory, share = at_rest(folder, state, asked.rest)
        print(f"at rest: {memory:.0f} MB (bar 200), {share:.2%} of a core (bar 0.3 %)")
    load = re.split(r"\s+", Path("/proc/loadavg").read_text("ascii"))[:3]
    print(f"load of the machine: {' '.join(load)}")


if __name__ == "__main__":
    main()
