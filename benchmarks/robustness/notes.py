"""Semantic notes of a repository: queued, shown, and made under kills.

python -m benchmarks.robustness.notes FOLDER [--types 10000] [--shown 200]   # FOLDER: a copy, which is written into
python -m benchmarks.robustness.notes FOLDER --kills 12 [--types 60]   # two processes, killed at random

Under kills each note is asked of a scripted model, which writes down what it is asked and by whom; the file system says
how often each note was written.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from benchmarks.harness.corpus import forget
from services.bench import Bench
from services.bench.asking import Asking
from services.llm.profiles import ModelProfiles, Profile
from services.llm.values import ChatMessage, End, Event, TextPiece, Tool
from services.settings import SemanticSettings, Settings
from services.workspace.files.openers import SHARED_FOLDER

_ANSWER = "ROLE: It is {0}.\nLIFECYCLE: a\nEDGE_CASES: b\nLIMITATIONS: c\nRECOMMENDATIONS: d\n"
PROFILES = ModelProfiles(models={"made": Profile(endpoint="http://127.0.0.1:9/v1", name="made")})


class Logged:
    """Model that answers at once, with a different note for each type, and logs its requests."""

    def __init__(self, log: Path) -> None:
        self._log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def complete(
        self,
        messages: Sequence[ChatMessage],
        tools: Sequence[Tool] = (),  # noqa: ARG002 (the port's)
        *,
        max_tokens: int | None = None,  # noqa: ARG002
        cancel: threading.Event | None = None,  # noqa: ARG002
    ) -> Iterator[Event]:
        """The answer about the type that the prompt begins with."""
        name = (messages[0].content or "").partition("# Semantic: ")[2].split()[0]
        os.write(self._log, f"{name}\n".encode())
        time.sleep(0.5)
        yield TextPiece(_ANSWER.format(name))
        yield End()


def opened(folder: Path, log: Path) -> Bench:
    """A workspace whose notes are written by such a model."""
    settings = Settings(semantic=SemanticSettings(tokens_per_run=0, tokens_per_day=0))
    bench = Bench.open(folder, settings=settings)
    ground = replace(
        bench.asking._services,  # noqa: SLF001 - the one seam
        profiles=lambda: PROFILES,
        model_of=lambda _: Logged(log),
        spending_file=log.with_suffix(".spent"),
    )
    vars(bench)["asking"] = Asking(ground)
    return bench


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--types", type=int, default=10_000)
    parser.add_argument("--shown", type=int, default=200)
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--drain", action="store_true")
    chosen = parser.parse_args()
    log = chosen.folder.parent / "notes.log"
    if chosen.drain:
        _drain(chosen.folder, log)
        return
    forget(chosen.folder)
    shutil.rmtree(chosen.folder / SHARED_FOLDER, ignore_errors=True)
    log.unlink(missing_ok=True)
    with opened(chosen.folder, log) as bench:
        bench.index.refresh()
        bench.index.relate()
        ids = _types(bench)[: chosen.types]
        print(f"load {os.getloadavg()[0]:.1f}, {len(ids)} types")
        if chosen.kills:
            _kill(bench, chosen, ids, log)
        else:
            _queue(bench, ids)
            _show(bench, ids, chosen.shown)


def _types(bench: Bench) -> list[str]:
    index = bench.index.facade
    found = (index.identities.type_id(at) for at, _ in enumerate(index.catalogue.types))
    return sorted({id_ for id_ in found if id_.startswith("T_")})


def _queue(bench: Bench, ids: list[str]) -> None:
    bench.generation.model_name()
    bench.ops.jobs.listed()
    began = time.perf_counter()
    ops = bench.generation.ask(ids)
    print(f"queued: {len(ops)} notes in {time.perf_counter() - began:.2f} s")
    began = time.perf_counter()
    estimate = bench.generation.estimate(ids)
    print(f"estimated: {estimate.tokens:,} tokens in {time.perf_counter() - began:.2f} s")


def _show(bench: Bench, ids: list[str], count: int) -> None:
    """Every note is read for the first time, half of them written, half read off the code."""
    from services.semantic.answers import read_answer
    from services.semantic.values import Author

    chance = random.Random(1)
    chosen = chance.sample(ids, min(count, len(ids)))
    for id_ in chosen[::2]:
        bench.notes.put(id_, read_answer(_ANSWER.format(id_)), Author.PERSON, "ada")
    for what, some in (("written", chosen[::2]), ("static", chosen[1::2])):
        took = [_took(bench, id_) for id_ in some]
        for kind, figures in zip(("elapsed", "processor"), zip(*took, strict=True), strict=True):
            ordered = sorted(figures)
            median, p95 = statistics.median(ordered), ordered[int(len(ordered) * 0.95)]
            print(f"shown, {what}, {kind} time: median {median:.1f} ms, p95 {p95:.1f} ms")


def _took(bench: Bench, type_id: str) -> tuple[float, float]:
    """Elapsed and processor time of reading a note, in ms; the second counts where others use the machine too."""
    began, at = time.perf_counter(), time.thread_time()
    bench.notes.get(type_id)
    return (time.perf_counter() - began) * 1000, (time.thread_time() - at) * 1000


def _drain(folder: Path, log: Path) -> None:
    with opened(folder, log) as bench:
        bench.watch()
        bench.index.refresh()
        bench.ops.serve()
        sys.stdin.read()


def _kill(bench: Bench, chosen: argparse.Namespace, ids: list[str], log: Path) -> None:
    ids = random.Random(2).sample(ids, chosen.types)
    ops = bench.generation.ask(ids)
    chance, kills, began = random.Random(1), 0, time.monotonic()
    command = [sys.executable, "-m", "benchmarks.robustness.notes", str(chosen.folder), "--drain"]
    workers: list[subprocess.Popen[bytes]] = []
    while any(not bench.ops.jobs.get(op).state.is_end for op in ops):
        workers = [each for each in workers if each.poll() is None]
        while len(workers) < 2:
            workers.append(subprocess.Popen(command, stdin=subprocess.PIPE))
        time.sleep(chance.uniform(2, 4))
        if kills < chosen.kills:
            chance.choice(workers).kill()
            kills += 1
    for each in workers:
        each.kill()
        each.wait()
    states = Counter(str(bench.ops.jobs.get(op).state) for op in ops)
    asked = Counter(log.read_text().split())
    wrong = [id_ for id_ in ids if id_.encode() and bench.notes.get(id_).is_static]
    history = sum(len(bench.notes.store.history(id_)) for id_ in ids)
    print(f"{len(ops)} notes, {kills} kills, {time.monotonic() - began:.0f} s: {dict(states)}")
    print(f"types without a note: {len(wrong)}; notes written over another: {history}")
    print(
        f"requests: {asked.total()} for {len(asked)}, of which {asked.total() - len(asked)} were asked again"
    )


if __name__ == "__main__":
    main()
