"""Process of a screen: it collects garbage and returns freed memory while idle, its threads share the memory that is
free, and it ends with its terminal."""

from __future__ import annotations

import gc
import os
import select
import signal
import sys
import time
from collections.abc import Callable

from services.concurrency.background import start_thread
from services.concurrency.gc_pause import few_arenas, give_back

_THRESHOLDS = (2_000, 10, 1_000)
"""Objects, and walks over the younger ones, after which the interpreter walks over what may be garbage. A walk over
all takes 100 ms with a large workspace, in which no key is answered: of itself it comes next to never."""
_REST = 1.5
"""Seconds without a key after which what was made since the last look is walked over: that is short."""
_LONG_REST, _BETWEEN = 60.0, 600.0
"""Seconds without a key after which what is only held to be quick is let go; and seconds since the last time after
which everything is walked over, too."""
_GIVE_EVERY = 5.0
"""Seconds after which freed memory is given back also while keys come: that takes 2 to 4 ms."""
_MUCH = 1.0
"""Seconds of processor time after which a job in the background has made garbage that is worth a walk."""
_SOME = 0.2
"""Seconds of processor time after which it may have made what can be let go: at rest the program takes two minutes to
use so much."""


class Collector:
    """Garbage collector of one process. `now`: seconds of a monotonic clock; `trim`: returns freed memory; `share`:
    makes threads share it; `worked`: seconds of processor time of the process."""

    def __init__(
        self,
        now: Callable[[], float] = time.monotonic,
        trim: Callable[[], None] = give_back,
        share: Callable[[], None] = few_arenas,
        worked: Callable[[], float] = time.process_time,
    ) -> None:
        self._now = now
        self._trim = trim
        self._share = share
        self._worked = worked
        self._work = worked()
        self._pressed = self._thorough = self._given = now()
        self._looked = True
        self._let_go, self._let_go_work = False, self._work

    def start(self) -> None:
        """Collect only on request from now on."""
        gc.set_threshold(*_THRESHOLDS)

    def before_threads(self) -> None:
        """Threads that work will begin. Not before the first paint: this takes 7 ms, and a terminal's threads need
        little."""
        self._share()

    def loaded(self) -> None:
        """Much was made that stays: it is left out of the walks that follow, garbage that is in it too."""
        gc.freeze()
        self._looked = False

    def pressed(self) -> None:
        """Somebody pressed a key or moved the mouse, and waits."""
        self._pressed, self._looked, self._let_go = self._now(), False, False

    def look(self, let_go: Callable[[], bool] = lambda: True) -> None:
        """Collect if it is time; call it now and then. After a while without a key press, garbage is collected among
        the objects made since the last time, and after a long while among all; freed memory is returned. An index
        built while no key is pressed leaves as much garbage as keys do, and more. `let_go`: releases caches; returns
        whether it could."""
        now = self._now()
        if self._worked() - self._work >= _MUCH:
            self._looked = False
        rest = now - self._pressed
        if rest >= _LONG_REST and (not self._let_go or self._worked() - self._let_go_work >= _SOME):
            self._let_go, self._let_go_work = let_go(), self._worked()
            self._looked = False
        if rest >= _LONG_REST and now - self._thorough >= _BETWEEN:
            self._thorough = now
            gc.unfreeze()
        elif rest < _REST or self._looked:
            if not self._looked and now - self._given >= _GIVE_EVERY:
                self._give()
            return
        self._looked = True
        gc.collect()
        gc.freeze()
        self._give()

    def _give(self) -> None:
        self._given, self._work = self._now(), self._worked()
        self._trim()


def follow_terminal() -> None:
    """Ends this process when its terminal is gone, as the hang-up signal does, which only the processes get that the
    terminal controls: Textual would go on, read that there is nothing to read, and use a whole core. State is kept all
    the while, so that nothing is lost."""
    if sys.stdin.isatty() and hasattr(select, "poll"):
        start_thread(_wait, sys.stdin.fileno(), name="terminal")


def _wait(terminal: int) -> None:
    poll = select.poll()
    poll.register(terminal, 0)  # its end is told in any case
    found = poll.poll()
    if all(event & (select.POLLHUP | select.POLLERR) for _, event in found):  # else it cannot be polled here
        _end()


def _end() -> None:
    if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:  # as under nohup
        os._exit(128 + signal.SIGHUP)
    os.kill(os.getpid(), signal.SIGHUP)
