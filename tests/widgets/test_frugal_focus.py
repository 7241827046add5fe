from __future__ import annotations

from collections.abc import Iterable
from unittest.mock import patch

from textual.app import App, ComposeResult
from textual.containers import Vertical
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Input, Static

from widgets.textual_private import FrugalScreen


class Frugal(FrugalScreen):
    def compose(self) -> ComposeResult:
        for name in ("one", "two"):
            with Vertical(id=name):
                yield Input(id=f"{name}-box")
                yield Static("said", id=f"{name}-said")
                yield Parted(id=f"{name}-parted")
                yield Static("beside", id=f"{name}-beside")


class Whole(Frugal):
    """As Textual does it."""

    def _update_focus_styles(self, focused: Widget | None = None, blurred: Widget | None = None) -> None:
        Screen._update_focus_styles(self, focused, blurred)


class Parted(Static):
    COMPONENT_CLASSES = {"parted--part"}  # noqa: RUF012 - Textual declares it


class FocusApp(App[None]):
    CSS = """
    Vertical { border: solid gray; }
    Vertical:focus-within { border: heavy red; }
    Vertical:focus-within > #one-said { color: red; text-style: bold; }
    Vertical:focus-within .parted--part { color: blue; }
    Input:focus { background: green; }
    """

    def __init__(self, screen: type[Screen[None]]) -> None:
        super().__init__()
        self._of = screen

    def get_default_screen(self) -> Screen[None]:
        return self._of()


async def _styles(of: type[Screen[None]]) -> list[tuple[str | None, str, str]]:
    async with FocusApp(of).run_test() as pilot:
        found: list[tuple[str | None, str, str]] = []
        for name in ("one", "two", "one"):
            pilot.app.screen.query_one(f"#{name}-box").focus()
            await pilot.pause()
            for node in pilot.app.screen.walk_children():
                parts = {part: node.get_component_styles(part).css for part in node._get_component_classes()}
                found.append((node.id, node.styles.base.css, str(sorted(parts.items()))))
        return found


async def test_everything_looks_as_textual_would_have_it() -> None:
    assert await _styles(Frugal) == await _styles(Whole)


async def test_what_shares_a_pane_is_not_styled_anew() -> None:
    async with FocusApp(Frugal).run_test() as pilot:
        styled: list[str | None] = []
        update = Stylesheet.update_nodes

        def noted(self: Stylesheet, nodes: Iterable[DOMNode], animate: bool = False) -> None:
            nodes = list(nodes)
            styled.extend(node.id for node in nodes)
            update(self, nodes, animate)

        with patch.object(Stylesheet, "update_nodes", noted):
            pilot.app.screen.query_one("#two-box").focus()
            await pilot.pause()
        assert "two" in styled
        assert "two-beside" not in styled


class Sized(Frugal):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (100, "-normal")]  # noqa: RUF012 - Textual declares it

    def __init__(self) -> None:
        super().__init__()
        self.sizes: list[set[str]] = []

    def update_node_styles(self, animate: bool = True) -> None:
        self.sizes.append(set(self.classes))
        super().update_node_styles(animate)


async def test_a_screen_is_mounted_with_the_styles_of_the_size_and_takes_those_of_another() -> None:
    app = FocusApp(Frugal)
    async with app.run_test(size=(120, 36)) as pilot:
        screen = Sized()
        await app.push_screen(screen)
        await pilot.pause()
        assert (screen.classes, screen.sizes) == ({"-normal"}, [])
        await pilot.resize_terminal(80, 24)
        assert (screen.classes, screen.sizes) == ({"-narrow"}, [{"-narrow"}])
