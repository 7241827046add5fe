"""What can be done about the prompt window as a whole: completing, undoing, notes, packs, presets, models."""

from __future__ import annotations

import threading

import pytest

from services.model import Notice
from tests.support.eventually import until
from tests.support.stage import on_stage
from tests.support.stage_bench import TREE, StageBench
from tests.support.stage_window import BARK, LEAF
from workbench.dialogs.advice import AdviceScreen
from workbench.dialogs.listing import rounded, tokens_of
from workbench.dialogs.models import ModelsScreen
from workbench.dialogs.packs import PacksScreen
from workbench.dialogs.presets import PresetsScreen
from workbench.ui.modal import TextScreen


def _lacking() -> StageBench:
    bench = StageBench()
    bench.advice.lacking = True
    return bench


async def test_what_is_missing_is_said_and_added_by_one_key() -> None:
    bench = _lacking()
    async with on_stage(bench) as stage:
        await stage.press("escape", "a")
        assert "empty" in stage.said[-1]
        await stage.press("space")
        lack = stage.main.window.missing
        assert "2 referred to, not shown" in str(lack.render())
        assert "1 fit: +412 tokens" in str(lack.render())
        await stage.press("a")
        assert (bench.advice.added, lack.display) == (1, False)
        assert bench.undo.last == "adding what was missing"


async def test_a_click_on_the_line_adds_or_lists() -> None:
    bench = _lacking()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "3")
        lack = stage.main.window.missing
        await stage.pilot.click(lack, offset=(27, 0))
        await stage.settle()
        assert isinstance(stage.app.screen, AdviceScreen)
        await stage.press("escape")
        await stage.pilot.click(lack, offset=(23, 1))
        await stage.settle()
        assert bench.advice.added == 1


async def test_advice_takes_one_by_one_in_and_out() -> None:
    bench = _lacking()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "down", "space", "w")
        screen = stage.app.screen
        assert isinstance(screen, AdviceScreen)
        assert screen.current == LEAF.id
        await stage.press("enter", "y")
        assert bench.calls.count(f"pin {LEAF.id} as outline") == 2
        assert bench.pinned[-1] == f"type:{LEAF.id}"
        await stage.press("s", "escape", "tab")
        assert f"pin {LEAF.id} as signature" in bench.calls
        assert screen.current == BARK.id
        await stage.press("right")
        assert screen.current == bench.pinned[1]
        await stage.press("enter", "left", "shift+tab", "a")
        assert "type:T_AAAAAAAA_BBBBBB" not in bench.pinned
        assert bench.advice.added == 1


async def test_changes_are_taken_back_from_the_window_and_from_anywhere() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "ctrl+z")
        assert stage.said[-1] == "Nothing was changed in the window yet."
        await stage.press("space", "3", "ctrl+z")
        assert stage.noted[-1] == f"Undone: pinning {TREE.path}."
        await stage.press("alt+z")
        assert stage.noted[-1] == f"Redone: pinning {TREE.path}."
        await stage.press("1", "escape", "u")
        assert stage.main.left == "usages"


async def test_each_key_takes_one_change_back_however_quickly_they_come() -> None:
    bench, gate = StageBench(), threading.Event()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "down", "space")
        stage.main.session._jobs.act("hold", lambda: gate.wait(60), lambda _: None)
        await stage.pilot.press("ctrl+z", "ctrl+z")
        assert len(bench.undo.done) == 2
        gate.set()
        await stage.settle()
        assert bench.undo.done == []


async def test_a_note_is_typed_and_pinned() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "ctrl+n", "escape", "ctrl+n")
        await stage.type("mind [b] this")
        await stage.press("ctrl+s")
        assert bench.notes == ["mind [b] this"]


async def test_the_window_is_explained() -> None:
    async with on_stage() as stage:
        await stage.press("escape", "space", "W")
        assert isinstance(stage.app.screen, TextScreen)
        await stage.press("escape")


async def test_a_pack_is_made_with_its_faults_shown_where_they_are() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "p", "n")
        screen = stage.app.screen
        assert isinstance(screen, PacksScreen)
        await stage.type("a b")
        await stage.press("enter")
        assert str(screen.said.content).startswith("'a b' is no name of a pack. Use letters")
        await stage.press("ctrl+u")
        await stage.type("leaves")
        await stage.press("enter")
        await stage.type("tag: x")
        assert str(screen.said.content).startswith("    ▲ tag: wants a name")
        await stage.press("enter", "ctrl+u")
        await stage.type("type:L*")
        await stage.press("enter")
        assert bench.packs.kept["leaves"].filter == "type:L*"
        assert "Orchard.Leaf" in str(screen.detail.content)


