"""A pack put together: types that its filter matches, that it names by hand or that these depend on in public; their
outlines in the order of their dependencies, less detail and fewer types where not all fits.

Fields of a filter:

| field | what it holds |
|---|---|
| namespace | the namespace, and its parents: `namespace:Json` takes `Json.Linq` too |
| type | the simple name, the full name (`Json.Linq.JObject`, nested ones with `.` or `+`), the id |
| access | the declared accessibility: `public`, `internal`, `protected-internal` … |
| tag | kind (`class`, `interface`, `record`, `struct`, `enum`, `delegate`), modifiers (`static`, `abstract` …), the simple names of its attributes (`obsolete`), the project, `test` in a test project, `generic`, `nested` |
| depends | simple and full names of the workspace types that its declarations name |
"""  # noqa: E501

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from services.concurrency.cancellation import report_job
from services.index.catalog.catalogue import TypeEntry, plain
from services.index.compiled import homes, projects_of
from services.index.graph.components import components
from services.index.index import Index
from services.index.symbols.placed import HashRules, TypeWithMembers, hashes_of
from services.index.symbols.test_names import names_tests
from services.model import Kind, Level, Omitted, PackType, Progress
from services.prompt.outline.csharp_outline import type_declared
from services.prompt.outline.names import type_name
from services.prompt.outline.outline import signature_of
from services.prompt.pack_files import Filter, conditions, parse
from services.prompt.references import is_seen, named_by_outline
from services.prompt.render.content import grouped
from services.prompt.tokens.tokenizers import TokenCounter


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


_RULES = "2"  # of this file: packs of other rules are built anew
NO_ROOM = "It does not fit the budget of the pack."
_LISTED = 20
_HEADING = 200  # tokens that heading and list are not above, mostly
_LEAST = 12  # tokens that no signature is below


class Material(msgspec.Struct, frozen=True):
    """A type that may come into a pack. `texts`: by level, ending in a line end; `circle`: the number of the group of
    types that depend on each other, 0 for none; `weight`: what is cut last has most (004 section 10.2); `notes`: what
    is written on it, with one section, with two, and so on."""

    id: str
    fqn: str
    chosen: bool
    circle: int
    weight: tuple[bool, float, str]
    texts: Mapping[Level, str]
    notes: tuple[str, ...] = ()


class Built(msgspec.Struct, frozen=True):
    """A pack's text and what is in it."""

    text: str
    tokens: int
    types: tuple[PackType, ...]
    omitted: tuple[Omitted, ...]


