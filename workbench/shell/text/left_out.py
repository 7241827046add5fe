"""Notices of truncated and empty answers, for readers behind a pipe."""

from __future__ import annotations

import re
from typing import Any

from services.model import SearchAnswer
from services.operations import GrepResult

_MEANS_MORE = re.compile(r"[\\|*+?\[\]^$]|\.\*")


def left_out(result: Any) -> str:
    """A line that says that a result is not all there is, for whoever does not see it on a terminal; else nothing."""
    if not isinstance(result, GrepResult) or not result.truncated:
        return ""
    why = "the time was up" if result.timed_out else "--max N answers more"
    return f"{result.match_count} matching lines are not all: {why}.\n"


def nothing_found(result: Any) -> str:
    """A line that says that a search found nothing, and what may be meant instead; nothing for what found something."""
    if isinstance(result, GrepResult) and not result.matches:
        hint = " Add -E to take it as an expression." if _MEANS_MORE.search(result.pattern) else ""
        return f"Nothing matches {result.pattern!r} in {result.searched} files.{hint}\n"
    if isinstance(result, SearchAnswer) and not result.hits and result.query.strip():
        return result.advice + "\n" if result.advice else f"No symbol matches {result.query!r}.\n"
    return ""
