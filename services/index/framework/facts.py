"""Names of framework types.

Names are those of the metadata: `Namespace.Type+Nested`, each part with its arity as a suffix
(``Dictionary`2+KeyCollection``). A constructed type has its arguments in brackets:
``System.IComparable`1[System.Char]``. `!0` is the first type parameter of the type at hand, those of its
enclosing types counted first; `?` is an argument that is not known.
"""

from __future__ import annotations

import re

from services.model import Kind

IMPLICIT_BASES = {
    Kind.CLASS: "System.Object",
    Kind.STRUCT: "System.ValueType",
    Kind.ENUM: "System.Enum",
    Kind.DELEGATE: "System.MulticastDelegate",
}
"""The base class a declaration of each kind has without naming it; an interface has none."""

_WRITABLE = re.compile(r"[^\W\d]\w*(`[1-9]\d*)?(\+[^\W\d]\w*(`[1-9]\d*)?)*")


def is_writable(name: str) -> bool:
    """Whether every part of `name` is an identifier: compilers make types no program can name (`<>c`)."""
    return _WRITABLE.fullmatch(name) is not None


def open_name(constructed: str) -> str:
    """The type without its arguments: ``System.IComparable`1`` of ``System.IComparable`1[System.Int32]``."""
    return constructed.partition("[")[0]


def namespace_of(fqn: str) -> str:
    """The namespace of a full name; empty for a type without one."""
    return fqn.partition("+")[0].rpartition(".")[0]
