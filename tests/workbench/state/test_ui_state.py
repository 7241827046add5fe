"""What comes back on the next start, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.stage import on_stage
from tests.support.stage_bench import HEIGHT, MemoryFiles, StageBench
from workbench.state.ui_state import UI_FILE, PersonalFiles, PersonalState, UiState, load, save


def test_a_state_is_the_same_after_it_was_kept() -> None:
    files, state = MemoryFiles(), UiState(query="tree", opened="T_AAAAAAAA", view="source", zoomed=True)
    save(files, state)
    assert load(files, UiState) == state


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b'{"query": 1}', b"\xff"])
def test_a_damaged_state_is_none(data: bytes) -> None:
    files = MemoryFiles()
    files.write(UI_FILE, data)
    assert load(files, UiState) == UiState()


def test_a_state_of_a_later_program_is_read_as_far_as_it_is_known() -> None:
    files = MemoryFiles()
    files.write(UI_FILE, b'{"query": "tree", "later": 1}')
    assert load(files, UiState).query == "tree"


def test_a_chosen_theme_holds_until_the_settings_say_something_else() -> None:
    state = PersonalState(theme="codecortex-light", over="codecortex-dark")
    assert state.theme_for("codecortex-dark") == "codecortex-light"
    assert state.theme_for("codecortex-contrast") == "codecortex-contrast"


def test_personal_files_are_made_when_written(tmp_path: Path) -> None:
    files = PersonalFiles(tmp_path / "state" / "codecortex")
    assert files.read(UI_FILE) is None
    files.write(UI_FILE, b"{}")
    assert files.read(UI_FILE) == b"{}"
    assert [path.name for path in files.folder.iterdir()] == [UI_FILE]


async def test_query_open_symbol_view_and_layout_come_back() -> None:
    bench = StageBench(kept=True)
    async with on_stage(bench) as stage:
        await stage.type("hei")
        await stage.press("enter", "s", "z")
        assert stage.main.code.opened == HEIGHT.id
    async with on_stage(bench) as stage:
        main = stage.main
        assert (main.symbols.box.value, main.code.opened, main.code.view, main.zoomed) == (
            "hei",
            HEIGHT.id,
            "source",
            True,
        )


async def test_what_comes_back_is_kept_before_the_end_for_a_connection_may_break() -> None:
    bench = StageBench(kept=True)
    async with on_stage(bench) as stage:
        await stage.type("hei")
        await stage.press("enter", "s")
        stage.main.keep_state()
        await stage.settle()
        expected = UiState(query="hei", opened=HEIGHT.id, view="source", searches=("hei",))
        assert load(bench.state, UiState) == expected


async def test_the_theme_comes_back_whatever_the_workspace() -> None:
    personal = MemoryFiles()
    async with on_stage(personal=personal) as stage:
        stage.app.theme = "codecortex-contrast"
        await stage.pilot.pause()
    async with on_stage(StageBench(), personal=personal) as stage:
        assert stage.app.theme == "codecortex-contrast"


async def test_an_open_symbol_that_is_gone_is_not_missed_aloud() -> None:
    bench = StageBench(kept=True)
    save(bench.state, UiState(opened="T_ZZZZZZZZ"))
    async with on_stage(bench) as stage:
        assert (stage.main.code.opened, stage.noted) == ("", [])


async def test_a_state_that_cannot_be_written_keeps_nobody_from_leaving() -> None:
    class ReadOnly(MemoryFiles):
        def write(self, name: str, data: bytes) -> None:
            raise OSError("read-only")

    bench = StageBench()
    bench.state = ReadOnly()
    async with on_stage(bench):
        pass
    assert bench.calls[-1] == "close"
