"""The end of the terminal: a workbench that nobody can see or reach ends."""

from __future__ import annotations

import os
import select
import signal
import sys
import threading


def follow_terminal() -> None:
    """Ends this process when its terminal is gone, as the hang-up signal does, which only the processes get that the
    terminal controls: Textual would go on, read that there is nothing to read, and use a whole core. State is kept all
    the while, so that nothing is lost."""
    if sys.stdin.isatty() and hasattr(select, "poll"):
        threading.Thread(target=_wait, args=(sys.stdin.fileno(),), name="terminal", daemon=True).start()


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
