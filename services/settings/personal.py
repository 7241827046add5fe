"""The person's own folders for this program, as the platform has them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

NOWHERE = Path(os.devnull) / "codecortex"
"""Stands for a folder of a person who has no home: nothing is there, and nothing can be made there, as on a disk that
cannot be written."""


def personal_folder(kind: Literal["state", "config", "cache", "log"]) -> Path:
    """Return the folder of a kind; NOWHERE where the person has no home (HOME and the XDG variable are unset)."""
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
