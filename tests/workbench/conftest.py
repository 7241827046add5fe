"""A command line over a bench in memory, and what it opened and started."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.settings import Settings
from tests.support.memory_bench import MemoryBench
from tests.support.state import copy_index, state_of
from workbench.shell.cli import run
from workbench.shell.options import Seams
from workbench.shell.start import copy_sample


class CommandLine:
    """Runs command lines. `kept`: whether a bench finds an index; `defect`: what opening one raises;
    `benches`, `started`: what was opened."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.kept = True
        self.benches: list[MemoryBench] = []
        self.started: list[Path] = []
        self.defect: Exception | None = None
        self.out = self.err = ""
        self._capture = capture

    def run(self, *arguments: str) -> int:
        """The exit status; `out` and `err` are what was printed."""
        status = run(["--root", str(self.folder), *arguments], seams=Seams(self._open, self._start))
        self.out, self.err = self._capture.readouterr()
        return status

    def json(self, *arguments: str) -> Any:
        """The document that a successful `--json` printed."""
        assert self.run(*arguments, "--json") == 0, self.err
        return json.loads(self.out)

    def _open(self, path: Path, settings: Settings) -> MemoryBench:
        if self.defect is not None:
            raise self.defect
        self.benches.append(MemoryBench(path, settings, kept=self.kept))
        return self.benches[-1]

    def _start(self, path: Path, settings: Settings) -> int:
        self.started.append(path)
        return 0


@pytest.fixture
def line(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    """A command line in an empty folder, for a user without settings."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return CommandLine(workspace, capsys)


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sample, to be copied, and its state, with all that an index tells."""
    folder = copy_sample(tmp_path_factory.mktemp("sample") / "Orchard")
    with Bench.open(folder, settings=Settings()) as bench:
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
    return folder, state_of(folder)


@pytest.fixture
def orchard(sample: tuple[Path, Path], tmp_path: Path) -> Path:
    """One copy of the sample with its index, in which nothing has been done yet."""
    folder, state = sample
    copy = Path(shutil.copytree(folder, tmp_path / "Orchard"))
    copy_index(state, copy)
    return copy
