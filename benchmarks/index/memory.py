"""Resident memory of the program's own process with a stored index."""

from __future__ import annotations

from pathlib import Path

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section
from benchmarks.harness.machine import resident


def measure(corpus: Corpus) -> Section:
    """Memory at each stage of a warm start; an interpreter with the services imported is the reference."""
    corpus.keep()
    runs = [fresh.run(stages, folder=str(corpus.folder)) for _ in range(corpus.rounds)]
    symbols = runs[0]["symbols"]
    figures = [
        Figure(
            what=what,
            unit="MB",
            values=tuple(run[key] for run in runs),
            reference=tuple(run["imported"] for run in runs),
            against="services imported",
            bar=bar,
        )
        for what, key, bar in (
            ("index loaded", "loaded", ""),
            ("first search answered", "searched", "≤ 400 MB at 500 000 symbols"),
            ("first path resolved", "resolved", ""),
            ("files checked", "checked", ""),
        )
    ]
    last = [(run["checked"] - run["imported"]) * 1e6 / symbols for run in runs]
    figures.append(Figure(what=f"a symbol, of {symbols:,}", unit="bytes", values=tuple(last)))
    return Section(corpus=corpus.name, benchmark="memory", figures=tuple(figures))


def stages(folder: str) -> dict[str, float]:
    """Resident memory (MB) after each stage, and how many symbols there are."""
    from services.bench import Bench

    found: dict[str, float] = {"imported": resident()}
    with Bench.open(Path(folder), settings=settings(1)) as bench:
        bench.index.load()
        found["loaded"] = resident()
        answer = bench.index.search("e")
        found["searched"] = resident()
        bench.lookup.resolve(answer.hits[0].symbol.path)
        found["resolved"] = resident()
        bench.index.refresh()
        found["checked"] = resident()
        status = bench.health.status()
    return found | {"symbols": status.types + status.members}
