"""Location of the program's private state of a workspace."""

from __future__ import annotations

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
