"""Identity of declarations: canonical signatures (004 section 4.4), and digests that only layout, comments and order
leave as they are."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from hashlib import blake2b, sha256

from services.concurrency.lazy import expression
from services.model import TYPE_KINDS
from services.syntax.records.declaration import Declaration, Scope

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


_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_PAIRS = tuple(first + second for first in _ALPHABET for second in _ALPHABET)

# A blank between two tokens that would be other tokens without it: between words, and between two of + - & it keeps
# `a - -b` apart from `a--b`.
_GAP = expression(
    rb" (?=[\w\x80-\xff+&-])(?:(?<=[\w\x80-\xff] )(?![+&-])|(?<=\+ )(?=\+)|(?<=- )(?=-)|(?<=& )(?=&))"
)
_KEPT = b"\xff"  # stands for a blank that stays; no text in UTF-8 has this byte
_SHOW_KEPT = bytes.maketrans(_KEPT, b" ")


def base32(digest: bytes, length: int) -> str:
    """The first `length` characters of `digest` in Crockford's alphabet, most significant bits first."""
    pairs = -(-length // 2)
    size = -(-10 * pairs // 8)
    bits = int.from_bytes(digest[:size], "big") >> (8 * size - 10 * pairs)
    text = "".join([_PAIRS[(bits >> shift) & 1023] for shift in range(10 * pairs - 10, -1, -10)])
    return text[:length]


def random_base32(length: int) -> str:
    """Return `length` unpredictable characters of the same alphabet."""
    from secrets import choice

    return "".join(choice(_ALPHABET) for _ in range(length))


def is_base32(text: str) -> bool:
    """Whether a text has no other characters than those of the alphabet."""
    return all(letter in _ALPHABET for letter in text)


def group_id(type_ids: Iterable[str]) -> str:
    """The id of types that depend on each other in a circle, made of their ids."""
    return "G_" + base32(sha256("|".join(sorted(type_ids)).encode()).digest(), 8)


def base32_of(number: int) -> str:
    """The six characters of a number of 30 bits: those that `base32` makes of a digest that begins with it."""
    return _PAIRS[number >> 20] + _PAIRS[(number >> 10) & 1023] + _PAIRS[number & 1023]


def normalised(code: bytes) -> bytes:
    """`code` (comments blank, blanks in strings hidden) with every blank removed that does not separate tokens."""
    return _GAP.sub(_KEPT, b" ".join(code.split())).translate(_SHOW_KEPT, b" ")


def digest(data: bytes) -> bytes:
    """SHA-256, first 8 bytes."""
    return sha256(data).digest()[:8]


def part(data: bytes) -> bytes:
    """Eight bytes for one declaration's share of a hash. Only `combined` sees it, which is SHA-256: for short data
    BLAKE2 takes half the time."""
    return blake2b(data, digest_size=8).digest()


def combined(digests: Iterable[bytes]) -> bytes:
    """A digest of many whose order does not count."""
    return sha256(b"".join(sorted(digests))).digest()[:8]


def text_hash(source: bytes) -> bytes:
    """fileHash: of the text with LF line endings."""
    return digest(source.replace(b"\r\n", b"\n") if b"\r" in source else source)
