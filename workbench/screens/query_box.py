"""The box of the symbols pane: it keeps up with typing that is faster than the screen."""

from __future__ import annotations

from textual.widgets import Input

from widgets.search_box import SearchBox


class QueryBox(SearchBox):
    """A search box whose value is what its input says now, not what it said when a message was sent: with several
    keys on their way, the older message would set the input back, and the two would chase each other."""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Speak for the input, once for the last of several keys."""
        event.stop()
        event.prevent_default()
        if event.value == self.input.value:
            self.value = event.value
            self.post_message(self.Changed(self, event.value))
