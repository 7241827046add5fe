"""From the start of the process to the first text on the screen, beside the smallest Textual app."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress

from benchmarks import fresh
from benchmarks.corpus import Corpus
from benchmarks.figures import Figure, Section

_ROWS, _COLUMNS = 36, 120
_PATIENCE = 30.0
_ALTERNATE = b"\x1b[?1049h"
_ESCAPE = re.compile(
    rb"\x1b(?:\[[0-9;?<>=$ ]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|_[^\x1b]*\x1b\\|[()][A-Za-z0-9]|.)",
    re.DOTALL,
)


def measure(corpus: Corpus) -> Section:
    """The workbench on the corpus and the trivial app in turn."""
    if importlib.util.find_spec("workbench.app") is None:
        return Section(
            corpus=corpus.name,
            benchmark="first_paint",
            figures=(),
            notes=("There is no workbench yet: skipped.",),
        )
    corpus.keep()
    workbench = ["-m", "workbench", "open", str(corpus.folder)]
    own, other = [], []
    for _ in range(corpus.rounds * 2):
        own.append(painted(workbench))
        other.append(painted(["-m", "benchmarks.trivial_app"]))
    figure = Figure(
        what="first text on the screen, process start included",
        unit="ms",
        values=tuple(own),
        reference=tuple(other),
        against="trivial Textual app",
        bar="+ 120 ms",
    )
    return Section(corpus=corpus.name, benchmark="first_paint", figures=(figure,))


def painted(arguments: list[str]) -> float:
    """Milliseconds until a Python program shows text on the alternate screen of a new terminal.

    Raises TimeoutError where it never does."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    environment = fresh.environment() | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        stdin=child,
        stdout=child,
        stderr=child,  # where Textual writes
        env=environment,
        start_new_session=True,
    )
    os.close(child)
    try:
        return (_first_text(parent, began + _PATIENCE) - began) * 1000
    finally:
        _end(process, parent)


def _first_text(terminal: int, deadline: float) -> float:
    """When text was first on the alternate screen."""
    shown = b""
    while (left := deadline - time.perf_counter()) > 0:
        if not select.select([terminal], [], [], left)[0]:
            break
        shown += os.read(terminal, 65536)
        now = time.perf_counter()
        _, switched, after = shown.partition(_ALTERNATE)
        if switched and _ESCAPE.sub(b"", after).strip(b" \r\n\x1b\x00"):
            return now
    raise TimeoutError(f"nothing was painted; the terminal got {shown[-300:]!r}")


def _end(process: subprocess.Popen[bytes], terminal: int) -> None:
    """Ends the program and what it started, and reads on so that it cannot wait for its terminal."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    deadline = time.monotonic() + 5
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError):
            if select.select([terminal], [], [], 0.05)[0]:
                os.read(terminal, 65536)
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    os.close(terminal)
