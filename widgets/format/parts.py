"""A widget's own style, and those of its component classes as they are laid over a background of its choosing."""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


class Parts:
    """What each component class of a widget itself says: colours, text style, and nothing it inherits.

    Kept until `clear`, which a widget calls when its styles change: a row is painted from half a dozen of
    them.
    """

    def __init__(self, widget: Widget) -> None:
        self._widget = widget
        self._styles: dict[str, Style] = {}
        self._base: Style | None = None

    @property
    def base(self) -> Style:
        """The style of the widget itself."""
        if self._base is None:
            self._base = self._widget.rich_style
        return self._base

    def __getitem__(self, name: str) -> Style:
        """The style of the component class `name`."""
        style = self._styles.get(name)
        if style is None:
            style = self._styles[name] = self._reckon(name)
        return style

    def clear(self) -> None:
        """Forget them: there is a new theme, or the focus moved."""
        self._styles.clear()
        self._base = None

    def _reckon(self, name: str) -> Style:
        """Colours that depend on what is behind them (`$text-muted`, any with an alpha) are reckoned on the
        widget's own background: a partial style has them raw."""
        partial = self._widget.get_component_rich_style(name, partial=True)
        whole = self._widget.get_component_rich_style(name)
        return partial + Style(
            color=whole.color if partial.color else None, bgcolor=whole.bgcolor if partial.bgcolor else None
        )
