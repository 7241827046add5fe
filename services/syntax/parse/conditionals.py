"""`#if` expressions: C# specification 6.5.3, over a set of defined symbols."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\s*(\|\||&&|==|!=|!|\(|\)|\w+)")


def evaluate(expression: str, symbols: frozenset[str] | set[str]) -> bool:
    """Whether `expression` holds. What is not an expression of the language counts as false, as a compiler that
    reports an error leaves the branch out."""
    tokens = _tokens(expression)
    try:
        value, rest = _either(tokens, 0, symbols)
    except (IndexError, RecursionError):
        return False
    return value and rest == len(tokens)


def _tokens(expression: str) -> list[str]:
    text = expression.split("//", 1)[0].rstrip()
    tokens: list[str] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return [")"]
        tokens.append(match[1])
        at = match.end()
    return tokens


def _either(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    value, at = _both(tokens, at, symbols)
    while at < len(tokens) and tokens[at] == "||":
        right, at = _both(tokens, at + 1, symbols)
        value = value or right
    return value, at


def _both(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    value, at = _equal(tokens, at, symbols)
    while at < len(tokens) and tokens[at] == "&&":
        right, at = _equal(tokens, at + 1, symbols)
        value = value and right
    return value, at


def _equal(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    value, at = _unary(tokens, at, symbols)
    while at < len(tokens) and tokens[at] in ("==", "!="):
        wanted = tokens[at] == "=="
        right, at = _unary(tokens, at + 1, symbols)
        value = (value == right) is wanted
    return value, at


def _unary(tokens: list[str], at: int, symbols: frozenset[str] | set[str]) -> tuple[bool, int]:
    token = tokens[at]
    if token == "!":
        value, at = _unary(tokens, at + 1, symbols)
        return not value, at
    if token == "(":
        value, at = _either(tokens, at + 1, symbols)
        if tokens[at] != ")":
            raise IndexError
        return value, at + 1
    if token in ("true", "false"):
        return token == "true", at + 1
    if not (token[0].isalpha() or token[0] == "_"):
        raise IndexError
    return token in symbols, at + 1
