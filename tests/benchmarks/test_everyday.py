"""What the figures of the workbench at rest are taken of."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from benchmarks.workbench.everyday import family


def test_a_process_that_any_thread_has_started_counts() -> None:

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)

    with ThreadPoolExecutor(1) as lane:
        started = lane.submit(start).result()
        try:
            assert family(os.getpid()).count(started.pid) == 1
        finally:
            started.communicate(b"\n")
