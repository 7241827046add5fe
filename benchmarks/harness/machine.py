"""Machine of a measurement."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path


def machine() -> str:
    """Processors, their model, Python and today's date, as one line."""
    return (
        f"{os.cpu_count()} cores of {_model()}, {platform.system()}, Python {platform.python_version()}, "
        f"{datetime.datetime.now(datetime.UTC).date().isoformat()}"
    )


def resident(process: int | str = "self") -> float:
    """Resident memory of a process in MB."""
    return _field(f"/proc/{process}/status", "VmRSS:")


def peak() -> float:
    """Most resident memory that this process has had, in MB."""
    return _field("/proc/self/status", "VmHWM:")


def busy(process: int) -> float:
    """Processor seconds that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def proportional(process: int) -> float:
    """Memory of a process in MB, pages shared with others counted in parts; 0 once it is gone."""
    return _field(f"/proc/{process}/smaps_rollup", "Pss:")


def anonymous(process: int | str = "self") -> float:
    """Memory of a process in MB that no file is behind: what it allocated and has not given back."""
    return _field(f"/proc/{process}/smaps_rollup", "Anonymous:")


def _field(path: str, name: str) -> float:
    try:
        lines = Path(path).read_text("ascii").splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith(name)), 0.0)


def _model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
