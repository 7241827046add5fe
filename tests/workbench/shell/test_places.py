"""Commands whose state folder cannot hold a state, and roots that move: what can be read is read, and the message says
what to do."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.workspace.state_home import USE, StateHome
from tests.support.no_locks import refuse_locks
from tests.support.serving import SHOP
from tests.support.workspace import write_workspace

ROOT = Path(__file__).parents[3]


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return write_workspace(tmp_path / "shop", SHOP)


def run(root: Path, *arguments: str, env: Mapping[str, str | None] | None = None, locks: bool = True):
    """A command on a root, with other variables; None: unset."""
    changed = {name: value for name, value in {**os.environ, **(env or {})}.items() if value is not None}
    return subprocess.run(
        [sys.executable, "-m", "workbench", "--root", str(root), *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=changed,
        preexec_fn=None if locks else refuse_locks,
    )


def reads(root: Path, *told: str, env: Mapping[str, str | None] | None = None, locks: bool = True) -> None:
    """A search answers and a pin is refused; both tell the reason and what to do."""
    found = run(root, "search", "Orders", env=env, locks=locks)
    assert (found.returncode, "Shop.Orders" in found.stdout) == (0, True), found.stderr
    refused = run(root, "pin", "Shop.Orders", env=env, locks=locks)
    assert refused.returncode == 1
    for each in (found, refused):
        assert [text for text in told if text not in each.stderr] == []
        assert "internal error" not in each.stderr


def test_a_place_that_is_no_folder(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    reads(shop, "temporary folder", "set XDG_STATE_HOME", env={"XDG_STATE_HOME": str(tmp_path / "file")})


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser writes everywhere")
def test_a_place_that_may_not_be_written(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(0o500)
    reads(shop, "Make its folder writable", env={"XDG_STATE_HOME": str(tmp_path / "closed")})


@pytest.mark.skipif(sys.platform != "linux", reason="a filter of Linux")
def test_a_place_without_locks(shop: Path) -> None:
    reads(shop, "cannot be locked there", "on a disk of this machine", locks=False)


def test_a_state_that_another_machine_uses(shop: Path) -> None:
    assert run(shop, "pin", "Shop.Orders").returncode == 0
    where = StateHome.of_person().find_folder(shop)
    assert where is not None
    with held_by_another_machine(where / USE):
        reads(shop, "another machine uses it (desktop)", "Close it there")
    assert "class Orders" in run(shop, "window").stdout


@contextmanager
def held_by_another_machine(use: Path):
    with use.open("r+b") as file:
        file.write(b"other-boot desktop".ljust(512))
        file.flush()
        fcntl.flock(file, fcntl.LOCK_SH)
        yield


def test_without_a_home_the_system_is_asked_for_it(shop: Path) -> None:
    """Where it knows none either, see test_state_home."""
    found = run(shop, "search", "Orders", env={"HOME": None})
    assert (found.returncode, "Shop.Orders" in found.stdout) == (0, True), found.stderr


def test_a_link_to_the_root_and_the_root_share_a_state(shop: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(shop)
    assert run(tmp_path / "link", "pin", "Shop.Orders").returncode == 0
    assert "class Orders" in run(shop, "window").stdout


def test_the_state_of_a_moved_root_is_offered_by_the_command_that_moves_it(
    shop: Path, tmp_path: Path
) -> None:
    assert run(shop, "pin", "Shop.Orders").returncode == 0
    moved = shop.rename(tmp_path / "moved")
    found = run(moved, "status")
    command = next(
        line for line in (found.stdout + found.stderr).splitlines() if "codecortex state move" in line
    )
    words = command.partition("codecortex ")[2].split()
    assert run(moved, *words[:3], str(moved)).returncode == 0
    assert "class Orders" in run(moved, "window").stdout
