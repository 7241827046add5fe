"""A program whose terminal is gone ends, whether or not the terminal controls it."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN if {ignored} else signal.SIG_DFL)
from workbench.app import follow_terminal
follow_terminal()
print("ready", flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("ignored", [False, True])
def test_a_program_ends_with_its_terminal(ignored: bool) -> None:
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(ignored=ignored)],
        stdin=slave,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        os.close(slave)
        assert process.stdout.readline() == b"ready\n"
        assert process.poll() is None
        os.close(master)
        assert process.wait(30) == (128 + signal.SIGHUP if ignored else -signal.SIGHUP)


def test_what_is_no_terminal_is_not_followed() -> None:
    program = PROGRAM.format(ignored=False).replace("time.sleep(60)", "time.sleep(0.2)")
    answer = subprocess.run(
        [sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, check=False
    )
    assert (answer.returncode, answer.stdout) == (0, b"ready\n")
