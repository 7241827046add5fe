"""The digests of one declaration (004 section 3.3): what is visible of it, what it does, what is written about it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from services.model import TYPE_KINDS
from services.syntax.parse.members import Member
from services.syntax.parse.pieces import Front
from services.syntax.records.hashing import normalised, part

_MARGIN = bytes.maketrans(b"/*", b"  ")

# They change nothing that a caller sees.
_UNSEEN = frozenset({"partial", "async"})


# The same few stand at most declarations.
_attributes = lru_cache(4_096)(normalised)


@lru_cache(1_024)
def _visible(modifiers: tuple[str, ...]) -> str:
    return " ".join(sorted(word for word in modifiers if word not in _UNSEEN))


@lru_cache(256)
def _accessors(accessors: tuple[tuple[str, str], ...]) -> str:
    return ",".join(" ".join(pair) for pair in accessors)


def structure_digest(member: Member, front: Front, access: str) -> bytes:
    """Digest of the API of a member: kind, access, modifiers, types, accessors, constraints, attributes. Of a type
    only its attributes: the rest is shared by its parts (services/index/symbols/placed.py)."""
    attributes = sorted([_attributes(code) for code in front.attribute_codes])
    if member.kind in TYPE_KINDS:
        return part(b"|".join(attributes)) if attributes else b""
    parameters = ",".join([f"{p.modifier} {p.type}" for p in member.parameters]) if member.parameters else ""
    line = "|".join(
        (
            member.kind,
            access,
            _visible(front.modifiers),
            member.returns or "",
            f"{member.explicit}.{member.name}<{','.join(member.type_parameters)}>({parameters})",
            _accessors(member.accessors),
            member.constraints,
        )
    )
    return part(b"|".join((line.replace(" ", "").encode(), *attributes)))


def impl_digest(member: Member, code: bytes, spans: Sequence[tuple[int, int]]) -> bytes:
    """Digest of the code in `spans` of the code view (the body, and for private members the whole declaration) and of
    parameter defaults. Empty where there is none."""
    defaults = ",".join([p.default for p in member.parameters]) if member.parameters else ""
    text = b" ".join([code[start:end] for start, end in spans])
    if not text and not defaults.strip(","):
        return b""
    return part(b"|".join((member.name.encode(), normalised(text), defaults.encode())))


def doc_digest(comment: bytes) -> bytes:
    """Digest of the words of a doc comment. Empty without one."""
    if not comment:
        return b""
    return part(b" ".join(comment.translate(_MARGIN).split()))
