"""The program as a person meets it: started in a terminal, left with a key."""

from __future__ import annotations

import fcntl
import os
import pty
import selectors
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from pathlib import Path

import pytest

LIMIT = 60.0
"""Seconds before the test gives up: the machine may be busy."""


class Terminal:
    """A pseudo terminal of 120 x 36 with one program in it."""

    def __init__(self, command: list[str], environment: dict[str, str]) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        self.screen = b""
        self._ours = ours
        self._written = selectors.DefaultSelector()
        self._written.register(ours, selectors.EVENT_READ)
        self._process = subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        )
        os.close(theirs)

    def read_until(self, text: bytes) -> None:
        """Wait until the program has written `text`."""
        end = time.monotonic() + LIMIT
        while text not in self.screen:
            assert time.monotonic() < end, self.screen[-2000:]
            assert self._process.poll() is None, self.screen[-2000:]
            self._read()

    def press(self, keys: bytes) -> None:
        """Type."""
        os.write(self._ours, keys)

    def status(self) -> int:
        """Read what is left, and wait for the end."""
        end = time.monotonic() + LIMIT
        while self._process.poll() is None and time.monotonic() < end:
            self._read()
        return self._process.wait(timeout=LIMIT)

    def _read(self) -> None:
        if self._written.select(0.2):
            with suppress(OSError):  # Linux says so when the program has closed its side
                self.screen += os.read(self._ours, 65_536)

    def close(self) -> None:
        """End the program, if it has not ended."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._written.close()
        os.close(self._ours)


@pytest.mark.parametrize("arguments", [["demo", "--into", "orchard"], ["open", "orchard"]])
def test_the_workbench_opens_in_a_terminal_and_leaves_with_status_0(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = [sys.executable, "-m", "workbench", *arguments]
    (tmp_path / "orchard").mkdir()
    home = {
        "HOME": str(tmp_path),
        "XDG_CONFIG_HOME": str(tmp_path / "c"),
        "XDG_STATE_HOME": str(tmp_path / "s"),
    }
    # A size in the environment would count more than that of the terminal.
    inherited = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    terminal = Terminal(command, {**inherited, **home, "TERM": "xterm-256color"})
    try:
        terminal.read_until(b"Window")
        terminal.press(b"\x11")
        assert terminal.status() == 0, terminal.screen[-2000:]
    finally:
        terminal.close()
