"""Settings on the screen: found, explained, refused, written with comments kept, in force at once where that can be."""

from __future__ import annotations

from pathlib import Path

from tests.support.eventually import until
from tests.support.stage import Stage, on_stage
from tests.support.stage_bench import StageBench
from workbench.dialogs.settings import SettingsScreen

MINE = """\
# mine
[window]
budget = 12_800 # tokens
"""


def _file(folder: Path) -> Path:
    file = folder / "settings.toml"
    file.write_text(MINE)
    return file


def _to(stage: Stage, key: str) -> SettingsScreen:
    screen = stage.app.screen
    assert isinstance(screen, SettingsScreen)
    values = [row.value for row in screen.rows._rows]
    screen.rows.cursor = values.index(key)
    screen.show_detail()
    return screen


async def test_a_value_is_typed_refused_with_what_is_allowed_and_written(tmp_path: Path) -> None:
    bench, file = StageBench(), _file(tmp_path)
    async with on_stage(bench, settings_file=file) as stage:
        await stage.press("escape", "comma")
        screen = _to(stage, "window.budget")
        await stage.press("enter", "ctrl+u")
        await stage.type("much")
        assert "it is a whole number from 100" in str(screen.said.content)
        await stage.press("enter", "ctrl+u")
        assert file.read_text() == MINE
        await stage.type("16000")
        await stage.press("enter")
        assert file.read_text() == MINE.replace("12_800", "16000")
        assert bench.settings.window.budget == 16_000


async def test_choices_and_switches_step_and_values_are_taken_out(tmp_path: Path) -> None:
    file = _file(tmp_path)
    async with on_stage(settings_file=file) as stage:
        await stage.press("escape", "comma")
        _to(stage, "agents.write")
        await stage.press("right", "left")
        assert 'write = "ask"' in file.read_text()
        assert not stage.said
        assert stage.app._own.settings.agents.write == "ask"
        screen = _to(stage, "cache.conflict_check")
        await stage.press("enter")
        assert "conflict_check = false" in file.read_text()
        assert "next start" in stage.said[-1]
        assert "until the next start; then your file" in str(screen.detail.content)
        _to(stage, "window.budget")
        await stage.press("x")
        assert "budget" not in file.read_text()
        assert "# mine" in file.read_text()
        await stage.press("e", "escape", "escape")
        assert stage.app.screen is stage.main


async def test_a_theme_is_painted_at_once(tmp_path: Path) -> None:
    async with on_stage(settings_file=_file(tmp_path)) as stage:
        await stage.press("escape", "comma")
        _to(stage, "ui.theme")
        await stage.press("space")
        assert stage.app.theme != "codecortex-dark"


async def test_keys_move_at_once_and_clashes_are_reported_as_they_are_typed(tmp_path: Path) -> None:
    async with on_stage(settings_file=_file(tmp_path)) as stage:
        await stage.press("escape", "comma")
        screen = _to(stage, "ui.keys")
        await stage.press("enter")
        await stage.type("copy=z")
        assert "z is the key of both 'copy' and 'zoom'" in str(screen.said.content)
        await stage.press("enter", "escape", "space", "z")
        assert stage.copied == ["# Tree\n"]
        assert not stage.main.zoomed


async def test_a_file_that_is_none_is_said_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[window\n")
    async with on_stage(settings_file=file) as stage:
        await stage.press("escape", "comma")
        assert "is not a settings file" in stage.noted[-1]
        await stage.press("escape")
    assert file.read_text() == "[window\n"


async def test_themes_of_ones_own_are_offered_and_bad_ones_are_said(tmp_path: Path) -> None:
    (tmp_path / "themes").mkdir()
    (tmp_path / "themes" / "dusk.toml").write_text('base = "codecortex-light"\nprimary = "#aa3355"\n')
    (tmp_path / "themes" / "bad.toml").write_text('primary = "loud"\n')
    async with on_stage(settings_file=_file(tmp_path)) as stage:
        assert "dusk" in stage.app.available_themes
        stage.app.theme = "dusk"
        await stage.settle()
        assert stage.app.current_theme.primary == "#aa3355"
        assert any("bad.toml is left out: primary cannot be 'loud'" in said for said in stage.noted)


async def test_a_change_by_hand_shows_at_once_and_leaves_what_is_being_typed(tmp_path: Path) -> None:
    bench, file = StageBench(), _file(tmp_path)
    bench.root = tmp_path
    async with on_stage(bench, settings_file=file) as stage:
        await stage.press("escape", "comma")
        screen = _to(stage, "window.budget")
        await stage.press("enter", "ctrl+u")
        await stage.type("16")
        file.write_text(MINE.replace("12_800", "900") + "[ui]\ntheme = 'none'\n")
        stage.main.keep_state()
        await until(lambda: bench.settings.window.budget == 900)
        await stage.settle()
        assert screen._origins["window.budget"].text == "900"
        assert (screen.asked.value, screen.is_typing) == ("16", True)
        await stage.type("000")
        await stage.press("enter")
        assert "budget = 16000" in file.read_text()
        assert bench.settings.window.budget == 16_000
