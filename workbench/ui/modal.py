"""Modal screens."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete

from widgets.textual_private import FrugalModal

T = TypeVar("T")


class Modal(FrugalModal[T]):
    """Screen that is answered once: of two keys faster than its closing, the second would close the screen below."""

    @property
    def is_open(self) -> bool:
        """Whether it has not been closed. What is queued for it may still arrive then, and its widgets be gone."""
        return self in self.app.screen_stack

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Go, with an answer; nothing where another screen is in front already."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete.nothing()
