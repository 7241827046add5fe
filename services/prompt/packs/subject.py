"""Attributes of a type that a filter tests.

| field | what it holds |
|---|---|
| namespace | the namespace, and those around it: `namespace:Json` takes `Json.Linq` too |
| type | the simple name, the full name (`Json.Linq.JObject`, nested ones with `.` or `+`), the id |
| access | the declared accessibility: `public`, `internal`, `protected-internal` … |
| tag | kind (`class`, `interface`, `record`, `struct`, `enum`, `delegate`), modifiers (`static`, `abstract` …), the \
simple names of its attributes (`obsolete`), the project, `test` in a test project, `generic`, `nested` |
| depends | simple and full names of the workspace types that its declarations name |
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from services.index.catalog.catalogue import TypeEntry, plain
from services.index.compiled import projects_of
from services.index.index import Index
from services.index.symbols.describe import TypeWithMembers
from services.index.symbols.test_names import names_tests
from services.model import Kind


class Subject:
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
