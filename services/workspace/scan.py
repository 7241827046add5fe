"""Which files there are: git's list where there is one, else our own walk, and always less
`.codecortexignore`.
"""

from __future__ import annotations

import os
import stat
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from services.errors import Cancelled
from services.model import Notice
from services.workspace import git
from services.workspace.folders import Folders
from services.workspace.git import Listing
from services.workspace.ignore import Rules, is_ignored
from services.workspace.root import Root
from services.workspace.stamp import FileStamp
from services.workspace.walk import walk


class Scan(NamedTuple):
    """What a scan found: `files` sorted by path; `notices` about what could not be looked at."""

    files: tuple[FileStamp, ...]
    notices: tuple[Notice, ...]


def scan(root: Root, *, suffixes: Sequence[str] = (".cs",), cancel: threading.Event | None = None) -> Scan:
    """Every regular file that ends in one of `suffixes` (in any case), and is neither ignored nor behind a
    symlink.

    Files of submodules that are checked out and of repositories inside are there; deleted ones are not.
    Raises Cancelled.
    """
    listing = _listed(root, "", cancel)
    endings = tuple(suffix.lower().encode() for suffix in suffixes)
    looked = _Look(root, listing.unreadable, cancel)
    looked.at(path for path in listing.files if path.lower().endswith(endings))
    return Scan(tuple(sorted(looked.files)), looked.notices())


def batches(root: Root, *, cancel: threading.Event | None = None) -> Iterator[list[bytes]]:
    """The paths that `scan` looks at, as they become known and each once: what git tracks comes before what it has to
    look for. Every batch is sorted. Files may be gone, and own ignore files are not asked. Raises Cancelled."""
    seen: set[bytes] = set()
    for listing in _listings(root, "", cancel):
        fresh = sorted(set(listing.files) - seen)
        seen.update(fresh)
        yield fresh


def _listed(root: Root, start: str, cancel: threading.Event | None) -> Listing:
    """All paths below `start`, relative to the root."""
    files: set[bytes] = set()
    unreadable: set[bytes] = set()
    for listing in _listings(root, start, cancel):
        files.update(listing.files)
        unreadable.update(listing.unreadable)
    return Listing([*files], [], [*unreadable])


def _listings(root: Root, start: str, cancel: threading.Event | None) -> Iterator[Listing]:
    """Lists that together are all paths below `start`, relative to the root; one path may be in several."""
    folder = root.path / start
    prefix = os.fsencode(start) + b"/" if start else b""
    nested: set[bytes] = set()
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(ask, folder, cancel) for ask in (git.tracked, git.untracked)]
        ignored = pool.submit(git.ignored, folder)
        for answer in asked:
            listing = answer.result()
            if listing is None or ignored.result():
                yield walk(root, start, cancel=cancel)
                return
            nested.update(listing.nested)
            yield Listing(_below(prefix, listing.files), [], _below(prefix, listing.unreadable))
    for path in sorted(nested - {b"", b"."}):
        yield _nested(root, os.fsdecode(prefix + path), cancel)


def _below(prefix: bytes, paths: list[bytes]) -> list[bytes]:
    return [prefix + path for path in paths] if prefix else paths


def _nested(root: Root, path: str, cancel: threading.Event | None) -> Listing:
    """All paths of a repository inside; none if it is not checked out or is a symlink."""
    nothing = Listing([], [], [])
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
    return _listed(root, path, cancel)


class _Look:
    """Looks at listed files folder by folder, through descriptors, so that no symlink is ever followed."""

    def __init__(self, root: Root, unreadable: Iterable[bytes], cancel: threading.Event | None) -> None:
        self.files: list[FileStamp] = []
        self._cancel = cancel
        self._folders = Folders(root)
        self._folders.unreadable.update(unreadable)
        self._unnameable: list[bytes] = []

    def at(self, paths: Iterable[bytes]) -> None:
        """Add a stamp for each path that is a regular file and not hidden. Raises Cancelled."""
        folders: dict[bytes, list[bytes]] = defaultdict(list)
        for path in paths:
            folder, _, name = path.rpartition(b"/")
            folders[folder].append(name)
        for folder in sorted(folders):
            if self._cancel is not None and self._cancel.is_set():
                raise Cancelled("Reading the list of files was cancelled.")
            opened = self._folders.opened(folder)
            if opened is not None:
                self._look_in(folder, folders[folder], opened)

    def notices(self) -> tuple[Notice, ...]:
        """What a person should know of this scan."""
        blocked = [_unreadable(os.fsdecode(path)) for path in sorted(self._folders.unreadable)]
        return (*blocked, *([_unnameable(self._unnameable)] if self._unnameable else []))

    def _look_in(self, folder: bytes, names: list[bytes], opened: tuple[int, list[Rules]]) -> None:
        """Stamps of the files of one folder, given by its descriptor, which is closed, and the rules that hold there:
        of those that are still there, regular, and have names that can be written down."""
        descriptor, levels = opened
        prefix = folder + b"/" if folder else b""
        look, is_regular, files = os.stat, stat.S_ISREG, self.files
        try:
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
        finally:
            os.close(descriptor)


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
