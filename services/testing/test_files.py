"""Tests of a workspace: which files hold some, what they are named after, and which command line runs them."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple, Protocol

import msgspec

from services.decoding import SMALL, decode
from services.errors import UsageError
from services.workspace import json_files

DOTNET, PYTEST, VITEST, JEST = "dotnet", "pytest", "vitest", "jest"
_MAY_SET_UP_PYTEST = ("pyproject.toml", "setup.cfg", "tox.ini")
_PYTEST_SECTION = re.compile(r"^\[(?:tool\.pytest\b|tool:pytest\]|pytest\])", re.MULTILINE)


class RunnerTarget(NamedTuple):
    """Tests that one command runs. `name`: the project's; `path`: its project file, or its folder (`.`: the root);
    `frameworks`: the packages that its tests are written with."""

    name: str
    path: str
    runner: str
    frameworks: tuple[str, ...] = ()

    def command(self, filter_: str = "") -> str:
        """The command line, with the tests whose names hold a text, or all."""
        words = [*_COMMANDS[self.runner](self.path), *([_FILTERS[self.runner], filter_] if filter_ else [])]
        if filter_ and self.runner == DOTNET:
            words[-1] = filter_ if re.search(r"[~=]", filter_) else f"FullyQualifiedName~{_escaped(filter_)}"
        return shlex.join(words)


def _folder_option(option: str, path: str) -> list[str]:
    return [] if path == "." else [option, path]


_COMMANDS: dict[str, Callable[[str], list[str]]] = {
    DOTNET: lambda path: ["dotnet", "test", *([] if path == "." else [path])],
    PYTEST: lambda path: ["pytest", *([] if path == "." else [path])],
    VITEST: lambda path: ["vitest", "run", *_folder_option("--root", path)],
    JEST: lambda path: ["jest", *_folder_option("--rootDir", path)],
}
_FILTERS = {DOTNET: "--filter", PYTEST: "-k", VITEST: "-t", JEST: "-t"}


def _escaped(text: str) -> str:
    """A text within a filter of VSTest, where these signs mean something."""
    return re.sub(r"[\\()&|=!~]", lambda sign: f"\\{sign[0]}", text)


def script_targets(paths: Iterable[str], read: Callable[[str], str | None]) -> Iterator[RunnerTarget]:
    """The JavaScript and Python tests among the files of a workspace. `read`: the text of a small file, None where it
    cannot be read."""
    python = set[str]()
    for path in sorted(paths, key=lambda each: (each.count("/"), each)):
        place = PurePosixPath(path)
        if place.name == "package.json" and "node_modules" not in place.parts:
            yield from _of_package(place, read(path))
        elif _sets_up_pytest(place, read) and not any(_is_below(place, each) for each in python):
            folder = str(place.parent)
            python.add(folder)
            yield RunnerTarget(_name(folder), folder, PYTEST, (PYTEST,))


def _sets_up_pytest(place: PurePosixPath, read: Callable[[str], str | None]) -> bool:
    if place.name in ("pytest.ini", "conftest.py"):
        return True
    return place.name in _MAY_SET_UP_PYTEST and bool(_PYTEST_SECTION.search(read(str(place)) or ""))


def _of_package(place: PurePosixPath, text: str | None) -> Iterator[RunnerTarget]:
    try:
        package = decode(dict[str, Any], text or "{}", SMALL)
    except msgspec.DecodeError:
        return
    kinds = (package.get(kind) for kind in ("dependencies", "devDependencies"))
    packages = {name for each in kinds if isinstance(each, dict) for name in each}
    folder = str(place.parent)
    name = package.get("name")
    for runner in (VITEST, JEST):
        if runner in packages:
            yield RunnerTarget(name if isinstance(name, str) else _name(folder), folder, runner, (runner,))


def _name(folder: str) -> str:
    return "the workspace" if folder == "." else folder


def chosen(targets: list[RunnerTarget], project: str, solutions: Iterable[str]) -> RunnerTarget:
    """The target that a person names, or the only one; all .NET projects together where there is one solution at the
    root. Raises UsageError that says what there is."""
    known = ", ".join(each.path for each in targets[:20])
    if project:
        wanted = project.rstrip("/")
        named = [
            each for each in targets if wanted in (each.name, each.path, str(PurePosixPath(each.path).parent))
        ]
        if len(named) != 1:
            raise UsageError(
                f"{project!r} is {'no' if not named else 'more than one'} test project. There are: {known}."
            )
        return named[0]
    if len(targets) == 1:
        return targets[0]
    if not targets:
        raise UsageError("No tests were found here. Name the command that runs them, as `pytest tests`.")
    at_root = [each for each in solutions if "/" not in each]
    if all(each.runner == DOTNET for each in targets) and len(at_root) == 1:
        return RunnerTarget(at_root[0], at_root[0], DOTNET)
    raise UsageError(f"There are {len(targets)} test projects. Name one: {known}.")


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
