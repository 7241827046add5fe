"""Time that no one can set, and which processes are still there: what leases are reckoned by (SAFETY, Locks)."""

from __future__ import annotations

import os
import time
from functools import cache
from pathlib import Path
from typing import Protocol

_START_FIELD = 19
"""Position of field 22 of `/proc/PID/stat`, the start time, after the name in brackets (proc(5))."""


class LeaseClock(Protocol):
    """Clock since boot. Leases of another boot have lapsed."""

    def now(self) -> float:
        """Seconds since the system was started, sleep included."""
        ...

    def boot(self) -> str:
        """Names this start of the system."""
        ...


class BootClock:
    """CLOCK_BOOTTIME with the kernel's boot id; where there is neither, the monotonic clock."""

    def now(self) -> float:
        """Seconds since the system was started."""
        return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))

    def boot(self) -> str:
        """The kernel's id of this start; empty where it has none."""
        return _boot_id()


@cache
def _boot_id() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except OSError:
        return ""


def this_process() -> str:
    """Names this process, and this use of it: `<space>/<pid>/<start>/<nonce>`. Two made in one process differ."""
    pid = os.getpid()
    return f"{_space()}/{pid}/{_started(pid)}/{os.urandom(4).hex()}"


def is_alive(process: str) -> bool:
    """Whether the process of that name still runs. One that cannot be seen from here, because it belongs to another
    process id name space, counts as running: then the lease alone decides."""
    space, pid, started, _ = process.split("/")
    if space != _space():
        return True
    if not started:
        return _answers(int(pid))
    return _started(int(pid)) == started


def _started(pid: int) -> str:
    """When the process was started, in the kernel's ticks; empty if there is none, or it has ended and only waits to
    be collected."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in ("Z", "X") else fields[_START_FIELD]


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _space() -> str:
    """The name space of process ids, by the kernel's number."""
    try:
        return str(Path("/proc/self/ns/pid").readlink()).strip("pid:[]")
    except OSError:
        return ""
