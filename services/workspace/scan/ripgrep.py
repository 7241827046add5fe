"""The only caller of ripgrep: finds files that contain one of some texts. Its output decides only which files the
program opens and searches itself: with or without ripgrep the results are the same.

It walks the whole workspace, ignored files too, so that its own rules do not matter; folders with build output are
skipped, and files below them count as not searched. It follows no symlink, opens regular files alone, and reads no
configuration."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self

from services.errors import Cancelled
from services.workspace import programs

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
        self._thread = threading.Thread(target=self._collect, name="ripgrep", daemon=True)
        self._thread.start()

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
