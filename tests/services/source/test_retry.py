"""Asking again: only what passes by itself, later each time, and a conflict never."""

from __future__ import annotations

import pytest

from services.errors import (
    Busy,
    CacheExpired,
    CodeCortexError,
    IncludeNotFound,
    LineOutOfRange,
    LockRequired,
    NotClassObject,
    PatternInvalid,
    Retry,
    SourceError,
    TokenInvalid,
    TokenMismatch,
    VersionConflict,
)
from services.source.retry import with_back_off


class Failing:
    """Raises an error as often as told, then answers; `waits` are the seconds slept."""

    def __init__(self, error: CodeCortexError, times: int) -> None:
        self._error, self._left = error, times
        self.calls = 0
        self.waits: list[float] = []

    def __call__(self) -> str:
        self.calls += 1
        if self.calls <= self._left:
            raise self._error
        return "done"


@pytest.mark.parametrize("times", [0, 1, 2, 3])
def test_what_is_busy_is_asked_again_after_one_two_and_four_seconds(times: int) -> None:
    call = Failing(Busy("busy"), times)
    assert with_back_off(call, sleep=call.waits.append) == "done"
    assert call.waits == [1, 2, 4][:times]


def test_what_stays_busy_is_told_after_the_last_attempt() -> None:
    call = Failing(Busy("busy"), 9)
    with pytest.raises(Busy):
        with_back_off(call, sleep=call.waits.append)
    assert (call.calls, call.waits) == (4, [1, 2, 4])


@pytest.mark.parametrize("kind", [VersionConflict, CacheExpired, LockRequired, LineOutOfRange])
def test_nothing_that_wants_a_decision_or_another_call_is_repeated(kind: type[SourceError]) -> None:
    call = Failing(kind("no"), 1)
    with pytest.raises(kind):
        with_back_off(call, sleep=call.waits.append)
    assert (call.calls, call.waits) == (1, [])


@pytest.mark.parametrize(
    ("kind", "code", "name", "action", "advice"),
    [
        (CacheExpired, 4000, "CACHE_EXPIRED", "getObjectSourceV2", Retry.REREAD),
        (TokenInvalid, 4001, "TOKEN_INVALID", "getObjectSourceV2", Retry.REREAD),
        (TokenMismatch, 4002, "TOKEN_MISMATCH", "getObjectSourceV2", Retry.REREAD),
        (VersionConflict, 4003, "VERSION_CONFLICT", "getObjectSourceV2", Retry.ASK),
        (LineOutOfRange, 4004, "LINE_OUT_OF_RANGE", None, Retry.NEVER),
        (LockRequired, 4005, "LOCK_REQUIRED", "lock", Retry.LOCK),
        (PatternInvalid, 4006, "PATTERN_INVALID", None, Retry.NEVER),
        (IncludeNotFound, 4007, "INCLUDE_NOT_FOUND", None, Retry.NEVER),
        (NotClassObject, 4008, "NOT_CLASS_OBJECT", None, Retry.NEVER),
    ],
)
def test_every_error_says_what_to_do(
    kind: type[SourceError], code: int, name: str, action: str | None, advice: Retry
) -> None:
    value = kind("Why.", object="a").as_value()
    assert (value["code"], value["name"], value["retryAction"], value["advice"]) == (
        code,
        name,
        action,
        advice,
    )
    assert value["retry"] == (action is not None)
    assert (value["message"], value["details"]) == ("Why.", {"object": "a"})
