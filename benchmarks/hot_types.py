"""Time of the usages of a heavily used type, bound and looked up, compared with a scan of all files for its name.

    python -m benchmarks.hot_types FOLDER TYPE … [--rounds 5] [--edit FILE]

A copy of FOLDER is indexed, its bodies are bound, and it is opened anew: the first question reads what is kept. With
`--edit` a body of that file gets a statement, round after round, and what leans on it is renewed, beside reading and
parsing it; processor time of the thread that does it stands beside, as machines are shared.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.harness.corpus import copied, settings
from services.syntax.parse.grammar import parse

if TYPE_CHECKING:
    from services.bench import Bench
    from services.model import Usage


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(prog="benchmarks.hot_types", description="Usages of types with many.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("types", nargs="+")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--edit", help="a file of the folder")
    chosen = parser.parse_args()
    from services.bench import Bench

    with copied(chosen.folder, name=chosen.folder.resolve().name, workers=2, rounds=1, kept=True) as corpus:
        with Bench.open(corpus.folder, settings=settings(2)) as bench:
            bench.index.load()
            bench.index.refresh()
            bench.index.relate()
            began = time.perf_counter()
            bench.index.read_bodies()
            print(
                f"{corpus.name}, {corpus.scale}: bodies bound in {time.perf_counter() - began:.0f} s",
                flush=True,
            )
            if chosen.edit:
                _tell_renewals(bench, corpus.folder / chosen.edit, chosen)
        for name in chosen.types:
            with Bench.open(corpus.folder, settings=settings(2)) as bench:
                bench.index.load()
                bench.index.refresh()
                bench.index.relate()
                first, rows, total = _first(bench, name)
                again = [
                    _timed(lambda b=bench, n=name: b.usages.find(n, limit=200).total)[0]
                    for _ in range(chosen.rounds)
                ]
            scan, _ = _timed(lambda n=name: _scan(corpus.folder, corpus.paths, n.rpartition(".")[2]))
            print(
                f"{name}: {total:,} usages, first {first * 1000:.0f} ms, its first {_ROWS} "
                f"{rows * 1000:.0f} ms, again "
                f"{statistics.median(again) * 1000:.0f} ms; reading every file for its name {scan * 1000:.0f} ms",
                flush=True,
            )


_ROWS = 50
"""Usages that fill a screen."""


def _first(bench: Bench, name: str) -> tuple[float, float, int]:
    """Return the seconds of a search, those until a screen of its usages was found, and the number of all."""
    count, until = 0, 0.0

    def found(usages: Sequence[Usage]) -> None:
        nonlocal count, until
        if count < _ROWS:
            until = time.perf_counter() - began
        count += len(usages)

    began = time.perf_counter()
    total = bench.usages.find(name, limit=200, found=found).total
    return time.perf_counter() - began, until, total


def _tell_renewals(bench: Bench, path: Path, chosen: argparse.Namespace) -> None:
    text = path.read_text("utf-8-sig")
    body = re.search(r"\)\s*\{", text)
    if body is None:
        raise SystemExit(f"{chosen.edit} has no body that a statement could stand in.")
    walls, cpus, parses = list[float](), list[float](), list[float]()
    index = bench.index.facade  # pyright: ignore[reportPrivateUsage]
    for round_ in range(chosen.rounds):
        path.write_text(f"{text[: body.end()]} string added{round_} = null; {text[body.end() :]}", "utf-8")
        parses.append(_timed(lambda: len(parse(path.read_bytes()).root_node.children))[0])
        began = time.thread_time()
        index.update([chosen.edit], report=lambda _: None, cancel=None)
        wall, _ = _timed(lambda: int(index.dependencies.relate()) + int(index.dependencies.read_bodies()))
        walls.append(wall)
        cpus.append(time.thread_time() - began)
    wall, cpu, parsed = (statistics.median(each) * 1000 for each in (walls, cpus, parses))
    print(
        f"{chosen.edit}: a changed body renewed in {wall:.0f} ms, {cpu:.0f} ms of processor with reading the file; "
        f"parsing it {parsed:.0f} ms",
        flush=True,
    )


def _timed(ask: Callable[[], int]) -> tuple[float, int]:
    began = time.perf_counter()
    found = ask()
    return time.perf_counter() - began, found


def _scan(folder: Path, paths: tuple[str, ...], name: str) -> int:
    """Count a name in all files."""
    pattern = re.compile(rb"\b" + name.encode() + rb"\b")
    return sum(len(pattern.findall((folder / path).read_bytes())) for path in paths)


if __name__ == "__main__":
    main()
