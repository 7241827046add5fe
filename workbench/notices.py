"""What the program had to say, kept to be read again."""

from __future__ import annotations

from services.errors import BudgetExceeded, CodeCortexError
from services.model import Notice

_KEPT = 200


class NoticeLog:
    """Notices in the order they came, without those said already; at most the last 200."""

    def __init__(self) -> None:
        self._notices: list[Notice] = []

    @property
    def notices(self) -> tuple[Notice, ...]:
        """All that are kept, the first one first."""
        return tuple(self._notices)

    def add(self, notice: Notice) -> bool:
        """Keep a notice as the last one; whether it is new. One that was said before moves to the end."""
        known = notice in self._notices
        if known:
            self._notices.remove(notice)
        self._notices = [*self._notices, notice][-_KEPT:]
        return not known


def notice_of(error: Exception) -> Notice:
    """An error as a notice. One that nobody foresaw says so, with its type: it is a fault of the program."""
    if isinstance(error, BudgetExceeded):
        return Notice(severity="warning", message=error.message)
    if isinstance(error, CodeCortexError):
        return Notice(severity="error", message=error.message)
    if isinstance(error, OSError):
        return Notice(
            severity="error",
            message=f"{error.strerror or error}: {error.filename or 'a file'}.",
            what_to_do="Check that it is there and may be read and written.",
        )
    return Notice(
        severity="error",
        message=f"Something unforeseen went wrong: {type(error).__name__}: {error}",
        what_to_do="The rest goes on working. Please report it with what you did.",
    )
