"""Notices of truncated and empty answers, for readers behind a pipe."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

from services.errors import quoted
from services.model import (
    FilesAnswer,
    GraphAnswer,
    SearchAnswer,
    Suggestions,
    UsagesAnswer,
    Window,
    may_be_expression,
)
from services.model.review import TestsAnswer
from services.operations.source import GrepResult

EMPTY_WINDOW = "The window is empty. Pin something first.\n"
NOTHING_RELATED = "Nothing is pinned that anything is related to. Pin a type or a member first.\n"


@singledispatch
def left_out(result: Any) -> str:
    """Return a line on the omissions of a result, or why it is empty, for readers without the screen; else
    nothing."""
    del result
    return ""


@left_out.register
def _(result: GrepResult) -> str:
    why = "the time was up" if result.timed_out else "--max N answers more"
    return f"{result.match_count} matching lines are not all: {why}.\n" if result.truncated else ""


@left_out.register
def _(result: UsagesAnswer) -> str:
    told = f"{len(result.usages)} of {result.total} usages: --limit N answers more.\n"
    return told if result.truncated else ""


@left_out.register
def _(result: Window) -> str:
    return "" if result.text else EMPTY_WINDOW


@left_out.register
def _(result: Suggestions) -> str:
    return "" if result.suggestions else NOTHING_RELATED


@left_out.register
def _(result: GraphAnswer) -> str:
    return f"{result.lacks}\n" if result.lacks else ""


def nothing_found(result: Any) -> str:
    """Return a line that a search found nothing, with suggestions; nothing where it found something."""
    if isinstance(result, GrepResult) and not result.matches:
        hint = " Add -E to take it as an expression." if may_be_expression(result.pattern) else ""
        return f"Nothing matches {quoted(result.pattern)} in {result.searched} files.{hint}\n"
    if isinstance(result, SearchAnswer) and not result.hits and result.query.strip():
        return result.advice + "\n" if result.advice else f"No symbol matches {quoted(result.query)}.\n"
    if isinstance(result, FilesAnswer) and not result.hits:
        return f"No file has {quoted(result.query)} in its path.\n"
    if isinstance(result, TestsAnswer) and not result.tests:
        return "No test is known to reach it.\n"
    if isinstance(result, UsagesAnswer) and not result.total:
        return f"Nothing that is read uses {result.symbol.path} (of the grades that were asked for).\n"
    return ""
