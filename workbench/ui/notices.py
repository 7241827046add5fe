"""Log of notices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from services.errors import BudgetExceeded, CodeCortexError
from services.model import Notice

_KEPT = 200

TITLES: Mapping[str, str] = MappingProxyType({"information": "", "warning": "Warning", "error": "Error"})
"""What stands over a notice, whose colour alone would say it else."""


class NoticeLog:
    """Notices in the order of arrival, each with the time of its last showing; at most the last 200."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._said: list[tuple[datetime, Notice]] = []

    @property
    def said(self) -> tuple[tuple[datetime, Notice], ...]:
        """The logged notices with their times, the first one first."""
        return tuple(self._said)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The logged notices without their times."""
        return tuple(notice for _, notice in self._said)

    def add(self, notice: Notice) -> bool:
        """Log a notice as the last one; return whether it is new. A repeated one moves to the end."""
        others = [each for each in self._said if each[1] != notice]
        known = len(others) < len(self._said)
        self._said = [*others, (self._now(), notice)][-_KEPT:]
        return not known


def worst_severity(notices: Sequence[Notice]) -> Literal["information", "warning", "error"]:
    """Return the gravest of several severities."""
    said = {notice.severity for notice in notices}
    if "error" in said:
        return "error"
    return "warning" if "warning" in said else "information"


def notice_of(error: Exception) -> Notice:
    """Convert an error to a notice. An unforeseen one is reported with its type: it is a fault of the program."""
    if isinstance(error, BudgetExceeded):
        return Notice(severity="warning", message=error.message)
    if isinstance(error, CodeCortexError):
        return Notice(severity="error", message=error.message)
    if isinstance(error, (ImportError, SyntaxError)):
        return Notice(
            severity="error",
            message=f"A part of the program cannot be loaded: {error}.",
            what_to_do="It may have been updated or removed meanwhile: leave, and start it again. Pins are kept.",
        )
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
