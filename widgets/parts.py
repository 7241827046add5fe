"""The styles of a widget's component classes, as they are laid over a background of its own choosing."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


def part_style(widget: Widget, name: str) -> Style:
    """What the component class `name` itself says: colour, background, text style, and nothing it inherits.

    Colours that depend on what is behind them (`$text-muted`, any with an alpha) are reckoned on the widget's own
    background: a partial style has them raw.
    """
    partial = widget.get_component_rich_style(name, partial=True)
    whole = widget.get_component_rich_style(name)
    return partial + Style(
        color=whole.color if partial.color else None, bgcolor=whole.bgcolor if partial.bgcolor else None
    )
