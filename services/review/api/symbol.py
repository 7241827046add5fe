"""Symbols of a public API, and their names in metadata."""

from __future__ import annotations

from services.model import Kind, Value
from services.syntax.records.declaration import Declaration

VISIBLE = frozenset({"public", "protected", "protected internal"})
"""Accessibilities that somebody else may see."""


class Interface(Value, kw_only=True, frozen=True):
    """An interface that a type implements. `seen`: whether others see it."""

    text: str
    seen: bool = True


class Constraint(Value, kw_only=True, frozen=True):
    """Constraint of a type parameter. `words`: class, struct, unmanaged, notnull, new(); `types`: by their names as
    C# writes them, each with its documentation id."""

    parameter: str
    words: frozenset[str] = frozenset()
    types: tuple[tuple[str, str], ...] = ()


class ApiSymbol(Value, kw_only=True, frozen=True):
    """A type or member that others see.

    `id`: its documentation id; `signature`: as C# writes it in full, without access and annotations of references;
    `named`: its name and parameter types, with annotations, as ApiCompat tells of members, `plain`: without annotations
    and `ref`, as it finds them again; `result`: what it returns, with annotations, `returns`: without; `owner`: id of
    the type that declares a member; `words`: modifiers, those of the language's own making too; `access`: as declared;
    `bases`: what a type derives from and implements that others see; `base`: what it derives from, seen or not;
    `interfaces`: in the order of metadata; `underlying`: of an enum; `constraints`: on its own type parameters;
    `parameters`: how many a member has; `accessors`: that others see, each with its access; `implicit`: the compiler
    makes it; `derivable`: whether others can derive from the type, or from the one that declares it; `symbol`: its id
    in the index; `file`, `line`: where it is declared."""

    id: str
    kind: Kind
    signature: str
    named: str
    plain: str = ""
    result: str = ""
    returns: str = ""
    owner: str = ""
    words: frozenset[str] = frozenset()
    access: str = "public"
    bases: tuple[str, ...] = ()
    base: str = ""
    interfaces: tuple[Interface, ...] = ()
    underlying: str = ""
    constraints: tuple[Constraint, ...] = ()
    parameters: int = 0
    accessors: tuple[tuple[str, str], ...] = ()
    implicit: bool = False
    derivable: bool = True
    symbol: str = ""
    file: str = ""
    line: int = 0


_BINARY = {
    "+": "Addition", "-": "Subtraction", "*": "Multiply", "/": "Division", "%": "Modulus", "&": "BitwiseAnd",
    "|": "BitwiseOr", "^": "ExclusiveOr", "<<": "LeftShift", ">>": "RightShift", ">>>": "UnsignedRightShift",
    "==": "Equality", "!=": "Inequality", "<": "LessThan", ">": "GreaterThan", "<=": "LessThanOrEqual",
    ">=": "GreaterThanOrEqual",
}  # fmt: skip
_UNARY = {
    "+": "UnaryPlus", "-": "UnaryNegation", "!": "LogicalNot", "~": "OnesComplement", "++": "Increment",
    "--": "Decrement", "true": "True", "false": "False",
}  # fmt: skip
_ASSIGNED = {
    "+=": "AdditionAssignment", "-=": "SubtractionAssignment", "*=": "MultiplicationAssignment",
    "/=": "DivisionAssignment", "%=": "ModulusAssignment", "&=": "BitwiseAndAssignment", "|=": "BitwiseOrAssignment",
    "^=": "ExclusiveOrAssignment", "<<=": "LeftShiftAssignment", ">>=": "RightShiftAssignment",
    ">>>=": "UnsignedRightShiftAssignment",
}  # fmt: skip
_BRACKETS = str.maketrans("<>.", "{}#")
"""As names that C# cannot spell stand in ids."""


def metadata_name(declaration: Declaration, parameters: int) -> str:
    """`#ctor`, `op_Addition`, `Item`; of anything else its own name."""
    kind = declaration.kind
    if kind is Kind.CONSTRUCTOR:
        return "#ctor"
    if kind is Kind.DESTRUCTOR:
        return "Finalize"
    if kind is Kind.INDEXER:
        return "Item"
    if kind is Kind.CONVERSION:
        way = "Implicit" if declaration.name.startswith("implicit") else "Explicit"
        return f"op_{'Checked' if 'checked' in declaration.name.split() else ''}{way}"
    if kind is Kind.OPERATOR or (kind is Kind.EXTENSION_MEMBER and declaration.name.startswith("operator ")):
        return _operator(declaration.name.removeprefix("operator").split(), parameters)
    return declaration.name.translate(_BRACKETS)


def name_in_id(id_: str) -> str:
    """Return the name that a documentation id ends in: `Sum` of `M:N.Shop.Sum(System.Int32)`, the name of the type for
    a constructor."""
    *owners, name = id_.partition("(")[0].partition(":")[2].split(".")
    simple = owners[-1] if name == "#ctor" and owners else name
    return simple.partition("`")[0]


def _operator(words: list[str], parameters: int) -> str:
    sign = words[-1] if words else ""
    checked = "Checked" if "checked" in words else ""
    if sign in _ASSIGNED:
        return f"op_{checked}{_ASSIGNED[sign]}"
    if parameters == 0 and sign in ("++", "--"):
        return f"op_{checked}{_UNARY[sign]}Assignment"
    named = _UNARY if parameters < 2 and sign in _UNARY else _BINARY
    return f"op_{checked}{named.get(sign, sign)}"
