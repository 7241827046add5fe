"""A question looked into by a model, from the words to the pinned conclusion, on a real workspace."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.services.bench.conftest import asking
from tests.support.eventually import until
from tests.support.scripted_model import ScriptedModel
from tests.support.stage import on_stage
from tests.support.workspace import indexed, project
from workbench.dialogs.context import ContextScreen, TaskScreen
from workbench.panes.operations import OperationsScreen
from workbench.ui.modal import Confirm

FILES = {
    "Shop.csproj": project(),
    "Till.cs": "namespace Shop;\npublic class Till\n{\n    public int Close() => 3;\n}\n",
}
ANSWER = "CONCLUSION:\nIt says 3 (`Till.cs:4`).\n\nEVIDENCE:\n- Till.cs:4: `Close() => 3` a constant\n"


async def test_a_model_looks_and_its_conclusion_is_pinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with indexed(tmp_path / "w", FILES) as bench:
        vars(bench)["asking"] = asking(bench, ScriptedModel(ANSWER))
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await stage.press("escape", "f")
            box = stage.app.screen
            assert isinstance(box, TaskScreen)
            box.editor.load_text("What does the till close with?")
            await stage.press("ctrl+s")
            await until(lambda: isinstance(stage.app.screen, ContextScreen))
            await stage.press("M")
            await until(lambda: isinstance(stage.app.screen, Confirm))
            assert "tools that only read" in str(stage.app.screen.query_one("Static").render())
            await stage.press("y")
            await until(lambda: bench.investigator.store.all() != ())
            await stage.press("f9")
            screen = stage.app.screen
            assert isinstance(screen, OperationsScreen)
            await until(lambda: "It says 3" in str(screen.detail.content))
            await stage.press("p")
            await until(lambda: not bench.window.is_empty)
            (item,) = bench.window.render().items
            assert item.label == "What does the till close with?"


async def test_operations_of_a_kind_are_paused_where_they_are_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    with indexed(tmp_path / "w", FILES) as bench:
        vars(bench)["asking"] = asking(bench, ScriptedModel())
        bench.ops.pause("semantic", is_paused=True)
        bench.generation.ask([bench.lookup.sure("Till").whole.id])
        async with on_stage(bench) as stage:  # pyright: ignore[reportArgumentType]
            await stage.press("escape", "f9")
            screen = stage.app.screen
            assert isinstance(screen, OperationsScreen)
            await until(lambda: "nothing of its kind is begun" in str(screen.detail.content))
            await stage.press("p")
            await until(lambda: any("nothing that could be pinned" in said for said in stage.noted))
            await stage.press("x", "z")
            await until(lambda: bench.ops.jobs.paused() == frozenset())
