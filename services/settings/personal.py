"""The person's own folders for this program, as the platform has them, and small files that people write."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Literal

_NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_AS_IT_IS = getattr(os, "O_NOFOLLOW", 0)


def read_small(path: Path, most: int, *, follow: bool = True) -> bytes:
    """The content of a regular file of at most `most` bytes. `follow`: it may be a link.

    Raises OSError, and ValueError with the reason for what is no such file: a pipe or a device, on which reading would
    wait, and a larger one.
    """
    flags = _NO_WAIT if follow else _NO_WAIT | _AS_IT_IS
    with open(
        path, "rb", opener=lambda name, mode: os.open(name, mode | flags)
    ) as file:  # closed if it is a folder
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is not a regular file")
        data = file.read(most + 1)
    if len(data) > most:
        raise ValueError(f"it is larger than {most} bytes")
    return data


_BELOW_HOME = {"state": ".local/state", "config": ".config", "cache": ".cache"}
"""Folders of the XDG Base Directory Specification where no variable names them."""
NOWHERE = Path(os.devnull) / "codecortex"
"""Stands for a folder of a person who has no home: nothing is there, and nothing can be made there, as on a disk that
cannot be written."""


def personal_folder(kind: Literal["state", "config", "cache", "log"]) -> Path:
    """Return the folder of a kind; NOWHERE where the person has no home (HOME and the XDG variable are unset)."""
    if sys.platform == "linux" and (base := _by_variables("state" if kind == "log" else kind)):
        return Path(base, "codecortex", "log" if kind == "log" else "")
    import platformdirs

    make = {
        "state": platformdirs.user_state_path,
        "config": platformdirs.user_config_path,
        "cache": platformdirs.user_cache_path,
        "log": platformdirs.user_log_path,
    }
    try:
        return make[kind]("codecortex", appauthor=False)
    except RuntimeError:
        return NOWHERE


def _by_variables(kind: str) -> str:
    """Return the parent folder from the variables of the environment; empty where `platformdirs` has to find
    out, whose import takes as long as the answer of a resident process."""
    if (given := os.environ.get(f"XDG_{kind.upper()}_HOME", "")).startswith("/"):
        return given
    home = os.environ.get("HOME", "")
    return f"{home.rstrip('/')}/{_BELOW_HOME[kind]}" if home.startswith("/") else ""
