"""The tree of errors: what its picture says, what its leaves carry to the edge, and the numbers of the contract."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator

import msgspec
import pytest

from services import errors
from services.errors import CodeCortexError, Retry, SourceError, UsageError

_LINE = re.compile(r"^[\s│]*[├└]── (\w+) .*\((\w+|\d{4}|4000 \.\.\.)\)$")


def _tree(kind: type[CodeCortexError]) -> Iterator[type[CodeCortexError]]:
    for each in kind.__subclasses__():
        if each.__module__ == errors.__name__:
            yield each
            yield from _tree(each)


ALL = [CodeCortexError, *_tree(CodeCortexError)]
SOURCE = [each for each in ALL if issubclass(each, SourceError)]
NUMBERS = {
    4000: "CACHE_EXPIRED",
    4001: "TOKEN_INVALID",
    4002: "TOKEN_MISMATCH",
    4003: "VERSION_CONFLICT",
    4004: "LINE_OUT_OF_RANGE",
    4005: "LOCK_REQUIRED",
    4006: "PATTERN_INVALID",
    4007: "INCLUDE_NOT_FOUND",
    4008: "NOT_CLASS_OBJECT",
}


def test_the_picture_at_the_head_shows_every_error_with_its_code() -> None:
    shown = dict(
        match.groups() for line in (errors.__doc__ or "").splitlines() if (match := _LINE.match(line))
    )
    shown["SourceError"] = "4000"
    assert shown == {each.__name__: str(each.code) for each in ALL if each is not CodeCortexError}


def test_the_picture_has_each_error_under_the_one_it_is_a_kind_of() -> None:
    above: list[tuple[int, str]] = [(-1, "CodeCortexError")]
    for line in (errors.__doc__ or "").splitlines():
        if match := _LINE.match(line):
            depth, name = line.index("── "), match[1]
            while above[-1][0] >= depth:
                above.pop()
            assert getattr(errors, name).__bases__ == (getattr(errors, above[-1][1]),), name
            above.append((depth, name))


@pytest.mark.parametrize("kind", ALL)
def test_what_an_error_carries_reaches_the_edge_as_plain_values(kind: type[CodeCortexError]) -> None:
    error = kind("Say it again.", path="A.cs", lines=[1, 2])
    value = msgspec.json.decode(msgspec.json.encode(error.as_value()))
    assert (value["code"], value["message"], str(error)) == (kind.code, "Say it again.", "Say it again.")
    carried = value["details"] if issubclass(kind, SourceError) else value
    assert (carried["path"], carried["lines"]) == ("A.cs", [1, 2])


@pytest.mark.parametrize("kind", ALL)
def test_every_error_says_what_it_means(kind: type[CodeCortexError]) -> None:
    assert inspect.getdoc(kind) and kind.__doc__ is not kind.__mro__[1].__doc__


def test_the_numbers_are_those_of_the_contract() -> None:
    told = {each.code: each.name for each in SOURCE if each is not SourceError}
    assert told == NUMBERS


@pytest.mark.parametrize("kind", SOURCE)
def test_an_error_that_may_be_tried_again_names_the_operation_that_helps(kind: type[SourceError]) -> None:
    value = kind("No.").as_value()
    assert value["retry"] == (kind.retry_action is not None) or kind is SourceError
    assert (kind.advice is Retry.NEVER) == (not kind.retry)
    assert set(value) == {"code", "name", "message", "retry", "retryAction", "advice", "details"}


def test_a_conflict_is_always_put_to_the_caller() -> None:
    """SPEC section 7: an expired token may be renewed without bothering anyone, a conflict never."""
    asked = {each for each in SOURCE if each.advice is Retry.ASK}
    assert asked == {errors.VersionConflict}
    assert errors.CacheExpired.advice is errors.TokenMismatch.advice is Retry.REREAD


def test_only_what_passes_by_itself_may_simply_be_tried_again() -> None:
    waits = {each for each in ALL if each.retry and each not in SOURCE}
    assert waits == {errors.Busy, errors.ProposalPending}


@pytest.mark.parametrize("kind", [each for each in ALL if issubclass(each, UsageError)])
def test_a_request_that_makes_no_sense_makes_none_the_second_time(kind: type[CodeCortexError]) -> None:
    assert not kind.retry
