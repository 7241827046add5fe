"""What an answer left out, for whoever reads it through a pipe."""

from __future__ import annotations

from typing import Any

from services.operations import GrepResult


def left_out(result: Any) -> str:
    """A line that says that a result is not all there is, for whoever does not see it on a terminal; else nothing."""
    if not isinstance(result, GrepResult) or not result.truncated:
        return ""
    why = "the time was up" if result.timed_out else "--max N answers more"
    return f"{result.match_count} matching lines are not all: {why}.\n"
