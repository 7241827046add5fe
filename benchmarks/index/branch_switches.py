"""Equality of an index after switches of branches with a fresh one.

python -m benchmarks.index.branch_switches REPOSITORY [--pairs OLD:NEW …] [--count 30] [--seed 1]

A clone is switched from commit to commit, by `--count` pairs of its history far apart, or by those that are named. By
turns a pair is switched at rest, while a refresh runs, and while a second process refreshes too. After each the whole
index, symbol by symbol with dependencies, is compared with one that is made anew of the same commit; so is that of the
second process. Ends with 1 where anything differs or fails.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING

import msgspec

from benchmarks.harness.corpus import forget, settings
from benchmarks.harness.fresh import environment
from services.index.symbols.partials import in_source_order

if TYPE_CHECKING:
    from services.bench import Bench
    from services.index.index import Index

Pair = tuple[str, str]
Dump = dict[str, bytes]
"""By id and place, all that is known of a symbol."""

MODES = ("at rest", "while a refresh runs", "with a second process")
_APART = 0.05
"""Of a history, how far the commits of a pair are apart at least."""
_SHOWN = 5
_MATTER = (
    "*.cs",
    "*.sln*",
    "*.*proj",
    "*.projitems",
    "*.props",
    "*.targets",
    "global.json",
    "project.json",
    "*.config",
    ".*ignore",
)
"""What is checked out: a mirror may lack what is large and no source."""


def dump(bench: Bench) -> Dump:
    """Return everything that an index knows, independent of the order in which it was read."""
    bench.index.refresh()
    bench.index.relate()
    index = bench.index.facade  # pyright: ignore[reportPrivateUsage]
    found: Dump = {"counts": repr((index.counts(), sorted(index.qualities().items()))).encode()}
    for at, text in _types(index):
        found[at] = text
    for query in ("", "get", "ex"):
        answer = bench.index.search(query, limit=1)
        found[f"search {query}"] = repr((answer.total, answer.searched)).encode()
    return found


def _types(index: Index) -> Iterator[tuple[str, bytes]]:
    with index.reading():
        for at in in_source_order(index.catalogue):
            detail = index.detail(at)
            if detail is None:
                yield f"type {at}", b"cannot be read"
                continue
            symbol = detail.symbol
            yield f"{symbol.id} {symbol.fqn} {symbol.project} {symbol.file}", _written(detail)


def _written(detail: object) -> bytes:
    told = msgspec.to_builtins(detail)
    told["obsolete"] = sorted(told.get("obsolete") or ())
    return msgspec.json.encode(told, order="sorted")


def differences(found: Dump, wanted: Dump) -> list[str]:
    """Return the differences, the first few in words."""
    keys = sorted(key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key))
    return [
        f"{key}: {_near(found.get(key, b'not there'), wanted.get(key, b'not there'))}"
        for key in keys[:_SHOWN]
    ] + [f"and {len(keys) - _SHOWN} more"] * (len(keys) > _SHOWN)


def _near(one: bytes, other: bytes) -> str:
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    first = max(0, at - 60)
    return f"{one[first : at + 60]!r}, fresh {other[first : at + 60]!r}"


# Repositories


def git(folder: Path, *arguments: str) -> str:
    """Run git and return its output. Raises CalledProcessError."""
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def check_out(folder: Path, commit: str) -> None:
    """Has the files of a commit in a folder, and no others but the program's own."""
    git(folder, "checkout", "--quiet", "--force", "--detach", commit)
    git(folder, "clean", "-fdxq")


def pairs_of(repository: Path, *, count: int, seed: int) -> list[Pair]:
    """Pairs of commits far apart, the same for the same seed."""
    commits, choose = git(repository, "rev-list", "--all").split(), random.Random(seed)
    found: list[Pair] = []
    while len(found) < count:
        first, second = choose.randrange(len(commits)), choose.randrange(len(commits))
        if abs(first - second) >= len(commits) * _APART:
            found.append((commits[first], commits[second]))
    return found


def clone_sources(repository: Path, clone: Path) -> None:
    """Clones a repository with nothing checked out, of which only what an index reads will be."""
    git(clone.parent, "clone", "--quiet", "--no-checkout", str(repository.resolve()), str(clone))
    git(clone, "sparse-checkout", "set", "--no-cone", *_MATTER)
    # Where attributes change and a file does not, git leaves the ends of its lines as they were.
    (clone / ".git" / "info" / "attributes").write_text("* -text -filter\n")


# One pair


