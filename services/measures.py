"""Figures about the program itself (SPEC section 14): the last few values of each, with P50 and P95."""

from __future__ import annotations

import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_KEPT = 512


class Measures:
    """Named series of numbers. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._series: dict[str, deque[float]] = defaultdict(lambda: deque(maxlen=_KEPT))
        self._counts: dict[str, int] = defaultdict(int)

    def add(self, name: str, value: float) -> None:
        """Adds a value to a series."""
        with self._lock:
            self._series[name].append(value)

    def count(self, name: str, by: int = 1) -> None:
        """Counts something."""
        with self._lock:
            self._counts[name] += by

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the milliseconds that the block took."""
        began = time.perf_counter()
        try:
            yield
        finally:
            self.add(name, (time.perf_counter() - began) * 1000)

    def summary(self) -> dict[str, object]:
        """`{name: {count, p50, p95}}` of each series, and the counters."""
        with self._lock:
            figures: dict[str, object] = {
                name: _figures(list(values)) for name, values in self._series.items()
            }
            return figures | dict(self._counts)


def _figures(values: list[float]) -> dict[str, float | int]:
    ordered = sorted(values)
    return {
        "count": len(ordered),
        "p50": round(ordered[len(ordered) // 2], 2),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))], 2),
    }


def memory_mb() -> float:
    """Resident memory of this process in MB; 0 where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, IndexError, ValueError):
        return 0.0
    return round(pages * 4096 / 1e6, 1)
