"""Bases and interfaces of a type, in the order in which metadata lists them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from services.index.index import Index
from services.index.names.names import Names
from services.index.names.space import Bound
from services.index.names.type_text import Named, parse
from services.index.symbols.placed import TypeWithMembers
from services.model import Kind
from services.review.api.symbol import VISIBLE, Interface
from services.review.api.type_names import PLAIN, TOLD, ApiTypeNames, NameScope

_ROOTS = {
    Kind.STRUCT: "System.ValueType", Kind.RECORD_STRUCT: "System.ValueType", Kind.UNION: "System.ValueType",
    Kind.ENUM: "System.Enum", Kind.DELEGATE: "System.MulticastDelegate", Kind.INTERFACE: "",
}  # fmt: skip
_DEEPEST = 64


@dataclass(frozen=True, slots=True)
class Ancestor:
    """Base class or interface of a type, direct or not. `told`: its name in messages; `text`: its name without
    annotations; `seen`: whether it is visible outside the assembly; `level`: 0 for types that the declaration
    names itself."""

    told: str
    text: str
    is_interface: bool
    seen: bool
    level: int


class Ancestry:
    """The ancestors of one type."""

    def __init__(self, index: Index, names: Names, types: ApiTypeNames, whole: TypeWithMembers) -> None:
        self._index, self._names, self._types, self._whole = index, names, types, whole

    def of(self, scope: NameScope) -> list[Ancestor]:
        """Depth first: each base before what it derives from and implements itself."""
        bases = [
            (text, self._names.bound_base(part.file, part.at, text))
            for part in self._whole.parts
            for text in part.declaration.bases
        ]
        return list(self._walk(bases, scope, frozenset(), 0))

    def _walk(
        self, bases: Sequence[tuple[str, Bound]], scope: NameScope, above: frozenset[int], level: int
    ) -> Iterator[Ancestor]:
        for text, bound in bases:
            index = bound.head.index if bound.head is not None else None
            fqn = bound.fqn or text
            if index is not None and index in above:
                continue
            yield Ancestor(
                self._types.display(fqn, scope, TOLD), self._types.display(fqn, scope, PLAIN),
                self._is_interface(fqn, bound, index), index is None or self._is_seen(index), level,
            )  # fmt: skip
            if index is not None and level < _DEEPEST:
                inner = replace(scope, given=self._given(index, fqn, scope))
                following = [(each.fqn or "", each) for each in self._names.bases(index) if each.fqn]
                yield from self._walk(following, inner, above | {index}, level + 1)

    def _given(self, index: int, fqn: str, scope: NameScope) -> dict[str, str]:
        """Map the type parameters of a base to the types that are substituted for them."""
        whole, node = self._index.describer.whole(index), parse(fqn)
        if whole is None or not isinstance(node, Named):
            return {}
        arguments = [self._types.display_node(each, scope) for each in node.segments[-1].arguments]
        return dict(zip(whole.primary.declaration.type_parameters, arguments, strict=False))

    def _is_interface(self, fqn: str, bound: Bound, index: int | None) -> bool:
        if index is not None:
            return self._index.catalogue.types[index].kind is Kind.INTERFACE
        name = bound.head.fqn if bound.head is not None else fqn.partition("<")[0]
        kind = self._names.space.kind_of(self._whole.entry.project, name)
        if kind is not None:
            return kind is Kind.INTERFACE
        last = name.rpartition(".")[2]
        return last[:1] == "I" and last[1:2].isupper()

    def _is_seen(self, index: int) -> bool:
        whole = self._index.describer.whole(index)
        return whole is not None and whole.access in VISIBLE


def base_of(kind: Kind, ancestors: Sequence[Ancestor]) -> str:
    """Return the base class of a type, visible or not; empty for an interface."""
    if kind in _ROOTS:
        return _ROOTS[kind]
    found = next((each for each in ancestors if not each.level and not each.is_interface), None)
    return found.told if found is not None else "object"


def interfaces_of(ancestors: Sequence[Ancestor]) -> tuple[Interface, ...]:
    """The interfaces: those that the type names with theirs, then those of what it derives from."""
    own: list[Interface] = []
    inherited: list[Interface] = []
    below = own
    for each in ancestors:
        if not each.level:
            below = own if each.is_interface else inherited
        if each.is_interface:
            below.append(Interface(text=each.told, seen=each.seen))
    return (*own, *inherited)
