"""Candidates of a symbol path: types by simple name, in any case, and the most likely of several symbols that a
written path may mean.

Whether a declaration is what a written path asks for, and what speaks for one of several that are.
"""

from __future__ import annotations

import re
from itertools import islice

from services.concurrency.lazy import lazy
from services.index.catalog.catalogue import Catalogue, plain
from services.index.catalog.naming import for_people, namespace_id, with_outer
from services.index.compiled import homes
from services.index.names.type_text import KEYWORDS
from services.index.resolve.written import PathSegment, WrittenParameter, WrittenPath, segments_of, tight
from services.index.symbols.placed import FoundSymbol, TypeWithMembers
from services.model import Kind, SymbolRef
from services.syntax.records.declaration import Declaration

_TOLD = 50


class Namespaces:
    """The namespaces of a catalogue by their full names, small letters and capitals alike; worked out at the first
    question after a change."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._version = 0
        self._named: dict[str, str] = {}

    def named(self, path: WrittenPath) -> str:
        """The namespace of this full name; nothing where there is none."""
        return self._fresh().get(_plain(path), "")

    def ending(self, path: WrittenPath) -> str:
        """The one namespace whose name ends with this one; nothing where there is none, or are several."""
        name = _plain(path)
        found = [full for each, full in self._fresh().items() if name and each.endswith(f".{name}")]
        return found[0] if len(found) == 1 else ""

    def of_id(self, id_: str) -> str:
        """The namespace of an id; nothing where there is none."""
        return next((full for full in self._fresh().values() if namespace_id(full) == id_.upper()), "")

    def _fresh(self) -> dict[str, str]:
        catalogue = self._catalogue
        if self._version != catalogue.version:
            types = (entry.fqn for _, entry in catalogue.live_types() if "+" not in entry.fqn)
            every = with_outer(fqn.rpartition(".")[0] for fqn in types)
            self._named = {full.lower(): full for full in sorted(every)}
            self._version = catalogue.version
        return self._named


def types_of(catalogue: Catalogue, namespace: str) -> list[str]:
    """The first of the outermost types of a namespace by their paths, those of the namespaces in it where it has none
    of its own."""
    every = [entry.fqn for _, entry in homes(catalogue) if entry.fqn.startswith(f"{namespace}.")]
    outermost = sorted(fqn for fqn in every if "+" not in fqn)
    own = [fqn for fqn in outermost if fqn.rpartition(".")[0] == namespace]
    return [for_people(fqn) for fqn in islice(own or outermost, _TOLD)]


def namespace_ref(catalogue: Catalogue, name: str) -> SymbolRef:
    """Return a namespace as a row of a list: it has no file, and the first project that has a type of it."""
    projects = (entry.project for _, entry in homes(catalogue) if entry.fqn.startswith(f"{name}."))
    container, _, label = name.rpartition(".")
    return SymbolRef(
        id=namespace_id(name),
        kind=Kind.NAMESPACE,
        label=label,
        path=name,
        container=container,
        file="",
        start_line=0,
        end_line=0,
        project=catalogue.projects[min(projects)],
        access="public",
    )


def _plain(path: WrittenPath) -> str:
    """A path that may be that of a namespace, small: dots and names alone."""
    is_plain = path.parameters is None and all(segment.arity is None for segment in path.segments)
    return ".".join(path.names) if is_plain else ""


_NEAR = 5


class TypeNameIndex:
    """Types of one catalogue by name, computed on first use, from those of an earlier one and the types added and
    removed since; and names that differ only in case."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._earlier: TypeNameIndex | None = None
        self._rows = _RowNames(catalogue.names.values)

    def after(self, catalogue: Catalogue) -> TypeNameIndex:
        """Return the names for a catalogue that comes after this one's, with the same numbers."""
        other = TypeNameIndex(catalogue)
        other._rows = self._rows
        other._earlier = self._earlier if TypeNameIndex.types.peek(self) is None else self
        return other

    @lazy
    def types(self) -> dict[str, list[int]]:
        """The types that are there by simple name, lower case, each name with one at least. Not to be changed."""
        found = self._by_name() if self._earlier is None else self._taken_over(self._earlier)
        self._earlier = None
        return found

    def _by_name(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for index, entry in self._catalogue.live_types():
            found.setdefault(entry.name.lower(), []).append(index)
        return found

    def of_rows(self, name: str) -> list[int]:
        """The indexes of a simple name, lower case, among the names of the catalogue."""
        return self._rows.find(name)

    def rows_near(self, name: str, distance: int) -> list[int]:
        """Return rows like `of_rows`, for the names at most so many edits away, the closest ones alone."""
        return self._rows.near(name, distance)

    def _taken_over(self, earlier: TypeNameIndex) -> dict[str, list[int]]:
        known, was, types = earlier.types, earlier._catalogue.types, self._catalogue.types
        touched = self._catalogue.changed_since(earlier._catalogue.changes)
        moved = [at for at in touched if (at < len(was) and bool(was[at].parts)) != bool(types[at].parts)]
        if not moved:
            return known
        found = dict(known)
        for index in sorted(moved):
            name = types[index].name.lower()
            others = [other for other in found.get(name, ()) if other != index]
            found[name] = sorted((*others, index)) if types[index].parts else others
            if not found[name]:
                del found[name]
        return found


class _RowNames:
    """Names by their lower case; `names` only grows."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._made: tuple[int, dict[str, list[int]]] = (0, {})
        """How many names are in it, and where; replaced, not changed, since others read it."""

    def find(self, name: str) -> list[int]:
        return self._known().get(name, [])

    def near(self, name: str, distance: int) -> list[int]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        known = self._known()
        found = process.extract(name, list(known), scorer=OSA.distance, score_cutoff=distance, limit=_NEAR)
        return [at for each, edits, _ in found if edits == found[0][1] for at in known[each]]

    def _known(self) -> dict[str, list[int]]:
        until, known = self._made
        if until != (count := len(self._names)):
            new: dict[str, list[int]] = {}
            for at in range(until, count):
                new.setdefault(self._names[at].lower(), []).append(at)
            known = known | {name: [*known.get(name, ()), *added] for name, added in new.items()}
            self._made = (count, known)
        return known


_PLACE = re.compile(r"(?<![\w`])(``?)(\d+)")
_WORD = re.compile(r"\w+")
_KEYWORD_OF = {full.removeprefix("System.").lower(): word for word, full in KEYWORDS.items()}
"""Keyword of a framework type, by its name in lower case."""
_QUALIFIER = re.compile(r"\w+(?:<[^<>]*>)?(?:\.|::)")


def names_of(member: Declaration) -> tuple[str, ...]:
    """The names a member answers to, lower case: `.ctor` too for a constructor, `this` for an indexer."""
    name = member.name.lower()
    if member.kind is Kind.CONSTRUCTOR:
        return name, ".ctor", "ctor"
    if member.name == "this[]":
        return name, "this", "item"
    return (name,)


def fits(declaration: Declaration, path: WrittenPath, owner: tuple[str, ...] = ()) -> bool:
    """Whether the parameters, the target and the interface that are written are those of the declaration. Of types the
    last names count, without nullability: who writes a path leaves such things out. `owner`: the type parameters of
    its type, which a path may name by their places."""
    return (
        _has_parameters(declaration, path.parameters, owner)
        and (path.target is None or _bare(declaration.returns or "") == _bare(path.target))
        and (not path.explicit or _implements(declaration.explicit, path.explicit))
    )


def has_explicit(declaration: Declaration, path: WrittenPath) -> bool:
    """Whether it implements the very interface that is written; none written means none."""
    if not path.explicit or not declaration.explicit:
        return bool(path.explicit) == bool(declaration.explicit)
    return _text(segments_of(declaration.explicit)) == _text(path.explicit)


def has_types(declaration: Declaration, path: WrittenPath) -> bool:
    """Whether all types that are written are written as the declaration has them."""
    if path.target is not None and tight(declaration.returns or "") != path.target:
        return False
    own = [tight(parameter.type) for parameter in declaration.parameters or ()]
    return path.parameters is None or own == [asked.type for asked in path.parameters]


def has_modifiers(declaration: Declaration, path: WrittenPath) -> bool:
    """Whether the parameters have the words that are written before them; none written means none."""
    if path.parameters is None:
        return True
    own = [frozenset(parameter.modifier.split()) for parameter in declaration.parameters or ()]
    return own == [asked.modifiers for asked in path.parameters]


def _has_parameters(
    declaration: Declaration, asked: tuple[WrittenParameter, ...] | None, owner: tuple[str, ...]
) -> bool:
    if asked is None:
        return True
    parameters, own = declaration.parameters, declaration.type_parameters
    if parameters is None or len(parameters) != len(asked):
        return False
    return all(
        _bare(parameter.type) == _bare(_by_names(each.type, owner, own))
        for parameter, each in zip(parameters, asked, strict=True)
    )


def _by_names(type_: str, owner: tuple[str, ...], own: tuple[str, ...]) -> str:
    """A type with the names of the type parameters that it has by their places, as metadata does: `` `0 `` of the type,
    ``` ``0 ``` of the method."""

    def name(place: re.Match[str]) -> str:
        names, at = owner if place[1] == "`" else own, int(place[2])
        return names[at] or place[0] if at < len(names) else place[0]

    return _PLACE.sub(name, type_) if "`" in type_ else type_


def _implements(explicit: str, asked: tuple[PathSegment, ...]) -> bool:
    own = [segment.name.lower() for segment in segments_of(explicit)]
    return own[-len(asked) :] == [segment.name.lower() for segment in asked]


def _text(segments: tuple[PathSegment, ...]) -> str:
    return ".".join(segment.text for segment in segments)


def _bare(type_: str) -> str:
    """A type without namespaces and nullability, lower case, `System.Int32` as `int`."""
    bare = _QUALIFIER.sub("", tight(type_)).replace("?", "").lower()
    return _WORD.sub(lambda word: _KEYWORD_OF.get(word[0], word[0]), bare)


def narrowed(found: list[FoundSymbol], path: WrittenPath) -> list[FoundSymbol]:
    """Return the candidates that match more of the written path, criterion by criterion; a criterion that none meets
    is skipped."""
    found = of_owners(found, path)
    for speaks in (
        _has_arity,
        _has_explicit,
        _has_types,
        _has_modifiers,
        _has_case,
        _is_declared,
        _has_type_parameters,
        _is_compiled,
    ):
        found = [each for each in found if speaks(each, path)] or found
    return found


def of_owners(found: list[FoundSymbol], path: WrittenPath) -> list[FoundSymbol]:
    """Return the candidates in types of the written arities, the outermost first: no type arguments mean a type
    without, as long as there is one."""
    asked = [segment.arity or 0 for segment in path.segments[:-1]]
    known = [(each, _owner_arities(each)[-len(asked) :]) for each in found] if asked else []
    for at, arity in enumerate(asked):
        known = [pair for pair in known if pair[1][at : at + 1] == [arity]] or known
    return [each for each, _ in known] or found


def _owner_arities(found: FoundSymbol) -> list[int]:
    """Return the arities of the types around a symbol, the outermost first, and 0 for namespaces."""
    parts = found.whole.entry.fqn.replace("+", ".").split(".")
    if found.member is None:
        parts.pop()
    return [int(part.partition("`")[2] or 0) for part in parts]


def _has_type_parameters(found: FoundSymbol, path: WrittenPath) -> bool:
    """Type parameters by the names that were written: two projects may call those of one type differently."""
    innermost = [found.declaration]
    if found.member is not None:
        innermost.append(found.whole.primary.declaration)
    return all(
        segment.arity is None or segment.text == f"{each.name}<{','.join(each.type_parameters)}>"
        for each, segment in zip(innermost, reversed(path.segments), strict=False)
    )


def _has_arity(found: FoundSymbol, path: WrittenPath) -> bool:
    """Whether the arity matches. No type arguments mean a type without; for a member named without parameters they
    mean any, as all overloads do."""
    if found.member is not None and path.arity is None and path.parameters is None:
        return True
    own = found.whole.entry.arity if found.member is None else len(found.member.declaration.type_parameters)
    return own == (path.arity or 0)


def _has_explicit(found: FoundSymbol, path: WrittenPath) -> bool:
    return has_explicit(found.declaration, path)


def _has_types(found: FoundSymbol, path: WrittenPath) -> bool:
    return has_types(found.declaration, path)


def _has_modifiers(found: FoundSymbol, path: WrittenPath) -> bool:
    return has_modifiers(found.declaration, path)


def _has_case(found: FoundSymbol, path: WrittenPath) -> bool:
    """Whether upper and lower case match the written path: C# distinguishes `Size` from `size`."""
    names = [segment.name for segment in path.segments]
    if found.member is not None:
        own, asked = found.declaration.name, names.pop()
        if own.lower() == asked.lower() and own != asked:
            return False
    return ("." + plain(found.whole.entry.fqn)).endswith("".join(f".{name}" for name in names))


def _is_declared(found: FoundSymbol, _: WrittenPath) -> bool:
    return found.member is None or not found.member.implicit


def _is_compiled(found: FoundSymbol, _: WrittenPath) -> bool:
    """Whether a project compiles it: what another configuration declares ranks behind that."""
    return not found.whole.entry.is_elsewhere


def type_parameters(whole: TypeWithMembers) -> tuple[str, ...]:
    """Return the type parameters of a type by position: those of the types around it come first, without names."""
    own = whole.primary.declaration.type_parameters
    around = sum(_owner_arities(FoundSymbol(whole))) if "+" in whole.entry.fqn else 0
    return ("",) * around + own
