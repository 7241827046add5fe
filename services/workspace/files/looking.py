"""Batched file status: folder by folder, which takes a third of the system calls of one by one.

For a link: its own mode and its target, as git stores them."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable

from services.errors import CodeCortexError
from services.workspace.files.root import FileStamp, Root


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
