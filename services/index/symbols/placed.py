"""Located declarations, and a type with all of them: the source of symbols."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import msgspec

from services.index.catalog.access import widest
from services.index.catalog.catalogue import TypeEntry
from services.syntax.records.declaration import Declaration
from services.syntax.records.hashing import base32, combined, part

_QUALIFIER = re.compile(r"^[\w.:]*[.:]")


class Placed(msgspec.Struct, frozen=True, gc=False):
    """Declaration and its location. `id` is filled for members. `contract`: of a partial member that has a body, the
    declaration without one."""

    file: int
    at: int
    declaration: Declaration
    implicit: bool = False
    id: str = ""
    contract: Placed | None = None

    @property
    def is_obsolete(self) -> bool:
        """Whether the declaration is marked as obsolete. Nothing is bound: an attribute of that name is the
        framework's."""
        return any(map(_says_obsolete, self.declaration.attributes))

    def stands_at(self, file: int, at: int) -> bool:
        """Whether this, or the contract of it, is the declaration `at` of a file."""
        return (self.at == at and self.file == file) or (
            self.contract is not None and self.contract.stands_at(file, at)
        )


def _says_obsolete(attribute: str) -> bool:
    return "Obsolete" in attribute and _QUALIFIER.sub("", attribute) in ("Obsolete", "ObsoleteAttribute")


class Head(msgspec.Struct, frozen=True):
    """Type with all its parts, without its members. `primary` is its canonical part; `is_shell`: it is no symbol, but
    stands around members that another configuration declares."""

    index: int
    entry: TypeEntry
    id: str
    parts: list[Placed]
    primary: Placed
    access: str
    modifiers: tuple[str, ...]
    is_shell: bool


class TypeWithMembers(Head, frozen=True):
    """A type with its members too, before it becomes values. `declared`: where projects that compile the same files do
    not declare the same in them, the signatures that each of them declares, by its name."""

    members: list[Placed]
    nested: list[Placed]
    declared: Mapping[str, frozenset[str]] = msgspec.field(default_factory=dict)


class FoundSymbol(msgspec.Struct, frozen=True):
    """A type, or one of its members. `guessed`: found by a name that is only much like its own."""

    whole: TypeWithMembers
    member: Placed | None = None
    guessed: bool = False

    @property
    def id(self) -> str:
        """The symbol's id."""
        return self.whole.id if self.member is None else self.member.id

    @property
    def declaration(self) -> Declaration:
        """Return its declaration; of a type, that of the canonical part."""
        return self.whole.primary.declaration if self.member is None else self.member.declaration


class HashRules(NamedTuple):
    """Rules of structureHash beyond the public surface (004 section 3.3). `internal`: members that are declared
    internal or private protected; `docs`: the words of doc comments."""

    internal: bool = False
    docs: bool = False


USUAL_RULES = HashRules()
_WITHIN = frozenset({"internal", "private protected"})
_HALF = 4


def hashes_of(
    parts: Sequence[Placed], members: Sequence[Placed], rules: HashRules = USUAL_RULES
) -> dict[str, str]:
    """Return the structure, impl and doc hash of a type (SPEC section 3): of digests whose order does not matter. The
    first half of impl is its `public_part`, the other covers bodies that only the type itself, or its assembly, can
    reach."""
    own = [placed.declaration for placed in parts]
    inner = [member.declaration for member in members if not member.implicit]
    shown, within = list(own), list[Declaration]()
    for each in inner:
        (shown if rules.internal or _is_for_anyone(each) else within).append(each)
    structure = [head_digest(own), *(d.structure for d in shown if d.structure)]
    docs = [d.docs for d in (*own, *inner) if d.docs]
    public = [d.impl for d in (*own, *filter(_is_behaviour, inner)) if d.impl]
    internal = [d.impl for d in inner if d.impl and not _is_behaviour(d)]
    internal += [d.structure for d in within if d.structure]
    return {
        "structure": base32(combined([*structure, *docs] if rules.docs else structure), 8),
        "impl": base32(combined(public), _HALF) + base32(combined(internal), _HALF),
        "doc": base32(combined(docs), 8),
    }


def public_part(impl: str) -> str:
    """Return the half of an implHash that covers the bodies of visible members, and of those that they reach."""
    return impl[:_HALF]


def _is_for_anyone(declaration: Declaration) -> bool:
    return declaration.access not in _WITHIN or bool(declaration.explicit)


def _is_behaviour(declaration: Declaration) -> bool:
    return declaration.is_visible or declaration.reached


def head_digest(parts: Sequence[Declaration]) -> bytes:
    """Hash the parts of a type that callers see, independent of the number of its declarations: kind, access,
    modifiers, parameters, constraints and bases."""
    modifiers = {word for each in parts for word in each.modifiers}
    telling = next((each for each in parts if each.parameters is not None), parts[0])
    parameters = ",".join(f"{p.modifier} {p.type}" for p in telling.parameters or ())
    line = "|".join(
        (
            telling.kind,
            widest([each.access for each in parts]),
            " ".join(sorted(modifiers - {"partial"})),
            telling.returns or "",
            f"{telling.name}<{','.join(telling.type_parameters)}>({parameters})",
            ",".join(sorted({each.constraints for each in parts})).strip(","),
            ",".join(sorted({base for each in parts for base in each.bases})),
            ",".join(max(each.variance for each in parts)),
        )
    )
    return part(line.replace(" ", "").encode())
