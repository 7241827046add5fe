"""Line of parts, of which the last are dropped first where it is too narrow."""

from __future__ import annotations

from rich.cells import cell_len
from textual.widgets import Static

from widgets.format.display import visible

_BETWEEN = " · "


class PartsLine(Static):
    """`12 lines in 3 of 40 files · 5 ms`: whole parts, in the order in which a reader needs them. One that is cut would
    seem to say something."""

    def __init__(self, *, classes: str | None = None) -> None:
        super().__init__(markup=False, classes=classes)
        self._parts: tuple[str, ...] = ()

    def say(self, *parts: str) -> None:
        """Show parts; empty ones are left out."""
        self._parts = tuple(visible(part) for part in parts if part)
        self._fit()

    def on_resize(self) -> None:
        """Fit the parts to the new width."""
        self._fit()

    def _fit(self) -> None:
        room, parts = self.size.width, self._parts
        while room and len(parts) > 1 and cell_len(_BETWEEN.join(parts)) > room:
            parts = parts[:-1]
        if (shown := _BETWEEN.join(parts)) != self.content:
            self.update(shown, layout=False)
