"""Callers that do not fit any more: what a change leaves behind of those who call, override or implement what it
changes."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from services.index.index import Index
from services.index.symbols.placed import FoundSymbol, TypeWithMembers
from services.index.usages.bound_texts import LEFT_OUT
from services.model import TYPE_KINDS, Grade, Kind
from services.model.review import Finding, Severity
from services.review.analysis.removed import Key, constructs, declared_in, symbol_at
from services.review.opened import ChangedFile
from services.syntax.records.declaration import Declaration

_MOST = 40
"""Names whose callers are looked at."""

_MOST_TOLD = 50
"""Callers of one name that are told."""

_MOST_REASONS = 3
_SILENT = frozenset({"query", "add", "foreach", "await", "deconstruction", "operator", "conversion"})
"""Kinds of uses without a name."""
_DECONSTRUCT = "Deconstruct"

Place = tuple[str, int]


class ChangedDeclaration(NamedTuple):
    """A name that is declared otherwise than before. `type`: name, path and line of the type that has it; `old`: where
    its declarations are on the old side; `is_type`: whether it is that of a type; `constructs`: whether constructors
    are meant."""

    name: str
    type: tuple[str, str, int]
    old: tuple[Place, ...]
    is_type: bool
    constructs: bool


class _Use(NamedTuple):
    path: str
    line: int
    column: int
    kind: str


class _DeclarationSide(NamedTuple):
    path: str
    declaration: Declaration


def changed_of(files: Sequence[ChangedFile]) -> list[ChangedDeclaration]:
    """Return the declarations that both sides have and that differ: members by name, with all their overloads."""
    old: dict[Key, list[_DeclarationSide]] = defaultdict(list)
    new: dict[Key, list[_DeclarationSide]] = defaultdict(list)
    for file in files:
        if file.is_code:
            before = file.change.old_path or file.path
            for key, each in declared_in(before, file.old):
                old[key].append(_DeclarationSide(before, each))
            for key, each in declared_in(file.path, file.new):
                new[key].append(_DeclarationSide(file.path, each))
    found: dict[Key, ChangedDeclaration] = {}
    for key in dict.fromkeys((*new, *old)):
        is_type = (new[key] or old[key])[0].declaration.kind in TYPE_KINDS
        owner = key if is_type else key[:-1]
        if not old[owner] or not new[owner]:
            continue  # a type that is gone, or new, is told as such
        holder = new[owner][0]
        is_known = (old[key] and new[key]) or constructs(key) or _is_contract(holder.declaration)
        if is_known and sorted(map(_shape, old[key])) != sorted(map(_shape, new[key])):
            places = tuple((each.path, each.declaration.start_line) for each in old[key])
            at = holder.declaration.name, holder.path, holder.declaration.start_line
            found[key] = ChangedDeclaration(key[-1], at, places, is_type, not is_type and constructs(key))
    return list(found.values())


def _is_contract(holder: Declaration) -> bool:
    """Whether others have to implement what a type declares."""
    return holder.kind is Kind.INTERFACE or "abstract" in holder.modifiers


def _shape(side: _DeclarationSide) -> tuple[str, ...]:
    """Signature of a declaration as callers depend on it."""
    each = side.declaration
    parameters = [f"{p.modifier} {p.type} {p.name} {bool(p.default)}" for p in each.parameters or ()]
    words = sorted({"static", "abstract", "virtual", "override", "sealed"}.intersection(each.modifiers))
    return (
        each.kind, each.access, each.returns or "", each.explicit, str(each.parameters is None), *each.type_parameters,
        each.constraints,
        "|", *parameters, "|", *words, "|", *(each.bases if each.kind in TYPE_KINDS else ()),
        *(f"{name} {access}" for name, access in each.accessors),
    )  # fmt: skip


class BrokenCallers:
    """Finder of callers that a change breaks. `old`: the index of the old side, in which callers are bound that the
    new index cannot resolve."""

    def __init__(
        self, new: Index, old: Index, files: Sequence[ChangedFile], *, cancel: threading.Event | None = None
    ) -> None:
        self._new = new
        self._old = old
        self._by_old = {file.change.old_path or file.path: file for file in files}
        self._cancel = cancel

    def findings(self, changed: Sequence[ChangedDeclaration]) -> Iterator[Finding]:
        """Yield a finding for each caller."""
        told: set[Place] = set()
        for each in changed[:_MOST]:
            whole = self._whole(*each.type)
            if whole is None:
                continue
            name = self._named(whole, each)
            found = self._unfit(whole, each)
            if not each.constructs and not each.is_type:
                self._lost(whole, each, found)
            for place, reasons in sorted(found.items())[:_MOST_TOLD]:
                if place not in told:
                    told.add(place)
                    yield _finding(place, name, reasons)
            yield from self._heirs(whole, each, told)

    def _whole(self, name: str, path: str, line: int) -> TypeWithMembers | None:
        ref = self._new.files.enclosing(path, line, name=name)
        at = self._new.identities.find("_".join(ref.id.split("_")[:2])) if ref is not None else None
        return self._new.describer.whole(at) if at is not None else None

    def _named(self, whole: TypeWithMembers, changed: ChangedDeclaration) -> str:
        path = whole.entry.fqn.replace("+", ".")
        return path if changed.is_type else f"{path}.{changed.name}"

    def _unfit(self, whole: TypeWithMembers, changed: ChangedDeclaration) -> dict[Place, list[str]]:
        """Map each call that does not compile against the new side to the reasons, one for each overload."""
        wanted = [FoundSymbol(whole)] if changed.is_type else []
        wanted += [
            FoundSymbol(whole, member)
            for member in whole.members
            if (member.declaration.name == changed.name and not changed.is_type)
            or (member.declaration.kind is Kind.CONSTRUCTOR and (changed.constructs or changed.is_type))
            or (member.implicit and member.declaration.name == _DECONSTRUCT and changed.is_type)
        ]
        found: dict[Place, list[str]] = defaultdict(list)
        for each in wanted:
            # Nothing names it: patterns and declarations use it by their shape.
            silent = each.member is not None and each.member.declaration.name == _DECONSTRUCT
            for file in self._new.usages(each, nameless=silent, crefs=False, cancel=self._cancel):
                for spot in file.spots:
                    fits = not spot.reason or spot.kind == LEFT_OUT
                    if not fits and spot.reason not in found[file.path, spot.line]:
                        found[file.path, spot.line].append(spot.reason)
        return {place: reasons for place, reasons in found.items() if reasons}

    def _lost(
        self, whole: TypeWithMembers, changed: ChangedDeclaration, found: dict[Place, list[str]]
    ) -> None:
        """Adds where the old side was bound, the line is as it was, and the new side binds nothing."""
        kept: set[tuple[str, int, int]] | None = None
        for path, line in changed.old:
            ref = symbol_at(self._old, path, line, line, name=changed.name)
            for use in _bound(self._old, ref.id if ref else "", self._cancel):
                column, file = use.column, self._by_old.get(use.path)
                there = use.line if file is None else file.new_line_of(use.line)
                where = use.path if file is None else file.path
                if there is None or (where, there) in found:
                    continue
                if use.kind in _SILENT:
                    kept = self._silent(whole, changed.name) if kept is None else kept
                    if (where, there, column) not in kept:
                        found[where, there] = []
                    continue
                meaning = self._new.files.definition(where, there, column)
                if meaning.name.lstrip("@") == changed.name and not meaning.certain:
                    found[where, there] = []

    def _silent(self, whole: TypeWithMembers, name: str) -> set[tuple[str, int, int]]:
        """Where the new side uses the members of a name, without naming them too."""
        named = (member for member in whole.members if member.declaration.name == name)
        return {
            use[:3] for each in named for use in _bound_to(self._new, FoundSymbol(whole, each), self._cancel)
        }

    def _heirs(
        self, whole: TypeWithMembers, changed: ChangedDeclaration, told: set[Place]
    ) -> Iterator[Finding]:
        """Types that do not implement what is declared otherwise."""
        if changed.is_type or changed.constructs:
            return
        for path, line, member in self._new.left_unimplemented(whole.index, changed.name):
            if (path, line) not in told:
                told.add((path, line))
                yield Finding(
                    kind="broken", severity=Severity.BLOCKER, file=path, line=line, code="unimplemented",
                    text=f"This type does not implement {member}, which changed: it does not compile any more.",
                )  # fmt: skip


def _bound(index: Index, id_: str, cancel: threading.Event | None) -> Iterator[_Use]:
    """The bound uses of a symbol."""
    resolution = index.resolve(id_) if id_ else None
    return _bound_to(index, resolution.found[0], cancel) if resolution and resolution.found else iter(())


def _bound_to(index: Index, symbol: FoundSymbol, cancel: threading.Event | None) -> Iterator[_Use]:
    count = 0
    for file in index.usages(symbol, nameless=True, crefs=False, cancel=cancel):
        for spot in file.spots:
            if spot.grade is Grade.BOUND and count < _MOST_TOLD:
                count += 1
                yield _Use(file.path, spot.line, spot.column, spot.kind)


def _finding(place: Place, name: str, reasons: Sequence[str]) -> Finding:
    path, line = place
    shown = "; ".join(reasons[:_MOST_REASONS]) or "what it is given fits none of what there is"
    left = len(reasons) - _MOST_REASONS
    more = f"; and {left} more" if left > 0 else ""
    return Finding(
        kind="broken", severity=Severity.BLOCKER, file=path, line=line, code="misfit",
        text=f"This does not fit {name} any more: {shown}{more}.",
    )  # fmt: skip
