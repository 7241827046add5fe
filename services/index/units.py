"""Which file is read for which project, with which preprocessor symbols."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

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


@dataclass(frozen=True, slots=True)
class Plan:
    """All units of a workspace, each once, with the stamps of their files as scanned."""

    projects: Evaluated
    units: tuple[Unit, ...]
    symbol_sets: tuple[frozenset[str], ...]
    stamps: dict[str, FileStamp]
    notices: tuple[Notice, ...]

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
    stamps: dict[str, FileStamp] = {}
    project_files: list[str] = []
    for stamp in found.files:
        if stamp.path.endswith(".cs") or stamp.path.lower().endswith(".cs"):
            stamps[stamp.path] = stamp
        else:
            project_files.append(stamp.path)
    if scanned is not None:
        scanned(sum(stamp.size for stamp in stamps.values()))
    projects = evaluated(root, (list(stamps), project_files), wanted=wanted, known=known, cancel=cancel)
    units, symbol_sets = _units(projects.evaluation, stamps)
    return Plan(projects, units, symbol_sets, stamps, (*found.notices, *projects.evaluation.notices))


def _units(
    evaluation: Evaluation, stamps: dict[str, FileStamp]
) -> tuple[tuple[Unit, ...], tuple[frozenset[str], ...]]:
    sets: dict[frozenset[str], int] = {}
    units: list[Unit] = []
    first: set[str] = set()
    for at, project in enumerate(evaluation.projects):
        symbols = sets.setdefault(project.defines, len(sets))
        there = (path for path in dict.fromkeys(project.files) if path in stamps)
        units += [Unit(at, path, symbols, path in first) for path in there]
        first.update(project.files)
    return tuple(units), tuple(sets)
