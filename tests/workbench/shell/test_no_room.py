"""Commands where files cannot grow: everything can be read, and the reason is said."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.serving import SHOP
from tests.support.workspace import write_workspace

ROOT = Path(__file__).parents[3]


def limited(folder: Path, most: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that can write no file of more than `most` bytes."""
    return subprocess.run(
        [sys.executable, "-m", "workbench", "--root", str(folder), *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)),
    )


@pytest.mark.parametrize("most", [600, 4_096, 20_000])
def test_what_can_be_read_is_read_and_the_reason_is_said(tmp_path: Path, most: int) -> None:
    write_workspace(tmp_path, SHOP)
    found = limited(tmp_path, most, "outline", "Shop.Orders", "--json")
    assert found.returncode == 0, found.stderr
    assert json.loads(found.stdout)["text"]
    (notice,) = [json.loads(line)["notice"] for line in found.stderr.splitlines()]
    assert "cannot be kept" in notice["message"] or "cannot be written" in notice["message"]
    assert notice["whatToDo"]


def test_what_has_to_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    found = limited(tmp_path, 300, "pin", "Shop.Orders")
    assert found.returncode == 1
    assert "window.json was not written" in found.stderr
    assert limited(tmp_path, 300, "window").returncode == 0
