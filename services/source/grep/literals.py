"""Texts that a match must contain, derived from a pattern: files without them need no regular expression.

The analysis is careful rather than complete: anything not plainly literal ends a run of characters, and a pattern
with unusual syntax has no required text. A wrong text here would lose matches; a missing one costs time."""

from __future__ import annotations

import re
from collections.abc import Iterator

_REPEAT = re.compile(r"\{[0-9]+(?:,[0-9]*)?\}")
_META = frozenset("\\.+*?()|[]{}^$")
_OPTIONAL = frozenset("*?")
_SHORTEST = 2


def required_texts(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return alternatives: every match contains all texts of one of them, in their own case; empty where nothing is
    known. The longest text comes first. The pattern must be one that RE2 accepts."""
    if "(?" in pattern.replace("(?:", "(") or "\\Q" in pattern:
        return ()
    found = dict.fromkeys(_texts(branch) for branch in _branches(pattern))
    return tuple(found) if all(found) else ()


def _texts(branch: str) -> tuple[str, ...]:
    runs = {run for run in _runs(branch) if len(run) >= _SHORTEST and "\ufffd" not in run}
    return tuple(sorted(runs, key=lambda run: (-len(run), run)))


def _branches(pattern: str) -> list[str]:
    """The alternatives at the top of a pattern."""
    found: list[str] = []
    start = depth = at = 0
    while at < len(pattern):
        step = _step(pattern, at)
        if step == 1:
            depth += {"(": 1, ")": -1}.get(pattern[at], 0)
            if pattern[at] == "|" and depth == 0:
                found.append(pattern[start:at])
                start = at + 1
        at += step
    return [*found, pattern[start:]]


def _runs(branch: str) -> Iterator[str]:
    """Runs of characters that are outside groups and classes and neither optional nor repeated."""
    run = ""
    at = 0
    while at < len(branch):
        if (behind := _unread(branch, at)) > at:
            yield run
            run, at = "", behind
            continue
        step = _step(branch, at)
        character = _character(branch, at, step)
        follower = branch[at + step : at + step + 1]
        if character is None or follower in _OPTIONAL or follower == "{":
            yield run
            run = ""
        else:
            run += character
        at += step
    yield run


def _unread(branch: str, at: int) -> int:
    """Behind the group or the count of repetitions that begins at `at`; `at` itself where there is neither."""
    if branch[at] == "(":
        return _after_group(branch, at)
    repeat = _REPEAT.match(branch, at)
    return at if repeat is None else repeat.end()


def _step(pattern: str, at: int) -> int:
    """How many characters the escape, class or character at `at` takes."""
    if pattern[at] == "\\":
        return _escape_length(pattern, at)
    if pattern[at] == "[":
        return _class_length(pattern, at)
    return 1


def _escape_length(pattern: str, at: int) -> int:
    """Return the length of an escape: `\\d` has two characters; `\\x{10FFFF}`, `\\p{Greek}` end at their brace; other
    `\\x41`, `\\012` end a run anyway, and `_character` separates their remaining characters."""
    if pattern[at + 1 : at + 2] in ("x", "p", "P") and pattern[at + 2 : at + 3] == "{":
        return pattern.find("}", at) + 1 - at
    return {"x": 4, "p": 3, "P": 3}.get(pattern[at + 1 : at + 2], _octal_length(pattern, at))


def _octal_length(pattern: str, at: int) -> int:
    end = at + 2
    while pattern[at + 1 : end].isdigit() and end < len(pattern) and end < at + 4 and pattern[end].isdigit():
        end += 1
    return end - at


def _class_length(pattern: str, at: int) -> int:
    """Return the length of a bracket expression: a leading `]` is one of its members, and `[:alpha:]` may occur."""
    end = at + 1
    if pattern[end : end + 1] == "^":
        end += 1
    if pattern[end : end + 1] == "]":
        end += 1
    while end < len(pattern) and pattern[end] != "]":
        if pattern[end] == "\\":
            end += 2
        elif pattern.startswith("[:", end) and (close := pattern.find(":]", end)) >= 0:
            end = close + 2
        else:
            end += 1
    return end + 1 - at


def _character(pattern: str, at: int, step: int) -> str | None:
    """Return the literal character of a token of the pattern, or None."""
    if step == 1:
        return None if pattern[at] in _META else pattern[at]
    escaped = pattern[at + 1 : at + step]
    return escaped if step == 2 and escaped.isascii() and not escaped.isalnum() else None


def _after_group(branch: str, at: int) -> int:
    """Behind the parenthesis that closes the group which begins at `at`."""
    depth = 0
    while at < len(branch):
        step = _step(branch, at)
        if step == 1:
            depth += {"(": 1, ")": -1}.get(branch[at], 0)
        at += step
        if depth == 0:
            break
    return at
