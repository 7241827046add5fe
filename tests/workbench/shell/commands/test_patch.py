"""`read`, `lock` and `patch` at a shell, over the real services: what is refused, by its number."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.workspace import write_workspace
from workbench.shell.cli import run

SOURCE = "class A\n{\n}\n"


class Shell:
    """Runs commands in one folder."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capture = capture
        self._patch = patch

    def answer(self, *arguments: str, stdin: str = "") -> Any:
        """What a command answers, or the error that ended it with status 1."""
        self._patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        self._capture.readouterr()
        status = run(["--root", str(self.folder), *arguments, "--json"])
        out, err = self._capture.readouterr()
        assert status in (0, 1), err
        return json.loads(out) if out else json.loads(err)["error"]

    def text(self) -> str:
        return (self.folder / "A.cs").read_text()


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("MCP_ENABLE_CONFLICT_CHECK", raising=False)
    return Shell(write_workspace(tmp_path / "w", {"A.cs": SOURCE}), capsys, monkeypatch)


@pytest.mark.parametrize("lines", ["0", "0-2", "0-0", "7-9"])
def test_lines_that_do_not_exist_are_4004_whether_read_or_written(shell: Shell, lines: str) -> None:
    assert shell.answer("read", "A.cs", "--lines", lines)["code"] == 4004
    assert shell.answer("read", "A", "--lines", lines)["code"] == 4004
    assert shell.answer("read", f"A.cs:{lines}")["code"] == 4004
    assert shell.answer("read", "A", "--part", "main", "--lines", lines)["code"] == 4004
    token, handle = shell.answer("read", "A.cs")["token"], shell.answer("lock", "A.cs")["LOCK_HANDLE"]
    given = ("--expect", token, "--handle", handle, "--lines", lines)
    assert shell.answer("patch", "A.cs", *given, stdin="x")["code"] == 4004
    assert shell.answer("patch", "A.cs", *given[:4], "--insert", "0", stdin="x")["code"] == 4004
    assert shell.text() == SOURCE


def test_a_write_without_a_handle_is_4005(shell: Shell) -> None:
    token = shell.answer("read", "A.cs")["token"]
    refused = shell.answer("patch", "A.cs", "--expect", token, "--lines", "1", stdin="x")
    assert refused["code"] == 4005
    assert "--handle" in refused["message"]  # as a shell writes it
    assert "`lock`" in refused["message"]
    diff = "--- a/A.cs\n+++ b/A.cs\n@@ -1 +1 @@\n-class A\n+class B\n"
    assert shell.answer("patch", "--diff", "-", "--expect", f"A.cs={token}", stdin=diff)["code"] == 4005
    assert shell.answer("unlock", "A.cs")["code"] == 4005
    assert shell.text() == SOURCE


def test_a_person_skips_the_conflict_check_by_asking_and_not_otherwise(shell: Shell) -> None:
    handle = shell.answer("lock", "A.cs")["LOCK_HANDLE"]
    given = ("patch", "A.cs", "--expect", "1_0123456789abcdef", "--handle", handle, "--lines", "1")
    assert shell.answer(*given, stdin="class B\n")["code"] == 4003
    assert shell.answer(*given, "--skip-conflict-check", stdin="class B\n")["updated"]
    assert shell.text() == "class B\n{\n}\n"


def test_the_variable_alone_makes_skipping_the_default(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    handle = shell.answer("lock", "A.cs")["LOCK_HANDLE"]
    monkeypatch.setenv("MCP_ENABLE_CONFLICT_CHECK", "false")
    given = ("patch", "A.cs", "--expect", "1_0123456789abcdef", "--handle", handle, "--lines", "1")
    assert shell.answer(*given, stdin="class B\n")["updated"]


@pytest.mark.parametrize("name", ["src/New.cs/", "New.cs/", "A.cs/"])
def test_what_is_written_like_a_folder_is_neither_locked_nor_written(shell: Shell, name: str) -> None:
    for command in (("lock", name), ("patch", name, "--expect", "0_empty", "--handle", "h", "--insert", "1")):
        assert "folder" in shell.answer(*command, stdin="x")["message"]
    assert sorted(path.name for path in shell.folder.iterdir()) == ["A.cs"]


def test_a_diff_from_a_chat_deletes_a_file(shell: Shell) -> None:
    token, handle = shell.answer("read", "A.cs")["token"], shell.answer("lock", "A.cs")["LOCK_HANDLE"]
    diff = "Gone:\n```diff\n--- a/A.cs\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-class A\n-{\n-}\n```\n"
    given = ("patch", "--diff", "-", "--expect", f"A.cs={token}", "--handle", handle)
    assert shell.answer(*given, stdin=diff)["files"][0]["lineCount"] == 0
    assert not (shell.folder / "A.cs").exists()
    assert shell.answer("search", "A")["total"] == 0
