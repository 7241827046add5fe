"""Hints that go away: once followed, never again; per person."""

from __future__ import annotations

import pytest
from rich.cells import cell_len

from tests.support.stage import on_stage
from tests.support.stage_bench import MemoryFiles
from workbench.commands.help_text import STEPS, example_of, hint
from workbench.commands.keymap import resolve


async def test_each_hint_goes_when_it_was_followed_and_none_comes_back() -> None:
    files = MemoryFiles()
    async with on_stage(personal=files) as stage:
        line = stage.main.first_steps
        seen = [str(line.content)]
        await stage.type("t")
        for keys in (("enter",), ("space",), ("y",), ("question_mark", "escape")):
            seen.append(str(line.content))
            await stage.press(*keys)
        assert [text[:19] for text in seen] == [f"First steps, {n} of 5" for n in range(1, 6)]
        assert not line.display
    async with on_stage(personal=files) as stage:
        assert not stage.main.first_steps.display


async def test_the_hints_can_be_hidden_and_shown_again() -> None:
    async with on_stage(personal=MemoryFiles()) as stage:
        assert stage.main.first_steps.display
        await stage.press("f3")
        assert not stage.main.first_steps.display
        await stage.press("f3")
        assert stage.main.first_steps.display


async def test_the_theme_that_was_chosen_stays_when_a_step_is_taken() -> None:
    files = MemoryFiles()
    async with on_stage(personal=files) as stage:
        stage.app.theme = "codecortex-light"
        await stage.settle()
        await stage.press("enter")
    assert b"codecortex-light" in files.files["ui.json"]


@pytest.mark.parametrize("typing", [False, True])
def test_every_hint_fits_a_terminal_of_80_columns(typing: bool) -> None:
    keys, ids = resolve({}), [step.command for step in STEPS]
    for count in range(len(ids)):
        assert cell_len(hint(ids[:count], keys, typing=typing)) <= 78


def test_hints_name_the_keys_in_force() -> None:
    keys = resolve({"pin": "f9"})
    done = {step.command for step in STEPS} - {"pin"}
    assert "f9 pins it" in hint(done, keys)


def test_the_first_hint_names_a_query_of_the_opened_workspace() -> None:
    example = example_of(["User", "HarvestLedger", "ISupplier"])
    assert example == "HL"
    assert "`HL`" in hint((), resolve({}), example=example)
    assert "capitals" not in hint((), resolve({}), example=example_of(["User", "A", "ABCDEFG"]))


async def test_a_search_that_finds_nothing_is_no_step() -> None:
    async with on_stage(personal=MemoryFiles()) as stage:
        await stage.type("zzzzqq")
        assert str(stage.main.first_steps.content).startswith("First steps, 1 of 5")


async def test_moving_to_the_search_box_is_no_step() -> None:
    async with on_stage(personal=MemoryFiles()) as stage:
        await stage.press("escape", "slash")
        assert str(stage.main.first_steps.content).startswith("First steps, 1 of 5")
