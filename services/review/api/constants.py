"""Values of constants, enum members and defaults, as far as they can be told without a compiler."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from services.model import Kind
from services.syntax.records.declaration import Declaration, ParameterRecord

_TOKEN = re.compile(r"\s*(0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*|[A-Za-z_][\w.]*|<<|>>|[-+*/%&|^~()])[uUlL]*")
_SUFFIX = re.compile(r"(?<=[\da-fA-F])[uUlL]+$")
_LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_MOST_BITS = 128
_NOTHING = re.compile(r"null!?|default!?(\s*\(.*\))?|new\s*\(\s*\)")
_NUMBERS = ("int", "long", "double", "float", "decimal", "byte", "short", "uint", "ulong", "ushort", "sbyte")


class Constants:
    """Constants of one type. `owner`: the type as signatures show it."""

    def __init__(self, members: Sequence[Declaration], owner: str) -> None:
        self._members = members
        self._owner = owner

    def of(self, declaration: Declaration) -> str:
        """`= 3` behind an enum member or constant; empty for anything else."""
        if declaration.kind is Kind.ENUM_MEMBER:
            return f"= {self._enum.get(declaration.name, declaration.value)}"
        if declaration.kind is Kind.CONSTANT:
            return f"= {self._evaluated(declaration.value)}"
        return ""

    def default(self, parameter: ParameterRecord, fqn: str) -> str:
        """The default of a parameter: `default`, `null` and `new()` are the same thing."""
        text = parameter.default.strip()
        if _NOTHING.fullmatch(text) or text == f"new {parameter.type}()":
            return "false" if fqn == "bool" else "0" if fqn in _NUMBERS else "null"
        if (
            "." in text
            and (last := text.rpartition(".")[2]).isidentifier()
            and text.replace(".", "").isidentifier()
        ):
            return f"{fqn}.{last}" if "." in fqn else last
        return self._evaluated(text)

    def modifier(self, text: str) -> str:
        """Modifiers of a parameter that its callers see."""
        return " ".join(word for word in text.split() if word != "scoped")

    @cached_property
    def _enum(self) -> dict[str, str]:
        """The values of enum members, each one more than that before it where none is said."""
        values: dict[str, int] = {}
        shown: dict[str, str] = {}
        before: int | None = -1
        for member in self._members:
            if member.kind is not Kind.ENUM_MEMBER:
                continue
            value = (
                evaluated(member.value, values) if member.value else None if before is None else before + 1
            )
            if value is not None:
                values[member.name] = value
            shown[member.name] = member.value if value is None else str(value)
            before = value
        return shown

    def _evaluated(self, text: str) -> str:
        value = evaluated(text, {})
        return text if value is None else str(value)


def evaluated(text: str, names: dict[str, int]) -> int | None:
    """The value of an integer expression, or None where it is none, or names what is not known."""
    tokens: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            return None
        tokens.append(found[1])
        at = found.end()
    try:
        value = _Reader(tokens, names).whole()
    except (ValueError, IndexError, KeyError, ZeroDivisionError):
        return None
    return value if value.bit_length() <= _MOST_BITS else None


class _Reader:
    def __init__(self, tokens: list[str], names: dict[str, int]) -> None:
        self.tokens, self.names, self.at = tokens, names, 0

    def whole(self) -> int:
        value = self.level(0)
        if self.at != len(self.tokens):
            raise ValueError
        return value

    def level(self, level: int) -> int:
        if level == len(_LEVELS):
            return self.unary()
        value = self.level(level + 1)
        while self.at < len(self.tokens) and self.tokens[self.at] in _LEVELS[level]:
            sign = self.take()
            value = _applied(sign, value, self.level(level + 1))
        return value

    def unary(self) -> int:
        token = self.take()
        if token in "+-~":
            value = self.unary()
            return value if token == "+" else -value if token == "-" else ~value
        if token == "(":
            value = self.level(0)
            if self.take() != ")":
                raise ValueError
            return value
        if token[0].isdigit():
            return int(
                _SUFFIX.sub("", token).replace("_", ""), 0 if token[:2].lower() in ("0x", "0b") else 10
            )
        return self.names[token.rpartition(".")[2]]

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]


def _applied(sign: str, one: int, other: int) -> int:
    if sign in ("<<", ">>"):
        if not 0 <= other <= _MOST_BITS:
            raise ValueError
        return one << other if sign == "<<" else one >> other
    if sign in ("/", "%"):
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return quotient if sign == "/" else one - quotient * other
    return {"|": one | other, "^": one ^ other, "&": one & other, "+": one + other, "-": one - other,
            "*": one * other}[sign]  # fmt: skip
