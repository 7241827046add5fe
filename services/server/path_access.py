"""Rights of agents, read at each call, and the admission of paths that programs name."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from services.concurrency.latest import CachedAnswers, SharedCache
from services.errors import CodeCortexError, PathRefused, SettingsError
from services.operations import Operation
from services.prompt.items import KINDS
from services.settings import AgentSettings, Settings, user_file_path
from services.source.journal.actor import Owner
from services.source.read.reader import parse_location
from services.source.text.patch import parse_patch
from services.workspace.files.root import Root, sign
from services.workspace.scan.hidden import is_hidden
from services.workspace.source_kinds import is_source

_LOG = logging.getLogger("codecortex.server")


class Rights:
    """Looks at the person's settings file, where alone rights are given, and reads it again when it is another. Every
    method may be called from any thread."""

    def __init__(
        self, agents: AgentSettings, again: Callable[[], Settings], *, file: Path | None = None
    ) -> None:
        """`agents`: those in force; `again`: reads all settings, and raises SettingsError; `file`: the person's, None
        for the usual one."""
        self._file = file or user_file_path()
        self._again = again
        self._agents = agents
        self._known: CachedAnswers[AgentSettings] = CachedAnswers(lambda: sign(self._file))

    def now(self) -> AgentSettings:
        """Return the settings in force. An unusable file changes nothing, with a line in the log."""
        return self._known.get("agents", self._read)

    def _read(self) -> AgentSettings:
        try:
            self._agents = self._again().agents
        except SettingsError as error:
            _LOG.warning("the settings were not taken: %s", error.message)
        return self._agents


_UNNAMEABLE = re.compile(r"[^A-Za-z0-9._-]+")
_LONGEST_FILE = 40


def agent_named(name: str, session: str = "") -> Owner:
    """A program by the name it gives itself, and the first characters of its session's id. Letters, digits and `._-`
    are kept, so that no log can be misread; a program without a name is `agent`."""
    return Owner(_plain(name) or "agent", _plain(session)[:8])


def _plain(text: str) -> str:
    return _UNNAMEABLE.sub("-", text).strip("-")[:_LONGEST_FILE]


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
