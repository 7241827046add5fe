"""What the parts of the main screen say to it."""

from __future__ import annotations

from textual.message import Message

from services.model import Notice


class Said(Message):
    """A person should be told."""

    def __init__(self, notice: Notice) -> None:
        super().__init__()
        self.notice = notice
