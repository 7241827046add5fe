"""A person without a home folder: everything answers, nothing is put where they stand, and the reason is said."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from services.bench import Bench
from services.settings import load
from services.settings.personal import NOWHERE, personal_folder
from tests.support.doors import through_services
from tests.support.processes import ROOT
from tests.support.serving import SHOP
from tests.support.snapshots import Snapshot
from tests.support.stage import SIZE, Stage
from tests.support.workspace import write_workspace
from workbench.shell.cli import run
from workbench.shell.failure import internal_error
from workbench.state.ui_state import PersonalFiles


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, which is where its person stands."""
    for kind in ("STATE", "CONFIG", "CACHE"):
        monkeypatch.delenv(f"XDG_{kind}_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    folder = write_workspace(tmp_path / "shop", SHOP)
    monkeypatch.chdir(folder)
    return folder


def test_no_folder_is_found_and_none_is_made(homeless: Path) -> None:
    for kind in ("state", "config", "cache", "log"):
        assert personal_folder(kind) == NOWHERE
    with pytest.raises(OSError):
        NOWHERE.mkdir(parents=True)


def test_one_module_asks_the_platform_for_folders() -> None:
    """The library raises RuntimeError where there is no home, which nobody else expects."""
    files = (file for top in ("services", "workbench", "widgets") for file in (ROOT / top).rglob("*.py"))
    asking = [file.name for file in files if "import platformdirs" in file.read_text("utf-8")]
    assert asking == ["personal.py"]


def test_every_operation_that_reads_answers(homeless: Path) -> None:
    before = Snapshot.of(homeless)
    through_services(homeless)
    assert Snapshot.of(homeless).differences(before) == []


def test_commands_answer_and_say_that_nothing_lasts(
    homeless: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Snapshot.of(homeless)
    for line in ("search Orders", "outline Shop.Orders", "status", "models", "settings", "pin Shop.Orders"):
        status = run(["--root", str(homeless), *line.split()])
        said = capsys.readouterr()
        assert "Traceback" not in said.err and "internal" not in said.err, line
        if line.startswith(("search", "outline")):
            assert status == 0 and said.out
            assert "there is no home folder" in said.err
    assert Snapshot.of(homeless).differences(before) == []


def test_an_internal_error_is_told_without_a_file(homeless: Path) -> None:
    error = internal_error(ValueError("x"))
    assert "ValueError" in error.message and "file" not in error.details


async def test_the_workbench_opens_and_leaves(homeless: Path) -> None:
    before = Snapshot.of(homeless)
    stage = Stage(lambda: Bench.open(homeless, settings=load(homeless)), personal=PersonalFiles())
    async with stage.app.run_test(size=SIZE, notifications=True) as stage.pilot:
        await stage.settle()
        await stage.type("orders")
        await stage.press("enter")
        assert any("there is no home folder" in text for text in stage.noted)
    assert Snapshot.of(homeless).differences(before) == []
