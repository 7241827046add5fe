"""Namespaces by their names, and as answers."""

from __future__ import annotations

from itertools import islice

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
