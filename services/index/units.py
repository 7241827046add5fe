"""Which file is read for which project, with which preprocessor symbols."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from services.errors import CodeCortexError
from services.model import Notice
from services.workspace.projects import Evaluation, evaluate
from services.workspace.root import Root
from services.workspace.scan import scan
from services.workspace.stamp import FileStamp

PROJECT_SUFFIXES = (".sln", ".slnx", ".slnf", ".csproj", ".props", ".targets", ".projitems", ".shproj")
_PROJECT_FILE_LIMIT = 10_000_000


class Unit(NamedTuple):
    """A file of a project. `symbols`: index into the plan's sets; `shadow`: another project has it first."""

    project: int
    path: str
    symbols: int
    shadow: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """All units of a workspace, with the stamps of their files as scanned."""

    evaluation: Evaluation
    units: tuple[Unit, ...]
    symbol_sets: tuple[frozenset[str], ...]
    stamps: dict[str, FileStamp]
    notices: tuple[Notice, ...]

    def variant(self, symbols: int) -> str:
        """A short name of a symbol set, the same in every run."""
        text = ";".join(sorted(self.symbol_sets[symbols]))
        return sha256(text.encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class _Files:
    """The workspace as the evaluation of projects may see it."""

    root: Root
    cs_files: Sequence[str]
    project_files: Sequence[str]

    def read(self, path: str) -> bytes | None:
        # Most files asked for are not there, and Root would look for names close to them: a quarter of a warm start.
        try:
            os.stat(self.root.normalise(path), dir_fd=self.root.descriptor, follow_symlinks=False)
            return self.root.read(path, limit=_PROJECT_FILE_LIMIT)[0]
        except (CodeCortexError, OSError, ValueError):
            return None


def plan(root: Root, *, start: str | None, framework: str | None, cancel: threading.Event | None) -> Plan:
    """Scans the workspace and evaluates its projects. Raises Cancelled."""
    found = scan(root, suffixes=(".cs", *PROJECT_SUFFIXES), cancel=cancel)
    stamps = {stamp.path: stamp for stamp in found.files if stamp.path.lower().endswith(".cs")}
    project_files = [stamp.path for stamp in found.files if not stamp.path.lower().endswith(".cs")]
    files = _Files(root, list(stamps), project_files)
    evaluation = evaluate(files, start=start, framework=framework, root_name=root.path.name, cancel=cancel)
    units, symbol_sets = _units(evaluation, stamps)
    return Plan(evaluation, units, symbol_sets, stamps, (*found.notices, *evaluation.notices))


def _units(
    evaluation: Evaluation, stamps: dict[str, FileStamp]
) -> tuple[tuple[Unit, ...], tuple[frozenset[str], ...]]:
    sets: dict[frozenset[str], int] = {}
    units: list[Unit] = []
    first: set[str] = set()
    for at, project in enumerate(evaluation.projects):
        symbols = sets.setdefault(project.defines, len(sets))
        there = (path for path in project.files if path in stamps)
        units += (Unit(at, path, symbols, path in first) for path in there)
        first.update(project.files)
    return tuple(units), tuple(sets)
