"""Empty state: a sentence, and what to do about it."""

from __future__ import annotations

from typing import ClassVar

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from widgets.format.display import visible


class EmptyState(Widget):
    """A centred sentence with what to do next under it."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"empty-state--advice"}
    DEFAULT_CSS = """
    EmptyState {
        width: 1fr;
        height: 1fr;
        padding: 1 2;
        content-align: center middle;
        text-align: center;
        color: $foreground;
        background: $surface;
    }
    EmptyState > .empty-state--advice { color: $text-muted; }
    """

    sentence: reactive[str] = reactive("")
    advice: reactive[str] = reactive("")

    def __init__(
        self,
        sentence: str = "",
        advice: str = "",
        *,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
    ) -> None:
        super().__init__(id=id, classes=classes)
        self.set_reactive(EmptyState.sentence, sentence)
        self.set_reactive(EmptyState.advice, advice)

    def render(self) -> Content:
        """Both, as text."""
        said = Content(visible(self.sentence))
        if not self.advice:
            return said
        style = self.get_visual_style("empty-state--advice")
        return said + Content("\n\n") + Content.styled(visible(self.advice), style)
