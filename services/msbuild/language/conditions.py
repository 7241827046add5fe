"""Conditions, with three answers: true, false, and None for what was not understood.

Grammar and comparison rules: "MSBuild conditions" of the MSBuild reference. Text compares without case;
where both sides are numbers or booleans they compare as such; `<` and its kin take numbers and versions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from services.msbuild.language.expansion import ExpressionScope, closing
from services.msbuild.language.paths import join, parent
from services.msbuild.language.properties import ExpandedText, NotUnderstoodError, unescape

MAX_NESTING = 32
MAX_LENGTH = 8 * 1024
_TRUE = frozenset({"true", "on", "yes", "!false", "!off", "!no"})
_FALSE = frozenset({"false", "off", "no", "!true", "!on", "!yes"})
_OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "!", "(", ")", ",")
_LONGEST_NUMBER = 40
# Without exponents: MSBuild takes `1e1` for a text.
_NUMBER = re.compile(r"0[xX]([0-9a-fA-F]+)|[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_WORD = re.compile(r"[^\s'()!=<>,$@%]+")

Node = tuple[Any, ...]
Expand = Callable[[str], ExpandedText]


def evaluate(
    condition: str, scope: ExpressionScope, expand: Expand, folder: str | None = None
) -> bool | None:
    """Whether the condition holds. `expand` gives the value of an operand; an empty condition holds. `folder`: where
    relative paths begin, that of the project if it is not given."""
    if not condition or condition.isspace():
        return True
    try:
        return _Evaluator(scope, expand, folder or parent(scope.project)).truth(parse(condition))
    except NotUnderstoodError:
        return None


class _Evaluator:
    def __init__(self, scope: ExpressionScope, expand: Expand, folder: str) -> None:
        self.scope = scope
        self.expand = expand
        self.folder = folder

    def truth(self, node: Node) -> bool | None:
        kind = node[0]
        if kind == "not":
            inner = self.truth(node[1])
            return None if inner is None else not inner
        if kind in ("and", "or"):
            return self.joined(kind == "or", node[1:])
        if kind == "call":
            return self.call(node[1], node[2])
        if kind == "text":
            return _boolean(self.value(node))
        return self.compared(kind, node[1], node[2])

    def joined(self, decisive: bool, nodes: tuple[Node, ...]) -> bool | None:
        answers = []
        for node in nodes:
            answer = self.truth(node)
            if answer is decisive:
                return decisive
            answers.append(answer)
        return None if None in answers else not decisive

    def value(self, node: Node) -> str | None:
        if node[0] != "text":
            raise NotUnderstoodError(str(node))
        text = self.expand(node[1])
        return None if text.doubt else unescape(text.value)

    def compared(self, operator: str, first: Node, second: Node) -> bool | None:
        left, right = self.value(first), self.value(second)
        if left is None or right is None:
            return None
        if operator in ("==", "!="):
            return _equal(left, right) is (operator == "==")
        return _ordered(operator, left, right)

    def call(self, name: str, arguments: tuple[Node, ...]) -> bool | None:
        if len(arguments) != 1 or name not in ("exists", "hastrailingslash"):
            return None
        value = self.value(arguments[0])
        if value is None:
            return None
        if name == "hastrailingslash":
            return value.endswith(("/", "\\"))
        paths = [path.strip() for path in value.split(";") if path.strip()]
        return bool(paths) and all(self.scope.environment.exists(join(self.folder, path)) for path in paths)


def _boolean(value: str | None) -> bool | None:
    if value is None:
        return None
    folded = value.strip().casefold()
    return True if folded in _TRUE else False if folded in _FALSE else None


def _equal(left: str, right: str) -> bool:
    if left == right or not left or not right:
        return left == right
    first, second = _number(left), _number(right)
    if first is not None and second is not None:
        return first == second
    truths = _boolean(left), _boolean(right)
    if None not in truths:
        return truths[0] is truths[1]
    return left.casefold() == right.casefold()


def _number(text: str) -> float | None:
    found = _NUMBER.fullmatch(text.strip())
    if found is None or len(text) > _LONGEST_NUMBER:
        return None
    return float(int(found[1], 16)) if found[1] else float(found[0])


def _version(text: str) -> tuple[int, ...] | None:
    if text == "Current":  # the value of MSBuildToolsVersion; MSBuild compares it as its own version
        return (17, 0)
    parts = text.strip().split(".")
    if not 1 <= len(parts) <= 4 or not all(part.isdecimal() and len(part) < 12 for part in parts):
        return None
    return tuple(int(part) for part in parts)


def _ordered(operator: str, left: str, right: str) -> bool | None:
    first: Any = _number(left)
    second: Any = _number(right)
    if first is None or second is None:
        first, second = _version(left), _version(right)
    if first is None or second is None:
        return None
    return {
        "<": first < second,
        "<=": first <= second,
        ">": first > second,
        ">=": first >= second,
    }[operator]


@lru_cache(maxsize=2048)
def parse(condition: str) -> Node:
    """The condition as nested tuples. Raises NotUnderstoodError."""
    if len(condition) > MAX_LENGTH:
        raise NotUnderstoodError(condition)
    reader = _ConditionReader(_tokens(condition), condition)
    node = reader.either(0)
    if reader.tokens:
        raise NotUnderstoodError(condition)
    return node


class _ConditionReader:
    def __init__(self, tokens: list[tuple[str, str]], condition: str) -> None:
        self.tokens = tokens[::-1]
        self.condition = condition

    def next_is(self, kind: str, *texts: str) -> bool:
        if self.tokens and self.tokens[-1][0] == kind and self.tokens[-1][1].casefold() in texts:
            self.tokens.pop()
            return True
        return False

    def either(self, nesting: int) -> Node:
        nodes = [self.both(nesting)]
        while self.next_is("word", "or"):
            nodes.append(self.both(nesting))
        return nodes[0] if len(nodes) == 1 else ("or", *nodes)

    def both(self, nesting: int) -> Node:
        nodes = [self.relation(nesting)]
        while self.next_is("word", "and"):
            nodes.append(self.relation(nesting))
        return nodes[0] if len(nodes) == 1 else ("and", *nodes)

    def relation(self, nesting: int) -> Node:
        left = self.factor(nesting + 1)
        for operator in ("==", "!=", "<=", ">=", "<", ">"):
            if self.next_is("mark", operator):
                return (operator, left, self.factor(nesting + 1))
        return left

    def factor(self, nesting: int) -> Node:
        if nesting > MAX_NESTING or not self.tokens:
            raise NotUnderstoodError(self.condition)
        if self.next_is("mark", "!"):
            return ("not", self.factor(nesting + 1))
        if self.next_is("mark", "("):
            node = self.either(nesting + 1)
            self.expect(")")
            return node
        kind, text = self.tokens.pop()
        if kind == "mark":
            raise NotUnderstoodError(self.condition)
        if kind == "word" and self.next_is("mark", "("):
            return ("call", text.casefold(), self.arguments(nesting))
        return ("text", text)

    def arguments(self, nesting: int) -> tuple[Node, ...]:
        nodes = []
        while not self.next_is("mark", ")"):
            nodes.append(self.factor(nesting + 1))
            self.next_is("mark", ",")
        return tuple(nodes)

    def expect(self, mark: str) -> None:
        if not self.next_is("mark", mark):
            raise NotUnderstoodError(self.condition)


def _tokens(condition: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    index = 0
    while index < len(condition):
        if condition[index].isspace():
            index += 1
            continue
        token, index = _token(condition, index)
        tokens.append(token)
    return tokens


def _token(condition: str, index: int) -> tuple[tuple[str, str], int]:
    if condition[index] == "'":
        ended = _quote_end(condition, index + 1)
        return ("text", condition[index + 1 : ended]), ended + 1
    if condition[index] in "$@%" and condition[index + 1 : index + 2] == "(":
        ended = closing(condition, index + 2)
        if ended < 0:
            raise NotUnderstoodError(condition)
        return ("text", condition[index : ended + 1]), ended + 1
    for mark in _OPERATORS:
        if condition.startswith(mark, index):
            return ("mark", mark), index + len(mark)
    word = _WORD.match(condition, index)
    if word is None:
        raise NotUnderstoodError(condition)
    return ("word", word[0]), word.end()


def _quote_end(condition: str, index: int) -> int:
    """Return the end of an operand: quotes inside `$(…)` and `@(…)` belong to it."""
    while index < len(condition):
        if condition[index] == "'":
            return index
        if condition[index] in "$@" and condition[index + 1 : index + 2] == "(":
            ended = closing(condition, index + 2)
            if ended < 0:
                break
            index = ended
        index += 1
    raise NotUnderstoodError(condition)
