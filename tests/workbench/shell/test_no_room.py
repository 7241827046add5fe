"""Commands where files cannot grow: everything can be read, and the reason is said."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import WorkspaceError
from services.settings import Settings
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


def test_a_copy_is_handed_over_although_no_receipt_is_kept(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    assert limited(tmp_path, 10**9, "pin", "Shop.Orders").returncode == 0
    found = limited(tmp_path, 100, "copy", "--to", "stdout")
    assert found.returncode == 0, found.stderr
    assert " public int Add(Order order);" in found.stdout
    assert "No receipt of the copy is kept: " in found.stderr


def test_nothing_is_called_damaged_that_there_was_no_room_for(tmp_path: Path) -> None:
    """Neither then, nor at the next start, which has room."""
    write_workspace(tmp_path, SHOP)
    said = ""
    for room in (0, 10**9):
        for words in (("context", "adds"), ("read", "Shop/Order.cs"), ("lock", "Shop/Order.cs")):
            found = limited(tmp_path, room, *words)
            assert found.returncode == (1 if words[0] == "lock" and not room else 0), found.stderr
            said += found.stderr.replace(str(tmp_path), "")
    assert "cannot be kept" in said or "cannot be written" in said
    assert [each for each in _DAMAGE if each in said] == [], said


_DAMAGE = ("amaged", "built anew", "empty", "Traceback", "internal error")


def test_the_history_is_read_and_nothing_is_written_to_it(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    patch = (
        "--- a/Shop/Order.cs\n+++ b/Shop/Order.cs\n@@ -1 +1 @@\n-namespace Shop;\n+namespace Shop; // One.\n"
    )
    (tmp_path / "p.diff").write_text(patch)
    assert limited(tmp_path, 10**9, "paste", "--write", str(tmp_path / "p.diff")).returncode == 0
    for most in (0, 300):
        found = limited(tmp_path, most, "history", "--json")
        assert found.returncode == 0, found.stderr
        assert "Shop/Order.cs" in found.stdout
    refused = limited(tmp_path, 0, "undo")
    assert refused.returncode == 1 and "Traceback" not in refused.stderr
    assert "One." in (tmp_path / "Shop/Order.cs").read_text()


def test_what_has_to_be_written_is_refused_with_the_reason(tmp_path: Path) -> None:
    write_workspace(tmp_path, SHOP)
    found = limited(tmp_path, 300, "pin", "Shop.Orders")
    assert found.returncode == 1
    assert "window.json was not written" in found.stderr
    assert limited(tmp_path, 300, "window").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("pin", "Shop.Orders"), 1),
        (("lock", "Shop/Orders.cs"), 1),
        (("complete", "--add"), 1),
        (("complete",), 0),
        (("search", "Orders"), 0),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, tuple) else None,
)
def test_what_would_be_lost_with_the_command_is_refused(
    tmp_path: Path, arguments: tuple[str, ...], status: int
) -> None:
    write_workspace(tmp_path, SHOP)
    found = subprocess.run(
        [sys.executable, "-m", "workbench", "--root", str(tmp_path), *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "XDG_STATE_HOME": "/dev/null/state", "HOME": "/dev/null"},
    )
    assert found.returncode == status, found.stderr
    assert ("Nothing was done" in found.stderr) == bool(status)


def test_the_whole_machine_is_no_code_base() -> None:
    with pytest.raises(WorkspaceError, match="the whole machine"):
        Bench.open(Path("/"), settings=Settings())
