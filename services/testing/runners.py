"""Test runners of a workspace, and the command line that runs the tests of one of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any, NamedTuple

import msgspec

from services.decoding import SMALL, decode
from services.errors import UsageError

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


def _folder(option: str, path: str) -> list[str]:
    return [] if path == "." else [option, path]


_COMMANDS: dict[str, Callable[[str], list[str]]] = {
    DOTNET: lambda path: ["dotnet", "test", *([] if path == "." else [path])],
    PYTEST: lambda path: ["pytest", *([] if path == "." else [path])],
    VITEST: lambda path: ["vitest", "run", *_folder("--root", path)],
    JEST: lambda path: ["jest", *_folder("--rootDir", path)],
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


def _is_below(place: PurePosixPath, folder: str) -> bool:
    return folder == "." or place.is_relative_to(folder)


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
