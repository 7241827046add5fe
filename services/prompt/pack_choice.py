"""Choice of a pack's types: what its filter matches, what it names by hand, and what they depend on in public.

Fields of a filter:

| field | what it holds |
|---|---|
| namespace | the namespace, and its parents: `namespace:Json` takes `Json.Linq` too |
| type | the simple name, the full name (`Json.Linq.JObject`, nested ones with `.` or `+`), the id |
| access | the declared accessibility: `public`, `internal`, `protected-internal` … |
| tag | kind (`class`, `interface`, `record`, `struct`, `enum`, `delegate`), modifiers (`static`, `abstract` …), the \
simple names of its attributes (`obsolete`), the project, `test` in a test project, `generic`, `nested` |
| depends | simple and full names of the workspace types that its declarations name |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence

import msgspec

from services.index.catalog.catalogue import TypeEntry, plain
from services.index.compiled import homes, projects_of
from services.index.graph.components import components
from services.index.index import Index
from services.index.symbols.placed import HashRules, TypeWithMembers, hashes_of
from services.index.symbols.test_names import names_tests
from services.model import Kind
from services.prompt.pack_files import Filter, conditions, parse
from services.prompt.references import is_seen, named_by_outline


class FilteredType:
    """Type with the properties that filters test; rare ones are computed on demand."""

    def __init__(self, index: Index, at: int) -> None:
        self._index = index
        self._at = at
        self._entry = index.catalogue.types[at]
        self._values: dict[str, frozenset[str]] = {}

    def values(self, field: str) -> Collection[str]:
        """Return the values of a field, in lower case."""
        known = self._values.get(field)
        if known is None:
            made = {
                "namespace": self._namespaces,
                "type": self._names,
                "access": self._access,
                "tag": self._tags,
                "depends": self._depends,
            }[field]()
            known = self._values[field] = frozenset(value.lower() for value in made)
        return known

    def _namespaces(self) -> Iterator[str]:
        namespace = self._entry.fqn.partition("+")[0].rpartition(".")[0]
        while namespace:
            yield namespace
            namespace = namespace.rpartition(".")[0]

    def _names(self) -> Iterator[str]:
        yield from names_of(self._entry)
        yield self._index.identities.type_id(self._at)

    def _access(self) -> Iterator[str]:
        whole = self._whole()
        if whole is not None:
            yield whole.access.replace(" ", "-")

    def _tags(self) -> Iterator[str]:
        entry = self._entry
        yield from entry.kind.value.split()
        projects = projects_of(self._index.catalogue, self._at)
        yield from projects
        if entry.kind is Kind.RECORD:
            yield "class"
        if entry.arity:
            yield "generic"
        if "+" in entry.fqn:
            yield "nested"
        if names_tests(projects[0]):
            yield "test"
        whole = self._whole()
        if whole is not None:
            yield from whole.modifiers
            for part in whole.parts:
                yield from map(_attribute, part.declaration.attributes)

    def _depends(self) -> Iterator[str]:
        types = self._index.catalogue.types
        for at, _ in self._index.graph().depends_on(self._at):
            yield from names_of(types[at])

    def _whole(self) -> TypeWithMembers | None:
        return self._index.describer.whole(self._at)


def names_of(entry: TypeEntry) -> tuple[str, ...]:
    """How a type may be named: simply, in full with dots, in full with `+`."""
    full = plain(entry.fqn)
    head, _, nested = entry.fqn.partition("+")
    return entry.name, full, plain(head) + (f"+{plain(nested)}" if nested else "")


def _attribute(text: str) -> str:
    """`System.Obsolete("…")` -> `Obsolete`; `ObsoleteAttribute` too."""
    name = re.split(r"[<(]", text, maxsplit=1)[0].strip().rpartition(".")[2].rpartition(":")[2]
    return name.removesuffix("Attribute") or name


class PackChoice(msgspec.Struct, frozen=True):
    """`chosen`: types by their index, matched or named by hand; `added`: what they depend on; `gone`: what was named
    and is not there."""

    chosen: tuple[int, ...]
    added: tuple[int, ...]
    gone: tuple[str, ...]


def choose(index: Index, *, filter: str, names: Sequence[str]) -> PackChoice:  # noqa: A002
    """The types of a filter (may be empty) and of names or ids. Raises InvalidFilter."""
    found, gone = _named(index, names)
    if filter.strip():
        node = parse(filter)
        matched = [at for at in _live(index) if node.matches(FilteredType(index, at).values)]
        found += matched
        gone += _unmatched(index, node)
    chosen = _once(index, found)
    own = set(chosen)
    named = sorted(
        {at for whole in map(index.describer.whole, chosen) if whole for at in _public(index, whole)}
    )
    added = [at for at in _once(index, [*chosen, *named]) if at not in own]
    return PackChoice(tuple(chosen), tuple(added), tuple(gone))


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
    there = {name for at in _live(index) for name in FilteredType(index, at).values("type")}
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
