"""NO_COLOR means that no colour is sent."""

from __future__ import annotations

import pytest

from tests.support.stage import on_stage
from workbench.app import UNCOLOURED


async def test_with_no_color_nothing_that_is_painted_has_a_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with on_stage() as stage:
        await stage.press("down")
        await stage.settle()
        assert stage.app.theme == UNCOLOURED
        strips = stage.main._compositor.render_strips()
        styles = [segment.style for strip in strips for segment in strip if segment.style]
        colours = {str(each.name) for style in styles for each in (style.color, style.bgcolor) if each}
        assert styles
        assert colours <= {"default"}
        assert stage.main.personal.state.theme == ""
