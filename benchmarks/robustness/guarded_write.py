"""Guarded writes: cost compared with a plain write, fsync and rename of the same file, and competing processes.

    python -m benchmarks.robustness.guarded_write [--writes 300] [--processes 10] [--edits 100] [--folder DIR]

Files lie in a fresh folder below DIR (default: the current one, because a temporary folder may be in memory).
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from services.source.text.edit import Edit
from tests.support.contention import race
from tests.support.writing import ME, Place

_LINE = b"        private readonly int value; // a line of a usual length\r\n"


def percentile(values: list[float], share: float) -> float:
    """The value below which `share` of all lie, in ms."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] * 1000


def timed(times: int, act: Callable[[int], None]) -> list[float]:
    """Seconds that each of `times` calls took."""
    taken = []
    for number in range(times):
        start = time.perf_counter()
        act(number)
        taken.append(time.perf_counter() - start)
    return taken


def plain(folder: Path, data: bytes) -> Callable[[int], None]:
    """A temp file, fsync and rename, as careful editors write; the folder is not synced."""

    def act(number: int) -> None:
        descriptor = os.open(folder / "plain.tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(descriptor, data + str(number).encode())
        os.fsync(descriptor)
        os.close(descriptor)
        (folder / "plain.tmp").replace(folder / "plain.cs")

    return act


def guarded(place: Place, handle: str) -> Callable[[int], None]:
    """Return a writer that replaces one line with the token of the write before."""
    token = place.token("guarded.cs")

    def act(number: int) -> None:
        nonlocal token
        edit = Edit(100, 100, f"line {number}")
        token = place.writer.edit("guarded.cs", edit, token=token, handle=handle, owner=ME).token

    return act


def compare(folder: Path, lines: int, writes: int) -> None:
    """Prints both, taken in turns so that a busy disk is busy for both."""
    data = _LINE * lines
    place = Place(folder)
    place.put("guarded.cs", data)
    ours = guarded(place, place.lock("guarded.cs"))
    theirs = plain(folder, data)
    mine: list[float] = []
    other: list[float] = []
    for number in range(writes):
        mine += timed(1, lambda _, number=number: ours(number))
        other += timed(1, lambda _, number=number: theirs(number))
    place.close()
    for name, taken in (("guarded", mine), ("plain", other)):
        print(
            f"{lines:>6} lines  {name:<8} median {statistics.median(taken) * 1000:6.2f} ms"
            f"  p95 {percentile(taken, 0.95):6.2f} ms"
        )
    print(f"{lines:>6} lines  p95 ratio {percentile(mine, 0.95) / percentile(other, 0.95):.2f}")


def fight(folder: Path, processes: int, edits: int) -> None:
    """Prints how many edits were acknowledged and how many are there."""
    (folder / "log.cs").write_bytes(b"end\n")
    start = time.perf_counter()
    statuses = race(folder, processes, edits)
    taken = time.perf_counter() - start
    there = set((folder / "log.cs").read_text("utf-8").splitlines()[:-1])
    acknowledged = sum(edits for status in statuses if status == 0)
    print(
        f"{processes} processes x {edits} edits: {acknowledged} acknowledged, {len(there)} applied, {taken:.1f} s"
    )


def main() -> None:
    """Prints everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writes", type=int, default=300)
    parser.add_argument("--processes", type=int, default=10)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--folder", default=".")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        for lines in (500, 10_000):
            (Path(name) / str(lines)).mkdir()
            compare(Path(name) / str(lines), lines, given.writes)
        (Path(name) / "fight").mkdir()
        fight(Path(name) / "fight", given.processes, given.edits)


if __name__ == "__main__":
    main()
