"""Types by simple name, in any case."""

from __future__ import annotations

import threading
from itertools import islice

from services.concurrency.lazy import lazy
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.naming import for_people, namespace_id, with_outer
from services.index.compiled import homes
from services.index.resolve.written import WrittenPath
from services.model import Kind, SymbolRef

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
        self._making = threading.Lock()  # the names grow while others read them
        self._until = 0
        self._at: dict[str, list[int]] = {}

    def find(self, name: str) -> list[int]:
        return self._known().get(name, [])

    def near(self, name: str, distance: int) -> list[int]:
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        known = self._known()
        found = process.extract(name, list(known), scorer=OSA.distance, score_cutoff=distance, limit=_NEAR)
        return [at for each, edits, _ in found if edits == found[0][1] for at in known[each]]

    def _known(self) -> dict[str, list[int]]:
        with self._making:
            count = len(self._names)
            for at in range(self._until, count):
                self._at.setdefault(self._names[at].lower(), []).append(at)
            self._until = count
            return self._at
