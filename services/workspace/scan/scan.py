"""Scan of the workspace's files: git's list where there is one, else our own walk, and always less what is ignored."""

from __future__ import annotations

import os
import stat
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from services.concurrency.background import ThreadCall
from services.concurrency.cancellation import checkpoint
from services.model import Notice
from services.workspace.files.folders import OWN_IGNORE_NAME, OwnIgnoreFolders
from services.workspace.files.ignore import LARGEST, IgnoreRules, is_ignored, parse_rules, read_rules
from services.workspace.files.openers import protected
from services.workspace.files.root import FileStamp, Root
from services.workspace.scan import git
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
    prefix = os.fsencode(start) + b"/" if start else b""
    nested: set[bytes] = set()
    # Git lists tracked, untracked and ignored files at once.
    with ThreadCall(git.untracked, folder, cancel) as untracked, ThreadCall(git.ignored, folder) as ignored:
        for answer in (partial(git.tracked, folder, cancel), untracked.result):
            listing = answer()
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
