"""Expressions as plain records: what is needed to say of which type an expression is."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Unknown:
    """An expression of a kind that nothing is known about."""


@dataclass(frozen=True, slots=True)
class Name:
    """A simple name at an offset of the file. `arguments`: the texts of its type arguments."""

    text: str
    arguments: tuple[str, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Access:
    """`receiver.name`. `conditional`: whether `?.` stands between; `at`: the offset of the name."""

    receiver: Expression
    name: str
    arguments: tuple[str, ...]
    conditional: bool
    at: int


@dataclass(frozen=True, slots=True)
class Keyword:
    """`this`, `base`, or a predefined type as in `int.Parse`."""

    word: str


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument. `name` where it is named; `modifier`: ref, out, in, or empty."""

    value: Expression
    name: str = ""
    modifier: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`."""

    function: Expression
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class New:
    """`new type(arguments)`; `expected` says of which type where none is written."""

    type: str
    arguments: tuple[Argument, ...]
    expected: Expected | None = None


@dataclass(frozen=True, slots=True)
class OfType:
    """An expression whose type is written, or is that of a literal: a cast, `as`, `default(T)`, `"text"`."""

    type: str


@dataclass(frozen=True, slots=True)
class Null:
    """`null`, `default`: of any type that is expected."""


@dataclass(frozen=True, slots=True)
class Await:
    """`await inner`."""

    inner: Expression


@dataclass(frozen=True, slots=True)
class Index:
    """`receiver[arguments]`."""

    receiver: Expression
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Lambda:
    """A lambda or anonymous method. `parameters`: how many, or None where none are listed; `result`: its value where
    it has one expression for it; `gives`: whether it gives a value, None where it may and need not."""

    parameters: int | None
    result: Expression | None
    at: int
    gives: bool | None = None
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class Either:
    """One of several: `a ? b : c`, `a ?? b`, a switch expression. `first_unwrapped`: the first is `a` of `a ?? b`."""

    options: tuple[Expression, ...]
    first_unwrapped: bool = False


@dataclass(frozen=True, slots=True)
class TupleOf:
    """`(a, name: b)`."""

    elements: tuple[Expression, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArrayOf:
    """`new[] { a, b }`."""

    elements: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """An arithmetic or logical operator of one or two operands."""

    sign: str
    operands: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Expected:
    """What type an expression is expected to have: that of an argument, a written one, that of another expression, or
    what the member returns (all empty)."""

    type: str = ""
    value: Expression | None = None
    call: Call | New | None = None
    argument: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Local:
    """A name declared in a body.

    how: `typed` (`type`), `value` (that of `value`), `element` (of `value`), `part` (`places` of a tuple `value`),
    `out` (argument `places[0]` of the call `value`), `lambda` (parameter `places[0]` of what `expected` is),
    `function` (returns `type`), `unknown`."""

    how: str
    type: str = ""
    value: Expression | None = None
    places: tuple[int, ...] = ()
    expected: Expected | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a name stands. `at`: its offset in the file.

    role: `type` (`path`: the dotted name up to it, arguments replaced by `int`), `value` (`expression` ends with it),
    `initialised` (a member of `owner` in an initialiser or pattern), `creation` (`owner` is the creation, whose type
    `path` names), `constructor` (`path` is `base` or `this`), `indexed` (`owner` is, by `arguments`), `cref`
    (`expression` ends with it; `listed`: types of parameters, None where none are listed), `declared` (a declaration's
    own or a parameter's name), `unknown`. kind: what the place does. arguments: those of the call, where it is called.
    following: the member that is asked of it, `Name()` where that is called, with the arguments `followed`; `[` for an
    index or `?.`, `?` before a conditional index."""

    at: int
    role: str
    kind: str = "read"
    path: str = ""
    expression: Expression | None = None
    arguments: tuple[Argument, ...] | None = None
    owner: Expression | None = None
    following: str = ""
    followed: tuple[Argument, ...] | None = None
    generic: tuple[str, ...] = field(default=())
    listed: tuple[str, ...] | None = None


Expression = (
    Unknown
    | Name
    | Access
    | Keyword
    | Call
    | New
    | OfType
    | Null
    | Await
    | Index
    | Lambda
    | Either
    | TupleOf
    | ArrayOf
    | Operation
)
