"""Prompt window of many items, rendered after a change of one and with one pin more, compared with counting its text
again."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section, percentile

_ITEMS = 500
_CHANGES = 10

Times = dict[str, list[float]]


def measure(corpus: Corpus) -> Section:
    """A window of `_ITEMS` items, four in five outlines of types and the others lines of files."""
    corpus.keep()
    runs = [fresh.run(changes, folder=str(corpus.folder)) for _ in range(corpus.rounds)]
    figures = tuple(
        Figure(
            what=what,
            unit="ms",
            values=tuple(percentile(run[stage], share) for run in runs),
            reference=tuple(percentile(run["count"], 0.5) for run in runs),
            against="count the tokens of the text again",
            bar=bar,
        )
        for what, stage, share, bar in (
            ("rendered again after one item changed, p50", "rendered", 0.5, "< 10 ms"),
            ("rendered again after one item changed, p95", "rendered", 0.95, ""),
            ("the same with every file looked at on disk, p50", "checked", 0.5, ""),
            ("one pin more until the meter is right, p50", "pinned", 0.5, "< 50 ms"),
            ("one pin more until the meter is right, p95", "pinned", 0.95, ""),
        )
    )
    size = runs[0]["tokens"][0]
    what = f"{_ITEMS} items, {size:,.0f} tokens, {_CHANGES} changes and pins a round"
    note = f"{what}; processor time, tokens counted in it."
    return Section(corpus=corpus.name, benchmark="window", figures=figures, notes=(note,))


def changes(folder: str) -> Times:
    """Milliseconds of each step, for a number of items that change. Everything is put back."""
    from services.bench import Bench
    from services.settings import WindowSettings

    roomy = msgspec.structs.replace(
        settings(2), window=WindowSettings(budget=10_000_000, max_chars=100_000_000)
    )
    times: Times = {"rendered": [], "checked": [], "pinned": [], "count": [], "tokens": []}
    with Bench.open(Path(folder), settings=roomy) as bench:
        bench.index.load()
        bench.index.refresh()
        types = list(islice((each for each in bench.index.symbols() if each.is_type), _ITEMS + _CHANGES))
        chosen = types[: _ITEMS * 4 // 5]
        lines = [f"{each.file}:{each.start_line}-{each.end_line}" for each in types[len(chosen) : _ITEMS]]
        for name in (*(each.id for each in chosen), *lines):
            bench.window.pin(name, force=True)
        times["tokens"].append(bench.window.render().tokens)
        recount = _counter()
        for number in range(_CHANGES):
            with _changed(Path(folder, chosen[number].file)):
                bench.index.refresh()
                times["rendered"].append(_spent(bench.window.unchecked.rendering))
            bench.index.refresh()
            times["checked"].append(_spent(bench.window.render))
            more = types[_ITEMS + number].id
            times["pinned"].append(_spent(lambda more=more: bench.window.pin(more, force=True)))
            text = bench.window.dismiss(more).text
            times["count"].append(_spent(lambda text=text: recount(text)))
    return times


def _counter() -> Callable[[str], object]:
    from services.prompt.tokens.models import load_encoding

    count = load_encoding("o200k_base").encode_ordinary
    count("warm")
    return count


@contextmanager
def _changed(file: Path) -> Iterator[None]:
    """A line more at the end of a file, for a while."""
    original = file.read_bytes()
    _replace(file, original + b"\n// changed\n")
    try:
        yield
    finally:
        _replace(file, original)


def _replace(file: Path, content: bytes) -> None:
    other = file.with_name(file.name + ".tmp")
    other.write_bytes(content)
    os.replace(other, file)  # noqa: PTH105 - said as the system call it is


def _spent(work: Callable[[], object]) -> float:
    """Return the milliseconds of this thread's processor time, which are independent of the machine's load."""
    began = time.thread_time()
    work()
    return (time.thread_time() - began) * 1000
