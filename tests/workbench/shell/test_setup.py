"""What shells and `man` want to know, printed, put where they look, and removed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from services.operations.table import OPERATIONS
from tests.workbench.conftest import CommandLine
from workbench.shell.commands.setup import SHELLS, manual, script
from workbench.shell.group import make_group


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_is_put_where_the_shell_looks_and_removed(
    shell: str, line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert line.run("completion", shell) == 0
    printed = line.out
    assert "_CODECORTEX_COMPLETE" in printed
    assert line.run("completion", shell, "--install") == 0
    path = Path(line.out.split(" is written")[0])
    assert path.read_text() == printed == script(shell, make_group())
    assert path.is_relative_to(tmp_path)
    assert line.run("completion", shell, "--remove") == 0
    assert not path.exists()
    assert {made.name for made in tmp_path.rglob("*")} <= {"data", "config", "workspace"}
    assert line.run("completion", shell, "--install", "--remove") == 2


def test_a_folder_that_holds_something_else_stays(
    line: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    other = tmp_path / "data" / "man" / "man1" / "other.1"
    other.parent.mkdir(parents=True)
    other.write_text("other\n")
    assert line.run("manual", "--install") == 0
    assert line.run("manual", "--remove") == 0
    assert [path for path in (tmp_path / "data").rglob("*") if path.is_file()] == [other]


def test_the_program_answers_what_the_script_asks() -> None:
    environment = {**os.environ, "_CODECORTEX_COMPLETE": "bash_complete", "COMP_WORDS": "codecortex hier",
                   "COMP_CWORD": "1"}  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", "workbench"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split(",")[-1].strip() == "hierarchy"


def test_fish_says_all_of_what_an_option_does() -> None:
    """click's own script ends it at the first comma."""
    assert 'string split -m 1 "," $completion' in script("fish", make_group())


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash here")
def test_bash_reads_the_script() -> None:
    done = subprocess.run(
        ["bash", "-n"], input=script("bash", make_group()), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_manual_names_every_command_and_holds_no_request_of_its_texts() -> None:
    page = manual(make_group())
    for operation in OPERATIONS:
        if operation.faces.command:
            assert f'.SS "{operation.faces.command.replace("-", chr(92) + "-")} ' in page
    requests = {row.split(" ")[0] for row in page.splitlines() if row.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".SS", ".TP", ".B", ".I"}
