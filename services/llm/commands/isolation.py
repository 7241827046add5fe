"""Isolation of commands from the machine: bubblewrap, else Landlock by sandlock, else nothing, aloud."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from services.workspace import programs

LAUNCHER = Path(__file__).with_name("launcher.py")
_SYSTEM = (
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/opt",
    "/etc/ld.so.cache",
    "/etc/alternatives",
)
_SYSTEM_OF_TESTS = ("/etc", "/sys", "/proc")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom", "/dev/random", "/dev/full")


class Isolation(StrEnum):
    """Available isolation."""

    BUBBLEWRAP = "bubblewrap"
    LANDLOCK = "Landlock (sandlock)"
    NONE = "none"

    @property
    def sentence(self) -> str:
        """For people."""
        if self is Isolation.NONE:
            return (
                "There is no isolation: only limits hold, and what is run could read or change all that you can. "
                'Install bubblewrap, or pip install "codecortex[sandbox]".'
            )
        return (
            f"Isolated by {self}: no network, and nothing of this machine but the workspace and its programs."
        )


class Cell(NamedTuple):
    """Sandbox of a command. `folder`: the workspace; `temporary`: its own folder for temporary files; `reads`:
    folders besides; `hides`: folders of the workspace that it does not see; `writes`: whether it may write in the
    workspace."""

    folder: str
    temporary: str
    reads: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    writes: bool = False


def before(isolation: Isolation, cell: Cell, *, processes: int) -> list[str]:
    """The argument list that a command is put behind."""
    match isolation:
        case Isolation.BUBBLEWRAP:
            return _bubblewrap(cell)
        case Isolation.LANDLOCK:
            policy = json.dumps(_policy(cell, processes))
            return [sys.executable, "-I", str(LAUNCHER), "confine", policy]
        case _:
            return []


def _system(cell: Cell) -> list[str]:
    wanted = (*_SYSTEM, *(_SYSTEM_OF_TESTS if cell.writes else ()))
    return [each for each in wanted if os.path.lexists(each)]


def _bubblewrap(cell: Cell) -> list[str]:
    program = programs.find("bwrap") or "/usr/bin/bwrap"
    made = [
        program,
        "--unshare-all",
        "--die-with-parent",
        "--new-session",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]
    made += ["--tmpfs", "/tmp"]  # noqa: S108
    for each in (*_system(cell), *cell.reads):
        if each != "/proc":
            made += ["--ro-bind-try", each, each]
    made += ["--bind" if cell.writes else "--ro-bind", cell.folder, cell.folder]
    for each in cell.hides:
        made += ["--tmpfs", each]
    return [*made, "--bind", cell.temporary, cell.temporary, "--chdir", cell.folder, "--"]


def _policy(cell: Cell, processes: int) -> dict[str, object]:
    return {
        "fs_readable": [*_system(cell), *_DEVICES, cell.folder, *cell.reads],
        "fs_writable": [cell.temporary, "/dev/null", *([cell.folder] if cell.writes else [])],
        "fs_denied": [*cell.hides],
        "max_processes": processes,
        "cwd": cell.folder,
    }


def is_there(isolation: Isolation) -> bool:
    """Whether what it needs is installed; whether it works here is to be tried."""
    if isolation is Isolation.BUBBLEWRAP:
        return programs.find("bwrap") is not None
    return isolation is Isolation.NONE or importlib.util.find_spec("sandlock") is not None
