"""What is kept on disk meanwhile: in order, whole, and before the program is left."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

from textual import events

from services.bench import Bench
from services.concurrency.background import BackgroundWriter
from services.settings import Settings
from tests.support.stage import Stage, experienced, on_stage
from tests.support.stage_bench import MemoryFiles
from tests.workbench.main.test_patch import open_enter
from workbench.state.ui_state import Personal, PersonalState, load, save


class SlowFiles(MemoryFiles):
    """Each write waits until it is let go on."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.begun = threading.Event()
        self.threads: set[str] = set()

    def write(self, name: str, data: bytes) -> None:
        self.threads.add(threading.current_thread().name)
        self.begun.set()
        assert self.gate.wait(60)
        super().write(name, data)


def test_a_change_counts_at_once_and_keeps_what_another_process_has_kept() -> None:
    files, keeper = SlowFiles(), BackgroundWriter()
    personal = Personal(files, keeper)
    assert personal.state == PersonalState()
    files.gate.set()
    save(files, PersonalState(done=("open",)))
    files.gate.clear()
    personal.change(theme="codecortex-light")
    personal.change(over="codecortex-dark")
    assert personal.state.theme == "codecortex-light"
    files.gate.set()
    keeper.flush()
    whole = PersonalState(theme="codecortex-light", over="codecortex-dark", done=("open",))
    assert load(files, PersonalState) == personal.state == whole


def test_what_could_not_be_written_is_with_the_next_change() -> None:
    class Full(MemoryFiles):
        is_full = True

        def write(self, name: str, data: bytes) -> None:
            if self.is_full:
                raise OSError("full")
            super().write(name, data)

    files, keeper = Full(), BackgroundWriter()
    personal = Personal(files, keeper)
    personal.change(theme="codecortex-light")
    keeper.flush()
    files.is_full = False
    personal.change(done=("open",))
    keeper.flush()
    assert load(files, PersonalState) == PersonalState(theme="codecortex-light", done=("open",))


async def test_a_theme_is_kept_by_no_thread_that_paints_and_before_the_program_ends() -> None:
    files = SlowFiles()
    files.files = dict(experienced().files)
    async with on_stage(personal=files) as stage:
        stage.app.theme = "codecortex-contrast"
        await stage.pilot.pause()
        assert files.begun.wait(60)
        await stage.pilot.press("escape", "z")
        assert stage.main.zoomed  # a key is answered although nothing has been written yet
        threading.Timer(0.05, files.gate.set).start()
    assert load(files, PersonalState).theme == "codecortex-contrast"
    assert threading.current_thread().name not in files.threads


async def test_letters_typed_right_before_the_program_is_left_come_back(orchard: Path) -> None:
    """No wait between the letters and the key that leaves."""
    stage = Stage(lambda: Bench.open(orchard, settings=Settings()))
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await stage.settle()
        await open_enter(stage)
        for key in ("k", "e", "p", "t", "ctrl+q"):
            stage.app.post_message(events.Key(key, key if len(key) == 1 else None))
        while stage.app.is_running:
            await asyncio.sleep(0.01)
    with Bench.open(orchard, settings=Settings()) as bench:
        assert [draft.text.split("    ")[0] for draft in bench.patching.drafts()] == ["kept"]


async def test_text_thrown_away_does_not_come_back_by_a_write_that_was_late(orchard: Path) -> None:
    stage = Stage(lambda: Bench.open(orchard, settings=Settings()))
    async with stage.app.run_test(size=(120, 36)) as stage.pilot:
        await stage.settle()
        await open_enter(stage)
        gate, begun = threading.Event(), threading.Event()

        def late() -> None:
            begun.set()
            assert gate.wait(60)

        stage.main.keeper.keep("something else", late)
        assert begun.wait(60)
        await stage.pilot.press("x", "f8")
        await stage.settle()
        await stage.pilot.press("y")
        await stage.settle()
        assert not stage.main.patch.is_open
        gate.set()
    with Bench.open(orchard, settings=Settings()) as bench:
        assert bench.patching.drafts() == ()
