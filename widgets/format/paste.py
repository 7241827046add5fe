"""Limits of what is pasted into a box."""

from __future__ import annotations

from textual import events
from textual.widget import Widget

from widgets.format.shorten import grouped

MOST_IN_LINE = 10_000
"""Characters that a box of one line takes at once."""
MOST_IN_TEXT = 1_000_000
"""Characters that an editor takes at once; laying out more would keep it from answering keys for seconds."""
MOST_WRAPPED = 100_000
"""Characters that an editor takes at once whose long lines are wrapped, which takes much longer."""


def refuse_long_paste(widget: Widget, event: events.Paste, most: int) -> None:
    """Keep a box from taking a paste of more than `most` characters, and say what to do instead."""
    size = len(event.text)
    if size <= most:
        return
    event.prevent_default()
    event.stop()
    widget.notify(
        f"Nothing was pasted: it has {grouped(size)} characters, this box takes {grouped(most)} at a time. "
        "Put it into a file instead.",
        severity="warning",
        markup=False,
    )
