"""Every file of the workspace, read one after the other as quickly as it can be done safely; ripgrep names those that
contain one of some texts."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, Self

from services.concurrency.background import start_thread
from services.concurrency.cancellation import checkpoint
from services.errors import Cancelled
from services.workspace import programs
from services.workspace.files.folders import OwnIgnoreFolders
from services.workspace.files.ignore import is_ignored, parse_rules
from services.workspace.files.openers import protected
from services.workspace.files.root import Root
from services.workspace.scan.scan import batches

_PASSED_OVER = (
    ".git",
    ".context",
    ".codecortex-state",
    ".nuget",
    ".vs",
    "artifacts",
    "bin",
    "node_modules",
    "obj",
    "packages",
    "TestResults",
)
_BELOW_THOSE = tuple(b"/%s/" % os.fsencode(name) for name in _PASSED_OVER)
_OPTIONS = (
    "--no-config",
    "--no-messages",
    "--no-mmap",
    "--text",
    "--files-with-matches",
    "--null",
    "--no-ignore",
    "--hidden",
    "--fixed-strings",
    *(part for name in _PASSED_OVER for part in ("--glob", f"!{name}/")),
)
_FOUND, _NOTHING = 0, 1
_POLL = 0.05


class Ripgrep:
    """A search under way. Close it."""

    def __init__(self, command: Sequence[str], root: Path, cancel: threading.Event | None) -> None:
        self._cancel = cancel
        self._ended = threading.Event()
        self._found: frozenset[bytes] | None = None
        self._process = subprocess.Popen(
            command,
            cwd=root,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._thread = start_thread(self._collect, name="ripgrep")

    @classmethod
    def begin(
        cls, root: Path, texts: Sequence[bytes], *, ignore_case: bool, cancel: threading.Event | None = None
    ) -> Self | None:
        """Start a search for files below `root` that contain one of the texts, in the background; None where ripgrep
        is missing or unsuitable."""
        programs.leave_out(root)
        program = programs.find("rg")
        if not texts or program is None:
            return None
        if ignore_case and not all(text.isascii() for text in texts):
            return None  # cases are folded alike by everybody within ASCII alone
        wanted = [part for text in texts for part in ("-e", text.decode())]
        case = "--ignore-case" if ignore_case else "--case-sensitive"
        try:
            return cls([program, *_OPTIONS, case, *wanted, "--", "./"], root, cancel)
        except OSError:
            return None

    def chosen(self, paths: list[bytes]) -> list[bytes]:
        """The files, relative to the root, that may hold one of the texts; all as long as that is not known."""
        found = self._found
        if found is None:
            return paths
        if _may_be_passed_over(b"/" + b"\0/".join(paths)):
            return [path for path in paths if path in found or _may_be_passed_over(b"/" + path)]
        return [path for path in paths if path in found]

    def wait(self, seconds: float) -> None:
        """Until it is known which files do, at most so long. Raises Cancelled."""
        deadline = time.monotonic() + seconds
        while not self._ended.wait(max(0.0, min(_POLL, deadline - time.monotonic()))):
            if self._cancel is not None and self._cancel.is_set():
                raise Cancelled("Reading the files was cancelled.")
            if time.monotonic() >= deadline:
                return

    def close(self) -> None:
        """Ends the search, if it has not ended."""
        if self._process.poll() is None:
            self._process.kill()
        self._thread.join()

    def _collect(self) -> None:
        out, _ = self._process.communicate()
        if self._process.returncode in (_FOUND, _NOTHING):
            self._found = frozenset(path.removeprefix(b"./") for path in out.split(b"\0") if path)
        self._ended.set()


def _may_be_passed_over(path: bytes) -> bool:
    """Whether a path, or one of several joined ones, leads through a skipped folder."""
    return any(name in path for name in _BELOW_THOSE)


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
