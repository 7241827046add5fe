"""`codecortex state`: what is kept of workspaces, and what becomes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.shell.cli import run


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace that was searched once."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "person"))
    folder = tmp_path / "shop"
    folder.mkdir()
    (folder / "A.cs").write_text("class A { }\n")
    assert run(["--root", str(folder), "search", "A"]) == 0
    return folder


def listed(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """What is kept: by the path of the root, whether that is there."""
    capsys.readouterr()
    assert run(["state", "--json"]) == 0
    return {row["path"]: row["root"] for row in json.loads(capsys.readouterr().out)["states"]}


def test_states_are_listed_with_what_became_of_their_roots(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listed(capsys) == {str(root): "there"}
    root.rename(root.with_name("renamed"))
    assert listed(capsys) == {str(root): "gone"}
    assert run(["state"]) == 0
    assert f"{root}  (" in (said := capsys.readouterr().out)
    assert "the folder is gone" in said


def test_a_state_follows_a_root_that_was_renamed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--root", str(root), "pin", "A"]) == 0
    there = root.rename(root.with_name("renamed"))
    assert run(["state", "move", str(root), str(there)]) == 0
    assert listed(capsys) == {str(there): "there"}
    assert run(["--root", str(there), "window"]) == 0
    assert "A.cs" in capsys.readouterr().out


def test_a_state_that_is_deleted_is_gone(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["state", "delete", str(root), "--yes"]) == 0
    assert listed(capsys) == {}
    assert run(["state"]) == 0
    assert "No state is kept" in capsys.readouterr().out


def test_what_is_not_kept_is_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["state", "delete", str(root / "elsewhere"), "--yes"]) == 1
    assert "codecortex state" in capsys.readouterr().err
    assert listed(capsys) == {str(root): "there"}


def test_searching_and_reading_leave_the_workspace_as_it_was(root: Path) -> None:
    assert run(["--root", str(root), "outline", "A"]) == 0
    assert run(["--root", str(root), "read", "A.cs"]) == 0
    assert [each.name for each in root.iterdir()] == ["A.cs"]
