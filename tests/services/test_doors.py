"""Whoever only opens, searches and reads leaves a repository byte for byte as it was, by every way into the program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.doors import DOORS
from tests.support.snapshots import Snapshot
from tests.support.workspace import project, write_workspace

FILES = {
    "App.csproj": project("<TargetFramework>net8.0</TargetFramework>"),
    "A.cs": "namespace N;\npublic class A\n{\n    public int Do() => 1;\n}\n",
    "B.cs": "namespace N;\npublic class B\n{\n    public A Make() => new A();\n}\n",
    ".codecortex.toml": "[index]\nexport = true\n",
    "notes.md": "text\n",
}


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two commits, a change, and a file that git does not know."""
    folder = write_workspace(tmp_path / "repository", FILES)
    for line in ("init -q", "add -A", "commit -qm first", "commit -qm second --allow-empty"):
        who = ("-c", "user.name=n", "-c", "user.email=n@example.org")
        subprocess.run(["git", *who, *line.split()], cwd=folder, check=True)
    write_workspace(folder, {"B.cs": FILES["B.cs"].replace("B", "C"), "New.cs": "public class New { }\n"})
    return folder


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_who_reads_leaves_the_repository_as_it_was(repository: Path, door: Callable[[Path], None]) -> None:
    status = _status(repository)
    before = Snapshot.of(repository)
    door(repository)
    assert Snapshot.of(repository).differences(before) == []
    assert _status(repository) == status


def _status(folder: Path) -> str:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    said = subprocess.run(
        ["git", "status", "--porcelain", "--ignored"], cwd=folder, check=True, capture_output=True, text=True,
        env=environment,
    )  # fmt: skip
    return said.stdout
