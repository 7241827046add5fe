"""Names in a question: the namespaces, folders, projects, files and types that limit it, nested types, which are
listed by their own names, before their enclosing units, and what registrations, events and attributes link to them;
and outlines of large types, shortened to the members that it touches.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple, Protocol

from services.concurrency.latest import LRUCache
from services.context.packing import ExcerptOf, OutlineExcerpt, RelevantMembers
from services.context.ranking import RankingCorpus
from services.context.structure import Structure
from services.context.words import humps, identifiers, number, stem, whole
from services.errors import UsageError
from services.index.catalog.catalogue import KINDS
from services.index.index import Index
from services.index.resolve.resolve import FoundSymbol
from services.index.usages.links import CONTAINER_WORDS, may_link
from services.model import Kind, Level, Symbol
from services.prompt.items import ItemKey, Request
from services.prompt.outline.csharp_outline import OutlineStyle, type_declared
from services.prompt.outline.outline import DOC_LENGTH
from services.prompt.outline.outline_members import OutlineAccess, is_shown

_MOST = 200
_MOST_NESTED = 8
_QUALIFIED = re.compile(r"(\w+)(?:<[^<>\n]*>|`\d+)?[.+](?=(\w+))")


class ScopePaths:
    """`find`: the symbol of a path, never by a guess."""

    def __init__(self, index: Index, find: Callable[[str], FoundSymbol]) -> None:
        self._index = index
        self._find = find

    def units(self, structure: Structure, paths: Sequence[str]) -> frozenset[int] | None:
        """The units of these paths together; None for all where no path is named. Everything that has just that name is
        meant; where nothing has, the type that it leads to. Raises SymbolNotFound, AmbiguousSymbol, UsageError."""
        if not paths:
            return None
        if len(paths) > _MOST:
            raise UsageError(f"A scope has at most {_MOST} paths. Name a folder or a namespace around them.")
        return frozenset(unit for path in paths for unit in self._of(structure, path.strip()))

    def _of(self, structure: Structure, path: str) -> frozenset[int]:
        found = frozenset(self._named(structure, path))
        if found:
            return found
        whole = self._find(path).whole
        return frozenset((structure.unit_of.get(whole.index, whole.index),))

    def _named(self, structure: Structure, path: str) -> Iterator[int]:
        """The units in the folder, file, project or namespace of a name."""
        folder = path.removeprefix("./").rstrip("/")
        projects = self._projects(path)
        types = self._index.catalogue.types
        for at, unit in structure.units.items():
            namespace = unit.fqn.partition("+")[0].rpartition(".")[0]
            in_folder = any(folder in (".", "", file) or file.startswith(f"{folder}/") for file in unit.paths)
            if (
                (path and in_folder)
                or types[at].project in projects
                or f"{namespace}.".startswith(f"{path}.")
            ):
                yield at

    def _projects(self, path: str) -> frozenset[int]:
        names = self._index.catalogue.projects
        infos = ((at, self._index.info(at)) for at in range(len(names)))
        return frozenset(
            at
            for at, info in infos
            if names[at] == path or (info is not None and info.path == path.removeprefix("./"))
        )


class _NamedType(Protocol):
    @property
    def fqn(self) -> str: ...

    @property
    def name(self) -> str: ...


def named_nested(
    text: str, types: Sequence[_NamedType | None], unit_of: Mapping[int, int]
) -> dict[int, tuple[int, ...]]:
    """The nested types that a text names, by the unit of each. A name of one hump may be any word: it counts behind
    the name of the type around it."""
    names = {name for name in identifiers(text) if len(humps(name)) > 1}
    qualified = {(match[1], match[2]) for match in _QUALIFIED.finditer(text)}
    named = names | {name for _, name in qualified}
    found: dict[int, tuple[int, ...]] = {}
    for at, unit in unit_of.items() if named else ():
        type_ = types[at]
        if type_ is None or type_.name not in named or "+" not in type_.fqn:
            continue
        outer = re.split(r"[.+]", type_.fqn)[-2].partition("`")[0]
        if type_.name in names or (outer, type_.name) in qualified:
            found[unit] = (*found.get(unit, ()), at)[:_MOST_NESTED]
    return found


_SYMBOLS = 8
"""Symbols of a question whose links are followed."""
_FILES = 40
"""Files that are searched for the links of one symbol."""
_ALIKE = 3
"""Types of one name past which the name says nothing."""
_EVENT = KINDS.index(Kind.EVENT)
_ARGUMENTS = re.compile(r"<[^<>]*>")


class LinkedUnits:
    """Units that a registration in a container, an event or an attribute links to the symbols of one question. To be
    used within `index.reading()`."""

    def __init__(self, index: Index, ground: RankingCorpus) -> None:
        self._index = index
        self._structure, self._postings = ground.structure, ground.text.postings

    def of(self, text: str, seeds: Iterable[FoundSymbol]) -> dict[int, str]:
        """The linked units, each with the reason: those of the seeds first, then those of what the text names."""
        found: dict[int, str] = {}
        for symbol in islice(chain(seeds, self._named(text)), _SYMBOLS):
            own = self._structure.unit_of.get(symbol.whole.index, symbol.whole.index)
            for unit, reason in self._links(symbol, own):
                if unit != own and unit in self._structure.units:
                    found.setdefault(unit, reason)
        return found

    def _named(self, text: str) -> Iterator[FoundSymbol]:
        """Yield the types and events that a text names. A name of one hump may be any word."""
        by_name = self._structure.names.by_name
        for name in dict.fromkeys(each for each in identifiers(text) if len(humps(each)) > 1):
            named = by_name.get(name) or by_name.get(f"{name}Attribute", ())
            units = [at for at in named if at not in self._structure.tests]
            for at in sorted(units) if len(units) <= _ALIKE else ():
                yield from self._symbols(at, "")
            for at in sorted(self._events.get(name, ())):
                yield from self._symbols(at, name)

    def _symbols(self, at: int, event: str) -> Iterator[FoundSymbol]:
        """Yield a type, or its event of a name."""
        whole_ = self._index.describer.whole(at)
        if whole_ is not None and not event:
            yield FoundSymbol(whole_)
        elif whole_ is not None:
            members = (each for each in whole_.members if each.declaration.kind is Kind.EVENT)
            yield from (FoundSymbol(whole_, each) for each in members if each.declaration.name == event)

    @cached_property
    def _events(self) -> dict[str, set[int]]:
        """The types that declare events, by the events' names."""
        catalogue, found, at = self._index.catalogue, dict[str, set[int]](), -1
        columns, kinds = catalogue.columns, catalogue.columns.kind.tobytes()
        while (at := kinds.find(_EVENT, at + 1)) >= 0:
            if not columns.dead[at]:
                found.setdefault(catalogue.names.values[columns.name[at]], set()).add(columns.owner[at])
        return found

    def _links(self, symbol: FoundSymbol, own: int) -> Iterator[tuple[int, str]]:
        """Yield what is linked to a symbol of the unit `own`."""
        structure = self._structure
        linking = (at for at in self._linking(symbol, own) if at in structure.units)
        units = (at for at in linking if self._may_link(at, symbol))
        paths = {path for at in islice(units, _FILES) for path in structure.units[at].paths}
        files = self._index.usages(symbol, crefs=False, within=paths.__contains__) if paths else ()
        for file in files:
            rows = self._index.catalogue.file(file.file).rows[0]
            for spot in file.spots:
                owner = self._index.catalogue.columns.owner[rows + spot.declaration]
                around = structure.unit_of.get(owner, -1) if spot.declaration >= 0 else -1
                yield from self._linked(symbol, spot.kind, around)

    def _linking(self, symbol: FoundSymbol, own: int) -> Iterable[int]:
        """The units in which a symbol may be linked."""
        postings = self._postings
        if symbol.member is None:
            name = symbol.whole.entry.name
            having = {
                at for each in {name, name.removesuffix("Attribute")} for at in postings.having(_word(each))
            }
            if not name.endswith("Attribute"):
                having &= {at for word in CONTAINER_WORDS for at in postings.having(_word(word))}
            return sorted(having)
        declaration = symbol.member.declaration
        if declaration.kind is Kind.METHOD:
            return (own,)
        return postings.having(_word(declaration.name)) if declaration.kind is Kind.EVENT else ()

    def _may_link(self, unit: int, symbol: FoundSymbol) -> bool:
        """Whether the text of a unit may link a symbol: places are bound only where it may."""
        name, kind = symbol.declaration.name, symbol.declaration.kind
        texts = (self._index.records.text(file) for file, _ in self._index.catalogue.type(unit).parts)
        return any(may_link(text or b"", name, of=kind) for text in texts)

    def _linked(self, symbol: FoundSymbol, kind: str, around: int) -> Iterator[tuple[int, str]]:
        """Yield what a place links to a symbol. `kind`: of the place, as usages have it; `around`: its unit."""
        structure = self._structure
        type_ = symbol.whole.entry.name
        name = f"{type_}.{symbol.member.declaration.name}" if symbol.member is not None else type_
        link, _, others = kind.partition(" for " if kind.startswith("registered for ") else " as ")
        if link == "registered":
            reason = f"registered for {type_}" if " as " in kind else f"{type_} is registered for it"
            for other in _plain(others).split(", "):
                units = structure.names.by_name.get(other.rpartition(".")[2].rpartition(":")[2], set())
                near = units & {*structure.used(around)} if around >= 0 else units
                yield from ((at, reason) for at in sorted(near or units))
        elif kind.startswith("subscribed"):
            handler = kind.removeprefix("subscribed by ")
            yield around, f"subscribes to {name}" if handler == kind else f"{handler} handles {name}"
        elif kind == "attribute" and type_.endswith("Attribute"):
            yield around, f"has the attribute {type_.removesuffix('Attribute')}"
        elif kind.startswith("handles ") and around >= 0:
            event = kind.rpartition(".")[2].removeprefix("handles ")
            for at in sorted(self._events.get(event, set()) & {*structure.used(around)}):
                yield at, f"{name} handles its {event}"


