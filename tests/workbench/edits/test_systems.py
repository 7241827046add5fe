"""Objects of SAP systems in the workbench, against the strict simulator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from services.adt.client import AdtClient
from services.adt.objects import AdtObjects
from services.adt.values import AdtSystem
from services.settings import Settings
from tests.support.adt_simulator import CLASS, SOURCE, AdtSimulator, simulated
from tests.support.album import Album
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench
from tests.support.steady import SteadyBench
from tests.workbench.main.test_looks import Act
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


async def _editing(stage: Stage) -> SystemEditor:
    await stage.press("e")
    editor = stage.app.screen
    assert isinstance(editor, SystemEditor)
    return editor


async def _listed(stage: Stage) -> None:
    await _found(stage)


async def _edited(stage: Stage) -> None:
    await _found(stage)
    await _editing(stage)


@pytest.mark.parametrize("act", [_listed, _edited], ids=["listed", "edited"])
async def test_looks(played: SystemStage, snapshot: SnapshotAssertion, act: Act) -> None:
    """Objects with an outline beside them, or a source in its editor and where changes are recorded; keys below."""
    async with on_stage(played.bench) as stage:
        with Album(snapshot) as album:
            await act(stage)
            await album.take(stage)


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
        editor = await _editing(stage)
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
        editor = await _editing(stage)
        editor.editor.load_text("* mine\n")
        await stage.press("escape")
        assert played.simulator.locked == []
        assert played.inactive is None
        editor = await _editing(stage)
        assert editor.editor.text == "* mine\n"
        await stage.press("escape")


async def test_a_draft_is_merged_with_what_changed_since_in_the_system(played: SystemStage) -> None:
    async with on_stage(played.bench) as stage:
        await _found(stage)
        editor = await _editing(stage)
        editor.editor.load_text(SOURCE.replace("a + b", "b + a") + "* mine\n")
        await stage.press("escape")
        theirs = "* theirs\n" + SOURCE.replace("a + b", "a - b")
        played.simulator.objects[CLASS].inactive["source/main"] = theirs
        played.simulator.objects[CLASS].changed += 1
        editor = await _editing(stage)
        assert "in the same lines too" in str(editor.head.content)
        assert editor.editor.text == theirs.replace(
            "    sum = a - b.\n", "* yours:     sum = b + a.\n    sum = a - b.\n"
        ) + "* mine\n"  # fmt: skip
        await stage.press("ctrl+s")
        assert "* theirs" in (played.inactive or "")
        assert "* mine" in (played.inactive or "")


async def test_a_lock_that_died_while_typing_is_told_and_taken_again_to_write(played: SystemStage) -> None:
    async with on_stage(played.bench) as stage:
        screen = await _found(stage)
        editor = await _editing(stage)
        assert "changes are recorded in NPLK900001" in str(editor.head.content)
        editor.editor.load_text(SOURCE + "* mine\n")
        played.simulator.end_sessions()
        await stage.press("ctrl+s")
        assert stage.app.screen is editor
        assert "has ended" in str(editor.head.content)
        assert "Write again" in str(editor.head.content)
        assert played.inactive is None
        await stage.press("ctrl+s")
        assert stage.app.screen is screen
        assert played.inactive == SOURCE + "* mine\n"
        assert played.simulator.locked == []


async def test_changes_are_recorded_in_a_transport_that_is_chosen_or_made(played: SystemStage) -> None:
    played.simulator.objects[CLASS].transport = ""
    async with on_stage(played.bench) as stage:
        screen = await _found(stage)
        await stage.press("t")
        assert "open: NPLK900001 Demo" in str(screen.said.content)
        await stage.type("New sums")
        await stage.press("enter")
        assert "recorded in NPLK900002" in " ".join(stage.noted)
        editor = await _editing(stage)
        assert "recorded in NPLK900002" in str(editor.head.content)
        editor.editor.load_text(SOURCE + "* mine\n")
        await stage.press("ctrl+s")
        assert played.inactive == SOURCE + "* mine\n"
        assert any("corrNr=NPLK900002" in target for _, target, _ in played.simulator.requests)


async def test_lines_of_the_listed_objects_are_searched_and_edited_as_their_object(
    played: SystemStage,
) -> None:
    async with on_stage(played.bench) as stage:
        screen = await _found(stage)
        await stage.press("g")
        await stage.type("sum = A")
        await stage.press("enter")
        assert screen.current == "adt:DEV:ZCL_DEMO:8"
        assert "METHOD add." in str(screen.detail.content)
        await stage.press("c")
        assert "Checked, without a message." in str(screen.detail.content)
        editor = await _editing(stage)
        assert editor.editor.text == SOURCE
        await stage.press("escape")
        await stage.press("g")
        await stage.type("nowhere")
        await stage.press("enter")
        assert "Nothing was found" in str(screen.said.content)


async def test_objects_are_found_read_and_edited_from_the_main_screen(
    played: SystemStage, orchard: Path
) -> None:
    objects = played.bench.systems

    def opened() -> SteadyBench:
        bench = SteadyBench.open(orchard, settings=Settings())
        bench.systems = objects
        return bench

    stage = Stage(opened)
    async with stage.app.run_test(size=(120, 36), notifications=True) as stage.pilot:
        await stage.settle()
        await stage.type("adt:zcl")
        main = stage.main
        assert main.symbols.current is not None
        assert main.symbols.current.label == "ZCL_DEMO"
        await stage.press("enter")
        assert "METHODS add IMPORTING" in "\n".join(main.code.text)
        await stage.press("s")
        assert main.code.source.laid_out(0).text.startswith("CLASS zcl_demo DEFINITION")
        await stage.press("e")
        editor = stage.app.screen
        assert isinstance(editor, SystemEditor)
        assert editor.editor.text == SOURCE
        await stage.press("escape", "escape")
        assert played.simulator.locked == []
        main.open("adt:DEV:ZCL_DEMO=>ADD")
        await stage.settle()
        await stage.press("e")
        editor = stage.app.screen
        assert isinstance(editor, SystemEditor)
        assert editor.editor.text == SOURCE  # the whole, which is what is written


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
