"""Constructs open before a text: a statement, a call, a JSON object; and whether they pass it on unchanged."""

from __future__ import annotations

from services.prompt.secrets.patterns import expression

_CALLED = expression(r"(?P<name>[\w.:]+)(?:<[\w<>, .?\[\]]*>)?\s*\Z")
_LONGEST_NAME = 140
_PARENT = expression(r"[\"'](?P<name>[\w.:-]+)[\"']\s*:\s*\Z")
_REACH = 400
_PATTERN = expression(r"\bis(?: not)?(?:\s+[\w.<>]+)?\s*\Z")
_COLLECTION = expression(
    r"\A\s*(?:(?:new\b[^{}()=]*)?[{\[](?=[^={}]*\Z)|new\b[^{}=]*\{(?=(?:\s*\[\"\"\]\s*=\s*\"\"\s*,)*\s*\[\"\"\]\s*=\s*\Z))"
)
_DEFERRED = expression(
    r"\bnew\s*(?:Lazy)?(?:<\w+\??>)?\s*\(\s*(?:\(\)|_)\s*=>|\b(?:Task|ValueTask)\.FromResult(?:<\w+\??>)?\("
    r"|\b[Ss]tring\.(?:Concat|Join)\("
)
"""What gives the same text later."""


def end_of_statement(before: str) -> int:
    """Return the end of the last statement or block; braces of a property pattern (`is { Length: > 0 }`) end none."""
    end, close = before.rfind(";") + 1, before.rfind("}")
    while close >= end:
        opens = _opening(before, close)
        if opens < 0 or _PATTERN.search(before, 0, opens) is None:
            return close + 1
        close = before.rfind("}", 0, opens)
    return end


def _opening(text: str, close: int) -> int:
    """Return the position of the matching opening brace; -1 where it is not in the text."""
    depth = 0
    for at in range(close, -1, -1):
        depth += (text[at] == "}") - (text[at] == "{")
        if not depth:
            return at
    return -1


def is_simple(rest: str) -> bool:
    """Whether nothing of an expression makes something else of a text at its end: no call is open."""
    rest = _COLLECTION.sub("", _DEFERRED.sub("", rest))
    return rest.count("(") <= rest.count(")") and rest.count("{") <= rest.count("}")


def open_call(before: str) -> tuple[str, str] | None:
    """The name of the call that is open at the end, and its arguments so far."""
    depth = 0
    for at in range(len(before) - 1, -1, -1):
        sign = before[at]
        if sign == ")":
            depth += 1
        elif sign == "(":
            if depth == 0:
                called = _CALLED.search(before, max(0, at - _LONGEST_NAME), at)
                return (called["name"], before[at + 1 :]) if called is not None else None
            depth -= 1
        elif sign == "}":  # of an initializer or a body among the arguments
            depth += 1
        elif sign == "{" and depth:
            depth -= 1
        elif sign in ";{" and depth == 0:
            return None
    return None


def parent_of(text: str, opens: int) -> str:
    """Return the name of the JSON object that contains a value; empty where there is none."""
    depth = 0
    before = text[max(0, opens - _REACH) : opens]
    for at in range(len(before) - 1, -1, -1):
        if before[at] == "}":
            depth += 1
        elif before[at] == "{":
            if depth == 0:
                parent = _PARENT.search(before, 0, at)
                return parent["name"] if parent is not None else ""
            depth -= 1
    return ""
