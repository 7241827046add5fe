"""The files of a folder that git cannot list: it is absent, refuses, or the folder is no repository."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from services.concurrency.cancellation import checkpoint
from services.workspace.files.folders import OWN_IGNORE_NAME
from services.workspace.files.ignore import LARGEST, IgnoreRules, is_ignored, parse_rules, read_rules
from services.workspace.files.names import protected
from services.workspace.files.root import Root
from services.workspace.scan.git import PathListing

_NAMES = (sys.getfilesystemencoding(), sys.getfilesystemencodeerrors())
"""Encoding and error handler of os.fsencode, looked up once."""
_TELLING = frozenset({".git", ".gitignore"})
"""Names in a folder that affect which files are left out."""


class _Folder(NamedTuple):
    """A folder to look into. `path`: relative to the root, empty for it; `levels`: the rules above it."""

    path: bytes
    levels: list[IgnoreRules]


Look = Callable[[bytes, list[bytes], int], object]
"""Called with a folder: its path, relative to the root and empty for it, the names of its files, and its descriptor,
which is closed afterwards."""


def walk(
    root: Root, start: str = "", *, cancel: threading.Event | None = None, look: Look | None = None
) -> PathListing:
    """List every file below `start` that its `.gitignore` files and `.git/info/exclude` leave; no symlink is
    followed.

    A repository inside counts by its own rules alone, as in git, so `nested` stays empty. Paths are relative to the
    root. With `look`, the files are passed to it instead of being listed: so each folder is opened once. Raises
    Cancelled."""
    prefix, levels = ("", []) if start else outer_rules(root.path)
    listing = PathListing([], [], [])

    def listed(folder: bytes, names: list[bytes], _: int) -> None:
        here = folder + b"/" if folder else b""
        listing.files.extend([here + name for name in names])

    waiting = [_Folder(os.fsencode(start), levels)]
    while waiting:
        checkpoint(cancel, "Reading the list of files was cancelled.")
        folder = waiting.pop()
        try:
            waiting += _visit(root, folder, os.fsencode(prefix), look or listed)
        except PermissionError:
            listing.unreadable.append(folder.path)
        except OSError:
            pass  # it is gone, or a symlink
    return listing


def outer_rules(folder: Path) -> tuple[str, list[IgnoreRules]]:
    """Return the folder's path in the work tree of the repository around it, and the rules of the folders above.

    The path ends in `/`; it is empty, and so are the rules, where there is no such repository or it ignores the
    folder."""
    top = next((each for each in folder.parents if os.path.lexists(each / ".git")), None)
    if top is None or os.path.lexists(folder / ".git"):
        return "", []
    levels = _levels(_file_rules(top / ".git" / "info" / "exclude", b""))
    below = folder.relative_to(top)
    for part in reversed((below, *below.parents)):
        path = b"" if part == Path() else os.fsencode(part)
        if path and is_ignored(levels, path, is_folder=True):
            return "", []
        if part != below:
            levels += _levels(_file_rules(top / part / ".gitignore", path + b"/" if path else b""))
    return f"{below}/", levels


def _visit(root: Root, folder: _Folder, prefix: bytes, look: Look) -> list[_Folder]:
    """Return the folders in the folder; `look` receives its files. Raises OSError."""
    descriptor = root.open_folder(os.fsdecode(folder.path) or ".")
    here = folder.path + b"/" if folder.path else b""
    try:
        files, inner = _entries(descriptor)
        levels = _rules_here(root, folder, descriptor, (prefix, {*files, *inner} & _TELLING))
        names = _encoded(files)
        if levels:
            base = prefix + here
            # A person's own rules hold although git is to ignore the file they are in.
            names = [
                name
                for name in names
                if name == OWN_IGNORE_NAME or not is_ignored(levels, base + name, is_folder=False)
            ]
            inner = [
                name for name in inner if not is_ignored(levels, base + name.encode(*_NAMES), is_folder=True)
            ]
        look(folder.path, names, descriptor)
    finally:
        os.close(descriptor)
    return [_Folder(here + name.encode(*_NAMES), levels) for name in inner if not protected(name)]


def _entries(descriptor: int) -> tuple[list[str], list[str]]:
    """The names in an open folder: those of folders apart."""
    files: list[str] = []
    folders: list[str] = []
    with os.scandir(descriptor) as entries:
        for entry in entries:
            (folders if entry.is_dir(follow_symlinks=False) else files).append(entry.name)
    return files, folders


def _encoded(names: list[str]) -> list[bytes]:
    """Names as the system has them. Together, since each call takes longer than the few letters of a name."""
    return "\0".join(names).encode(*_NAMES).split(b"\0") if names else []


def _rules_here(
    root: Root, folder: _Folder, descriptor: int, context: tuple[bytes, set[str]]
) -> list[IgnoreRules]:
    """Return the rules that apply directly in the folder. `context`: the root's place, and which names of rule files
    it contains."""
    prefix, found = context
    base = prefix + (folder.path + b"/" if folder.path else b"")
    levels = folder.levels
    if ".git" in found:
        levels = _levels(_exclude(root, folder.path, base))
    if ".gitignore" in found:
        levels = levels + _levels(read_rules(descriptor, ".gitignore", base))
    return levels


def _exclude(root: Root, path: bytes, base: bytes) -> IgnoreRules | None:
    """The rules of `.git/info/exclude` of the repository at `path`; None where `.git` is a file or there are
    none.
    """
    place = os.fsdecode(path) + "/.git/info" if path else ".git/info"
    try:
        descriptor = root.open_folder(place)
    except OSError:
        return None
    try:
        return read_rules(descriptor, "exclude", base)
    finally:
        os.close(descriptor)


def _file_rules(path: Path, base: bytes) -> IgnoreRules | None:
    """The rules of a file above the root."""
    try:
        if stat.S_ISREG(path.lstat().st_mode):
            with path.open("rb") as file:
                return parse_rules(file.read(LARGEST), base)
    except OSError:
        pass
    return None


def _levels(rules: IgnoreRules | None) -> list[IgnoreRules]:
    return [rules] if rules is not None and rules.patterns else []
