"""Needs of operations: said beside each, so that a command line makes ready no more than that, and a
server waits for no more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from services.errors import CodeCortexError

if TYPE_CHECKING:
    from services.bench import Bench


class Need(StrEnum):
    """How much of the index a call needs. `WHATEVER`: it tells of what there is, be that nothing."""

    NOTHING = "nothing"
    WHATEVER = "whatever there is"
    WHOLE = "whole"


Needs = Need | Callable[["Bench", Mapping[str, Any]], Need]
"""The need of every call, or how to tell it from the arguments (by the names of the function's parameters) without
asking the index. Nothing is raised: what is wrong, the call itself says better."""


def to_read(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Of what reads an object: files are found without the index, symbols with it."""
    from services.source.read.versions import Version

    name, version = given["obj"], given.get("version", str(Version.WORKING))
    return _need_of(lambda: name is None or bench.sources.names_file(name, version))


def to_write(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Of what locks or writes an object, which may be a file that is not there yet."""
    name = given["obj"]
    return _need_of(lambda: name is None or bench.writing.names_file(name))


def to_patch(bench: Bench, given: Mapping[str, Any]) -> Need:
    """Of a diff: its tokens name objects as people write them."""
    return _need_of(lambda: all(map(bench.writing.names_file, given["expected"])))


def to_analyze(_: Bench, given: Mapping[str, Any]) -> Need:
    """Of a review, which asks the index where it is analyzed."""
    return Need.WHOLE if given.get("analyze") or given.get("to") == "sarif" else Need.NOTHING


def to_show_window(bench: Bench, _: Mapping[str, Any]) -> Need:
    """Of what renders the window, which follows its items through the index: an empty one has none."""
    return _need_of(lambda: bench.window.is_empty)


def _need_of(is_free: Callable[[], bool]) -> Need:
    try:
        return Need.NOTHING if is_free() else Need.WHOLE
    except CodeCortexError:  # as the call will find, before it asks the index
        return Need.NOTHING
