"""Index requirements of operations, declared with each, so that a command prepares, and a server waits for, no
more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from services.errors import CodeCortexError
from services.model.source import is_adt

if TYPE_CHECKING:
    from services.bench import Bench


class Need(StrEnum):
    """Part of the index that a call needs. `WHATEVER`: the current state, even an empty one."""

    NOTHING = "nothing"
    WHATEVER = "whatever there is"
    WHOLE = "whole"


Needs = Need | Callable[["Bench", Mapping[str, Any]], Need]
"""The need of every call, or how to tell it from the arguments (by the names of the function's parameters) without
asking the index. Nothing is raised: what is wrong, the call itself says better."""


def to_read(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of reading an object: files are found without the index, symbols with it."""
    from services.source.read.token import Version

    name, version = given["obj"], given.get("version", str(Version.WORKING))
    if is_adt(name):
        return Need.NOTHING
    return _need_of(lambda: name is None or bench.sources.names_file(name, version))


def to_search(_: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of a search, which SAP systems answer for `adt:`."""
    return Need.NOTHING if is_adt(given.get("query")) else Need.WHOLE


def to_outline(_: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of an outline, which an SAP system answers for its objects."""
    return Need.NOTHING if is_adt(given["path"]) else Need.WHOLE


def to_write(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of locking or writing an object, which may be a new file."""
    name = given["obj"]
    if is_adt(name):
        return Need.NOTHING
    return _need_of(lambda: name is None or bench.writing.names_file(name))


def to_patch(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of a diff: its tokens contain symbol paths."""
    return _need_of(lambda: all(map(bench.writing.names_file, given["expected"])))


def to_run_tests(_: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of a test run, whose runner is found by the projects unless it is named."""
    return Need.NOTHING if given.get("command") else Need.WHOLE


def to_analyze(_: Bench, given: Mapping[str, Any]) -> Need:
    """Return the need of a review, which queries the index during analysis."""
    return Need.WHOLE if given.get("analyze") or given.get("to") == "sarif" else Need.NOTHING


def to_show_window(bench: Bench, _: Mapping[str, Any]) -> Need:
    """Return the need of rendering the window, which resolves its items in the index: none for an empty one."""
    return _need_of(lambda: bench.window.is_empty)


def _need_of(is_free: Callable[[], bool]) -> Need:
    try:
        return Need.NOTHING if is_free() else Need.WHOLE
    except CodeCortexError:  # as the call will find, before it asks the index
        return Need.NOTHING
