"""Programs of this machine, found on `PATH` outside every workspace: a `git` that a repository brings is never run.

Entries of `PATH` that are empty or relative mean the current folder, which may be a stranger's: they are never used.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Folders of the system's own programs."""

_strangers: set[str] = set()


def leave_out(folder: Path) -> None:
    """Never again use a program that lies below a folder, or below a repository that holds the folder.

    A repository in the home folder itself is the person's own, and does not count unless it is the folder."""
    _strangers.update(_tops(os.path.realpath(folder)))


def search_path(path: str | None = None) -> str:
    """The entries of a path, by default of `PATH`, that programs may be taken from."""
    return os.pathsep.join(entry for entry in _entries(path) if _is_trusted(entry))


def find(name: str, *, first: str = "") -> str | None:
    """The absolute path of a program; None where there is none that may be used. `first`: a path that is searched
    before `PATH`."""
    for entry in (*_entries(first), *_entries(None)):
        found = _in_folder(name, entry)
        if found is not None and _is_trusted(entry) and _is_trusted(found):
            return found
    return None


def _entries(path: str | None) -> list[str]:
    """The entries of a path, by default of `PATH`, that name a folder wherever the program was started."""
    entries = (os.environ.get("PATH", os.defpath) if path is None else path).split(os.pathsep)
    return [entry for entry in entries if Path(entry).is_absolute()]


def _in_folder(name: str, folder: str) -> str | None:
    """The program of that name in a folder of a path, as the system finds it."""
    if os.name == "posix" and os.sep not in name:
        path = os.path.join(folder, name)  # noqa: PTH118
        return path if os.path.isfile(path) and os.access(path, os.X_OK) else None  # noqa: PTH113
    import shutil

    return shutil.which(name, path=folder)


def _is_trusted(path: str) -> bool:
    real = os.path.realpath(path)
    strangers = tuple(_strangers)  # others may be added meanwhile
    return not any(f"{real}/".startswith(f"{each.rstrip('/')}/") for each in strangers)


def _tops(folder: str) -> Iterator[str]:
    yield folder
    home = os.path.realpath(os.path.expanduser("~"))  # noqa: PTH111 - HOME may be unset
    for parent in Path(folder).parents:
        if str(parent) in (home, parent.anchor):
            return
        if os.path.lexists(parent / ".git"):
            yield str(parent)
