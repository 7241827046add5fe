"""Names as people write them (SPEC section 3): `Outer.Inner<TKey>` for ids like ``Outer+Inner`1``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from services.model import Kind, Symbol

_ARITY = re.compile(r"`(\d+)")


def type_name(fqn: str, type_parameters: tuple[str, ...] = (), arity: int = 0) -> str:
    """A fully qualified type name for people. `type_parameters`: names of the last type's own parameters;
    where they are not known, or belong to an enclosing type, they are written `T` or `T1, T2`."""
    head, tick, last = fqn.replace("+", ".").rpartition("`")
    if tick and last.isdigit() and type_parameters:
        return _ARITY.sub(_placeholders, head) + f"<{', '.join(type_parameters)}>"
    named = _ARITY.sub(_placeholders, fqn.replace("+", "."))
    if "`" not in fqn and (type_parameters or arity):
        return named + f"<{', '.join(type_parameters or _letters(arity))}>"
    return named


def symbol_name(symbol: Symbol, owner: Symbol | None = None) -> str:
    """The fully qualified name of any symbol for people; a member's without its parameters. `owner`: the type of a
    member, where it is at hand, for the names of its type parameters."""
    if symbol.is_type or symbol.declaring_type is None:
        return type_name(symbol.fqn, symbol.type_parameters, symbol.arity)
    generic = f"<{', '.join(symbol.type_parameters)}>" if symbol.type_parameters else ""
    around = owner.type_parameters if owner is not None else ()
    return f"{type_name(symbol.declaring_type, around)}.{_member_name(symbol)}{generic}"


def short_names(fqns: Iterable[str]) -> dict[str, str]:
    """The simple name of each type, or the full one where two share a simple name."""
    full = {fqn: type_name(fqn) for fqn in fqns}
    simple = {fqn: type_name(_simple(fqn)) for fqn in full}
    shared = Counter(simple.values())
    return {fqn: name if shared[name] == 1 else full[fqn] for fqn, name in simple.items()}


def _member_name(symbol: Symbol) -> str:
    if symbol.explicit_interface:
        return f"{symbol.explicit_interface}.{symbol.name.rpartition('.')[2]}"
    return "this[]" if symbol.kind is Kind.INDEXER else symbol.name


def _simple(fqn: str) -> str:
    """``A.B.C+D`1`` -> ``C+D`1``, and `A.B.C<D.E>` -> `C<D.E>`: dots within type arguments do not count."""
    head, bracket, arguments = fqn.partition("<")
    return head.rpartition(".")[2] + bracket + arguments


def _placeholders(match: re.Match[str]) -> str:
    return f"<{', '.join(_letters(int(match[1])))}>" if int(match[1]) else ""


def _letters(arity: int) -> tuple[str, ...]:
    return ("T",) if arity == 1 else tuple(f"T{n}" for n in range(1, arity + 1))
