"""Scan of the workspace's files: git's list where there is one, else our own walk, and always less
`.codecortexignore`.
"""

from __future__ import annotations

import os
import stat
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from services.concurrency.cancellation import checkpoint
from services.model import Notice
from services.workspace.files.folders import OWN_IGNORE_NAME, OwnIgnoreFolders
from services.workspace.files.ignore import IgnoreRules, is_ignored
from services.workspace.files.root import FileStamp, Root
from services.workspace.scan import git
from services.workspace.scan.git import PathListing
from services.workspace.scan.walk import Look, walk


class Scan(NamedTuple):
    """Result of a scan: `files` sorted by path; `notices` about what could not be looked at."""

    files: tuple[FileStamp, ...]
    notices: tuple[Notice, ...]


def scan(root: Root, *, suffixes: Sequence[str] = (".cs",), cancel: threading.Event | None = None) -> Scan:
    """Every regular file that ends in one of `suffixes` (in any case), and is neither ignored nor behind a
    symlink.

    Files of submodules that are checked out and of repositories inside are there; deleted ones are not.
    Raises Cancelled.
    """
    looked = _Look(root, tuple(suffix.lower().encode() for suffix in suffixes), cancel)
    looked.at(_listed(root, "", cancel, look=looked.beside))
    return Scan(tuple(sorted(looked.files)), looked.notices())


def batches(root: Root, *, cancel: threading.Event | None = None) -> Iterator[list[bytes]]:
    """Iterate over the paths of `scan` in batches, each path once: tracked files come before those that a walk finds.
    Every batch is sorted. Files may be gone, and the program's own ignore files are not applied. Raises Cancelled."""
    seen: set[bytes] = set()
    for listing in _listings(root, "", cancel):
        fresh = sorted(set(listing.files) - seen)
        seen.update(fresh)
        yield fresh


def _listed(
    root: Root, start: str, cancel: threading.Event | None, *, look: Look | None = None
) -> PathListing:
    """List all paths below `start`, relative to the root. `look` is called for files that are found by a walk
    instead."""
    files: set[bytes] = set()
    unreadable: set[bytes] = set()
    for listing in _listings(root, start, cancel, look=look):
        files.update(listing.files)
        unreadable.update(listing.unreadable)
    return PathListing([*files], [], [*unreadable])


def _listings(
    root: Root, start: str, cancel: threading.Event | None, *, look: Look | None = None
) -> Iterator[PathListing]:
    """Lists that together are all paths below `start`, relative to the root; one path may be in several. `look`: as
    _listed."""
    folder = root.place() / start
    if not _in_repository(folder):
        yield walk(root, start, cancel=cancel, look=look)
        return
    from concurrent.futures import ThreadPoolExecutor

    prefix = os.fsencode(start) + b"/" if start else b""
    nested: set[bytes] = set()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(ask, folder, cancel) for ask in (git.tracked, git.untracked)]
        ignored = pool.submit(git.ignored, folder)
        for answer in asked:
            listing = answer.result()
            if listing is None or ignored.result():
                yield walk(root, start, cancel=cancel, look=look)
                return
            nested.update(listing.nested)
            yield PathListing(_below(prefix, listing.files), [], _below(prefix, listing.unreadable))
    for path in sorted(nested - {b"", b"."}):
        yield _nested(root, os.fsdecode(prefix + path), cancel, look)


def _in_repository(folder: Path) -> bool:
    """Whether git may know of the folder: else asking takes as long as looking at thousands of files."""
    return any(os.path.lexists(each / ".git") for each in (folder, *folder.parents))


def _below(prefix: bytes, paths: list[bytes]) -> list[bytes]:
    return [prefix + path for path in paths] if prefix else paths


def _nested(root: Root, path: str, cancel: threading.Event | None, look: Look | None) -> PathListing:
    """All paths of a repository inside; none if it is not checked out or is a symlink."""
    nothing = PathListing([], [], [])
    try:
        descriptor = root.open_folder(path)
    except OSError:
        return nothing
    try:
        os.stat(".git", dir_fd=descriptor, follow_symlinks=False)
    except OSError:
        return nothing
    finally:
        os.close(descriptor)
    return _listed(root, path, cancel, look=look)


class _Look:
    """Looks at files folder by folder, through descriptors, so that no symlink is ever followed: at those that are
    regular, end in one of `endings` and are not hidden."""

    def __init__(self, root: Root, endings: tuple[bytes, ...], cancel: threading.Event | None) -> None:
        self.files: list[FileStamp] = []
        self._endings = endings
        self._cancel = cancel
        self._folders = OwnIgnoreFolders(root)
        self._unnameable: list[bytes] = []

    def at(self, listing: PathListing) -> None:
        """Add a stamp for each listed file. Raises Cancelled."""
        self._folders.unreadable.update(listing.unreadable)
        folders: dict[bytes, list[bytes]] = defaultdict(list)
        for path in listing.files:
            if path.lower().endswith(self._endings):
                folder, _, name = path.rpartition(b"/")
                folders[folder].append(name)
        for folder in sorted(folders):
            checkpoint(self._cancel, "Reading the list of files was cancelled.")
            opened = self._folders.opened(folder)
            if opened is not None:
                descriptor, levels = opened
                try:
                    self._look_in(folder, folders[folder], descriptor, levels)
                finally:
                    os.close(descriptor)

    def beside(self, folder: bytes, names: list[bytes], descriptor: int) -> None:
        """Choose among the files of an open folder, like `at`."""
        levels = self._folders.levels_in(folder, descriptor, own=OWN_IGNORE_NAME in names)
        if levels is not None:
            wanted = [name for name in names if name.lower().endswith(self._endings)]
            self._look_in(folder, wanted, descriptor, levels)

    def notices(self) -> tuple[Notice, ...]:
        """Return the notices of this scan."""
        blocked = [_unreadable(os.fsdecode(path)) for path in sorted(self._folders.unreadable)]
        return (*blocked, *([_unnameable(self._unnameable)] if self._unnameable else []))

    def _look_in(self, folder: bytes, names: list[bytes], descriptor: int, levels: list[IgnoreRules]) -> None:
        """Stamps of the files of one folder, given by its descriptor and the rules that hold there: of those that are
        still there, regular, and have names that can be written down."""
        prefix = folder + b"/" if folder else b""
        look, is_regular, files = os.stat, stat.S_ISREG, self.files
        for name in names:
            path = prefix + name
            if levels and is_ignored(levels, path, is_folder=False):
                continue
            try:
                status = look(name, dir_fd=descriptor, follow_symlinks=False)
                if is_regular(status.st_mode):
                    files.append(FileStamp(path.decode(), status.st_size, status.st_mtime_ns))
            except UnicodeDecodeError:
                self._unnameable.append(path)
            except OSError:
                pass


def _unreadable(path: str) -> Notice:
    return Notice(
        severity="warning",
        message=f"The folder {path!r} cannot be read, so its files are missing.",
        what_to_do="Change its permissions, or list it in .codecortexignore.",
        file=path,
    )


def _unnameable(paths: Sequence[bytes]) -> Notice:
    return Notice(
        severity="warning",
        message=f"{len(paths)} files have names that are not UTF-8 and are left out, such as {paths[0]!r}.",
        what_to_do="Rename them.",
    )
