"""How the workbench feels, measured in a terminal of its own: keys, search, a huge file, scrolling, memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from benchmarks.harness import fresh
from benchmarks.harness.corpus import Corpus, settings
from benchmarks.harness.figures import Figure, Section, percentile
from benchmarks.harness.machine import proportional, resident
from benchmarks.workbench.terminal import COLUMNS, PATIENCE, ROWS, Frame, Terminal
from widgets.format.shorten import grouped

HUGE, HUGE_LINES = "HugeToOpen.cs", 50_000
QUERIES = ("dbcontext", "JCSO", "migrat op", "e")
_DOWN, _UP, _ENTER, _ESCAPE, _REFRESH = "\x1b[B", "\x1b[A", "\r", "\x1b", "\x1b[15~"
_PAGE_UP, _PAGE_DOWN, _PAGES = "\x1b[5~", "\x1b[6~", 8
"""Of the list: that many lead from its end to its top."""
_ROW = "▸"
"""What stands before the row under the cursor: that is what a key is to change."""
_KEYS, _PAUSE, _QUIET = 60, 0.03, 0.25
_SILENCE, _LONGEST = 3.0, 180.0
"""Seconds in which nothing is said of long work where there is none, and how long it may take."""
_CHANGES_NOTHING, _OTHERS = 5.0, 5
"""Seconds, and frames without the row under the cursor, after which a key is taken to have changed nothing: a progress
line, a clock and a cursor that blinks are painted meanwhile."""
_LOST = PATIENCE * 1000
_RATE = 60
"""Keys a second that a held key sends."""


def measure(corpus: Corpus) -> Section:
    """Each figure on the corpus, with its reference; the corpus gets one huge file more."""
    (corpus.folder / HUGE).write_text(huge(HUGE_LINES), "utf-8")
    corpus.keep()
    totals = fresh.run(found, folder=str(corpus.folder), workers=corpus.workers)
    rounds = [_round(corpus, totals) for _ in range(corpus.rounds)]
    reference = tuple(trivial() for _ in range(corpus.rounds))

    def figure(what: str, key: str, unit: str, bar: str, *, beside: bool = False) -> Figure:
        values = tuple(one[key] for one in rounds)
        return Figure(what=what, unit=unit, values=values, bar=bar, reference=reference if beside else (),
                      against="a key of a trivial Textual app, p95" if beside else "")  # fmt: skip

    return Section(
        corpus=corpus.name,
        benchmark="screen",
        figures=(
            figure("key to repaint while idle, p95", "idle", "ms", "≤ 33 ms", beside=True),
            figure("key to repaint while indexing, p95", "indexing", "ms", "≤ 60 ms", beside=True),
            figure("longest of them", "longest", "ms", ""),
            figure("keystroke in the box to its results on the screen, p95", "search", "ms", "≤ 50 ms", beside=True),
            figure("the same while types are related, once ever", "relating", "ms", ""),
            figure(f"a file of {HUGE_LINES:,} lines opened, painted", "huge", "ms", "≤ 150 ms"),
            figure("frames a second, a list scrolled by a held key", "list", "fps", "≥ 30"),
            figure("frames a second, source paged by a held key", "source", "fps", "≥ 30"),
            figure("frames a second, a diff paged by a held key", "diff", "fps", "≥ 30"),
            figure("memory of the process with the screen", "memory", "MB", "≤ 400 MB"),
            figure("memory of all its processes, shared pages in parts", "all", "MB", ""),
        ),
        notes=(f"{COLUMNS} × {ROWS} cells; {_KEYS} keys a figure; a held key comes {_RATE} times a second.",),
    )  # fmt: skip


def huge(lines: int) -> str:
    """A class of so many lines."""
    body = "".join(
        f"    public int Member{line}(int value) => value + {line}; // sum\n" for line in range(lines - 3)
    )
    return f"public class HugeToOpen\n{{\n{body}}}\n"  # fmt: skip


def found(folder: str, workers: int) -> dict[str, int]:
    """How many symbols there are for each text on the way to the queries and back."""
    from services.bench import Bench

    texts = sorted({query[:end] for query in QUERIES for end in range(len(query) + 1)})
    with Bench.open(Path(folder), settings=settings(workers)) as bench:
        bench.index.load()
        return {text: bench.index.search(text, limit=1).total for text in texts}


def _round(corpus: Corpus, totals: dict[str, int]) -> dict[str, float]:
    corpus.forget()
    corpus.keep()
    with tempfile.TemporaryDirectory() as home:
        arguments = ["-m", "workbench", "open", str(corpus.folder)]
        with Terminal(arguments, environment={"XDG_STATE_HOME": home}) as terminal:
            return _driven(terminal, corpus, totals)


def _driven(terminal: Terminal, corpus: Corpus, totals: dict[str, int]) -> dict[str, float]:
    terminal.first_text()
    terminal.until(_ROW)
    terminal.rest(3.0)
    found = {"relating": percentile(list(_searches(terminal, totals)), 0.95)}
    _until_idle(terminal)
    found["search"] = percentile(list(_searches(terminal, totals)), 0.95)
    terminal.press(_ESCAPE)
    terminal.settle(_QUIET)
    found["idle"] = percentile(list(_moves(terminal, _KEYS)), 0.95)
    found["list"] = _held(terminal, _DOWN)
    found["huge"] = _opened(terminal)
    found["source"] = _held(terminal, _PAGE_DOWN)
    found["diff"] = _diff(terminal)
    found["memory"] = resident(terminal.process)
    found["all"] = sum(proportional(each) for each in _family(terminal.process))
    while_indexing = _indexing(terminal, corpus)
    return found | {"indexing": percentile(while_indexing, 0.95), "longest": max(while_indexing)}


def trivial() -> float:
    """p95 of the milliseconds from a key to a frame of a Textual app that does nothing else."""
    with Terminal(["-m", "benchmarks.workbench.trivial_app"]) as terminal:
        terminal.first_text()
        terminal.settle(_QUIET)
        return percentile(list(_moves(terminal, _KEYS)), 0.95)


def _moves(terminal: Terminal, keys: int) -> Iterable[float]:
    """Yield the milliseconds from each key to its row. A list that was read again may have its cursor at an end,
    where a key changes nothing: the opposite key is measured in its place."""
    for number in range(keys):
        key, other = (_UP, _DOWN) if number % 10 > 6 else (_DOWN, _UP)
        yield _answered(terminal, key) or _answered(terminal, other) or _LOST
        terminal.settle(_PAUSE)


def _until_idle(terminal: Terminal) -> None:
    """Read until no long work is reported any more: dependencies are built."""
    began = said = time.perf_counter()
    while time.perf_counter() - said < _SILENCE and time.perf_counter() - began < _LONGEST:
        frame = terminal.frame(time.perf_counter() + _SILENCE)
        if frame is not None and "Relating" in frame.text:
            said = frame.at


def _searches(terminal: Terminal, totals: dict[str, int]) -> Iterable[float]:
    """Yield the milliseconds from each keystroke in the box to the rows of its results: their count is below them,
    and neither costs nor rows of the previous key count. Half of the texts have been searched for before. A key
    without effect, such as a blank after a word, is not waited for."""
    for query in QUERIES:
        ends = (*range(1, len(query) + 1), *range(len(query) - 1, -1, -1))
        before = totals[""]
        for number, end in enumerate(ends):
            sent, total = (
                terminal.press(query[number] if number < len(query) else "\x7f"),
                totals[query[:end]],
            )
            if total != before:
                yield (_shown(terminal, total).at - sent) * 1000
            before = total
            terminal.rest(_QUIET)


def _shown(terminal: Terminal, total: int) -> Frame:
    frame = terminal.until(f"{grouped(total)} of ")
    return frame if _ROW in frame.text else terminal.until(_ROW)


def _answered(terminal: Terminal, key: str) -> float | None:
    """Milliseconds from a key to the row under the cursor; None where the screen went on for so long and painted none:
    the key changed nothing. A screen that stands still is waited for."""
    sent, others = terminal.press(key), 0
    while frame := terminal.frame(time.perf_counter() + PATIENCE):
        if _ROW in frame.text:
            return (frame.at - sent) * 1000
        others += 1
        if others >= _OTHERS and frame.at - sent > _CHANGES_NOTHING:
            return None
    return None


def _held(terminal: Terminal, key: str, *, seconds: float = 2.0) -> float:
    """Return the frames a second while a key is held down."""
    frames, began = 0, time.perf_counter()
    for number in range(int(seconds * _RATE)):
        terminal.press(key)
        due = began + (number + 1) / _RATE
        while terminal.frame(due):
            frames += 1
    spent = time.perf_counter() - began
    terminal.settle(_QUIET)
    return frames / spent


def _opened(terminal: Terminal) -> float:
    """Milliseconds from choosing the huge file to its lines."""
    terminal.press("\x0f")
    terminal.settle(_QUIET)
    terminal.press(HUGE)
    terminal.until(HUGE)
    terminal.rest(1.0)
    sent = terminal.press(_ENTER)
    shown = terminal.until(r"Member1\(int").at
    terminal.rest(2.0)
    return (shown - sent) * 1000


def _diff(terminal: Terminal) -> float:
    """Frames a second in the diff of the huge file, which git has not seen before."""
    terminal.press("d")
    terminal.until("hunk 1 of")  # git has compared, and the file's diff is shown
    terminal.rest(2.0)
    terminal.press(_PAGE_DOWN)
    terminal.until(r"\+ +public int Member")  # the keys go to the diff
    terminal.rest(1.0)
    return _held(terminal, _PAGE_DOWN)


def _indexing(terminal: Terminal, corpus: Corpus) -> list[float]:
    """Milliseconds of keys in the list of symbols while a fifth of all files are indexed again. They begin at its top:
    a held key has led to its end, where the first would change nothing until the list is searched anew."""
    for key in (_ESCAPE, "1", _ESCAPE, *[_PAGE_UP] * _PAGES):
        terminal.press(key)
        terminal.settle(_QUIET)
    for path in corpus.paths[::5]:
        with (corpus.folder / path).open("ab") as file:
            file.write(b"\n// edited\n")
    terminal.press(_REFRESH)
    terminal.until("cancels|/s")
    return list(_moves(terminal, _KEYS))


def _family(process: int) -> list[int]:
    """A process and all that it started."""
    try:
        started = Path(f"/proc/{process}/task/{process}/children").read_text("ascii").split()
    except OSError:
        return []
    return [process, *(each for child in started for each in _family(int(child)))]
