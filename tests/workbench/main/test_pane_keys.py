"""The keys that panes and views have for themselves, beside those of the table: each does what it is bound to."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

import pytest
from textual.binding import Binding
from textual.screen import Screen
from textual.widget import Widget

import widgets
import workbench
from tests.support.bound import press_each
from tests.support.stage import on_stage

REACHED = {
    "RowView": ("escape",),
    "SymbolsPane": ("slash",),
    "GrepPane": ("escape", "g"),
    "ChangesPane": ("escape", "d", "1", "slash"),
    "OutlineView": ("enter",),
    "SourceView": ("enter", "s", "shift+down"),
    "DiffView": ("escape", "d", "2", "shift+down"),
}
"""The keys that lead to a widget that has keys of its own; into the box of a pane, for a pane's."""


def _with_keys() -> Iterator[type[Widget]]:
    """Every widget of ours that declares keys, found in the code."""
    for package in (widgets, workbench):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    seen: list[type[Widget]] = [Widget]
    found: set[type[Widget]] = set()
    while seen:
        kind = seen.pop()
        seen += kind.__subclasses__()
        is_ours = kind.__module__.startswith(("widgets.", "workbench."))
        if is_ours and vars(kind).get("BINDINGS") and not issubclass(kind, Screen):
            found.add(kind)
    yield from found


def test_every_widget_with_keys_is_reached() -> None:
    assert {kind.__name__ for kind in _with_keys()} == set(REACHED)


@pytest.mark.parametrize("name", REACHED)
async def test_every_key_of_a_widget_does_what_it_is_bound_to(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = next(each for each in _with_keys() if each.__name__ == name)
    async with on_stage() as stage:
        await stage.press(*REACHED[name])
        focused = stage.main.focused
        assert focused is not None
        widget = next(node for node in (focused, *focused.ancestors) if isinstance(node, kind))
        bindings = [each for each in kind.BINDINGS if isinstance(each, Binding)]
        await press_each(stage, widget, bindings, monkeypatch)
