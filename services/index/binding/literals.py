"""Literals and the types they have."""

from __future__ import annotations

from services.index.binding.deferred import DefaultLiteral, NullLiteral
from services.index.binding.types.types import named
from services.index.binding.types.world import World
from services.index.binding.values import Value
from services.syntax.bodies.node import Node

_PLAIN = {
    "string_literal": "System.String",
    "verbatim_string_literal": "System.String",
    "raw_string_literal": "System.String",
    "character_literal": "System.Char",
    "boolean_literal": "System.Boolean",
}
_REAL = {"f": "System.Single", "d": "System.Double", "m": "System.Decimal"}


def literal(node: Node, world: World) -> Value | None:
    """Bind a literal; None for any other node."""
    kind = node.type
    if kind in _PLAIN:
        if _text(node)[-2:].lower() == "u8":
            return Value("value", named("System.ReadOnlySpan`1", named("System.Byte")))
        return Value("value", named(_PLAIN[kind]))
    if kind == "integer_literal":
        return integer(node.text)
    if kind == "real_literal":
        return Value("value", named(_REAL.get(node.text[-1:].lower(), "System.Double")))
    if kind == "null_literal":
        return Value("value", deferred=NullLiteral(world), is_null=True)
    if kind == "default_expression" and not node.named:
        return Value("value", deferred=DefaultLiteral())
    return None


def _text(node: Node) -> str:
    return "".join(child.text for child in node.children) if node.children else node.text


def integer(text: str) -> Value:
    """An integer literal, of the first type that can hold it (6.4.5.3)."""
    plain = text.replace("_", "").lower()
    digits = plain.rstrip("ul")
    suffix = plain[len(digits) :]
    base = 16 if digits.startswith("0x") else 2 if digits.startswith("0b") else 10
    try:
        value = int(digits, base)
    except ValueError:
        return Value("value", named("System.Int32"))
    if "u" in suffix:
        name = "UInt64" if "l" in suffix or value >= 2**32 else "UInt32"
    elif "l" in suffix:
        name = "Int64" if value < 2**63 else "UInt64"
    else:
        bounds = ((2**31, "Int32"), (2**32, "UInt32"), (2**63, "Int64"))
        name = next((each for most, each in bounds if value < most), "UInt64")
    constant = value if name == "Int32" else None
    return Value("value", named(f"System.{name}"), constant=constant)
