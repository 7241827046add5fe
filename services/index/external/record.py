"""File format of external members: its layout, and the record of one type.

After `MAGIC` follow five numbers (types, names of extension methods, blocks, the length of the blocks' directory and
where the blocks begin), then the arrays: the types' keys (sorted), of each its block, offset and length; the names'
keys (sorted) with the number of the type that has such a method; where each block begins. A block is the packed text
of some types, each a JSON array. A key is the first eight bytes of a digest: of a source and a full name, or of a
name."""

from __future__ import annotations

import hashlib

import msgspec

MAGIC = b"CCXM0002"
FILE = "members.bin"


class ParameterRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A parameter. `way`: ref, out, in, params, `?` for an optional one, in any order."""

    name: str
    type: str
    way: str = ""


class TypeParameterRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A type parameter. `bounds`: the types it is constrained to; `kinds`: class, struct, new."""

    name: str
    bounds: tuple[str, ...] = ()
    kinds: str = ""


class MemberRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A member. `what`: m method, c constructor, o operator or conversion, i indexer, p property, f field, e event;
    `flags`: s static, a abstract, v virtual, o override, x extension, p protected, r read-only."""

    what: str
    name: str
    flags: str
    type: str
    parameters: tuple[ParameterRow, ...] = ()
    type_parameters: tuple[TypeParameterRow, ...] = ()


class TypeRow(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """A type. `assembly`: its simple name; `call`: of a delegate what it returns and takes. Types are written as the
    framework's table does (`services/index/names/framework.py`), with tuples in round brackets."""

    fqn: str
    assembly: str
    kind: str
    flags: str
    parameters: tuple[TypeParameterRow, ...]
    base: str
    interfaces: tuple[str, ...]
    call: tuple[str, tuple[ParameterRow, ...]] | None
    members: tuple[MemberRow, ...]


def as_namespace(name: str) -> str:
    """Return a namespace in the form used among the names."""
    return f"{name}."


def key_of(text: str) -> int:
    """The key of a name."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
