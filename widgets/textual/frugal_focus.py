"""The keyboard goes elsewhere, and only what looks different with it is styled anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from textual.css.model import RuleSet
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

_FOCUS_WITHIN = "focus-within"


def style_focus(screen: Screen[Any], *moved: Widget | None) -> None:
    """Style anew what the keyboard is or was in: `moved` are the widgets that got and lost it, which style themselves.

    Textual styles every widget that shares a pane with them, with all component classes: 40 ms for panes of lists and
    code. These are the widgets round them whose style says what they look like with the keyboard in them, and those
    that a rule styles by the keyboard being in something round them."""
    names = frozenset(_names_behind(screen.app.stylesheet.rules))
    changed: set[DOMNode] = set()
    for widget in moved:
        if widget is not None:
            changed.update(_concerned(widget, names))
    if changed:
        screen.app.stylesheet.update_nodes(changed, animate=True)


def _concerned(widget: Widget, names: frozenset[str]) -> Iterator[DOMNode]:
    around = [node for node in widget.ancestors_with_self if node._has_focus_within]  # noqa: SLF001
    yield from around
    if around and names:
        yield from (node for node in around[-1].walk_children() if not names.isdisjoint(_names_of(node)))


def _names_behind(rules: Iterable[RuleSet]) -> Iterator[str]:
    """The names of what is styled by the keyboard being in something round it."""
    for rule in rules:
        if _FOCUS_WITHIN in rule.pseudo_classes and any(
            _FOCUS_WITHIN in selector.pseudo_classes
            for selectors in rule.selector_set
            for selector in selectors.selectors[:-1]
        ):
            yield from rule.selector_names


def _names_of(node: DOMNode) -> set[str]:
    """What selectors may call a node or one of its component classes."""
    return node._selector_names | {f".{name}" for name in node._get_component_classes()}  # noqa: SLF001
