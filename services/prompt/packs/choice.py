"""Choice of a pack's types: what its filter matches, what it names by hand, and what they depend on in public."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from services.index.compiled import homes
from services.index.graph.components import components
from services.index.index import Index
from services.index.symbols.placed import HashRules, TypeWithMembers, hashes_of
from services.prompt.completeness.declared import is_seen, named_by_outline
from services.prompt.packs.filter import Filter, conditions, parse
from services.prompt.packs.subject import Subject


@dataclass(frozen=True, slots=True)
class Choice:
    """`chosen`: types by their index, matched or named by hand; `added`: what they depend on; `gone`: what was named
    and is not there."""

    chosen: tuple[int, ...]
    added: tuple[int, ...]
    gone: tuple[str, ...]


def choose(index: Index, *, filter: str, names: Sequence[str]) -> Choice:  # noqa: A002
    """The types of a filter (may be empty) and of names or ids. Raises InvalidFilter."""
    found, gone = _named(index, names)
    if filter.strip():
        node = parse(filter)
        matched = [at for at in _live(index) if node.matches(Subject(index, at).values)]
        found += matched
        gone += _unmatched(index, node)
    chosen = _once(index, found)
    own = set(chosen)
    named = sorted(
        {at for whole in map(index.describer.whole, chosen) if whole for at in _public(index, whole)}
    )
    added = [at for at in _once(index, [*chosen, *named]) if at not in own]
    return Choice(tuple(chosen), tuple(added), tuple(gone))


def in_order(index: Index, types: Iterable[int]) -> list[list[int]]:
    """The types in groups, each after all that it depends on; those that depend on each other are in one group."""
    catalogue, graph = index.catalogue, index.graph()
    first = sorted(types, key=lambda at: (catalogue.types[at].fqn, at))
    place = {at: n for n, at in enumerate(first)}
    links = {
        at: sorted((to for to, _ in graph.depends_on(at) if to in place), key=place.__getitem__)
        for at in first
    }
    return [sorted(group, key=place.__getitem__) for group in components(links)]


def _live(index: Index) -> list[int]:
    """Every type, each symbol once, but for the ones of linked files alone, which belong to another project first."""
    catalogue = index.catalogue
    return [
        at
        for at, entry in list(homes(catalogue))
        if any(not catalogue.file(file).shadow for file, _ in entry.parts)
    ]


def _named(index: Index, names: Sequence[str]) -> tuple[list[int], list[str]]:
    found: list[int] = []
    gone: list[str] = []
    for name in names:
        resolution = index.resolve(name)
        types = {each.whole.index for each in resolution.found if each.member is None}
        if resolution.how == "fuzzy" or not types:
            gone.append(name)
        else:
            found += sorted(types)
    return found, gone


def _unmatched(index: Index, node: Filter) -> list[str]:
    """The types that a filter names without wildcards and that are not there."""
    literal = [each for each in conditions(node) if each.field == "type" and not each.is_pattern]
    if not literal:
        return []
    there = {name for at in _live(index) for name in Subject(index, at).values("type")}
    return [each.token for each in literal if each.token not in there]


def _once(index: Index, types: Iterable[int]) -> list[int]:
    """Each type once; of those that several projects declare word for word, the first."""
    seen: set[tuple[str, str]] = set()
    kept: list[int] = []
    for at in dict.fromkeys(types):
        whole = index.describer.whole(at)
        if whole is None:
            continue
        key = (whole.entry.fqn, hashes_of(whole.parts, whole.members, HashRules(internal=True))["structure"])
        if key not in seen:
            seen.add(key)
            kept.append(at)
    return kept


def _public(index: Index, whole: TypeWithMembers) -> Iterable[int]:
    for at in named_by_outline(index, whole).named:
        target = index.describer.whole(at)
        if target is not None and is_seen(target):
            yield at
