"""Objects of SAP systems in the workbench, against the strict simulator."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from services.adt.client import AdtClient
from services.adt.objects import AdtObjects
from services.adt.values import AdtSystem
from tests.support.adt_simulator import CLASS, SOURCE, AdtSimulator, simulated
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench
from workbench.edits.systems import SystemEditor, SystemsScreen


class SystemStage:
    """A simulated system, and the objects of it."""

    def __init__(self, simulator: AdtSimulator, objects: AdtObjects) -> None:
        self.simulator = simulator
        self.bench = StageBench()
        self.bench.systems = objects  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def inactive(self) -> str | None:
        return self.simulator.objects[CLASS].inactive.get("source/main")


@pytest.fixture
def played() -> Iterator[SystemStage]:
    with simulated() as (simulator, address):
        system = AdtSystem(name="DEV", url=address, user="DEVELOPER")
        objects = AdtObjects(lambda: {"DEV": lambda: AdtClient(system, lambda: "secret")})
        yield SystemStage(simulator, objects)
        objects.places.close()


async def _found(stage: Stage) -> SystemsScreen:
    await stage.press("escape", "at")
    await stage.type("zcl*")
    await stage.press("enter")
    screen = stage.app.screen
    assert isinstance(screen, SystemsScreen)
    return screen


async def test_objects_are_found_shown_and_pinned(played: SystemStage) -> None:
    async with on_stage(played.bench) as stage:
        screen = await _found(stage)
        assert screen.current == "adt:DEV:ZCL_DEMO"
        assert "METHODS add IMPORTING" in str(screen.detail.content)
        assert "sum = a + b" not in str(screen.detail.content)
        await stage.press("s")
        assert "sum = a + b" in str(screen.detail.content)
        await stage.press("space")
        assert any("adt:DEV:ZCL_DEMO" in call for call in played.bench.calls)


async def test_an_object_is_edited_under_its_lock_checked_activated_and_written_back(
    played: SystemStage,
) -> None:
    async with on_stage(played.bench) as stage:
        screen = await _found(stage)
        await stage.press("e")
        editor = stage.app.screen
        assert isinstance(editor, SystemEditor)
        assert played.simulator.locked == [CLASS]
        editor.editor.load_text(SOURCE.replace("a + b", "SYNTAX-ERROR"))
        await stage.press("alt+c")
        assert "line 8: Statement is not understood" in str(editor.head.content)
        editor.editor.load_text(SOURCE.replace("a + b", "b + a"))
        await stage.press("ctrl+s")
        assert stage.app.screen is screen
        assert played.simulator.locked == []
        assert played.inactive == SOURCE.replace("a + b", "b + a")
        await stage.press("a")
        assert "Activated" in str(screen.detail.content)
        await stage.press("u")
        assert played.inactive == SOURCE


async def test_what_was_typed_is_there_again_and_the_lock_is_not(played: SystemStage) -> None:
    async with on_stage(played.bench) as stage:
        await _found(stage)
        await stage.press("e")
        editor = stage.app.screen
        assert isinstance(editor, SystemEditor)
        editor.editor.load_text("* mine\n")
        await stage.press("escape")
        assert played.simulator.locked == []
        assert played.inactive is None
        await stage.press("e")
        editor = stage.app.screen
        assert isinstance(editor, SystemEditor)
        assert editor.editor.text == "* mine\n"
        await stage.press("escape")


async def test_a_lock_of_another_is_told_and_nothing_opens(played: SystemStage) -> None:
    async with on_stage(played.bench) as stage:
        screen = await _found(stage)
        other = AdtClient(played.bench.systems.places.client("DEV").system, lambda: "secret")  # pyright: ignore
        held = other.lock(CLASS)
        await stage.press("e")
        assert stage.app.screen is screen
        assert "is currently editing" in " ".join(stage.noted)
        other.unlock(held.lock.handle)
        other.close()


async def test_without_a_system_the_screen_says_how_to_name_one() -> None:
    bench = StageBench()
    bench.systems = AdtObjects(dict)  # pyright: ignore[reportAttributeAccessIssue]
    async with on_stage(bench) as stage:
        await stage.press("escape", "at")
        screen = stage.app.screen
        assert isinstance(screen, SystemsScreen)
        assert "[adt.NAME]" in str(screen.detail.content)
        await stage.press("i")
        assert "There is no SAP system" in str(screen.said.content)
