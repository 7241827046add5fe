"""Measured folder: a private copy, because an index is stored in it and files are changed.

Services are imported where they are used: the time that takes is part of what is measured.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from benchmarks.harness import fresh
from services.workspace.files.openers import SHARED_FOLDER
from services.workspace.state_home import RECORD, USE, StateHome

if TYPE_CHECKING:
    from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Corpus:
    """`name` is what results call it; `paths`: the files that the index reads; `size`: their bytes."""

    name: str
    folder: Path
    paths: tuple[str, ...]
    size: int
    workers: int
    rounds: int

    @property
    def scale(self) -> str:
        """Files and bytes in words."""
        return f"{len(self.paths):,} C# files, {self.size / 1e6:,.1f} MB"

    def forget(self) -> None:
        """Delete the stored index."""
        forget(self.folder)

    def keep(self) -> None:
        """Make sure that the stored index is up to date."""
        fresh.run(build, folder=str(self.folder), workers=self.workers)


@contextmanager
def copied(folder: Path, *, name: str, workers: int, rounds: int, kept: bool = False) -> Iterator[Corpus]:
    """Yield a copy of `folder`, deleted afterwards with its state. `kept`: with its stored index, if any."""
    from services.index.build.project_cache import ProjectRequest
    from services.index.build.units import plan
    from services.workspace.files.root import Root

    with TemporaryDirectory(prefix="codecortex-benchmark-") as temporary:
        copy = Path(temporary, name)
        shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(SHARED_FOLDER))
        if kept:
            _copy_state(folder, copy)
        # Else git would read every file of the copy again whenever it is asked, since each is another file to it.
        subprocess.run(["git", "status"], cwd=copy, capture_output=True, check=False)
        planned = plan(Root.open(copy), ProjectRequest(), known=None, cancel=None)
        paths = sorted({unit.path for unit in planned.units})
        size = sum(planned.stamps[path].size for path in paths)
        try:
            yield Corpus(name, copy, tuple(paths), size, workers, rounds)
        finally:
            forget(copy)


def forget(folder: Path) -> None:
    """Delete the state of a folder."""
    state = StateHome.of_person().find_folder(folder)
    if state is not None:
        shutil.rmtree(state, ignore_errors=True)


def _copy_state(folder: Path, copy: Path) -> None:
    from services.workspace.files.root import Root
    from services.workspace.state import StateFolder

    kept = StateHome.of_person().find_folder(folder)
    if kept is not None:
        with Root.open(copy) as root, StateFolder.open(root) as state:
            ignored = shutil.ignore_patterns(RECORD, USE)
            shutil.copytree(kept, state.where, dirs_exist_ok=True, ignore=ignored)


def settings(workers: int) -> Settings:
    """The defaults, with so many worker processes."""
    from services.settings import IndexSettings, Settings

    return Settings(index=IndexSettings(workers=workers))


def build(folder: str, workers: int) -> None:
    """Bring the stored index up to date, with the dependencies of its types, as a workbench does."""
    from services.bench import Bench

    with Bench.open(Path(folder), settings=settings(workers)) as bench:
        bench.index.load()
        bench.index.refresh()
        bench.index.relate()
