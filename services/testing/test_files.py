"""Test files: which paths are some, which code of other languages than C# they name, and which this program wrote."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Protocol

from services.errors import UsageError
from services.testing.runners import DOTNET, JEST, PYTEST, VITEST, RunnerTarget
from services.workspace import json_files

_JAVASCRIPT = re.compile(r".+\.(?:test|spec)\.[cm]?[jt]sx?")
_NAMES = {
    DOTNET: re.compile(r".+\.cs"),
    PYTEST: re.compile(r"test_.+\.py|.+_test\.py"),
    VITEST: _JAVASCRIPT,
    JEST: _JAVASCRIPT,
}
_SCRIPTS = re.compile(r".+\.(?:py|[cm]?[jt]sx?)")
_INDEX = ("__init__", "index", "main")
_NOT_SOURCE = frozenset({"node_modules", "bin", "obj", ".venv"})
_RECORD = "tests/written.json"
_KEPT = 2_000
"""Files of which the record knows what was written."""
_MOST_READ = 2_000
"""Test files in which names are looked for."""


def target_of(
    path: str, targets: Iterable[RunnerTarget], other_projects: Iterable[str] = ()
) -> RunnerTarget | None:
    """Return the test project that a test file belongs to, None for any other file. `other_projects`: project files
    that hold no tests, of which a nearer one has the file."""
    place = PurePosixPath(path)
    if ".." in place.parts or place.is_absolute() or _NOT_SOURCE.intersection(place.parts):
        return None
    fits = [each for each in targets if _NAMES[each.runner].fullmatch(place.name) and _holds(each, place)]
    found = max(fits, key=lambda each: len(_folder(each)), default=None)
    if found is None or found.runner != DOTNET:
        return found
    others = (str(PurePosixPath(each).parent) for each in other_projects)
    nearest = max((len(each) for each in others if _is_below(place, each)), default=-1)
    return found if len(_folder(found)) >= nearest else None


def _holds(target: RunnerTarget, place: PurePosixPath) -> bool:
    return _is_below(place, _folder(target))


def _is_below(place: PurePosixPath, folder: str) -> bool:
    return folder == "." or place.is_relative_to(folder)


def _folder(target: RunnerTarget) -> str:
    return str(PurePosixPath(target.path).parent) if target.runner == DOTNET else target.path


def is_script(path: str) -> bool:
    """Whether a file is code of a language whose symbols are not known here."""
    return _SCRIPTS.fullmatch(PurePosixPath(path).name) is not None


def naming(path: str, tests: Iterable[str], read: Callable[[str], str | None]) -> Iterator[str]:
    """Yield the test files that name the module of a file. `read`: the text of a small file, None where it cannot be
    read."""
    place = PurePosixPath(path)
    name = place.parent.name if place.stem in _INDEX and place.parent.name else place.stem
    pattern = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    for _, test in zip(range(_MOST_READ), tests, strict=False):
        if pattern.search(read(test) or ""):
            yield test


class RecordFolder(Protocol):
    """Folder of private state, as the record uses it."""

    def read(self, name: str, /) -> bytes | None:
        """The content of a file; None where there is none."""
        ...

    def write(self, name: str, data: bytes, /) -> object:
        """Write a file whole. Raises ReadOnly."""
        ...


class WrittenTests:
    """Record of the test files that this program wrote: the hashes of their last two contents, so that a write which
    broke off is known on either side of it."""

    def __init__(self, state: RecordFolder) -> None:
        self._state = state

    def require_own(self, path: str, content: bytes | None) -> None:
        """Raises UsageError for a file that is there, and is not as this program wrote it."""
        if content is None or _hash(content) in self._known().get(path, ()):
            return
        how = (
            "was changed since this tool wrote it"
            if path in self._known()
            else "was not written by this tool"
        )
        raise UsageError(
            f"{path} {how}: nothing was written. Choose another name, and leave what is there alone.",
            file=path,
        )

    def note(self, path: str, before: bytes | None, after: bytes) -> None:
        """Record a write that is about to be made. Raises ReadOnly."""
        known = self._known()
        known.pop(path, None)
        known[path] = [_hash(each) for each in (before, after) if each is not None]
        kept = dict([*known.items()][-_KEPT:])
        self._state.write(_RECORD, json_files.encode(kept, indent=None))

    def _known(self) -> dict[str, list[str]]:
        try:
            return json_files.decode(self._state.read(_RECORD) or b"{}", dict[str, list[str]])
        except ValueError:  # of a damaged record nothing is believed
            return {}


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def unknown_target(path: str, targets: Collection[RunnerTarget]) -> UsageError:
    """Return the error for a path that is no test file, which says where one could be."""
    known = ", ".join(f"{each.path} ({each.runner})" for each in [*targets][:20])
    where = f"Test projects are: {known}." if known else "There is none: set one up first."
    return UsageError(
        f"{path} is in no test project, or not named as its tests are. Only tests are written by this tool. {where}",
        file=path,
    )
