"""Status and measures on the screen."""

from __future__ import annotations

import msgspec

from services.model import Notice
from tests.support.stage import on_stage
from tests.support.stage_bench import StageBench
from workbench.ui.modal import TextScreen
from workbench.ui.status_screen import status_text


async def test_f7_shows_what_was_measured_alarms_first() -> None:
    async with on_stage(StageBench()) as stage:
        await stage.press("escape", "f7")
        assert isinstance(stage.app.screen, TextScreen)
    lines = status_text(StageBench().status()).plain.splitlines()
    assert lines[0] == "Symbols resolve slowly. Leave folders out."
    assert "  up             12 min" in lines
    assert "  resolving      P95 120.0 ms" in lines
    assert "  symbol.resolve.ms  P50 1.5   P95 120   of 21" in lines
    assert "  outline.gen.count  3" in lines


def test_nothing_measured_is_said() -> None:
    status = msgspec.structs.replace(StageBench().status(), measures={}, alarms=(), p95_resolve_ms=None)
    text = status_text(status).plain
    assert text.startswith("Now\n")
    assert "not measured yet" in text
    assert "Measured, by" not in text


def test_an_alarm_is_no_markup() -> None:
    alarm = Notice(severity="warning", message="[b]x[/b]\x1b[31m", what_to_do="")
    status = msgspec.structs.replace(StageBench().status(), alarms=(alarm,))
    assert "[b]x[/b]" in status_text(status).plain
    assert "\x1b" not in status_text(status).plain
