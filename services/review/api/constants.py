"""Values of constants, enum members and defaults, as far as they can be evaluated without a compiler."""

from __future__ import annotations

import re
from collections.abc import Callable

from services.index.symbols.placed import Placed
from services.model import Kind
from services.review.api.type_view import TypeView
from services.syntax.records.declaration import CUT, ParameterRecord

_TOKEN = re.compile(r"\s*(0[xX][\da-fA-F_]+|0[bB][01_]+|\d[\d_]*|[A-Za-z_][\w.]*|<<|>>|[-+*/%&|^~()])[uUlL]*")
_SUFFIX = re.compile(r"(?<=[\da-fA-F])[uUlL]+$")
_LEVELS = (("|",), ("^",), ("&",), ("<<", ">>"), ("+", "-"), ("*", "/", "%"))
_MOST_BITS = 128
_LONGEST = 4_000
"""Characters of a value that are looked at."""
_NOTHING = re.compile(r"null!?|default!?(\s*\(.*\))?|new\s*\(\s*\)")
_NUMBERS = ("int", "long", "double", "float", "decimal", "byte", "short", "uint", "ulong", "ushort", "sbyte")
_NAME = re.compile(r"(?:(.+)\.)?(@?[^\W\d]\w*)", re.DOTALL)
_OWNER = re.compile(r"[\w.:@]+(?:<[\w.,:@<>? ]+>)?(?:\.\w+)*")
_DEFAULT = r"""\b%s\s*=\s*((?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\([^()]*\)|[^,()"'])*)"""
_Value = int | str | None


class Constants:
    """Constants of one type and of the types that they refer to. `known`: types by their number in the index."""

    def __init__(self, view: TypeView, known: dict[int, Constants] | None = None) -> None:
        self._view = view
        self._known: dict[int, Constants] = {} if known is None else known
        self._known[view.whole.index] = self
        self.is_enum = view.whole.entry.kind is Kind.ENUM
        self._members = [
            each for each in view.whole.members if each.declaration.kind in (Kind.ENUM_MEMBER, Kind.CONSTANT)
        ]
        self._places = {each.declaration.name: at for at, each in enumerate(self._members)}
        self._values: dict[str, _Value] = {}

    def of(self, member: Placed) -> str:
        """`= 3` behind an enum member or constant; empty for anything else."""
        declaration = member.declaration
        if declaration.kind is Kind.ENUM_MEMBER:
            value = self.value(declaration.name)
            return f"= {declaration.value if value is None else value}"
        return f"= {self._told(member, self._written(member))}" if declaration.kind is Kind.CONSTANT else ""

    def default(self, member: Placed, parameter: ParameterRecord, fqn: str) -> str:
        """The default of a parameter: `default`, `null` and `new()` are the same thing."""
        text = parameter.default.strip()
        if text == CUT:
            found = re.search(_DEFAULT % re.escape(parameter.name), self._source(member))
            text = found[1].strip() if found is not None else text
        if _NOTHING.fullmatch(text) or text == f"new {parameter.type}()":
            return "false" if fqn == "bool" else "0" if fqn in _NUMBERS else "null"
        return self._told(member, text, fqn)

    def modifier(self, text: str) -> str:
        """Modifiers of a parameter that its callers see."""
        return " ".join(word for word in text.split() if word != "scoped")

    def _told(self, member: Placed, text: str, fqn: str = "") -> str:
        """Return a value as signatures show it: for an enum the member's name, qualified where `fqn` is given."""
        value = self._evaluated(member, text)
        if value is not None:
            return str(value)
        named = _NAME.fullmatch(text)
        if named is None or not named[1]:
            return text
        return f"{fqn}.{named[2]}" if "." in fqn else named[2] if fqn else text

    def _evaluated(self, member: Placed, text: str) -> _Value:
        """Evaluate to an integer or to the text of the constant that a name refers to; None for the name of an enum
        member or an unknown value."""
        if (named := _NAME.fullmatch(text)) is not None:
            owner = self._owner(member, named[1] or "")
            return None if owner is None or owner.is_enum else owner.value(named[2])
        return evaluated(text, lambda name: self._number(member, name))

    def _number(self, member: Placed, name: str) -> int:
        owner, _, last = name.rpartition(".")
        there = self._owner(member, owner)
        value = there.value(last) if there is not None else None
        if not isinstance(value, int):
            raise KeyError(name)
        return value

    def value(self, name: str) -> _Value:
        """Return the value of a constant; None while it is being evaluated, as for a constant that refers to
        itself."""
        if name not in self._values:
            self._values[name] = None
            at = self._places.get(name)
            self._values[name] = None if at is None else self._worked_out(at)
        return self._values[name]

    def _worked_out(self, at: int) -> _Value:
        member = self._members[at]
        if member.declaration.kind is Kind.CONSTANT:
            text = self._written(member)
            value = self._evaluated(member, text)
            return text if value is None else value
        first = at
        while first >= 0 and not self._is_told(first):
            first -= 1
        if first < 0:
            return at
        before = self._members[first]
        value = self._number_of(before) if first == at else self.value(before.declaration.name)
        return value + at - first if isinstance(value, int) else None

    def _is_told(self, at: int) -> bool:
        """Whether the value of an enum's member does not have to be counted from that before it."""
        declaration = self._members[at].declaration
        return bool(declaration.value) or isinstance(self._values.get(declaration.name), int)

    def _number_of(self, member: Placed) -> int | None:
        """The value that an enum's member is given."""
        return evaluated(self._written(member), lambda name: self._number(member, name))

    def _owner(self, member: Placed, name: str) -> Constants | None:
        """The constants of the type of a name; its own without one."""
        if not name or _OWNER.fullmatch(name) is None:
            return None if name else self
        head = self._view.names.bound(member.file, member.at, member.declaration, name).head
        if head is None or head.index is None:
            return None
        if head.index not in self._known:
            whole = self._view.index.describer.whole(head.index)
            if whole is None:
                return None
            Constants(TypeView(self._view.index, self._view.names, whole), self._known)
        return self._known[head.index]

    def _written(self, member: Placed) -> str:
        """Return the value from the source, also where it is too long for the index."""
        text = member.declaration.value
        if text != CUT:
            return text
        found = re.search(
            rf"\b{re.escape(member.declaration.name)}\s*=\s*(.*)", self._source(member), re.DOTALL
        )
        return found[1].rstrip().rstrip(";,").rstrip()[:_LONGEST] if found is not None else text

    def _source(self, member: Placed) -> str:
        declaration = member.declaration
        return self._view.text(member)[declaration.start : declaration.end].decode("utf-8", "replace")


def evaluated(text: str, names: Callable[[str], int]) -> int | None:
    """The value of an integer expression, or None where it is none. `names`: raises KeyError for what is not known."""
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
        value = _ConstantParser(tokens, names).whole()
    except (ValueError, IndexError, KeyError, ZeroDivisionError, RecursionError):
        return None
    return value if value.bit_length() <= _MOST_BITS else None


class _ConstantParser:
    def __init__(self, tokens: list[str], names: Callable[[str], int]) -> None:
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
        return self.names(token)

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
