"""Failures of the last test run in the workbench: a list of places, from which context is found with one key."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.operations.table import by_tool
from tests.support.eventually import until
from tests.support.stage import on_stage
from tests.support.workspace import PYTEST_INI, indexed, project
from workbench.dialogs.context import ContextScreen
from workbench.panes.failures import FailuresScreen

FILES = {
    "Shop.csproj": project(),
    "Till.cs": "namespace Shop;\npublic class Till\n{\n    public int Close() => 3;\n}\n",
    "checks/pytest.ini": PYTEST_INI,
    "checks/test_till.py": "def test_good():\n    pass\n\n\ndef test_close():\n    assert 'Till.Close' == 3\n",
}


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with indexed(tmp_path / "w", FILES) as made:
        yield made


def run_tests(bench: Bench, **arguments: object) -> None:
    operation = by_tool("run-tests")
    assert operation is not None
    operation.run(bench, {"project": "checks", **arguments})


async def test_a_failure_is_a_place_and_leads_to_what_it_needs(bench: Bench) -> None:
    run_tests(bench)
    async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
        await stage.press("escape", "percent_sign")
        screen = stage.app.screen
        assert isinstance(screen, FailuresScreen)
        await until(lambda: screen.has_row)
        assert [row.label for row in screen.rows.rows] == ["test_till.test_close"]
        assert "1 test passed, 1 failed, 0 skipped" in str(screen.pane.note)
        assert "assert 'Till.Close' == 3" in str(screen.detail.content)
        await stage.press("c")
        await until(lambda: isinstance(stage.app.screen, ContextScreen))
        found = stage.app.screen
        assert isinstance(found, ContextScreen)
        await until(lambda: any(row.label.startswith("Till") for row in found.rows.rows))
        await stage.press("escape", "percent_sign")
        again = stage.app.screen
        assert isinstance(again, FailuresScreen)
        await until(lambda: again.has_row)
        await stage.press("enter")
        await until(lambda: stage.main.code.file == "checks/test_till.py")


async def test_without_a_run_and_after_a_green_one_it_says_so(bench: Bench) -> None:
    async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
        await stage.press("escape", "percent_sign")
        screen = stage.app.screen
        assert isinstance(screen, FailuresScreen)
        assert "No test run is known" in str(screen.rows.empty)
        await stage.press("enter", "c", "escape")
        run_tests(bench, filter="good")
        await stage.press("percent_sign")
        screen = stage.app.screen
        assert isinstance(screen, FailuresScreen)
        await until(lambda: "All tests that ran passed" in str(screen.rows.empty))


def test_a_damaged_record_is_no_run(bench: Bench) -> None:
    from services.operations.models.testing import last_run

    bench.state.write("tests/last.json", b"[")
    assert last_run(bench) is None
