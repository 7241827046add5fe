"""Admission of paths named by programs: ignored files are not opened for them unless the settings allow it (SAFETY,
Paths)."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from services.concurrency.latest import SharedCache
from services.errors import CodeCortexError, PathRefused
from services.operations import Operation
from services.prompt.state.items import KINDS
from services.source.read.reader import parse_location
from services.source.text.patch import parse_patch
from services.workspace.files.root import Root
from services.workspace.scan.hidden import is_hidden
from services.workspace.source_kinds import is_source

_KEPT_FOR = 5.0
"""Seconds for which a verdict holds: ignore files change seldom, and asking git takes milliseconds."""
_LONGEST = 4_096
"""Characters of the longest path that a system opens; a longer text names no file."""
_MOST_KEPT = 4_096


class PathAccess:
    """Check of every text in a call's arguments that may be a path: one that names a file is judged as that file.
    `ignored_files`: whether ignored ones may be opened."""

    def __init__(self, root: Root, *, ignored_files: bool) -> None:
        self._root = root
        self.ignored_files = ignored_files
        self._verdicts: SharedCache[str, tuple[float, bool]] = SharedCache(_MOST_KEPT)

    def check(self, operation: Operation, arguments: Mapping[str, Any]) -> None:
        """Raises PathRefused where an argument names a file that is ignored, or lies outside the workspace. What the
        operation declares to name nothing may say what it likes."""
        harmless = operation.texts(arguments)
        for text in _texts([value for name, value in arguments.items() if name not in harmless]):
            if path := self._file(text):
                self._admit(path)
        for text in _meant(arguments):
            if path := self._place(text):
                self._admit(path)

    def _place(self, text: str) -> str | None:
        """The normalised path of a text that is written like a file's, whether or not one is there: it may be about to
        be made, or be one that git alone has."""
        if len(text) > _LONGEST or not ("/" in text or is_source(text)):
            return None
        try:
            return self._root.normalise(text)
        except CodeCortexError:
            return None  # the operation itself says what is wrong with it

    def _file(self, text: str) -> str | None:
        """The normalised path of the file that a text names; None where it names none that is there."""
        if not text or len(text) > _LONGEST or "\n" in text:
            return None
        kind, _, target = text.partition(":")
        path = parse_location(target if kind in KINDS and target else text).path
        try:
            path = self._root.normalise(path)
        except CodeCortexError:
            return None  # the operation itself says what is wrong with it
        return path if self._root.has(path) else None

    def _admit(self, path: str) -> None:
        if not self.ignored_files and self._is_hidden(path):
            raise PathRefused(
                f"{path!r} is an ignored file, which agents may not open. "
                "The person at the workbench can allow it (agents.ignored_files).",
                path=path,
                reason="ignored",
            )

    def _is_hidden(self, path: str) -> bool:
        now = time.monotonic()
        at, verdict = self._verdicts.find(path) or (float("-inf"), False)
        if now - at < _KEPT_FOR:
            return verdict
        return self._verdicts.keep(path, (now, is_hidden(self._root, path)))[1]


def _texts(value: Any) -> Iterator[str]:
    """Every text in a JSON value, names of properties included, and the paths of the diffs among them."""
    if isinstance(value, str):
        yield value
        if "\n+++ " in value:
            yield from _patched(value)
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from _texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _texts(each)


def _meant(arguments: Mapping[str, Any]) -> Iterator[str]:
    """The texts that mean files where they are written like a file's; patterns and globs mean none."""
    if isinstance(named := arguments.get("object"), str):
        yield parse_location(named).path
    if isinstance(expected := arguments.get("expected"), Mapping):
        yield from map(str, expected)
    if isinstance(diff := arguments.get("diff"), str):
        yield from _patched(diff)


def _patched(diff: str) -> Iterator[str]:
    try:
        yield from [patch.path for patch in parse_patch(diff)]
    except CodeCortexError:
        return  # no diff, or one that is refused when it is applied
