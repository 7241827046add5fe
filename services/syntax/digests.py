"""The digests of one declaration (004 section 3.3): what is visible of it, what it does, what is written about it."""

from __future__ import annotations

from tree_sitter import Node

from services.syntax.hashing import digest, normalised
from services.syntax.members import Member
from services.syntax.pieces import Head

# They change nothing that a caller sees.
_UNSEEN = frozenset({"partial", "async"})


def structure_digest(member: Member, head: Head, access: str) -> bytes:
    """Of what a caller can see: kind, access, modifiers, types, accessors, constraints, bases, attributes."""
    parameters = ",".join(f"{p.modifier} {p.type}" for p in member.parameters or ())
    line = "|".join(
        (
            member.kind,
            access,
            " ".join(sorted(word for word in head.modifiers if word not in _UNSEEN)),
            member.returns or "",
            f"{member.explicit}.{member.name}<{','.join(member.type_parameters)}>({parameters})",
            ",".join(" ".join(pair) for pair in member.accessors),
            member.constraints,
            ",".join(sorted(member.bases)),
        )
    )
    attributes = sorted(normalised(head.script.code(node)) for node in head.attribute_lists)
    return digest(b"|".join((normalised(line.encode()), *attributes)))


def impl_digest(member: Member, head: Head, whole: Node | None) -> bytes:
    """Of the body and the defaults of parameters; of the whole declaration where it is private (`whole`). Empty where
    there is nothing of the kind."""
    nodes = member.body if whole is None else [whole]
    defaults = ",".join(p.default for p in member.parameters or ())
    if not nodes and not defaults.strip(","):
        return b""
    code = b"\n".join(head.script.code(node) for node in nodes)
    return digest(b"|".join((member.name.encode(), normalised(code), defaults.encode())))


def doc_digest(comment: bytes) -> bytes:
    """Of the words of a doc comment. Empty without one."""
    if not comment:
        return b""
    return digest(b" ".join(comment.replace(b"///", b" ").replace(b"*", b" ").split()))
