"""The folders of a file that is about to be made (SAFETY, Writes)."""

from __future__ import annotations

import contextlib
import os

from services.source.atomic.system_calls import Calls
from services.workspace.files.root import Root

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def make_folder(calls: Calls, root: Root, folder: str) -> None:
    """Make a folder (normalised) with those above it that are missing; no link is followed.

    Each is on the disk when this returns: the journal comes after it, and must not speak of a folder that is lost with
    the power. A process killed meanwhile leaves empty folders, which harm nobody. Raises OSError."""
    above, missing = _nearest(root, folder)
    try:
        for name in missing:
            with contextlib.suppress(FileExistsError):  # others make it too
                calls.run(os.mkdir, name, 0o777, dir_fd=above)
            calls.run(os.fsync, above)
            below = os.open(name, _FOLDER, dir_fd=above)
            os.close(above)
            above = below
    finally:
        os.close(above)


def _nearest(root: Root, folder: str) -> tuple[int, list[str]]:
    """A descriptor of the nearest folder that is there, and the names below it that are not."""
    missing: list[str] = []
    while folder:
        try:
            return root.open_folder(folder), missing
        except FileNotFoundError:
            folder, _, name = folder.rpartition("/")
            missing.insert(0, name)
    return root.open_folder("."), missing