def _word(name: str) -> int:
    """The word under which a name is found as a whole."""
    return number(whole(name) if len(humps(name)) > 1 else stem(name.lower()))


def _plain(names: str) -> str:
    """Names of types without their arguments."""
    while (shorter := _ARGUMENTS.sub("", names)) != names:
        names = shorter
    return names


_TOKEN = 4
"""Characters of a usual token: so it is guessed how many members fit, before the outline is counted."""
_SIGN = 8
"""Characters around a member in an outline."""
_FEW = 3
"""So many members are listed however little room there is."""
_KEPT = 256
"""Types whose members are kept for the next question."""
_KEPT_COSTS = 4_096


class _Large(NamedTuple):
    """Large type; without members where it cannot be shown. `around`: estimated tokens of its outline without the
    members."""

    id: str
    members: tuple[Symbol, ...]
    around: int


class ShortOutlines:
    """Shortened outlines of types, cached until `forget`. Not thread-safe."""

    def __init__(self, index: Index, costs: Callable[[Sequence[Request]], list[int | None]]) -> None:
        """`costs`: of items of the window."""
        self._index = index
        self._costs = costs
        self._known: LRUCache[int, _Large] = LRUCache(_KEPT)
        self._cost: LRUCache[tuple[int, tuple[str, ...]], tuple[int | None]] = LRUCache(_KEPT_COSTS)

    def forget(self) -> None:
        """Types have changed, or tokens are counted otherwise."""
        self._known.clear()
        self._cost.clear()

    def of(self, touched: RelevantMembers) -> ExcerptOf:
        """Shortens outlines for one question."""

        def shortened(unit: int, room: int, whole: int) -> OutlineExcerpt | None:
            large = self._known.get(unit, lambda: self._large(unit))
            fit = list(_fitting(touched.first(large.members), room - large.around))
            ids = tuple(each.id for each in fit)
            cost = self._cost_of(unit, large, ids) if 0 < len(fit) < len(large.members) else None
            return None if cost is None or cost >= whole else OutlineExcerpt(ids, cost)

        return shortened

    def _large(self, unit: int) -> _Large:
        detail = self._index.detail(unit, bound=False)
        members = tuple(each for each in detail.members if is_shown(each, _ACCESS)) if detail else ()
        if detail is None or not members:
            return _Large("", (), 0)
        text = type_declared(detail, OutlineStyle(placed=False, members=[members[0].id]))
        return _Large(detail.symbol.id, members, len(text) // _TOKEN - _tokens(members[0]))

    def _cost_of(self, unit: int, large: _Large, ids: tuple[str, ...]) -> int | None:
        request = Request(key=ItemKey("type", large.id), level=Level.OUTLINE, members=ids)
        return self._cost.get((unit, ids), lambda: (self._costs([request])[0],))[0]


_ACCESS = OutlineAccess.PUBLIC


def _fitting(members: Iterable[Symbol], room: int) -> Iterator[Symbol]:
    """The first that fit, those of them that do not passed over."""
    for at, each in enumerate(members):
        cost = _tokens(each)
        if at < _FEW or cost <= room:
            room -= cost
            yield each


def _tokens(member: Symbol) -> int:
    doc = min(len(member.doc_first_line or ""), DOC_LENGTH)
    return (len(member.signature) + doc + _SIGN) // _TOKEN