async def test_a_pack_is_made_active_pinned_changed_and_deleted() -> None:
    bench = StageBench()
    bench.packs.build("leaves", filter="type:L*")
    async with on_stage(bench) as stage:
        await stage.press("escape", "p", "enter")
        assert bench.packs.kept["leaves"].active
        await stage.press("space", "p", "r")
        assert not bench.packs.kept["leaves"].active
        assert bench.pinned == ["pack:leaves"]
        await stage.press("b", "ctrl+u")
        await stage.type("16k")
        await stage.press("enter", "e")
        await stage.type(" !tag:test")
        await stage.press("enter")
        assert (bench.packs.kept["leaves"].budget, bench.packs.kept["leaves"].filter) == (
            16_000,
            "type:L* !tag:test",
        )
        await stage.press("x", "n", "x", "y")
        assert bench.packs.kept == {}
        await stage.press("tab")
        assert isinstance(stage.app.screen, PresetsScreen)


async def test_presets_are_kept_compared_put_back_and_deleted() -> None:
    bench = StageBench()
    async with on_stage(bench) as stage:
        await stage.press("escape", "space", "alt+s", "s")
        screen = stage.app.screen
        assert isinstance(screen, PresetsScreen)
        await stage.type("a b")
        await stage.press("enter")
        assert "no name" in str(screen.said.content)
        await stage.press("ctrl+u")
        await stage.type("one")
        await stage.press("enter")
        assert "The same as the window" in str(screen.detail.content)
        await stage.press("escape", "down", "space", "alt+s")
        assert "Only in the window" in str(stage.app.screen.query_one("#over-detail").content)  # pyright: ignore[reportAttributeAccessIssue]
        await stage.press("s", "ctrl+u")
        await stage.type("two")
        await stage.press("enter", "d")
        await stage.type("one")
        await stage.press("enter")
        assert "Only in two" in str(stage.app.screen.query_one("#over-detail").content)  # pyright: ignore[reportAttributeAccessIssue]
        await stage.press("l", "s", "enter", "y", "x", "y", "enter", "tab")
        assert bench.presets.loaded == ["two", "one"]
        assert list(bench.presets.kept) == ["one"]
        assert isinstance(stage.app.screen, PacksScreen)


async def test_models_and_budgets_are_chosen_and_the_screen_follows(tmp_path) -> None:
    bench = StageBench()
    file = tmp_path / "settings.toml"
    async with on_stage(bench, settings_file=file) as stage:
        await stage.press("escape", "space", "3", "b")
        screen = stage.app.screen
        assert isinstance(screen, ModelsScreen)
        assert screen.current == "gpt-5"
        await stage.press("up", "enter")
        assert bench.models.model == "claude-opus"
        assert "≈100 of" in str(stage.main.window.meter.render())
        assert "really 85 to 115" in str(stage.main.window.meter.render())
        await stage.press("plus", "plus", "minus", "b", "ctrl+u")
        await stage.type("12")
        await stage.press("enter")
        assert "from 100" in str(screen.said.content)
        await stage.type(".8k")
        await stage.press("enter", "m")
        assert bench.models.budget == 12_800
        await stage.type("house-7b")
        await stage.press("enter")
        assert screen.current == "house-7b"
        await stage.press("w")
        assert file.read_text() == '[window]\nmodel = "house-7b"\nbudget = 12800\n'
        await stage.press("x", "escape", "1", "escape", "B")
        assert (bench.models.model, bench.models.budget) == ("gpt-5", None)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("32k", 32_000), ("12 800", 12_800), ("1.5m", 1_500_000), ("0,5K", 500), ("32_000", 32_000), ("1,000", 1_000),
     ("", None), ("k", None), ("-1", None), ("1e9", None), ("12..k", None)],
)  # fmt: skip
def test_tokens_are_read_as_people_write_them(text: str, tokens: int | None) -> None:
    assert tokens_of(text) == tokens


def test_tokens_are_written_short() -> None:
    assert [rounded(each) for each in (8_000, 1_050_000, 8_192, 1_048_576)] == [
        "8k",
        "1.05M",
        "8 192",
        "1 048 576",
    ]


async def test_notices_are_read_again_with_their_times() -> None:
    async with on_stage() as stage:
        stage.main.say(Notice(severity="warning", message="Mind [b] this."))
        await stage.press("escape", "exclamation_mark")
        shown = str(stage.app.screen.query_one("#text Static").render())
        assert "12:00:00  warning" in shown


async def test_long_work_is_shown_and_cancelled() -> None:
    bench = StageBench()
    gate = bench.hold("export")
    async with on_stage(bench) as stage:
        await stage.pilot.press("escape", "f6")
        await until(lambda: stage.main.progress.progress is not None)
        assert "Writing outlines" in str(stage.main.progress.render())
        assert stage.main.situation.working
        await stage.pilot.press("ctrl+g")
        await until(lambda: not stage.main.situation.working)
        await stage.settle()
        assert not stage.main.progress.display
        gate.set()
        await stage.press("f6")
        assert "outlines beside it" in stage.noted[-1]
