"""The canonical signature of a member (004 section 4.4), and the number that its id is cut from."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from hashlib import sha256

from services.model import TYPE_KINDS
from services.syntax.records.declaration import Declaration, Scope
from services.syntax.records.hashing import normalised

NUMBER_BITS = 30
"""Of the digest of a signature: as many as a short member id has."""

ALSO_ELSEWHERE = 1 << 31
"""Set in the number of a partial member: its id may be cut from the signature of its other half."""


def simple(name: str, arity: int) -> str:
    """A type's own name with its arity as ids and FQNs have it: ``List`1``."""
    return f"{name}`{arity}" if arity else name


def canonical_signature(member: Declaration, declaring: str) -> str:
    """Return the canonical signature (004 section 4.4): no parameter names, defaults, docs or attributes; nullable
    annotations where they are. `declaring`: the FQN of its type."""
    brackets = ""
    if member.parameters is not None:
        types = [f"{p.modifier} {_tight(p.type)}".strip() for p in member.parameters]
        brackets = f"({','.join(types)})"
    receiver = f"extension({_tight(member.receiver.type)})." if member.receiver else ""
    explicit = f"{_tight(member.explicit)}." if member.explicit else ""
    returns = f"{_tight(member.returns)} " if member.returns else ""
    name = f"{receiver}{explicit}{member.name}{brackets}"
    return (
        f"{_words(member.access, member.modifiers)}{returns}{declaring}.{name} {len(member.type_parameters)}"
    )


def constructor_signature(access: str, declaring: str, name: str, types: str = "") -> str:
    """The canonical signature of a constructor without modifiers. `types`: of its parameters, as written, with commas
    between."""
    return f"{access} {declaring}.{name}({_tight(types)}) 0"


@lru_cache(1_024)  # the same few stand before most members
def _words(access: str, modifiers: tuple[str, ...]) -> str:
    return "".join(f"{word} " for word in (access, *sorted(modifiers)) if word)


def _tight(type_: str) -> str:
    """A type without the blanks that layout puts in it."""
    return normalised(type_.encode()).decode() if " " in type_ else type_


def signature_number(signature: str) -> int:
    """The first `NUMBER_BITS` of a canonical signature's digest."""
    return int.from_bytes(sha256(signature.encode()).digest()[:4], "big") >> (32 - NUMBER_BITS)


def signature_numbers(scopes: Sequence[Scope], declarations: Sequence[Declaration]) -> bytes:
    """The number of each declaration of a file, as a column of 32 bits in the machine's order; 0 of types."""
    numbers = array("I")
    names: list[str] = []
    for each in declarations:
        outer = names[each.parent] if each.parent >= 0 else None
        if each.kind in TYPE_KINDS:
            numbers.append(0)
            names.append(type_name(each, outer, scopes))
        else:
            flag = ALSO_ELSEWHERE if "partial" in each.modifiers else 0
            numbers.append(signature_number(canonical_signature(each, outer or "")) | flag)
            names.append("")
    return numbers.tobytes()


def type_name(type_: Declaration, outer: str | None, scopes: Sequence[Scope]) -> str:
    """The FQN of a type. `outer`: that of the type around it, if there is one; `scopes`: those of its file."""
    around = outer if outer is not None else scopes[type_.scope].namespace
    return full_name(simple(type_.name, len(type_.type_parameters)), around, in_type=outer is not None)


def full_name(own: str, around: str, *, in_type: bool) -> str:
    """Return the FQN of a type from its own name with arity and its container: a type, or a namespace, which may be
    the global one."""
    if in_type:
        return f"{around}+{own}"
    return f"{around}.{own}" if around else own
