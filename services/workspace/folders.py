"""Folders of the workspace that may be looked into, opened without ever following a symlink."""

from __future__ import annotations

import os

from services.workspace.ignore import Rules, is_ignored, read_rules
from services.workspace.names import protected
from services.workspace.root import Root

OWN_IGNORE_FILE = ".codecortexignore"
"""Read in every folder, with the syntax of .gitignore; unlike it, it also hides files that are tracked."""


class Folders:
    """Opens folders and knows which of the program's own ignore files hold in them. Paths are bytes, relative to the
    root, empty for it. `unreadable`: those that may not be read."""

    def __init__(self, root: Root) -> None:
        self.unreadable: set[bytes] = set()
        self._root = root
        self._levels: dict[bytes, list[Rules] | None] = {}

    def open(self, folder: bytes) -> int | None:
        """A descriptor, or None if it is gone, a symlink, or not readable, which is noted."""
        try:
            return self._root.open_folder(os.fsdecode(folder) or ".")
        except PermissionError:
            self.unreadable.add(folder)
        except OSError:
            pass
        return None

    def levels(self, folder: bytes) -> list[Rules] | None:
        """The own ignore files that hold in a folder, outermost first; None if the folder is not to be looked at."""
        if folder not in self._levels:
            self._levels[folder] = self._found_levels(folder)
        return self._levels[folder]

    def _found_levels(self, folder: bytes) -> list[Rules] | None:
        above: list[Rules] | None = []
        if folder:
            parent, _, name = folder.rpartition(b"/")
            above = self.levels(parent)
            if above is None or name in (b"", b".", b"..") or protected(os.fsdecode(name)):
                return None
            if is_ignored(above, folder, is_folder=True):
                return None
        descriptor = self.open(folder)
        if descriptor is None:
            return None
        try:
            rules = read_rules(descriptor, OWN_IGNORE_FILE, folder + b"/" if folder else b"")
        finally:
            os.close(descriptor)
        return above if rules is None else [*above, rules]
