"""A member that the workspace declares."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import msgspec

from services.model import Kind
from services.syntax.records.declaration import Declaration, ParameterRecord

_WAYS = frozenset({"ref", "out", "in"})
MemberKey = tuple[int, int]
"""(type, hash of what distinguishes a member among those of its type)."""


class Member(msgspec.Struct, frozen=True):
    """A member of a workspace type. `index`: the type; `file`, `at`: its declaration, that of the type if implicit."""

    index: int
    file: int
    at: int
    declaration: Declaration

    @property
    def name(self) -> str:
        """Its simple name."""
        return self.declaration.name

    @property
    def is_static(self) -> bool:
        """Whether it belongs to the type rather than to its objects."""
        declaration = self.declaration
        return declaration.kind in (Kind.CONSTANT, Kind.ENUM_MEMBER) or "static" in declaration.modifiers

    @property
    def is_extension(self) -> bool:
        """Whether it can be called on its first parameter."""
        parameters = self.declaration.parameters
        return (
            self.declaration.kind is Kind.METHOD
            and bool(parameters)
            and "this" in parameters[0].modifier.split()
        )

    @property
    def is_of_block(self) -> bool:
        """Whether it is called on the receiver of its extension block, which is no parameter of its own."""
        return self.declaration.receiver is not None and not self.is_static

    @property
    def parameters(self) -> tuple[ParameterRecord, ...]:
        """Its parameters, the receiver of its extension block first: those of the static method that it is too."""
        declaration = self.declaration
        received = (declaration.receiver,) if declaration.receiver is not None and self.is_of_block else ()
        return (*received, *(declaration.parameters or ()))

    def same(self, other: Member) -> bool:
        """Whether both are one declaration, or the same member of two parts of one type."""
        mine, its = self.declaration, other.declaration
        if (self.file, self.at) == (other.file, other.at):
            return (mine.kind, mine.name, mine.parameters) == (its.kind, its.name, its.parameters)
        return (
            self.index == other.index
            and mine.kind is its.kind
            and mine.name == its.name
            and (
                mine.parameters is not None
                and signature(mine.parameters) == signature(its.parameters or ())
                and len(mine.type_parameters) == len(its.type_parameters)
                and mine.explicit == its.explicit
                and mine.receiver == its.receiver
                and (mine.kind is not Kind.CONVERSION or mine.returns == its.returns)
            )
        )

    @property
    def key(self) -> MemberKey:
        """Its key, which all declarations of it have, and which lasts while it is declared as it is."""
        its = self.declaration
        distinguished = (
            its.name.lstrip("@"),
            its.kind.value,
            its.explicit,
            its.parameters and [(sorted(ways), type_) for ways, type_ in signature(its.parameters)],
            its.parameters is not None and len(its.type_parameters),
            its.receiver.type if its.receiver is not None else "",
            its.returns if its.kind is Kind.CONVERSION else "",
        )
        return self.index, zlib.crc32(repr(distinguished).encode())


def way(parameter: ParameterRecord) -> frozenset[str]:
    """How a parameter is passed, empty by value: methods may differ in it alone."""
    return _WAYS.intersection(parameter.modifier.split())


def signature(parameters: Sequence[ParameterRecord]) -> tuple[tuple[frozenset[str], str], ...]:
    """Return the signature that distinguishes methods of one name in a type: parameter types and passing modes."""
    return tuple((way(p), p.type) for p in parameters)
