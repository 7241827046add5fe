"""Location of the program's private state of a workspace."""

from __future__ import annotations

import shutil
from pathlib import Path

from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from services.workspace.state_home import StateHome


def state_of(folder: Path) -> Path:
    """The private state of the workspace at `folder`; it is made where there is none yet."""
    found = StateHome.of_person().find_folder(folder)
    if found is None:
        with Root.open(folder) as root, StateFolder.open(root) as state:
            return state.where
    return found


def copy_index(state: Path, folder: Path) -> None:
    """Give the workspace at `folder` the index in the state of another one with the same files."""
    own = state_of(folder)
    for path in state.glob("index.db*"):
        shutil.copy2(path, own)
    shutil.copytree(state / "large", own / "large", dirs_exist_ok=True)
