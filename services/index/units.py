"""Which file is read for which project, with which preprocessor symbols."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import repeat
from typing import NamedTuple

import msgspec

from services.index.evaluated import Evaluated, Wanted, evaluated
from services.model import Notice
from services.workspace.projects import Evaluation
from services.workspace.root import Root
from services.workspace.scan import scan
from services.workspace.stamp import FileStamp

PROJECT_SUFFIXES = (".sln", ".slnx", ".slnf", ".csproj", ".props", ".targets", ".projitems", ".shproj")


class Unit(NamedTuple):
    """A file of a project. `symbols`: index into the plan's sets; `shadow`: another project has it first."""

    project: int
    path: str
    symbols: int
    shadow: bool


@dataclass(frozen=True)
class Plan:
    """All units of a workspace, each once, with its C# files as scanned. Where nothing has changed, `digest` says so,
    and what is made of the files waits until something asks for it: a quarter of a refresh."""

    projects: Evaluated
    files: tuple[FileStamp, ...]
    notices: tuple[Notice, ...]

    @cached_property
    def stamps(self) -> dict[str, FileStamp]:
        """The files by path."""
        return {stamp.path: stamp for stamp in self.files}

    @property
    def units(self) -> tuple[Unit, ...]:
        """Every file of every project."""
        return self._made[0]

    @property
    def symbol_sets(self) -> tuple[frozenset[str], ...]:
        """The preprocessor symbols that units are read with."""
        return self._made[1]

    @cached_property
    def digest(self) -> bytes:
        """The same for the same files with the same sizes and times, and projects that rest on the same."""
        rests = (self.projects.lists, sorted(self.projects.looked.items()), self.files)
        return sha256(msgspec.msgpack.encode(rests)).digest()

    def stamped(self, stamps: Mapping[str, FileStamp]) -> Plan:
        """The same with other stamps of some of its files."""
        return replace(self, files=tuple([stamps.get(stamp.path, stamp) for stamp in self.files]))

    @cached_property
    def _made(self) -> tuple[tuple[Unit, ...], tuple[frozenset[str], ...]]:
        return _units(self.evaluation, self.stamps)

    @property
    def evaluation(self) -> Evaluation:
        """The projects."""
        return self.projects.evaluation

    def variant(self, symbols: int) -> str:
        """A short name of a symbol set, the same in every run."""
        text = ";".join(sorted(self.symbol_sets[symbols]))
        return sha256(text.encode()).hexdigest()[:12]


def plan(
    root: Root,
    wanted: Wanted,
    *,
    known: Evaluated | None,
    cancel: threading.Event | None,
    scanned: Callable[[int], None] | None = None,
) -> Plan:
    """Scans the workspace and evaluates its projects, unless `known` still holds. `scanned` is called in between with
    the bytes of all C# files. Raises Cancelled."""
    found = scan(root, suffixes=(".cs", *PROJECT_SUFFIXES), cancel=cancel)
    files: list[FileStamp] = []
    project_files: list[str] = []
    for stamp in found.files:
        if stamp.path.endswith(".cs") or stamp.path.lower().endswith(".cs"):
            files.append(stamp)
        else:
            project_files.append(stamp.path)
    if scanned is not None:
        scanned(sum(stamp.size for stamp in files))
    named = ([stamp.path for stamp in files], project_files)
    projects = evaluated(root, named, wanted=wanted, known=known, cancel=cancel)
    return Plan(projects, tuple(files), (*found.notices, *projects.evaluation.notices))


def _units(
    evaluation: Evaluation, stamps: dict[str, FileStamp]
) -> tuple[tuple[Unit, ...], tuple[frozenset[str], ...]]:
    sets: dict[frozenset[str], int] = {}
    units: list[Unit] = []
    first: set[str] = set()
    for at, project in enumerate(evaluation.projects):
        symbols = sets.setdefault(project.defines, len(sets))
        there = [path for path in dict.fromkeys(project.files) if path in stamps]
        shadows = map(first.__contains__, there)
        units += map(Unit._make, zip(repeat(at), there, repeat(symbols), shadows, strict=False))
        first.update(there)
    return tuple(units), tuple(sets)
