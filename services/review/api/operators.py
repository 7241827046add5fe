"""The names that the metadata has for members that C# declares by a sign or a word."""

from __future__ import annotations

from services.model import Kind
from services.syntax.records.declaration import Declaration

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


def _operator(words: list[str], parameters: int) -> str:
    sign = words[-1] if words else ""
    checked = "Checked" if "checked" in words else ""
    if sign in _ASSIGNED:
        return f"op_{checked}{_ASSIGNED[sign]}"
    if parameters == 0 and sign in ("++", "--"):
        return f"op_{checked}{_UNARY[sign]}Assignment"
    named = _UNARY if parameters < 2 and sign in _UNARY else _BINARY
    return f"op_{checked}{named.get(sign, sign)}"
