"""Types as C# is written."""

from __future__ import annotations

import re
from collections.abc import Callable

from services.index.binding.types.types import AnyType, TupleType, Type, TypeParameter

_KEYWORDS = {
    "System.Boolean": "bool", "System.Byte": "byte", "System.SByte": "sbyte", "System.Char": "char",
    "System.Decimal": "decimal", "System.Double": "double", "System.Single": "float", "System.Int32": "int",
    "System.UInt32": "uint", "System.Int64": "long", "System.UInt64": "ulong", "System.Int16": "short",
    "System.UInt16": "ushort", "System.Object": "object", "System.String": "string", "System.Void": "void",
    "System.IntPtr": "nint", "System.UIntPtr": "nuint",
}  # fmt: skip
_ARITY = re.compile(r"`(\d+)")
Shown = Callable[[str, int], bool]
"""Whether a name, with so many type arguments, means a type of that full name where it is to stand."""


def text_of(type_: AnyType | None, shown: Callable[[str, str], bool]) -> str | None:
    """The text of a type; None where it is not wholly known. `shown`: whether a text means the type of a full name
    where it will stand."""
    if isinstance(type_, TypeParameter):
        return type_.name if type_.owner != -2 and not type_.name.startswith("!") else None
    if isinstance(type_, TupleType):
        parts = [text_of(each, shown) for each in type_.elements]
        if None in parts:
            return None
        names = type_.names or ("",) * len(parts)
        joined = (f"{part} {name}".rstrip() for part, name in zip(parts, names, strict=False))
        return f"({', '.join(joined)})"
    return _of_named(type_, shown) if isinstance(type_, Type) else None


def _of_named(type_: Type, shown: Callable[[str, str], bool]) -> str | None:
    arguments = [text_of(each, shown) for each in type_.arguments]
    if None in arguments:
        return None
    texts = [each for each in arguments if each is not None]
    fqn = type_.fqn
    if fqn in _KEYWORDS:
        return _KEYWORDS[fqn]
    if fqn == "System.Nullable`1" and texts:
        return f"{texts[0]}?"
    if fqn.startswith("[") and texts:
        return f"{texts[0]}{fqn}"
    if fqn == "*" and texts:
        return f"{texts[0]}*"
    if fqn == "dynamic":
        return fqn
    if not (fqn[0].isalpha() or fqn[0] == "_"):
        return None
    return _qualified(fqn, texts, shown)


def _qualified(fqn: str, arguments: list[str], shown: Callable[[str, str], bool]) -> str:
    """The shortest name that means the type."""
    namespace, _, nested = fqn.rpartition(".")
    levels = nested.split("+")
    written: list[str] = []
    left = list(arguments)
    for level in levels:
        found = _ARITY.search(level)
        count = int(found[1]) if found is not None else 0
        own, left = left[:count], left[count:]
        written.append(_ARITY.sub("", level) + (f"<{', '.join(own)}>" if own else ""))
    for at in range(len(levels) - 1, -1, -1):
        text = ".".join(written[at:])
        if shown(text, fqn):
            return text
    return ".".join(filter(None, [namespace, *written]))
