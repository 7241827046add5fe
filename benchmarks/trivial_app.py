"""The smallest Textual app that paints something: what any first paint is compared with."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Trivial(App[None]):
    """One line of text."""

    def compose(self) -> ComposeResult:
        """The line."""
        yield Static("ready", markup=False)


if __name__ == "__main__":
    Trivial().run()
