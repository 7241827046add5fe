"""Every file of the workspace, read one after the other as quickly as it can be done safely.

A file is opened by its name in the descriptor of its folder, following no symlink: one system call less for every
part of its path than opening it from the root, with the same verdicts.
"""

from __future__ import annotations

import os
import re
import stat
import threading
from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

from services.concurrency.cancellation import checkpoint
from services.workspace.files.folders import OwnIgnoreFolders
from services.workspace.files.ignore import is_ignored, parse_rules
from services.workspace.files.names import protected
from services.workspace.files.root import Root
from services.workspace.scan.scan import batches

# Every spelling of a protected name begins with a dot, or holds a tilde, a backslash or something beyond ASCII.
_ODD = re.compile(rb"^\.|[~\\\x80-\xff]")
_WAITS = ((200, 0.2), (1_500, 2.0))
"""How many files are read before the prefilter is waited for, and how long in s: the first results come early, and
with a slow prefilter all files are read."""
_AT_ONCE = 100
"""How many paths are sifted together."""
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_NOFOLLOW | os.O_CLOEXEC


class Swept(NamedTuple):
    """A file and all its bytes. `path`: as the system has it, relative to the root, with `/`."""

    path: bytes
    data: bytes


class FilePrefilter(Protocol):
    """Prefilter of files, which learns in the background which of them can be skipped."""

    def chosen(self, paths: list[bytes]) -> list[bytes]:
        """The files that may be of interest; all as long as that is not known."""
        ...

    def wait(self, seconds: float) -> None:
        """Until that is known, at most so long. Raises Cancelled."""
        ...


def sweep(
    root: Root,
    *,
    wanted: Callable[[bytes], bool] | None = None,
    limit: int,
    sieve: FilePrefilter | None = None,
    looked: Callable[[int], object] | None = None,
    cancel: threading.Event | None = None,
) -> Iterator[Swept]:
    """Read the files of `scan`: tracked files first, each group by folder and name. `wanted`: whether a path (bytes,
    relative to the root) is of interest; files of more than `limit` bytes, unreadable files, and files that `sieve`
    excludes are left out. `looked`: receives the number of further files looked at, excluded ones too. Raises
    Cancelled."""
    folders = OwnIgnoreFolders(root)
    sifted = _Sifted(sieve)
    for batch in batches(root, cancel=cancel):
        paths = batch if wanted is None else [path for path in batch if wanted(path)]
        for start in range(0, len(paths), _AT_ONCE):
            some = paths[start : start + _AT_ONCE]
            if looked is not None:
                looked(len(some))
            for folder, names in _by_folder(sifted.chosen(some)):
                _stop_if(cancel)
                yield from _files_in(folders, folder, names, limit)
            _stop_if(cancel)


def _stop_if(cancel: threading.Event | None) -> None:
    checkpoint(cancel, "Reading the files was cancelled.")


class _Sifted:
    """Filter by a prefilter, which is waited for while that saves time."""

    def __init__(self, sieve: FilePrefilter | None) -> None:
        self._sieve = sieve
        self._read = 0
        self._waits = list(_WAITS)

    def chosen(self, paths: list[bytes]) -> list[bytes]:
        """Return the paths that may be of interest."""
        if self._sieve is None:
            return paths
        if self._waits and self._read >= self._waits[0][0]:
            self._sieve.wait(self._waits.pop(0)[1])
        chosen = self._sieve.chosen(paths)
        self._read += len(chosen)
        return chosen


def glob_filter(globs: str) -> Callable[[bytes], bool] | None:
    """Whether a path is chosen by globs, several separated by commas, with the syntax of .gitignore; those that begin
    with `!` leave out, and where there are no others everything else is chosen. None for no globs at all."""
    lines = [line.strip() for line in globs.split(",") if line.strip()]
    if not lines:
        return None
    if all(line.startswith("!") for line in lines):
        lines.insert(0, "*")
    rules = parse_rules(os.fsencode("\n".join(lines)))

    def chosen(path: bytes) -> bool:
        """Whether the globs choose a path: the innermost folder that they name decides, unless they name the file
        itself."""
        parts = path.split(b"/")
        answer = False
        for count, name in enumerate(parts, 1):
            verdict = rules.verdict(b"/".join(parts[:count]), name, count < len(parts))
            answer = answer if verdict is None else verdict
        return answer

    return chosen


def _by_folder(paths: list[bytes]) -> Iterator[tuple[bytes, list[bytes]]]:
    """Neighbours that lie in the same folder, together."""
    folder, names = b"", []
    for path in paths:
        here, _, name = path.rpartition(b"/")
        if here != folder and names:
            yield folder, names
            names = []
        folder = here
        names.append(name)
    if names:
        yield folder, names


def _files_in(folders: OwnIgnoreFolders, folder: bytes, names: list[bytes], limit: int) -> Iterator[Swept]:
    opened = folders.opened(folder)
    if opened is None:
        return
    descriptor, levels = opened
    prefix = folder + b"/" if folder else b""
    try:
        for name in names:
            if (levels and is_ignored(levels, prefix + name, is_folder=False)) or _is_protected(name):
                continue
            data = _read(descriptor, name, limit)
            if data is not None:
                yield Swept(prefix + name, data)
    finally:
        os.close(descriptor)


def _is_protected(name: bytes) -> bool:
    return _ODD.search(name) is not None and protected(os.fsdecode(name)) is not None


def _read(folder: int, name: bytes, limit: int) -> bytes | None:
    """All bytes of a regular file, or None."""
    try:
        descriptor = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > limit:
            return None
        return _all_of(descriptor, status.st_size)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _all_of(descriptor: int, size: int) -> bytes:
    """Read `size` bytes and everything appended meanwhile; one call where nothing was."""
    data = os.read(descriptor, size + 1)
    if len(data) == size:
        return data
    pieces = [data]
    while more := os.read(descriptor, 1 << 20):
        pieces.append(more)
    return b"".join(pieces)
