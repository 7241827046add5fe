"""Keys at random: nothing is raised, nothing unforeseen is said, and the program can still be left."""

from __future__ import annotations

import random

from tests.support.stage import on_stage
from tests.support.stage_bench import StageBench
from workbench.commands.commands import COMMANDS

KEYS = [
    *(key for command in COMMANDS if command.id not in ("quit", "ask") for key in command.keys.split(",")),
    *(
        "up",
        "down",
        "pageup",
        "pagedown",
        "home",
        "end",
        "enter",
        "escape",
        "escape",
        "shift+down",
        "left",
        "right",
    ),
    *"trehi",
    "backspace",
]
LENGTH = 150


async def test_keys_at_random_do_no_harm() -> None:
    choose = random.Random(20_261_121)
    bench = StageBench()
    async with on_stage(bench) as stage:
        for number in range(LENGTH):
            if stage.app.return_code is not None:
                break
            await stage.pilot.press(choose.choice(KEYS))
            if number % 50 == 0:
                await stage.pilot.resize_terminal(*choose.choice([(120, 36), (80, 24), (40, 10), (200, 60)]))
        await stage.pilot.resize_terminal(120, 36)
        while stage.app.screen is not stage.main:
            await stage.pilot.press("escape")
        await stage.settle()
        assert [said for said in stage.noted if "unforeseen" in said] == []
        await stage.press("escape", "escape", "slash")
        assert stage.main.symbols.box.input.has_focus
    assert bench.calls[-1] == "close"
