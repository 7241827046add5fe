"""Hierarchy of a symbol: callers, callees, bases, what derives from it, one step or several."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator

import msgspec

from services.bench.queries.lookup import Lookup, resolved
from services.errors import Cancelled, UsageError
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.symbols.describe import Placed, TypeWithMembers
from services.index.symbols.test_names import is_among_tests
from services.model import (
    TYPE_KINDS,
    Base,
    Direction,
    Grade,
    HierarchyAnswer,
    HierarchyRow,
    Kind,
    Relative,
    SymbolRef,
)
from services.syntax.records.declaration import Declaration

_NOTES = {
    Grade.BOUND: "",
    Grade.RELATED: "through an override or implementation",
    Grade.NAME_MATCH: "name match",
}
_VALUES = frozenset({Kind.FIELD, Kind.CONSTANT, Kind.ENUM_MEMBER, Kind.EVENT, Kind.PROPERTY})
_REGISTERED = "registered as "
_NOT_CALLS = frozenset({"cref", "nameof"})


class Hierarchy:
    """The hierarchies of one workspace. `relate`: works out which types name which."""

    def __init__(self, index: Index, lookup: Lookup, *, relate: Callable[[], object]) -> None:
        self._index = index
        self._lookup = lookup
        self._relate = relate

    def step(
        self, path: str, direction: Direction, *, cancel: threading.Event | None = None
    ) -> tuple[Relative, ...]:
        """Return the direct relations of a symbol: the most frequent calls first, tests last, types by name. Raises
        SymbolNotFound, AmbiguousSymbol, Cancelled."""
        return self._step(self._lookup.found(path), direction, cancel)

    def tree(
        self,
        path: str,
        direction: Direction,
        *,
        depth: int = 1,
        limit: int = 200,
        cancel: threading.Event | None = None,
    ) -> HierarchyAnswer:
        """Return several steps as a tree; each symbol is expanded where it occurs first. Raises as `step`."""
        began = time.perf_counter()
        found = self._lookup.found(path)
        rows: list[HierarchyRow] = []
        seen = {found.id}
        more = False
        for row in self._unfolded(found, direction, (1, depth), seen, cancel):
            if len(rows) >= limit:
                more = True
                break
            rows.append(row)
        return HierarchyAnswer(
            resolved=resolved(found),
            symbol=self._lookup.ref(found),
            direction=direction,
            rows=tuple(rows),
            truncated=more,
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )

    def _unfolded(
        self,
        found: FoundSymbol,
        direction: Direction,
        depth: tuple[int, int],
        seen: set[str],
        cancel: threading.Event | None,
    ) -> Iterator[HierarchyRow]:
        at, deepest = depth
        for each in self._step(found, direction, cancel):
            id_ = each.symbol.id if each.symbol else ""
            again = id_ in seen
            yield HierarchyRow(**msgspec.structs.asdict(each), depth=at, again=again)
            if id_ and not again and at < deepest:
                seen.add(id_)
                following = self._index.resolve(id_).one
                if following is not None:
                    yield from self._unfolded(following, direction, (at + 1, deepest), seen, cancel)

    def _step(
        self, found: FoundSymbol, direction: Direction, cancel: threading.Event | None
    ) -> tuple[Relative, ...]:
        if cancel is not None and cancel.is_set():
            raise Cancelled("Looking for relatives was cancelled.")
        if direction is Direction.CALLERS:
            return self._callers(found, cancel)
        if direction is Direction.CALLEES:
            return self._callees(found)
        self._relate()
        if found.member is None:
            return tuple(self._bases(found.whole) if direction is Direction.BASES else self._derived(found))
        related = (
            self._overridden(found.whole, found.member)
            if direction is Direction.BASES
            else self._overrides(found.whole, found.member)
        )
        return tuple(related)

    # Calls

    def _callers(self, found: FoundSymbol, cancel: threading.Event | None) -> tuple[Relative, ...]:
        try:
            files = self._index.usages(found, cancel=cancel)
        except UsageError:
            return ()
        callers: dict[object, Relative] = {}
        around: dict[tuple[int, int], SymbolRef | None] = {}
        for file in files:
            for spot in file.spots:
                if spot.kind in _NOT_CALLS:
                    continue
                place = (file.file, spot.declaration)
                if place not in around:
                    around[place] = self._index.files.declared(*place)
                symbol = around[place]
                # A file that projects compile differently has a declaration of the member in each of its texts.
                key = symbol.id if symbol is not None else place
                known = callers.get(key)
                if known is not None:
                    callers[key] = msgspec.structs.replace(known, count=known.count + 1)
                    continue
                callers[key] = Relative(
                    name=symbol.path if symbol else file.path,
                    symbol=symbol,
                    file=file.path,
                    line=spot.line,
                    note=_NOTES.get(spot.grade, ""),
                )
        return tuple(sorted(callers.values(), key=_by_worth))

    def _callees(self, found: FoundSymbol) -> tuple[Relative, ...]:
        placed = (found.member,) if found.member is not None else found.whole.parts
        called = Counter[tuple[int, int]]()
        for each in placed:
            called.update(self._index.files.mentions_in_declaration(each.file, each.at).members)
        told = ((self._index.files.declared(*place), count) for place, count in called.most_common())
        own = found.id if found.member is None else ""
        callees = [
            _relative(symbol, count=count)
            for symbol, count in told
            if symbol is not None
            and symbol.kind not in TYPE_KINDS
            and not (own and symbol.id.startswith(own))
        ]
        return tuple(
            sorted(callees, key=lambda each: each.symbol is not None and each.symbol.kind in _VALUES)
        )

    # Types

    def _bases(self, whole: TypeWithMembers) -> list[Relative]:
        return [self._base(base) for base in self._index.describer.type_symbol(whole).bases or ()]

    def _base(self, base: Base) -> Relative:
        at = self._index.identities.find(base.type_id) if base.type_id else None
        other = self._index.describer.whole(at) if at is not None else None
        if other is None:
            return Relative(name=base.fqn or base.text, note="outside" if base.fqn else "not resolved")
        return _relative(self._index.describer.refs.type_ref(other))

    def _derived(self, found: FoundSymbol) -> list[Relative]:
        types = [self._index.describer.refs.type_ref(each) for each in self._derived_types(found.whole)]
        notes = self._registered(found) if found.whole.entry.kind is Kind.INTERFACE and types else {}
        told = (
            _relative(each, note=notes.get(each.path.partition("<")[0].rpartition(".")[2], ""))
            for each in types
        )
        return sorted(told, key=lambda each: each.name)

    def _registered(self, found: FoundSymbol) -> dict[str, str]:
        """Where an interface is registered in a container, by the simple name of what is registered for it."""
        notes: dict[str, str] = {}
        for file in self._index.usages(found, crefs=False):
            for spot in file.spots:
                if spot.kind.startswith(_REGISTERED):
                    name = spot.kind.removeprefix(_REGISTERED).partition("<")[0].rpartition(".")[2]
                    notes.setdefault(name, f"registered at {file.path}:{spot.line}")
        return notes

    def _derived_types(self, whole: TypeWithMembers) -> Iterator[TypeWithMembers]:
        """The types whose base lists name a type."""
        name = whole.primary.declaration.name
        for at, _ in self._index.graph().used_by(whole.index):
            other = self._index.describer.whole(at)
            written = (text for part in other.parts for text in part.declaration.bases) if other else ()
            if other is None or not any(name in text for text in written):
                continue
            bases = self._index.describer.type_symbol(other).bases or ()
            if any(base.type_id == whole.id for base in bases):
                yield other

    def _base_types(self, whole: TypeWithMembers) -> Iterator[TypeWithMembers]:
        for base in self._index.describer.type_symbol(whole).bases or ():
            at = self._index.identities.find(base.type_id) if base.type_id else None
            other = self._index.describer.whole(at) if at is not None else None
            if other is not None:
                yield other

    # Members

    def _overridden(self, whole: TypeWithMembers, member: Placed) -> Iterator[Relative]:
        """The nearest members that it overrides or implements."""
        for base in self._base_types(whole):
            if not _may_stand_for(member.declaration, base):
                continue
            its = _alike(base, member.declaration)
            yield from (_relative(self._index.describer.refs.member_ref(base, each)) for each in its)
            if not its:
                yield from self._overridden(base, member)

    def _overrides(self, whole: TypeWithMembers, member: Placed) -> Iterator[Relative]:
        """The nearest members that override or implement it."""
        for other in self._derived_types(whole):
            its = [
                each
                for each in _alike(other, member.declaration)
                if whole.entry.kind is not Kind.INTERFACE or _may_stand_for(each.declaration, whole)
                if whole.entry.kind is Kind.INTERFACE or "override" in each.declaration.modifiers
            ]
            for each in its:
                symbol = self._index.describer.refs.member_ref(other, each)
                yield _relative(symbol, note="explicit" if each.declaration.explicit else "")
            if not its:
                yield from self._overrides(other, member)


def _by_worth(caller: Relative) -> tuple[bool, bool, int]:
    """Proved before names alone, tests last, then who calls most often."""
    return bool(caller.note), is_among_tests(caller.file), -caller.count


def _relative(symbol: SymbolRef, *, count: int = 1, note: str = "") -> Relative:
    return Relative(
        name=symbol.path, symbol=symbol, count=count, file=symbol.file, line=symbol.start_line, note=note
    )


def _may_stand_for(declaration: Declaration, base: TypeWithMembers) -> bool:
    """Whether a member can override one of a class, or implement one of an interface."""
    if base.entry.kind is not Kind.INTERFACE:
        return "override" in declaration.modifiers
    return bool(declaration.explicit) or (
        "static" not in declaration.modifiers and declaration.access == "public"
    )


def _alike(whole: TypeWithMembers, declaration: Declaration) -> list[Placed]:
    """The members of a type that have the name, the kind of signature and, where several have, the parameter types."""
    count = None if declaration.parameters is None else len(declaration.parameters)
    found = [
        member
        for member in whole.members
        if member.declaration.name == declaration.name
        and not member.implicit
        and (None if member.declaration.parameters is None else len(member.declaration.parameters)) == count
        and len(member.declaration.type_parameters) == len(declaration.type_parameters)
    ]
    same = [member for member in found if _types(member.declaration) == _types(declaration)]
    return same or found if len(found) > 1 else found


def _types(declaration: Declaration) -> list[str]:
    return [
        f"{each.modifier} {each.type.rpartition('.')[2].rstrip('?')}" for each in declaration.parameters or ()
    ]
