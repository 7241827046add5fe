"""Projects evaluated once, and again when something that the evaluation looked at has changed."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

import msgspec

from services.errors import CodeCortexError
from services.msbuild import RULES, Evaluation
from services.workspace.files.root import Root
from services.workspace.source_kinds import is_markup

_PROJECT_FILE_LIMIT = 10_000_000

HIGHEST = "highest"
"""The setting for each project's highest target framework."""


class ProjectRequest(NamedTuple):
    """Project selection by a person. `start`: the named solution or project; `framework`: the value of the setting."""

    start: str | None = None
    framework: str = HIGHEST


Looked = tuple[int, int] | None
"""Size and mtime in ns of a file that the evaluation requested, or None where there was none."""


class Evaluated(msgspec.Struct, frozen=True, array_like=True):
    """Evaluation with its inputs: `lists` is a hash of the file names and of the request, `looked` the files it
    requested."""

    evaluation: Evaluation
    lists: str
    looked: dict[str, Looked]


class _Files(msgspec.Struct, frozen=True):
    """View of the workspace for the evaluation of projects, which records the requested files."""

    root: Root
    cs_files: Sequence[str]
    markup_files: Sequence[str]
    project_files: Sequence[str]
    looked: dict[str, Looked] = msgspec.field(default_factory=dict)

    def read(self, path: str) -> bytes | None:
        self.looked[path] = _look(self.root, path)
        if self.looked[path] is None:
            return None
        try:
            return self.root.read(path, limit=_PROJECT_FILE_LIMIT)[0]
        except CodeCortexError:
            return None


def evaluated(
    root: Root,
    files: tuple[Sequence[str], Sequence[str]],
    *,
    wanted: ProjectRequest,
    known: Evaluated | None,
    cancel: threading.Event | None,
) -> Evaluated:
    """The evaluation of a workspace with these source and project files: the `known` one where nothing has changed that
    it rests on. Raises Cancelled."""
    rests = (str(RULES), root.path.name, wanted.start or "", wanted.framework, *files[0], "", *files[1])
    lists = sha256("\n".join(rests).encode("utf-8", "replace")).hexdigest()
    if known is not None and known.lists == lists and _still_holds(root, known):
        return _with_tables(known)
    from services.msbuild.evaluation import evaluate

    markup = [path for path in files[0] if is_markup(path)]
    csharp = [path for path in files[0] if not is_markup(path)] if markup else files[0]
    asked = _Files(root, csharp, markup, files[1])
    framework = None if wanted.framework.casefold() == HIGHEST else wanted.framework
    evaluation = evaluate(
        asked, start=wanted.start, framework=framework, root_name=root.path.name, cancel=cancel
    )
    return _with_tables(Evaluated(evaluation, lists, asked.looked))


def _with_tables(known: Evaluated) -> Evaluated:
    """Add the tables of packages that were restored meanwhile."""
    from services.index.external.restored import marked  # with numpy, which a command that asks needs not

    projects = marked(known.evaluation.projects)
    if projects is known.evaluation.projects:
        return known
    evaluation = msgspec.structs.replace(known.evaluation, projects=projects)
    return msgspec.structs.replace(known, evaluation=evaluation)


def _still_holds(root: Root, known: Evaluated) -> bool:
    return all(_look(root, path) == was for path, was in known.looked.items())


def _look(root: Root, path: str) -> Looked:
    # Most requested files do not exist, and Root would look for similar names: a quarter of a warm start.
    try:
        status = os.stat(
            root.normalise(path.rstrip("/") or path), dir_fd=root.descriptor, follow_symlinks=False
        )
    except (CodeCortexError, OSError, ValueError):
        return None
    return status.st_size, status.st_mtime_ns
