"""Search while typing, and resolution of paths, compared with a scan of all names for a substring."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section, percentile

_DRAWN = 12
_PATHS = 300


def measure(corpus: Corpus) -> Section:
    """Keystrokes, paths and the scan in turn."""
    corpus.keep()
    drawn = fresh.run(sample, folder=str(corpus.folder))
    own, other = [], []
    for _ in range(corpus.rounds):
        own.append(
            fresh.run(ask, folder=str(corpus.folder), **{k: drawn[k] for k in ("strokes", "paths", "typos")})
        )
        other.append(fresh.run(scan, folder=str(corpus.folder), texts=drawn["strokes"]))
    figures = [
        _figure(f"keystroke, {name}", own, other, ("strokes", share), bar)
        for name, share, bar in (("p50", 0.5, ""), ("p95", 0.95, "< 16 ms"), ("slowest", 1.0, ""))
    ]
    figures += [
        _figure(f"{what}, p95, processor time", own, other, (key, 0.95), "")
        for what, key in (("keystroke", "strokes busy"), ("path resolved", "paths busy"))
    ]
    figures += [
        _figure(f"path resolved, {name}", own, other, ("paths", share), bar)
        for name, share, bar in (("p50", 0.5, ""), ("p95", 0.95, "< 5 ms"))
    ]
    figures.append(_figure("path with a wrong letter resolved, p95", own, other, ("typos", 0.95), ""))
    firsts = (("first search after the start", "search"), ("first path after the start", "resolve"))
    figures += [Figure(what=what, unit="ms", values=tuple(run[key] for run in own)) for what, key in firsts]
    note = f"{drawn['symbols']:,} symbols, {drawn['names']:,} names; {len(drawn['strokes']):,} keystrokes a round."
    return Section(corpus=corpus.name, benchmark="search", figures=tuple(figures), notes=(note,))


def sample(folder: str) -> dict[str, object]:
    """Return the sample of the stored index, drawn by a fixed seed: keystrokes, paths, paths with a wrong letter."""
    from benchmarks.search.latency import strokes
    from services.index.catalog.catalogue import plain
    from services.index.index import Index
    from services.workspace.files.root import Root
    from services.workspace.state import StateFolder

    root = Root.open(Path(folder))
    index = Index(root, StateFolder.open(root), settings=settings(1).index)
    index.load()
    catalogue, chance = index.catalogue, random.Random(7)
    columns = catalogue.columns
    rows = chance.choices(range(len(columns.dead)), k=_PATHS)
    pairs = [
        (catalogue.containers.values[columns.container[row]], catalogue.names.values[columns.name[row]])
        for row in rows
    ]
    types = [plain(entry.fqn) for _, entry in catalogue.live_types()]
    queries = [name.lower() for _, name in pairs[:_DRAWN]] + [
        f"{c.rpartition('.')[2]} {n}" for c, n in pairs[:3]
    ]
    return {
        "symbols": len(catalogue),
        "names": len(set(columns.name)),
        "strokes": strokes() + [query[:end] for query in queries for end in range(1, len(query) + 1)],
        "paths": [_path(chance, *pair) for pair in pairs] + chance.choices(types, k=_PATHS // 3),
        "typos": [_mistyped(chance, path) for path in chance.choices(types, k=40)],
    }


def ask(folder: str, strokes: list[str], paths: list[str], typos: list[str]) -> dict[str, object]:
    """Milliseconds of each keystroke and path, and of the first of each; `busy`: of the processor, which hardly depend
    on what else the machine does."""
    from services.bench import Bench

    with Bench.open(Path(folder), settings=settings(1)) as bench:
        bench.index.load()
        answer: dict[str, object] = {"search": _timed(bench.index.search, ["a"])[0][0]}
        answer["strokes"], answer["strokes busy"] = _timed(bench.index.search, strokes)
        answer["resolve"] = _timed(bench.lookup.resolve, paths[:1])[0][0]
        answer["paths"], answer["paths busy"] = _timed(bench.lookup.resolve, paths)
        return answer | {"typos": _timed(bench.lookup.resolve, typos)[0]}


def scan(folder: str, texts: list[str]) -> list[float]:
    """Processor milliseconds to look through all names for each text."""
    from services.index.index import Index
    from services.workspace.files.root import Root
    from services.workspace.state import StateFolder

    root = Root.open(Path(folder))
    index = Index(root, StateFolder.open(root), settings=settings(1).index)
    index.load()
    names = [name.lower() for name in index.catalogue.names.values]
    return _timed(lambda text: [name for name in names if text in name], [text.lower() for text in texts])[1]


def _timed(ask: Callable[[str], object], texts: Sequence[str]) -> tuple[list[float], list[float]]:
    """Milliseconds that passed with each text, and those of the processor."""
    passed, busy = [], []
    for text in texts:
        began, worked = time.perf_counter(), time.thread_time()
        ask(text)
        busy.append((time.thread_time() - worked) * 1000)
        passed.append((time.perf_counter() - began) * 1000)
    return passed, busy


def _figure(
    what: str, own: list[dict], other: list[list[float]], part: tuple[str, float], bar: str
) -> Figure:
    key, share = part
    return Figure(
        what=what,
        unit="ms",
        values=tuple(percentile(run[key], share) for run in own),
        reference=tuple(percentile(run, 0.5) for run in other),
        against="substring in each name, processor time",
        bar=bar,
    )


def _path(chance: random.Random, container: str, name: str) -> str:
    """A whole path, or its last two parts."""
    return f"{container}.{name}" if chance.random() < 0.5 else f"{container.rpartition('.')[2]}.{name}"


def _mistyped(chance: random.Random, path: str) -> str:
    simple = path.rpartition(".")[2]
    at = int(chance.random() * len(simple))
    return simple[:at] + chance.choice("aeiou") + simple[at + 1 :]
