"""Counter of tokens whose helper process serves all workspaces of a test process: each would take 0.6 s of processor
time to start. `CounterProcess` has tests of its own, which start theirs."""

from __future__ import annotations

import os
from collections.abc import Sequence

from services.prompt.tokens.counter_process import CounterProcess

_helpers: dict[int, CounterProcess] = {}
"""By the process that talks to it: one that was forked has its own."""


def _helper() -> CounterProcess:
    return _helpers.setdefault(os.getpid(), CounterProcess())


class SharedCounter(CounterProcess):
    """Counts with a helper that lives on after `close`."""

    @property
    def pid(self) -> int | None:
        """The process id of the shared helper."""
        return None if self._closed else _helper().pid

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order, as long as this counter is open."""
        counter = super() if self._closed else _helper()
        return counter.count_base(encoding, texts)


def end_helper() -> None:
    """End the helper with the test process."""
    _helper().close()
