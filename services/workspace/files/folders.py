"""Folders of the workspace, opened without ever following a symlink, and the status of their files, folder by
folder."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable

from services.errors import CodeCortexError
from services.workspace.files.ignore import IgnoreRules, is_ignored, read_rules
from services.workspace.files.openers import protected
from services.workspace.files.root import FileStamp, Root

OWN_IGNORE_FILE = ".codecortexignore"
"""Read in every folder, with the syntax of .gitignore; unlike it, it also hides files that are tracked."""

OWN_IGNORE_NAME = os.fsencode(OWN_IGNORE_FILE)
"""The name as folder listings have it."""


class OwnIgnoreFolders:
    """Opens folders and knows which of the program's own ignore files hold in them. Paths are bytes, relative to the
    root, empty for it. `unreadable`: those that may not be read."""

    def __init__(self, root: Root) -> None:
        self.unreadable: set[bytes] = set()
        self._root = root
        self._levels: dict[bytes, list[IgnoreRules] | None] = {}

    def open(self, folder: bytes) -> int | None:
        """A descriptor, or None if it is gone, a symlink, or not readable, which is noted."""
        try:
            return self._root.open_folder(os.fsdecode(folder) or ".")
        except PermissionError:
            self.unreadable.add(folder)
        except OSError:
            pass
        return None

    def opened(self, folder: bytes) -> tuple[int, list[IgnoreRules]] | None:
        """A descriptor with the own ignore files that hold there, as `levels`; None where there is nothing to see."""
        if folder in self._levels:
            levels = self._levels[folder]
            descriptor = self.open(folder) if levels is not None else None
            return None if levels is None or descriptor is None else (descriptor, levels)
        above = self._above(folder)
        descriptor = self.open(folder) if above is not None else None
        if above is None or descriptor is None:
            self._levels[folder] = None
            return None
        levels = self._levels[folder] = _with_own(above, descriptor, folder)
        return descriptor, levels

    def levels_in(self, folder: bytes, descriptor: int, *, own: bool = True) -> list[IgnoreRules] | None:
        """Return the ignore rules of an open folder, like `levels`. `own`: whether it may have an ignore file of its
        own: a look for one takes as long as a look at a few files."""
        if folder not in self._levels:
            above = self._above(folder)
            self._levels[folder] = (
                _with_own(above, descriptor, folder) if above is not None and own else above
            )
        return self._levels[folder]

    def levels(self, folder: bytes) -> list[IgnoreRules] | None:
        """The own ignore files that hold in a folder, outermost first; None if the folder is not to be looked at."""
        missing: list[bytes] = []
        each = folder
        while each not in self._levels and (not missing or missing[-1]):
            missing.append(each)
            each = each.rpartition(b"/")[0]
        for each in reversed(missing):  # the outermost first: folders may be deeper than calls
            self._levels[each] = self._found_levels(each)
        return self._levels[folder]

    def _found_levels(self, folder: bytes) -> list[IgnoreRules] | None:
        above = self._above(folder)
        descriptor = self.open(folder) if above is not None else None
        if above is None or descriptor is None:
            return None
        try:
            return _with_own(above, descriptor, folder)
        finally:
            os.close(descriptor)

    def _above(self, folder: bytes) -> list[IgnoreRules] | None:
        """Return the rules that apply to a folder before its own ignore file is read."""
        if not folder:
            return []
        parent, _, name = folder.rpartition(b"/")
        above = self.levels(parent)
        if above is None or name in (b"", b".", b"..") or protected(os.fsdecode(name)):
            return None
        return None if is_ignored(above, folder, is_folder=True) else above


def _with_own(above: list[IgnoreRules], descriptor: int, folder: bytes) -> list[IgnoreRules]:
    rules = read_rules(descriptor, OWN_IGNORE_FILE, folder + b"/" if folder else b"")
    return above if rules is None else [*above, rules]


def stamps_of(root: Root, paths: Iterable[str]) -> dict[str, FileStamp | None]:
    """Map each path to the result of `root.stat`; None where that raises."""
    folders: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    found: dict[str, FileStamp | None] = dict.fromkeys(paths)
    for path in found:
        try:
            normal = root.normalise(path)
        except CodeCortexError:
            continue
        folders[normal.rpartition("/")[0]].append((normal, path))
    for folder, files in folders.items():
        try:
            descriptor = root.open_folder(folder or ".")
        except OSError:  # it is gone, or a link is on the way
            found.update((path, _one(root, path)) for _, path in files)
            continue
        try:
            found.update((path, _in(descriptor, normal, root)) for normal, path in files)
        finally:
            os.close(descriptor)
    return found


def git_mode(root: Root, path: str) -> str:
    """Return the mode that git would store for an entry, without following links; empty where there is no file or
    link."""
    try:
        folder, name = _folder_of(root, path)
    except (OSError, CodeCortexError):
        return ""
    try:
        mode = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
    except OSError:
        return ""
    finally:
        os.close(folder)
    if stat.S_ISLNK(mode):
        return "120000"
    return "" if not stat.S_ISREG(mode) else "100755" if mode & stat.S_IXUSR else "100644"


def link_target(root: Root, path: str) -> bytes:
    """The text of a link, which is not followed; empty where there is none."""
    try:
        folder, name = _folder_of(root, path)
    except (OSError, CodeCortexError):
        return b""
    try:
        return os.fsencode(os.readlink(name, dir_fd=folder))
    except OSError:
        return b""
    finally:
        os.close(folder)


def _folder_of(root: Root, path: str) -> tuple[int, str]:
    """A descriptor of the folder of an entry, to be closed, and the entry's name in it. Raises OSError, PathRefused."""
    folder, _, name = root.normalise(path).rpartition("/")
    return root.open_folder(folder or "."), name


def _in(folder: int, path: str, root: Root) -> FileStamp | None:
    """A normalised path, by its name in its folder."""
    try:
        status = os.stat(path.rpartition("/")[2], dir_fd=folder, follow_symlinks=False)
    except OSError:
        return None
    if stat.S_ISREG(status.st_mode):
        return FileStamp(path, status.st_size, status.st_mtime_ns)
    return _one(root, path) if stat.S_ISLNK(status.st_mode) else None


def _one(root: Root, path: str) -> FileStamp | None:
    try:
        return root.stat(path)
    except CodeCortexError:
        return None