class Switched:
    """Clone with a stored index, which is switched, and another in which indexes are built afresh."""

    def __init__(self, repository: Path, folder: Path, workers: int) -> None:
        # Of one name: a folder in which there are no projects is one that is called like it.
        self.kept, self.anew = (folder / name / repository.resolve().name for name in ("kept", "anew"))
        self._workers = workers
        for clone in (self.kept, self.anew):
            clone.parent.mkdir()
            clone_sources(repository, clone)

    def fresh(self, commit: str) -> Dump:
        """Return everything that a fresh index knows of a commit."""
        from services.bench import Bench

        check_out(self.anew, commit)
        forget(self.anew)
        with Bench.open(self.anew, settings=settings(self._workers)) as bench:
            return dump(bench)

    def switch(self, pair: Pair, mode: str) -> list[str]:
        """Return the differences from a fresh index after a switch."""
        from services.bench import Bench

        check_out(self.kept, pair[0])
        forget(self.kept)
        with contextlib.ExitStack() as ended:
            bench = ended.enter_context(Bench.open(self.kept, settings=settings(self._workers)))
            dump(bench)
            other = ended.enter_context(_Other(self.kept, self._workers)) if mode == MODES[2] else None
            failed = self._switched(bench, pair[1], other, mode)
            found = dump(bench)
            others = other.dump() if other is not None else None
        wanted = self.fresh(pair[1])
        told = [*failed, *differences(found, wanted)]
        if others is not None:
            told += [f"second process: {each}" for each in differences(others, wanted)]
        return told

    def _switched(self, bench: Bench, commit: str, other: _Other | None, mode: str) -> list[str]:
        failed: list[str] = []

        def refresh() -> None:
            try:
                bench.index.refresh()
                bench.index.search("get")
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                failed.append(f"{type(error).__name__}: {error}")

        refreshing = threading.Thread(target=refresh)
        if mode != MODES[0]:
            git(self.kept, "checkout", "--quiet", "--force", "--detach", f"{commit}~1")
            if other is not None:
                other.refresh()
            refreshing.start()
            time.sleep(0.2)
        check_out(self.kept, commit)
        if mode != MODES[0]:
            refreshing.join()
        refresh()
        return failed


class _Other:
    """A second process with an index of the same folder."""

    def __init__(self, folder: Path, workers: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.index.branch_switches", str(folder), "--serve", str(workers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment(),
        )
        self._ask(b"refresh")
        self._answer()
        self._asked = 0

    def __enter__(self) -> _Other:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def refresh(self) -> None:
        """Refresh, in parallel with all else."""
        self._ask(b"refresh")
        self._asked += 1

    def dump(self) -> Dump:
        """All that it knows."""
        self._ask(b"dump")
        for _ in range(self._asked):
            self._answer()
        self._asked = 0
        return self._answer()

    def _ask(self, what: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(what + b"\n")
        stdin.flush()

    def _answer(self) -> Dump:
        stdout = self._process.stdout
        assert stdout is not None
        size = int(stdout.readline() or 0)
        return msgspec.msgpack.decode(stdout.read(size), type=Dump) if size else {"process": b"has ended"}


def serve(folder: Path, workers: int, asked: IO[bytes], answers: IO[bytes]) -> None:
    """Answer requests, one a line, until the input ends."""
    from services.bench import Bench

    with Bench.open(folder, settings=settings(workers)) as bench:
        bench.index.load()
        for line in asked:
            try:
                told = (
                    dump(bench)
                    if line == b"dump\n"
                    else {"changes": repr(len(bench.index.refresh())).encode()}
                )
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
                told = {"failed": f"{type(error).__name__}: {error}".encode()}
            data = msgspec.msgpack.encode(told)
            answers.write(f"{len(data)}\n".encode() + data)
            answers.flush()


def run(repository: Path, pairs: Sequence[Pair], *, workers: int) -> int:
    """Switches all pairs and prints what differs; how many pairs differ."""
    wrong = 0
    with TemporaryDirectory(prefix="codecortex-switches-") as temporary:
        switched = Switched(repository, Path(temporary), workers)
        for number, pair in enumerate(pairs):
            mode, began = MODES[number % len(MODES)], time.monotonic()
            told = switched.switch(pair, mode)
            wrong += bool(told)
            seconds = time.monotonic() - began
            print(
                f"{pair[0][:8]} → {pair[1][:8]} {mode}: {len(told)} differences, {seconds:.0f} s", flush=True
            )
            for each in told:
                print(f"    {each}", flush=True)
    print(f"{len(pairs)} pairs, {wrong} of them different from a fresh index")
    return wrong


def main() -> int:
    """0 where nothing differs."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("repository", type=Path)
    options.add_argument("--pairs", nargs="+", metavar="OLD:NEW", default=[])
    options.add_argument("--count", type=int, default=30)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--serve", type=int, metavar="WORKERS", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.serve is not None:
        serve(given.repository, given.serve, sys.stdin.buffer, sys.stdout.buffer)
        return 0
    named = [(first, second) for first, _, second in (each.partition(":") for each in given.pairs)]
    pairs = named or pairs_of(given.repository, count=given.count, seed=given.seed)
    return 1 if run(given.repository, pairs, workers=given.workers) else 0


if __name__ == "__main__":
    sys.exit(main())
