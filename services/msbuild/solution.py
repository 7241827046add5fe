"""The projects that a solution names: `.sln` (text), `.slnx` (XML), `.slnf` (JSON: part of another
solution)."""

from __future__ import annotations

import re
from dataclasses import dataclass

import msgspec

from services.decoding import decode
from services.msbuild.language.paths import normalise, parent
from services.msbuild.project.xmltree import XmlElement, XmlError, parse, plain

SUFFIXES = (".sln", ".slnx", ".slnf")
_PROJECT = re.compile(r'^\s*Project\("[^"]*"\)\s*=\s*"[^"]*"\s*,\s*"([^"]*)"')


@dataclass(frozen=True, slots=True)
class SolutionEntry:
    """A project that a solution names: its path relative to the workspace root (it may begin with `..`),
    and the line."""

    path: str
    line: int | None


class SolutionError(ValueError):
    """The solution cannot be read. `line` is 1-based or None."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


class _Filter(msgspec.Struct):
    path: str
    projects: list[str] = []


class _FilterFile(msgspec.Struct):
    solution: _Filter


def entries(path: str, content: bytes) -> list[SolutionEntry]:
    """Every project that the solution at `path` names, of any language, in its order. Raises
    SolutionError."""
    folder = parent(path)
    suffix = path.rpartition(".")[2].casefold()
    if suffix == "slnx":
        return _slnx(folder, content)
    if suffix == "slnf":
        return _slnf(folder, content)
    return _sln(folder, content)


def _entry(folder: str, path: str, line: int | None) -> SolutionEntry:
    return SolutionEntry(normalise(f"{folder}/{path}" if folder else path), line)


def _sln(folder: str, content: bytes) -> list[SolutionEntry]:
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    lines = content.decode(encoding, "replace").split("\n")
    if not any("Microsoft Visual Studio Solution File" in line for line in lines[:10]):
        raise SolutionError("this is not a solution file", 1)
    matches = ((number, _PROJECT.match(line)) for number, line in enumerate(lines, start=1))
    return [_entry(folder, match[1], number) for number, match in matches if match and _is_project(match[1])]


def _is_project(path: str) -> bool:
    return path.casefold().endswith("proj")


def _slnx(folder: str, content: bytes) -> list[SolutionEntry]:
    try:
        root = parse(content)
    except XmlError as error:
        raise SolutionError(error.message, error.line) from None
    return [_entry(folder, element.attribute("Path"), element.line) for element in _projects(root)]


def _projects(root: XmlElement) -> list[XmlElement]:
    found: list[XmlElement] = []
    for element in root.children:
        if element.name == "Project" and element.attribute("Path"):
            found.append(element)
        elif element.name == "Folder":
            found += _projects(element)
    return found


def _slnf(folder: str, content: bytes) -> list[SolutionEntry]:
    try:
        listed = decode(_FilterFile, plain(content.decode("utf-8-sig"))).solution
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SolutionError(f"this is not a solution filter: {error}") from None
    base = parent(normalise(f"{folder}/{listed.path}" if folder else listed.path))
    return [_entry(base, path, None) for path in listed.projects]
