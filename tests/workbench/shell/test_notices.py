"""What there is to say about a workspace is said once, by each command."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.settings import PROJECT_FILE
from tests.support.serving import SHOP
from tests.support.state import state_of
from tests.support.workspace import write_workspace
from workbench.shell.cli import run

DAMAGED, UNKNOWN = "What was used lately cannot be read", "window.budget cannot be 'much'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace of which the settings are wrong and a file of its state is damaged."""
    write_workspace(tmp_path, SHOP)
    assert run(["--root", str(tmp_path), "search", "Order"]) == 0
    (tmp_path / PROJECT_FILE).write_text("[window]\nbudget = 'much'\n")
    (state_of(tmp_path) / "access.json").write_bytes(b"damaged")
    return tmp_path


@pytest.mark.parametrize("form", ["--json", "--jsonl", ""])
def test_the_status_tells_notices_in_its_answer_alone(
    folder: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert run(["--root", str(folder), "status", *form.split()]) == 0
    said = capsys.readouterr()
    for notice in (DAMAGED, UNKNOWN):
        assert (said.out.count(notice), said.err.count(notice)) == (1, 0)


def test_other_commands_tell_them_beside_theirs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["--root", str(folder), "search", "Order"]) == 0
    said = capsys.readouterr()
    for notice in (DAMAGED, UNKNOWN):
        assert (said.out.count(notice), said.err.count(notice)) == (0, 1)
