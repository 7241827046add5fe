"""The smallest Textual app that paints something: what any first paint and any frame is compared with."""

from textual.app import App, ComposeResult
from textual.widgets import Static


class Trivial(App[None]):
    """Line of text, which counts keys."""

    def compose(self) -> ComposeResult:
        """The line."""
        self.pressed = 0
        yield Static("ready", markup=False)

    def on_key(self) -> None:
        """Another one."""
        self.pressed += 1
        self.query_one(Static).update(f"▸ {self.pressed}")


if __name__ == "__main__":
    Trivial().run()
