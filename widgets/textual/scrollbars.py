"""Scrollbars that follow the size of what is in a view as soon as it is set."""

from __future__ import annotations

from textual.geometry import Size
from textual.widget import Widget


def follow_size(view: Widget, size: Size) -> None:
    """The scrollbars of a running view fit `size`; nothing is laid out again for it, as the public way would."""
    if view.is_running:
        view._scroll_update(size)  # noqa: SLF001
