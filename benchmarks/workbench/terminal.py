"""A program on a terminal of its own, driven as a person would: keys in, frames out, each with its time."""

from __future__ import annotations

import base64
import fcntl
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
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType

from benchmarks.harness import fresh

ROWS, COLUMNS = 36, 120
PATIENCE = 30.0
"""Seconds after which what is waited for is taken not to come."""
_ALTERNATE = b"\x1b[?1049h"
_ASKS_FOR_MARKS, _MARKS_ARE_KNOWN = b"\x1b[?2026$p", b"\x1b[?2026;2$y"
_END = b"\x1b[?2026l"
_COPY = b"\x1b]52;c;"
_COPIED, _MOST_COPIED = re.compile(re.escape(_COPY) + rb"([A-Za-z0-9+/=]*)\x07"), 4_000_000
ESCAPE = re.compile(
    rb"\x1b(?:\[[0-9;?<>=$ ]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|P[^\x1b]*\x1b\\|_[^\x1b]*\x1b\\|[()][A-Za-z0-9]|.)",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Frame:
    """Paint. `at`: seconds of the clock when its last byte was read; `text`: without escapes."""

    at: float
    text: str


class Terminal:
    """A Python program on a new pseudo-terminal; a context manager that ends it.

    It says that it knows synchronized output, so that the program marks where a frame ends."""

    def __init__(self, arguments: list[str], *, environment: Mapping[str, str] | None = None) -> None:
        self._parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        named = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **(environment or {})}
        self.began = time.perf_counter()
        self._process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=child,
            stdout=child,
            stderr=child,  # where Textual writes
            env=fresh.environment() | named,
            start_new_session=True,
        )
        os.close(child)
        self._unread = b""
        self._asked = b""
        self._copying = b""
        self.clipboard = ""
        """What the program gave the terminal for its clipboard last."""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()

    @property
    def process(self) -> int:
        """Its number."""
        return self._process.pid

    def first_text(self) -> float:
        """Seconds from the start until text was first on the alternate screen. Raises TimeoutError where it never
        is. Asked first of all."""
        shown = b""
        while data := self._read(self.began + PATIENCE):
            shown += data
            now = time.perf_counter()
            _, switched, after = shown.partition(_ALTERNATE)
            if switched and ESCAPE.sub(b"", after).strip(b" \r\n\x1b\x00"):
                return now - self.began
        raise TimeoutError(f"nothing was painted; the terminal got {shown[-300:]!r}")

    def press(self, keys: str) -> float:
        """Send what keys send; the time it was sent."""
        sent = time.perf_counter()
        os.write(self._parent, keys.encode())
        return sent

    def frame(self, deadline: float) -> Frame | None:
        """The next frame; None where none is whole by then."""
        while _END not in self._unread:
            data = self._read(deadline)
            if not data:
                return None
            self._unread += data
        at = time.perf_counter()
        painted, _, self._unread = self._unread.partition(_END)
        return Frame(at, ESCAPE.sub(b"", painted).decode("utf-8", "replace"))

    def until(self, text: str, *, patience: float = PATIENCE) -> Frame:
        """The next frame with a text in it. Raises TimeoutError."""
        deadline = time.perf_counter() + patience
        while frame := self.frame(deadline):
            if re.search(text, frame.text):
                return frame
        raise TimeoutError(f"{text!r} was not painted within {patience} s")

    def settle(self, quiet: float) -> None:
        """Read until nothing was painted for so many seconds: fewer than a cursor takes to blink."""
        while self.frame(time.perf_counter() + quiet):
            pass

    def rest(self, seconds: float) -> None:
        """Read on for so long."""
        deadline = time.perf_counter() + seconds
        while self.frame(deadline):
            pass

    def end(self) -> None:
        """End the program and what it started, and read on so that it cannot wait for its terminal."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGTERM)
        deadline = time.monotonic() + 5
        while self._process.poll() is None and time.monotonic() < deadline:
            self._read(time.perf_counter() + 0.05)
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        os.close(self._parent)

    def _read(self, deadline: float) -> bytes:
        """Return the next output; nothing where there was none by then. Answers requests to a terminal."""
        left = deadline - time.perf_counter()
        if left <= 0 or not select.select([self._parent], [], [], left)[0]:
            return b""
        try:
            data = os.read(self._parent, 65536)
        except OSError:  # the program has left
            return b""
        self._take_copied(data)
        self._asked = (self._asked + data)[-65536:]
        if _ASKS_FOR_MARKS in self._asked:
            self._asked = b""
            os.write(self._parent, _MARKS_ARE_KNOWN)
        return data

    def _take_copied(self, data: bytes) -> None:
        self._copying = (self._copying + data)[-_MOST_COPIED:]
        if found := _COPIED.search(self._copying):
            self.clipboard = base64.b64decode(found[1]).decode("utf-8", "replace")
            self._copying = self._copying[found.end() :]
        begun = self._copying.rfind(
            _COPY
        )  # the rest is looked at no more: what is measured would wait for it
        self._copying = self._copying[begun:] if begun >= 0 else self._copying[1 - len(_COPY) :]
