"""Figures about the program itself (SPEC section 14): the last few values of each, with P50 and P95, stored for the
next process and shared by the processes of a workspace."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from services.concurrency.exclusion import Guarded
from services.decoding import decode
from services.errors import CodeCortexError
from services.model import Notice
from services.workspace.state import StateFolder

FILE = "measures.json"
_KEPT = 512
_SAVED_EVERY = 60.0
RESOLVE = "symbol.resolve.ms"
OUTLINES = "outline.gen.count"
OUTLINES_KEPT = "outline.cache.hits"
APPLIED = "edit.apply.success"
NOT_APPLIED = "edit.apply.failure"
ROLLED_BACK = "edit.rollback.count"
QUEUE = "semantic.queue.length"
NOTES = "semantic.gen.ms"
FAILURES = "semantic.fail.count"
_RATIOS = {
    "outline.cache.hitRatio": (OUTLINES_KEPT, OUTLINES),
    "edit.apply.success.rate": (APPLIED, NOT_APPLIED),
}
"""Each of two counters: the first one's share of both."""
_ENOUGH = 20  # values that a P95 needs before it alarms anybody
_SLOW_MS = 100.0
_LONG_QUEUE = 50
_MUCH_MB = 2_000.0


class _Figures(msgspec.Struct):
    """`series`: values by name, latest last; `counts`: by name."""

    series: dict[str, list[float]] = msgspec.field(default_factory=dict)
    counts: dict[str, int] = msgspec.field(default_factory=dict)


class Measures:
    """Named series of numbers, and counters. Thread-safe. `state`: the folder for storage, None for no storage. Close
    it."""

    def __init__(self, state: StateFolder | None = None) -> None:
        self._state = state
        self._fresh = Guarded(_Figures())
        self._gauges: dict[str, float] = {}
        self._began = time.monotonic()
        self._saved_at = self._began
        self._is_damaged: bool | None = None  # until it was looked

    @property
    def uptime(self) -> float:
        """Seconds since this began."""
        return time.monotonic() - self._began

    def add(self, name: str, value: float) -> None:
        """Adds a value to a series."""
        with self._fresh as fresh:
            values = fresh.series.setdefault(name, [])
            values.append(round(value, 3))
            del values[:-_KEPT]
        self._save_in_time()

    def count(self, name: str, by: int = 1) -> None:
        """Counts something."""
        with self._fresh as fresh:
            fresh.counts[name] = fresh.counts.get(name, 0) + by
        self._save_in_time()

    def gauge(self, name: str, value: float) -> None:
        """Record the present value of a quantity in this process."""
        self._gauges[name] = value

    def gauged(self, name: str) -> float:
        """Return the present value of a quantity; 0 where none was recorded."""
        return self._gauges.get(name, 0.0)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the milliseconds that the block took."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, (time.perf_counter() - began) * 1000)

    @contextmanager
    def tried(self) -> Iterator[None]:
        """Counts whether an edit was applied."""
        try:
            yield
        except BaseException:
            self.count(NOT_APPLIED)
            raise
        self.count(APPLIED)

    def summary(self) -> dict[str, object]:
        """`{name: {count, p50, p95}}` of each series, counters, shares of counters, and what was gauged; also of what
        earlier and other processes measured."""
        with self._fresh as fresh:
            merged = _joined(self._kept(), fresh)
        gauges = dict(self._gauges)
        figures: dict[str, object] = {name: _figures(values) for name, values in merged.series.items()}
        parts = {part for pair in _RATIOS.values() for part in pair} - {OUTLINES}
        figures |= {name: count for name, count in merged.counts.items() if name not in parts}
        for name, (hits, misses) in _RATIOS.items():
            share, rest = (merged.counts.get(each, 0) for each in (hits, misses))
            if share + rest:
                figures[name] = round(share / (share + rest), 4)
        return figures | gauges

    def notices(self) -> tuple[Notice, ...]:
        """That what was measured before is lost, where it is."""
        with self._fresh:
            if self._is_damaged is None:
                self._is_damaged = False
                self._kept()
        if not self._is_damaged:
            return ()
        message = f"Damaged, and begun anew: the figures of earlier ({FILE})."
        return (Notice(severity="information", message=message),)

    def close(self) -> None:
        """Store the figures, and close."""
        with self._fresh as fresh:
            self._save(fresh)

    def _save_in_time(self) -> None:
        if time.monotonic() - self._saved_at >= _SAVED_EVERY:
            with self._fresh as fresh:
                self._save(fresh)

    def _save(self, fresh: _Figures) -> None:
        """Store the figures; an error is ignored, since they are stored again later."""
        self._saved_at = time.monotonic()
        if self._state is None or not (fresh.series or fresh.counts):
            return
        with suppress(CodeCortexError, OSError), self._state.locked(FILE, timeout=1):
            data = msgspec.json.encode(_joined(self._kept(), fresh))
            self._state.write(FILE, data, synced=False)  # every command stores some
            fresh.series.clear()
            fresh.counts.clear()

    def _kept(self) -> _Figures:
        try:
            data = self._state.read(FILE) if self._state is not None else None
            return _Figures() if data is None else decode(_Figures, data)
        except OSError:
            return _Figures()
        except msgspec.DecodeError:
            self._is_damaged = True
            return _Figures()


def _joined(kept: _Figures, fresh: _Figures) -> _Figures:
    series = {
        name: [*kept.series.get(name, ()), *fresh.series.get(name, ())][-_KEPT:]
        for name in sorted(kept.series.keys() | fresh.series.keys())
    }
    counts: defaultdict[str, int] = defaultdict(int, kept.counts)
    for name, count in fresh.counts.items():
        counts[name] += count
    return _Figures({name: values for name, values in series.items() if values}, dict(sorted(counts.items())))


def _figures(values: list[float]) -> dict[str, float | int]:
    ordered = sorted(values)
    return {
        "count": len(ordered),
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2),
    }


def p95(summary: Mapping[str, object], name: str) -> float | None:
    """The P95 of a series of a summary; None where nothing was measured."""
    figures = summary.get(name)
    return float(figures["p95"]) if isinstance(figures, dict) else None


def alarms(summary: Mapping[str, object], *, memory: float) -> tuple[Notice, ...]:
    """Return the notices that need attention (004 section 11). `memory`: in MB."""
    found: list[Notice] = []
    resolve = summary.get(RESOLVE)
    if isinstance(resolve, dict) and resolve["count"] >= _ENOUGH and resolve["p95"] > _SLOW_MS:
        found.append(_alarm(f"Symbols resolve slowly: P95 is {resolve['p95']:.0f} ms.", "Leave folders out."))
    queue = summary.get(QUEUE, 0)
    if isinstance(queue, (int, float)) and queue > _LONG_QUEUE:
        found.append(
            _alarm(f"{queue:.0f} semantic notes wait to be written.", "Pause, or raise their limits.")
        )
    if memory > _MUCH_MB:
        found.append(_alarm(f"The program takes {memory:.0f} MB of memory.", "Open fewer projects at once."))
    return tuple(found)


def memory_mb() -> float:
    """Return the resident memory of this process in MB; 0 where the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return round(pages * 4096 / 1e6, 1)


def _alarm(message: str, what_to_do: str) -> Notice:
    return Notice(severity="warning", message=message, what_to_do=what_to_do)
