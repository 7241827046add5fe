"""Searches at a shell: what is found is status 0, nothing found is told and 1, and a text is no expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.workspace import write_workspace
from workbench.shell.cli import run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    text = "class Ledger { void Enter(int amount) { Enter(1); } }\n"
    return write_workspace(tmp_path_factory.mktemp("found"), {"Ledger.cs": text})


@pytest.fixture(autouse=True)
def _homes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("grep", "Enter("), 0, "Enter(1);"),  # brackets are text unless an expression is asked for
        (("grep", "-E", r"Enter\(\d"), 0, "Enter(1);"),
        (("grep", "-E", "Enter("), 1, "cannot be searched for"),
        (("grep", "Nowhere"), 1, "Nowhere"),
        (("search", "ledg"), 0, "Ledger"),
        (("search", "zzzz"), 1, "zzzz"),
        (("search", "in:Nope ledger"), 1, "nope"),
        (("search", "kind:klass ledger"), 1, "klass"),
    ],
)
def test_the_status_says_whether_something_was_found(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int, said: str
) -> None:
    assert run(["--root", str(folder), *words]) == status
    out, err = capsys.readouterr()
    assert said in (err if status else out)
    assert status or not err


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("--tool", "read", "--path", "Ledger.cs", "read it"), 0, "class Ledger"),
        (("--tool", "read", "--path", "Nowhere.cs", "read it"), 1, "Nowhere.cs"),
        (("--tool", "fly", "away"), 1, "Unknown tool: fly"),
    ],
)
def test_the_status_of_an_agent_says_whether_it_did_it(
    folder: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], status: int, said: str
) -> None:
    assert run(["--root", str(folder), "agent", *words]) == status
    assert said in capsys.readouterr().out
