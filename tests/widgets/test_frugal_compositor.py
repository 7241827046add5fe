from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual._compositor import Compositor
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from widgets.textual_private import FrugalCompositor, FrugalScreen

_SIZE = (60, 20)
_NO_USE = re.compile(r"\x1b\[\d+;\d+H(?=\x1b\[\d+;\d+H|\n|$)")
"""The terminal's cursor put where nothing is written, as Textual does behind the end of what changed."""


class Lines(Widget):
    """Lines of numbers; notes which of them it was asked for."""

    def __init__(self, letter: str, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id)
        self.letter = letter
        self.asked: list[Region] = []

    def render_lines(self, crop: Region) -> list[Strip]:
        self.asked.append(crop)
        return super().render_lines(crop)

    def render(self) -> str:
        return "\n".join(f"{self.letter}{line} " * 30 for line in range(100))


class PaintedScreen(FrugalScreen):
    DEFAULT_CSS = """
    PaintedScreen { layers: below above; }
    #over { layer: above; dock: right; width: 12; height: 5; offset: -5 3; border: round red; }
    #left { width: 20; border: round blue; }
    #scrolled { height: 1fr; overflow-y: scroll; }
    #tall { height: 60; }
    """

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Lines("l", id="left")
            with Vertical(id="scrolled"):
                yield Lines("t", id="tall")
        yield Lines("o", id="over")

    @property
    def compositor(self) -> FrugalCompositor:
        assert isinstance(self._compositor, FrugalCompositor)
        return self._compositor


class PaintedApp(App[None]):
    def get_default_screen(self) -> Screen[None]:
        return PaintedScreen()


def _written(compositor: Compositor, how: type[Compositor], regions: set[Region], app: App[None]) -> str:
    compositor._dirty_regions = set(regions)
    update = how.render_partial_update(compositor)
    written = update.render_segments(app.console) if update else ""
    return _NO_USE.sub("", written)


_REGIONS = st.sets(
    st.builds(Region, st.integers(0, 59), st.integers(0, 19), st.integers(1, 40), st.integers(1, 12)),
    min_size=1,
    max_size=4,
)


@pytest.mark.parametrize(("name", "height"), [("left", 1), ("over", 5)])
async def test_only_what_changed_and_is_not_behind_is_rendered(name: str, height: int) -> None:
    async with PaintedApp().run_test(size=_SIZE) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, PaintedScreen)
        changed, tall = (screen.query_one(f"#{each}", Lines) for each in (name, "tall"))
        changed.asked.clear()
        tall.asked.clear()
        region = changed.region
        _written(
            screen.compositor, FrugalCompositor, {Region(region.x, region.y, region.width, height)}, pilot.app
        )
        assert ([crop.height for crop in changed.asked], tall.asked) == ([height], [])


async def test_it_writes_what_textual_would() -> None:
    async with PaintedApp().run_test(size=_SIZE) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, PaintedScreen)
        screen.query_one("#scrolled").scroll_to(y=7, animate=False, immediate=True)
        await pilot.pause()

        @given(_REGIONS)
        def compare(regions: set[Region]) -> None:
            whole = Region(0, 0, *_SIZE)
            changed = {region.intersection(whole) for region in regions}
            written = [
                _written(screen.compositor, how, changed, pilot.app) for how in (FrugalCompositor, Compositor)
            ]
            assert written[0] == written[1]

        compare()


@pytest.mark.parametrize("region", [Region(0, 0, *_SIZE), Region(59, 19, 1, 1)])
async def test_nothing_is_left_to_be_painted(region: Region) -> None:
    async with PaintedApp().run_test(size=_SIZE) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, PaintedScreen)
        assert _written(screen.compositor, FrugalCompositor, {region}, pilot.app)
        assert screen.compositor.render_partial_update() is None


async def test_a_full_screen_is_what_textual_would_write() -> None:
    async with PaintedApp().run_test(size=_SIZE) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, PaintedScreen)
        written = [
            how.render_full_update(screen.compositor).render_segments(pilot.app.console)
            for how in (FrugalCompositor, Compositor)
        ]
        assert written[0] == written[1]


async def test_of_a_full_screen_nothing_behind_is_rendered() -> None:
    async with PaintedApp().run_test(size=_SIZE) as pilot:
        screen = pilot.app.screen
        assert isinstance(screen, PaintedScreen)
        tall, around = screen.query_one("#tall", Lines), screen.query_one(Horizontal)
        tall.asked.clear()
        with patch.object(around, "render_lines", side_effect=AssertionError("it is behind others")):
            screen.compositor.render_full_update()
        assert [crop.height for crop in tall.asked] == [_SIZE[1]]
