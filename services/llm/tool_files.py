"""The files of a workspace as a model's tools see them: below the root alone, what is ignored left out, likely secrets
masked."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator

import msgspec

from services.errors import PathRefused, WorkspaceError
from services.llm.tool_registry import MAX_FILE_SIZE, MAX_RESULTS
from services.model import GrepFile
from services.prompt.secrets.masking import Masker
from services.source.grep_pattern import compiled
from services.source.grep_search import GrepRequest, GrepTotals, grep_files
from services.workspace.files.root import Root
from services.workspace.scan.hidden import is_hidden
from services.workspace.scan.scan import scan
from services.workspace.scan.sweep import glob_filter
from services.workspace.text import decode

_ESCAPES = ("leaves", "outside", "out of", "absolute")


class FileText(msgspec.Struct, frozen=True):
    """The lines of a file without their endings. `left_out`: bytes past MAX_FILE_SIZE."""

    path: str
    lines: tuple[str, ...]
    left_out: int = 0


class FileSearch(msgspec.Struct, frozen=True):
    """Search request of a tool. `literal`: the pattern is the text itself; `globs`: in which files, with the syntax of
    .gitignore, separated by commas."""

    pattern: str
    globs: str = ""
    case_insensitive: bool = False
    literal: bool = False
    most: int = MAX_RESULTS


class ToolFiles:
    """Reads for models. `ignored`: whether files that git ignores may be opened. Thread-safe."""

    def __init__(self, root: Root, masker: Masker, *, ignored: bool = False) -> None:
        self.root = root
        self._masker = masker
        self._ignored = ignored

    def path(self, given: str) -> str:
        """`given` relative to the root, of a file or a folder (`.`: the root; links to it followed). Raises
        PathRefused."""
        try:
            path = self.root.normalise(given.rstrip("/") or given) if given not in ("", ".", "./") else "."
            self._follow(path)
        except PathRefused as error:
            raise _escaping(given, error) from error
        if path != "." and not self._ignored and is_hidden(self.root, path):
            raise PathRefused(f"{path!r} is an ignored file, which is not shown to models.", path=path)
        return self._folder(path) or path

    def _folder(self, path: str) -> str | None:
        """The folder that a path leads to by links."""
        try:
            target = self.root.followed(path)
        except (OSError, PathRefused):
            return None
        return target if target != path and self.is_folder(target) else None

    def _follow(self, path: str) -> None:
        """Raise PathRefused where links lead outside, before any other error about the path."""
        try:
            self.root.stat(path)
        except PathRefused as error:
            if _is_escape(error):
                raise
        except WorkspaceError:
            return  # what is not there is said by whoever reads it

    def is_folder(self, path: str) -> bool:
        """Whether a normalised path is a folder, not counting links."""
        try:
            os.close(self.root.open_folder(path))
        except OSError:
            return False
        return True

    def text(self, given: str) -> FileText:
        """The lines of a file. Raises PathRefused, FileMissing, NotText, WorkspaceError."""
        path = self.path(given)
        if self.is_folder(path):
            raise WorkspaceError(f"{given!r} is a folder. List it, or name a file in it.", path=path)
        try:
            descriptor = self.root.open_read(path)
        except PathRefused as error:
            raise _escaping(given, error) from error
        with os.fdopen(descriptor, "rb") as file:
            data, size = file.read(MAX_FILE_SIZE), os.fstat(descriptor).st_size
        if size > len(data):
            data = data[: data.rfind(b"\n") + 1] or data
        content = self._masker.text(decode(data, path, encoding=self.root.encoding).content)
        lines = tuple(line.removesuffix("\r") for line in content.removesuffix("\n").split("\n"))
        return FileText(path, lines if content else (), max(0, size - len(data)))

    def listed(self, globs: str = "", cancel: threading.Event | None = None) -> Iterator[str]:
        """The files that are not ignored and that globs choose, sorted. Raises Cancelled."""
        chosen = glob_filter(globs)
        for file in scan(self.root, suffixes=("",), cancel=cancel).files:
            if chosen is None or chosen(os.fsencode(file.path)):
                yield file.path

    def search(
        self, search: FileSearch, cancel: threading.Event | None = None
    ) -> tuple[list[GrepFile], bool]:
        """Matches by file, and whether there may be more. Raises PatternInvalid, Cancelled."""
        written = re.escape(search.pattern) if search.literal else search.pattern
        pattern = compiled(written, case_insensitive=search.case_insensitive)
        wanted = GrepRequest(
            pattern,
            most=search.most,
            encoding=self.root.encoding,
            hide=self._masker.pieces,
        )
        tally = GrepTotals()
        return [
            *grep_files(self.root, wanted, globs=search.globs, tally=tally, cancel=cancel)
        ], tally.truncated


def _is_escape(error: PathRefused) -> bool:
    return any(word in str(error.details.get("reason", "")) for word in _ESCAPES)


def _escaping(given: str, error: PathRefused) -> PathRefused:
    if _is_escape(error):
        return PathRefused(
            f"path escapes base directory: {given}", path=given, reason=error.details["reason"]
        )
    return error