def materials(
    index: Index, choice: PackChoice, *, budget: int, notes: Callable[[str], Sequence[str]] = lambda _: ()
) -> list[Material]:
    """The types of a choice, dependencies first. Those that cannot all have a line within the budget get no texts.
    `notes`: what is written on a type, as Material.notes. Raises Cancelled where whoever follows the job of this thread
    has given up."""
    graph, own = index.graph(), set(choice.chosen)
    references, depths = graph.references(), graph.depths()
    weights = {
        at: (at in own, references.get(at, 0) / (1 + depths.get(at, 0)), index.catalogue.types[at].fqn)
        for at in (*choice.chosen, *choice.added)
    }
    best = set(sorted(weights, key=lambda at: weights[at], reverse=True)[: budget // _LEAST])
    circles, found = 0, list[Material]()
    for group in in_order(index, weights):
        report_job(Progress(phase="Writing outlines", done=len(found), total=len(weights), unit="types"))
        circles += len(group) > 1
        circle = circles if len(group) > 1 else 0
        made = (_material(index, at, circle, weights[at], shown=at in best) for at in group)
        found += [replace(each, notes=tuple(notes(each.id))) for each in made if each is not None]
    return found


def _material(
    index: Index, at: int, circle: int, weight: tuple[bool, float, str], *, shown: bool
) -> Material | None:
    detail = index.detail(at) if shown else None
    whole = index.describer.whole(at)
    if whole is None:
        return None
    if detail is None:
        return Material(whole.id, type_name(whole.entry.fqn), weight[0], circle, weight, {})
    symbol = detail.symbol
    name = type_name(symbol.fqn, symbol.type_parameters, symbol.arity)
    texts = {Level.OUTLINE: type_declared(detail), Level.SIGNATURE: signature_of(symbol)}
    return Material(symbol.id, name, weight[0], circle, weight, texts)


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """Recipe of a pack. `gone`: what it names and is not there."""

    filter: str
    gone: tuple[str, ...]
    budget: int


def content_hash(found: Sequence[Material], recipe: Recipe, *, tokenizer: str) -> str:
    """Return the hash of a pack's inputs: equal hashes make equal packs."""
    rules = (_RULES, recipe.filter, recipe.gone, recipe.budget, tokenizer)
    hashed = hashlib.sha256(repr(rules).encode())
    for each in found:
        texts = (*each.texts.values(), *each.notes[-1:])
        hashed.update(repr((each.id, each.chosen, each.weight[1], *texts)).encode())
    return hashed.hexdigest()[:16]


def build(name: str, found: Sequence[Material], recipe: Recipe, *, counter: TokenCounter) -> Built:
    """The text, never above the budget. Where not all fits, the types that are least referred to and deepest lose
    what is written on them first, from its end, then their outline, dependencies before what was chosen; then they go
    altogether."""
    costs = _costs(found, counter)
    levels = [Level.OUTLINE if each.texts else None for each in found]
    written = [len(each.notes) if each.texts else 0 for each in found]
    note_costs = [counter.count_many(list(each.notes)) for each in found]
    steps = _steps(found)
    while True:
        noted = sum(note_costs[n][count - 1] for n, count in enumerate(written) if count)
        if noted + _total(levels, costs) <= recipe.budget:
            _raise(found, levels, costs, budget=recipe.budget - _HEADING - noted)
            text = _text(name, recipe, found, _texts(found, levels, written), levels)
            if (tokens := counter.count(text)) <= recipe.budget:
                return Built(text, tokens, *_told(found, levels, costs))
        step = next(steps, None)
        if step is None:
            return Built("", 0, *_told(found, [None] * len(found), costs))
        n, levels[n], written[n] = step[0], step[1], step[2]


def _texts(found: Sequence[Material], levels: Sequence[Level | None], written: Sequence[int]) -> list[str]:
    return [
        each.texts[level] + (f"\n{each.notes[count - 1]}" if count and level is Level.OUTLINE else "")
        for each, level, count in zip(found, levels, written, strict=True)
        if level is not None
    ]


def _costs(found: Sequence[Material], counter: TokenCounter) -> dict[Level, list[int]]:
    """The tokens of each, by level, with the blank line behind it; 0 for those without texts."""
    levels = (Level.OUTLINE, Level.SIGNATURE)
    texts = [f"{each.texts[level]}\n" if each.texts else "" for level in levels for each in found]
    counts = counter.count_many(texts)
    return {level: counts[n * len(found) : (n + 1) * len(found)] for n, level in enumerate(levels)}


def _steps(found: Sequence[Material]) -> Iterator[tuple[int, Level | None, int]]:
    """Which of them to lower to what, and to how many sections of its note, one after the other."""
    least_first = sorted((n for n, each in enumerate(found) if each.texts), key=lambda n: found[n].weight)
    for left in range(max((len(each.notes) for each in found), default=0) - 1, -1, -1):
        yield from ((n, Level.OUTLINE, left) for n in least_first if len(found[n].notes) > left)
    yield from ((n, Level.SIGNATURE, 0) for n in least_first)
    yield from ((n, None, 0) for n in least_first)


def _raise(
    found: Sequence[Material],
    levels: list[Level | None],
    costs: Mapping[Level, Sequence[int]],
    *,
    budget: int,
) -> None:
    """Give the tokens that a large type left to those that lost their outline before it, the weightiest first."""
    total = _total(levels, costs)
    for n in sorted(range(len(found)), key=lambda n: found[n].weight, reverse=True):
        more = costs[Level.OUTLINE][n] - costs[Level.SIGNATURE][n]
        if levels[n] is Level.SIGNATURE and total + more <= budget:
            levels[n] = Level.OUTLINE
            total += more


def _total(levels: Sequence[Level | None], costs: Mapping[Level, Sequence[int]]) -> int:
    return sum(costs[level][n] for n, level in enumerate(levels) if level is not None)


def _told(
    found: Sequence[Material], levels: Sequence[Level | None], costs: Mapping[Level, Sequence[int]]
) -> tuple[tuple[PackType, ...], tuple[Omitted, ...]]:
    types: list[PackType] = []
    omitted: list[Omitted] = []
    for n, (each, level) in enumerate(zip(found, levels, strict=True)):
        if level is None:
            cost = costs[Level.OUTLINE][n]
            omitted.append(Omitted(key=f"type:{each.id}", label=each.fqn, tokens=cost, reason=NO_ROOM))
            continue
        tokens = costs[level][n]
        types.append(
            PackType(
                id=each.id, name=each.fqn, level=level, tokens=tokens, chosen=each.chosen, circle=each.circle
            )
        )
    return tuple(types), tuple(omitted)


def _text(
    name: str, recipe: Recipe, found: Sequence[Material], texts: Sequence[str], levels: Sequence[Level | None]
) -> str:
    there = sum(level is not None for level in levels)
    head = f"# Pack {name}\n\n{grouped(there)} types, dependencies first." + (
        f" Filter: `{recipe.filter}`" if recipe.filter else ""
    )
    left_out = [each.fqn for each, level in zip(found, levels, strict=True) if level is None]
    more = f" and {grouped(len(left_out) - _LISTED)} more" if len(left_out) > _LISTED else ""
    end = [f"Not shown for want of room: {', '.join(left_out[:_LISTED])}{more}.\n"] if left_out else []
    named = f"{', '.join(recipe.gone[:_LISTED])}{' …' if len(recipe.gone) > _LISTED else ''}"
    end += [f"Named by the pack and not there: {named}.\n"] if recipe.gone else []
    return "\n".join([f"{head}\n", *texts, *end])
