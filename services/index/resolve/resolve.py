"""Symbol paths to symbols: exact, then suffix, wildcard, fuzzy (004 section 4.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import msgspec
from msgspec.structs import replace

from services.concurrency.lazy import expression
from services.index.catalog.catalogue import KINDS, Catalogue, Columns, plain
from services.index.compiled import home_of
from services.index.resolve.candidates import (
    Namespaces,
    TypeNameIndex,
    fits,
    names_of,
    narrowed,
    of_owners,
    type_parameters,
)
from services.index.resolve.written import WrittenPath, wildcards, written
from services.index.symbols.describe import Describer
from services.index.symbols.identities import Identities
from services.index.symbols.placed import FoundSymbol, Placed, TypeWithMembers
from services.model import TYPE_KINDS, Kind

_ID = expression(r"[Tt]_([0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{8,24})(?:_([0-9A-Za-z]{6,24})(?:\.\d+)?)?")
_NAMESPACE_ID = expression(r"[Nn]_[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{8}")
_MOST = 200
_FEW_OWNERS = 3
_DECLARED_ALONE = frozenset({Kind.CLASS, Kind.STRUCT, Kind.INTERFACE})
"""Nothing but a constructor is implicit in them."""
_OTHER_NAMES = frozenset({"ctor", ".ctor", "this", "item"})
_FUZZY_DISTANCE = 2
_SUGGESTED = 5
_LONGEST = 2_000  # characters; no symbol path is longer


class Resolution(msgspec.Struct, frozen=True):
    """Resolution of a path: one symbol, several, a `namespace`, or `suggestions`. `how` names the step that answered;
    it is None for a miss, also for one inside a known member, whose overloads are then `found`."""

    found: tuple[FoundSymbol, ...] = ()
    how: str | None = None
    suggestions: tuple[str, ...] = ()
    namespace: str = ""

    @property
    def one(self) -> FoundSymbol | None:
        """The one symbol that is meant, by whichever step; None where there is none or are several."""
        return self.found[0] if len(self.found) == 1 and self.how is not None else None

    @property
    def is_guess(self) -> bool:
        """Whether the caller or a person must confirm it."""
        return self.how == "fuzzy"


class Resolver:
    """Answers about one catalogue."""

    def __init__(
        self,
        catalogue: Catalogue,
        describer: Describer,
        identities: Identities,
        named: TypeNameIndex,
        recency: Callable[[str], float] = lambda _: 0.0,
        replaced: Callable[[str], str | None] = lambda _: None,
        *,
        is_loose: Callable[[int], bool] = lambda _: False,
    ) -> None:
        """`recency`: how much an id was used lately, 0 to 1; `replaced`: the id that an old one has become; `is_loose`:
        whether a project is the one of files that no project compiles."""
        self._catalogue = catalogue
        self._describer = describer
        self._identities = identities
        self._recency = recency
        self._replaced = replaced
        self._is_loose = is_loose
        self._names = named
        self._namespaces = Namespaces(catalogue)

    def resolve(self, text: str) -> Resolution:
        """Leads `text` to symbols. Never raises: nonsense is a miss."""
        if (match := _ID.fullmatch(text.strip())) is not None:
            found = self._by_id(match) or self._by_old_id(match)
            return Resolution((found,), "exact") if found is not None else Resolution()
        if _NAMESPACE_ID.fullmatch(text.strip()) and (namespace := self._namespaces.of_id(text.strip())):
            return Resolution(how="exact", namespace=namespace)
        path = written(text) if len(text) <= _LONGEST else WrittenPath()
        if not path.names:
            return Resolution()
        if path.wild:
            found = [each for each in self._wildcard(path) if _takes(each, path)]
            return Resolution(self._ordered(found), "wildcard") if found else self._missed(path)
        reading, found = self._named(path)
        exact = [f for f in found if self._is_exact(f, reading)]
        if not exact and (namespace := self._namespaces.named(path)):
            return Resolution(how="exact", namespace=namespace)
        if found:
            chosen = self._without_copies(narrowed(exact or found, reading))
            return Resolution(self._ordered(chosen), "exact" if exact else "suffix")
        return self._other_overloads(path) or self._namespace_ending(path) or self._fuzzy(path)

    def _without_copies(self, found: list[FoundSymbol]) -> list[FoundSymbol]:
        """The candidates without those that no project compiles where one compiles a type of that full name: a listing
        of an API, or a template."""
        entries = [each.whole.entry for each in found]
        compiled = {entry.fqn for entry in entries if not self._is_loose(entry.project)}
        return [
            each
            for each, entry in zip(found, entries, strict=True)
            if entry.fqn not in compiled or not self._is_loose(entry.project)
        ]

    def _namespace_ending(self, path: WrittenPath) -> Resolution | None:
        namespace = self._namespaces.ending(path)
        return Resolution(how="suffix", namespace=namespace) if namespace else None

    def _other_overloads(self, path: WrittenPath) -> Resolution | None:
        """A miss inside a member: what has its name, where none of that fits the parameters that are written."""
        if path.parameters is None and path.target is None:
            return None
        bare = replace(path, parameters=None, target=None)
        at = [at for at in self._types_at(bare.names) if self._catalogue.types[at].kind is Kind.DELEGATE]
        reading, found = (bare, self._wholes(at)) if at else self._members_of_path(bare)
        exact = [each for each in found if self._is_exact(each, reading)]
        kept = of_owners(exact or found, reading)
        return Resolution(self._ordered(kept)) if kept else None

    def _by_id(self, match: re.Match[str]) -> FoundSymbol | None:
        index = self._identities.find("T_" + match[1])
        whole = self._describer.whole(index) if index is not None else None
        if whole is None or match[2] is None:
            return FoundSymbol(whole) if whole is not None else None
        wanted = match[0].upper()
        member = next((m for m in whole.members if m.id.upper() == wanted), None)
        return FoundSymbol(whole, member) if member is not None else None

    def _by_old_id(self, match: re.Match[str]) -> FoundSymbol | None:
        """Return the successor of a symbol that was renamed or moved."""
        replaced = _ID.fullmatch(self._replaced(match[0]) or "")
        return self._by_id(replaced) if replaced is not None else None

    # Steps

    def _named(self, path: WrittenPath) -> tuple[WrittenPath, list[FoundSymbol]]:
        """Types by their last segments, else members of types by theirs, else members by their own name; and the path
        as it was read for that."""
        found = self._types_named(path)
        return (path, found) if found else self._members_of_path(path)

    def _members_of_path(self, path: WrittenPath) -> tuple[WrittenPath, list[FoundSymbol]]:
        if len(path.names) == 1:
            return path, self._loose_members(path)
        for reading in path.readings():
            owners = self._type_matches(reading.names[:-1], member=reading.names[-1])
            found = [f for owner in owners for f in self._members_named(owner.whole, reading)]
            if found:
                return reading, found
        return path, []

    def _types_named(self, path: WrittenPath) -> list[FoundSymbol]:
        """Return the types of that name; with parameters, only delegates: no other type is displayed with
        parameters."""
        if path.parameters is None:
            return [each for each in self._type_matches(path.names) if not each.whole.is_shell]
        types = self._catalogue.types
        at = [index for index in self._types_at(path.names) if types[index].kind is Kind.DELEGATE]
        return [found for found in self._wholes(at) if fits(found.declaration, path)]

    def _type_matches(self, names: tuple[str, ...], *, member: str = "") -> list[FoundSymbol]:
        """Types by their last segments. `member`: what is looked for in them; where many types have the name, those
        that cannot have the member are left out, because making a type costs most."""
        at = self._types_at(names)
        if member and len(at) > _FEW_OWNERS:
            at = [index for index in at if self._may_have(index, member)]
        return self._wholes(at)

    def _types_at(self, names: tuple[str, ...]) -> list[int]:
        named = self._names.types.get(names[-1])
        if named is None:
            return []
        tail, types = "." + ".".join(names), self._catalogue.types
        return [index for index in named if ("." + plain(types[index].fqn).lower()).endswith(tail)]

    def _wholes(self, indexes: list[int]) -> list[FoundSymbol]:
        wholes = map(self._describer.whole, self._homes(indexes))
        return [FoundSymbol(whole) for whole in wholes if whole is not None][:_MOST]

    def _homes(self, indexes: Iterable[int]) -> Iterable[int]:
        """Each symbol once, however many projects compile it."""
        return dict.fromkeys(home_of(self._catalogue, index) for index in indexes)

    def _may_have(self, index: int, member: str) -> bool:
        """Whether a type has a row of this name, or may have a member that has another name or no row."""
        catalogue, entry = self._catalogue, self._catalogue.types[index]
        if entry.kind not in _DECLARED_ALONE or member in _OTHER_NAMES or member == entry.name.lower():
            return True
        names, columns = catalogue.names.values, catalogue.columns
        for file in {file for file, _ in entry.parts}:
            first, count = catalogue.file(file).rows
            owners = columns.owner[first : first + count]
            rows = (first + at for at, owner in enumerate(owners) if owner == index)
            if any(names[columns.name[row]].lower() == member for row in rows):
                return True
        return False

    def _members_named(self, whole: TypeWithMembers, path: WrittenPath) -> list[FoundSymbol]:
        wanted, owner = path.names[-1], type_parameters(whole)
        return [
            FoundSymbol(whole, member)
            for member in whole.members
            if wanted in names_of(member.declaration) and fits(member.declaration, path, owner)
        ]

    def _loose_members(self, path: WrittenPath) -> list[FoundSymbol]:
        """Members of any type by simple name, through the rows."""
        return self._of_rows(
            self._names.of_rows(path.names[0]), lambda whole: self._members_named(whole, path)
        )

    def _of_rows(
        self, ids: list[int], members_of: Callable[[TypeWithMembers], list[FoundSymbol]]
    ) -> list[FoundSymbol]:
        """The members that `members_of` picks of each type with a row of these names."""
        columns = self._catalogue.columns
        found: dict[str, FoundSymbol] = {}
        seen: set[int] = set()
        for row in _rows_with(columns, ids) if ids else ():
            owner = columns.owner[row]
            if columns.dead[row] or KINDS[columns.kind[row]] in TYPE_KINDS or owner < 0 or owner in seen:
                continue
            seen.add(owner)
            whole = self._describer.whole(owner)
            for each in members_of(whole) if whole is not None else ():
                found[each.id] = each
            if len(found) >= _MOST:
                break
        return list(found.values())

    def _wildcard(self, path: WrittenPath) -> list[FoundSymbol]:
        expression = re.compile(r"(?:.*\.)?" + _glob(*path.names))
        simple = re.compile(_glob(path.names[-1]))
        found: list[FoundSymbol] = []
        for name, indexes in self._names.types.items():
            if simple.fullmatch(name):
                for index in self._homes(indexes):
                    if expression.fullmatch(plain(self._catalogue.types[index].fqn).lower()):
                        self._append(found, index)
            if len(found) >= _MOST:
                return found
        members = self._wild_members(path) if len(path.names) > 1 else self._wild_loose(path)
        return (found + members)[:_MOST]

    def _wild_loose(self, path: WrittenPath) -> list[FoundSymbol]:
        """Members of any type whose simple name fits."""
        expression = re.compile(_glob(path.names[0]))
        names = self._catalogue.names.values
        ids = [at for at, name in enumerate(names) if expression.fullmatch(name.lower())]
        return self._of_rows(ids, lambda whole: self._fitting(whole, expression))

    def _wild_members(self, path: WrittenPath) -> list[FoundSymbol]:
        owner = re.compile(r"(?:.*\.)?" + _glob(*path.names[:-1]))
        member = re.compile(_glob(path.names[-1]))
        simple = re.compile(_glob(path.names[-2]))
        found: list[FoundSymbol] = []
        for name, indexes in self._names.types.items():
            if not simple.fullmatch(name):
                continue
            for index in self._homes(indexes):
                if owner.fullmatch(plain(self._catalogue.types[index].fqn).lower()):
                    found += self._matching_members(index, member)
            if len(found) >= _MOST:
                break
        return found[:_MOST]

    def _matching_members(self, index: int, expression: re.Pattern[str]) -> list[FoundSymbol]:
        whole = self._describer.whole(index)
        return self._fitting(whole, expression) if whole is not None else []

    def _fitting(self, whole: TypeWithMembers, expression: re.Pattern[str]) -> list[FoundSymbol]:
        return [
            FoundSymbol(whole, m)
            for m in whole.members
            if _is_written(whole, m) and any(map(expression.fullmatch, names_of(m.declaration)))
        ]

    def _append(self, found: list[FoundSymbol], index: int) -> None:
        whole = self._describer.whole(index)
        if whole is not None and not whole.is_shell:
            found.append(FoundSymbol(whole))

    def _fuzzy(self, path: WrittenPath) -> Resolution:
        """Resolve with one typing error, else two: in a type's simple name, or in a member's in a correctly named
        type."""
        near = self._near_types(path.names[-1])
        found = [f for name in near for f in self._type_matches((*path.names[:-1], name)) if _takes(f, path)]
        if not found and len(path.names) > 1:
            found = self._near_members(path)
        if not found:
            return self._missed(path)
        return Resolution(
            self._ordered(found), "fuzzy", tuple(dict.fromkeys(map(self._path_of, found)))[:_SUGGESTED]
        )

    def _near_types(self, wanted: str) -> list[str]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        names = list(self._names.types)
        found = process.extract(wanted, names, scorer=OSA.distance, score_cutoff=_distance(wanted), limit=5)
        return [name for name, distance, _ in found if distance == found[0][1]]

    def _near_members(self, path: WrittenPath) -> list[FoundSymbol]:
        from rapidfuzz.distance import OSA

        wanted = path.names[-1]
        owners = [f.whole for f in self._type_matches(path.names[:-1])]
        if not owners:
            owners = [
                f.whole for name in self._near_types(path.names[-2]) for f in self._type_matches((name,))
            ]
        near = [
            (OSA.distance(wanted, member.declaration.name.lower()), FoundSymbol(whole, member))
            for whole in owners
            for member in whole.members
            if _is_written(whole, member) and _takes(FoundSymbol(whole, member), path)
        ]
        least = min((distance for distance, _ in near), default=0)
        if least > _distance(wanted):
            return []
        return of_owners([found for distance, found in near if distance == least][:_MOST], path)

    def _members_like(self, path: WrittenPath) -> tuple[str, ...]:
        """The paths of the members of a known type whose names are most like the one that it does not have."""
        from rapidfuzz import fuzz, process

        wanted = path.names[-1]
        owners = self._type_matches(path.names[:-1]) if len(path.names) > 1 else []
        paths = {
            self._path_of(FoundSymbol(owner.whole, member)): member.declaration.name.lower()
            for owner in owners
            for member in owner.whole.members
            if _is_written(owner.whole, member)
        }
        names, every = list(paths.values()), list(paths)
        close = process.extract(wanted, names, scorer=fuzz.ratio, limit=_SUGGESTED)
        return tuple(every[each[2]] for each in close)

    def _missed(self, path: WrittenPath) -> Resolution:
        from rapidfuzz import fuzz, process

        if members := self._members_like(path):
            return Resolution(suggestions=members)
        close = process.extract(
            path.names[-1], list(self._names.types), scorer=fuzz.ratio, score_cutoff=60, limit=_SUGGESTED
        )
        indexes = [index for name, _, _ in close for index in self._names.types[name][:1]]
        types = [plain(self._catalogue.types[i].fqn) for i in indexes]
        near = self._rows_like(path.names[0]) if len(path.names) == 1 else []
        return Resolution(suggestions=tuple(dict.fromkeys((*near, *types)))[:_SUGGESTED])

    def _rows_like(self, wanted: str) -> list[str]:
        """The paths of members of any type whose names are a slip away from one."""
        columns, containers = self._catalogue.columns, self._catalogue.containers.values
        ids = self._names.rows_near(wanted, _distance(wanted))
        rows = [row for row in _rows_with(columns, ids) if not columns.dead[row]] if ids else []
        return [
            f"{containers[columns.container[row]]}.{self._catalogue.names.values[columns.name[row]]}"
            for row in rows[:_SUGGESTED]
        ]

    # Order

    def _is_exact(self, found: FoundSymbol, path: WrittenPath) -> bool:
        full = plain(found.whole.entry.fqn).lower()
        if found.member is None:
            return full == ".".join(path.names)
        return full == ".".join(path.names[:-1])

    def _ordered(self, found: Iterable[FoundSymbol]) -> tuple[FoundSymbol, ...]:
        """Shallow namespaces first, public first, recently used first, short names first."""
        return tuple(sorted(found, key=self._rank))

    def _rank(self, found: FoundSymbol) -> tuple[int, bool, float, int, str]:
        fqn = found.whole.entry.fqn
        access = found.whole.access if found.member is None else found.member.declaration.access
        return (
            fqn.count("."),
            access != "public",
            -self._recency(found.id),
            len(fqn) + (len(found.member.declaration.name) if found.member else 0),
            found.id,
        )

    def _path_of(self, found: FoundSymbol) -> str:
        name = plain(found.whole.entry.fqn)
        return name if found.member is None else f"{name}.{found.member.declaration.name}"


def _is_written(whole: TypeWithMembers, member: Placed) -> bool:
    """Whether somebody wrote a member: as a declaration of its own, or as a parameter of a record."""
    if not member.implicit:
        return True
    parameters = whole.primary.declaration.parameters or ()
    is_property = member.declaration.kind is Kind.PROPERTY
    return is_property and any(each.name == member.declaration.name for each in parameters)


def _takes(found: FoundSymbol, path: WrittenPath) -> bool:
    """Whether a symbol has the parameters that are written, where any are: what is called is never one that is not."""
    if path.parameters is None and path.target is None:
        return True
    if found.member is None:
        return found.whole.entry.kind is Kind.DELEGATE and fits(found.declaration, path)
    return fits(found.declaration, path, type_parameters(found.whole))


def _glob(*segments: str) -> str:
    """Segments with wildcards, which never reach across a dot, as an expression."""
    return wildcards(*segments, character="[^.]")


def _distance(wanted: str) -> int:
    """Edits forgiven: of a name of two letters every other one is two edits away."""
    return _FUZZY_DISTANCE if len(wanted) > 4 else len(wanted) // 3


def _rows_with(columns: Columns, ids: list[int]) -> list[int]:
    import numpy as np

    # The view must not outlive the call: the column cannot grow while it lives.
    names = np.frombuffer(columns.name, np.int32)[: len(columns.dead)]
    return np.flatnonzero(np.isin(names, ids)).tolist()
