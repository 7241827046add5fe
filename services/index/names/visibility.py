"""Visibility between projects: references, and packages that come with them.

The table contains the types of .NET, .NET Framework and their desktop together. A name of two of them is resolved by
the project's target: in `namespace System.Windows.Forms`, `Point` is not WPF's `System.Windows.Point`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import msgspec

from services.index.external.restored import RestoredTypes
from services.index.external.table import ExternalTable, TypeRow
from services.index.names import packages
from services.index.names.framework import FrameworkTable, FrameworkType
from services.index.names.packages import Key, Packages, PackageTable
from services.model import Kind
from services.msbuild import Package, ProjectInfo
from services.msbuild.language import frameworks


class VisiblePackages:
    """The packages of one project. `restored`: types of those that lie on this machine, which are known as they are. Of
    the others a version that is not known, or not in the table, gives nothing."""

    def __init__(
        self, own: ProjectInfo, others: Iterable[ProjectInfo], opened: dict[str, ExternalTable | None]
    ) -> None:
        """`others`: the projects that it refers to, also through others; `opened`: tables of restored assemblies by
        path, which projects share."""
        flowing = [package for info in others for package in info.packages if package.flows]
        self.restored = RestoredTypes(own.assemblies, opened)
        asked = _asked(own.packages, flowing)
        self._asked = {name: asked[name] for name in asked if name not in self.restored.packages}
        self._known: dict[str, FrameworkType | None] = {}

    def get(self, fqn: str) -> FrameworkType | None:
        """The type of that full name, of the first package that has it."""
        return self.exact(fqn) or next((found for _, found in self._having(fqn)), None)

    def exact(self, fqn: str) -> FrameworkType | None:
        """Return the type of that full name of a restored package; a type that two assemblies declare is ambiguous,
        and has no known bases."""
        if self.restored.is_empty:
            return None
        if fqn not in self._known:
            rows = self.restored.types(fqn)
            self._known[fqn] = _listed(rows[0], is_sure=len(rows) == 1) if rows else None
        return self._known[fqn]

    def has_namespace(self, name: str) -> bool:
        """Whether a package has types in a namespace, or in one inside it."""
        return self.restored.has_namespace(name) or any(
            name in table.types.namespaces for table, _ in self._tables
        )

    def is_doubtful(self, fqn: str) -> bool:
        """Whether the package may be too old to have a type that is listed of a newer version."""
        return any(version < table.version for (table, version), _ in self._having(fqn))

    @property
    def are_known(self) -> bool:
        """Whether the types of every package are listed."""
        return not self._unlisted

    def may_extend(self, namespace: str) -> bool:
        """Whether a package of which not all is known is named like a namespace or like one inside it."""
        folded = namespace.casefold()
        return any(name == folded or name.startswith(f"{folded}.") for name in self._unlisted)

    def may_hold(self, namespace: str) -> bool:
        """Whether a namespace is inside one that a package of which not all is known is named like."""
        folded = namespace.casefold()
        return any(folded == name or folded.startswith(f"{name}.") for name in self._unlisted)

    def may_bring(self, namespace: str) -> bool:
        """Whether a package of which no version is listed is named like a namespace, or as one around it or inside."""
        folded = namespace.casefold()
        return any(
            folded == name or folded.startswith(f"{name}.") or name.startswith(f"{folded}.")
            for name in self._unheard
        )

    @cached_property
    def _unheard(self) -> tuple[str, ...]:
        return tuple(name for name in self._asked if not packages.load().knows(name))

    @cached_property
    def _unlisted(self) -> tuple[str, ...]:
        """Folded names of packages that are missing from the table, or requested in a version above the one in it."""
        listed = {
            table.name.casefold()
            for table, version in self._tables
            if version[: len(table.version)] <= table.version
        }
        return tuple(name for name in self._asked if name not in listed)

    def _having(self, fqn: str) -> Iterator[tuple[tuple[PackageTable, tuple[int, ...]], FrameworkType]]:
        for entry in self._tables:
            found = entry[0].types.get(fqn)
            if found is not None:
                yield entry, found

    @cached_property
    def _tables(self) -> Sequence[tuple[PackageTable, tuple[int, ...]]]:
        """Tables with the lowest version requested; the data is not unpacked for a project without packages."""
        found = _tables(packages.load(), self._asked) if self._asked else ()
        return tuple(entry for entry in found if entry[0].name.casefold() not in self.restored.packages)


def _listed(row: TypeRow, *, is_sure: bool) -> FrameworkType:
    bases = (*((row.base,) if row.base else ()), *row.interfaces) if is_sure else ()
    arity = int(row.fqn[row.fqn.rfind("+") + 1 :].partition("`")[2] or 0)
    kind = Kind.CLASS if row.kind == "record" else Kind(row.kind)
    modifiers = tuple(row.flags.split()) if kind is Kind.CLASS else ()
    return FrameworkType(row.fqn, arity, kind, modifiers, bases, ())


def _asked(own: Iterable[Package], flowing: Iterable[Package]) -> dict[str, tuple[int, ...]]:
    """Return versions by folded name: the project's own reference decides, else the highest that flows to it."""
    said: dict[str, tuple[int, ...]] = {}
    for package in flowing:
        name, version = package.name.casefold(), packages.version_of(package.version)
        said[name] = max(said.get(name, ()), version)
    said.update({package.name.casefold(): packages.version_of(package.version) for package in own})
    return said


def _tables(
    known: Packages, asked: Mapping[str, tuple[int, ...]]
) -> Iterator[tuple[PackageTable, tuple[int, ...]]]:
    waiting = [(name, version) for name, version in asked.items() if version]
    seen = set(asked)
    for name, version in waiting:
        table = known.get(name, version[0])
        if table is None:
            continue
        yield table, version
        waiting += _required(table, seen)


def _required(table: PackageTable, seen: set[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    key: Key
    for key in table.requires:
        if key[0] not in seen:
            seen.add(key[0])
            yield key[0], (key[1],)


_CORE = frozenset({"Microsoft.NETCore.App", "Microsoft.AspNetCore.App"})
_FULL = frozenset({"netfx"})
_DESKTOP = "netfx desktop"
_FORMS = ("System.Windows.Forms", "System.Drawing", "System.ComponentModel", "Accessibility")


class Likely(msgspec.Struct, frozen=True):
    """Likely packages of one project. `unlikely`: families that it is not for; `desktop`: whether it may be a desktop
    program."""

    unlikely: frozenset[str]
    desktop: bool

    @classmethod
    def of(cls, moniker: str | None) -> Likely:
        """Return the framework types for a target framework moniker; everything is likely where it is unknown."""
        framework = frameworks.parse(moniker) if moniker else None
        if framework is None:
            return cls(frozenset(), desktop=True)
        full = framework.identifier == frameworks.NET_FRAMEWORK
        return cls(_CORE if full else _FULL, desktop=full or framework.platform == "windows")

    def has(self, type_: FrameworkType) -> bool:
        """Whether the project has a type for sure, or by a package that is known."""
        families = type_.families - self.unlikely
        if families != {_DESKTOP}:
            return bool(families)
        # WPF has a property of its own; Windows Forms alone is more common.
        return self.desktop and type_.fqn.startswith(_FORMS)


_MOST_FOREIGN = 100_000
"""Answers about types of other assemblies that are cached, absent ones too."""


class ProjectVisibility:
    """Visibility among evaluated projects, independent of their files. By project: `seen`, the projects it refers to,
    also through others; `blind`, whether one of them is unknown; `packages`; `likely`, the types of its framework.
    `roots`: the first names of their own namespaces; `framework`: its types; `assemblies`: types known to binders."""

    def __init__(self, projects: Sequence[ProjectInfo], framework: FrameworkTable) -> None:
        self.projects = projects
        self.framework = framework
        self.assemblies: dict[Hashable, Any] = {}
        self.roots = tuple({name for p in projects for name in (p.root_namespace, p.assembly_name) if name})
        self.seen = [self._closure(at) for at in range(len(projects))]
        self.blind = [
            any(projects[other].refers_elsewhere for other in (at, *self.seen[at]))
            for at in range(len(projects))
        ]
        opened: dict[str, ExternalTable | None] = {}
        self.packages = [
            VisiblePackages(info, [projects[other] for other in sorted(self.seen[at] - {at})], opened)
            for at, info in enumerate(projects)
        ]
        self.likely = [Likely.of(info.target_framework) for info in projects]
        self._foreign: dict[tuple[int, str], FrameworkType | None] = {}

    def foreign(self, project: int, fqn: str) -> FrameworkType | None:
        """Return the type of the framework or of a package of the project: as restored, else as listed."""
        key = (project, fqn)
        if key not in self._foreign:
            if len(self._foreign) >= _MOST_FOREIGN:
                self._foreign.clear()
            self._foreign[key] = self._found_foreign(project, fqn)
        return self._foreign[key]

    def _found_foreign(self, project: int, fqn: str) -> FrameworkType | None:
        packages = self.packages[project] if project < len(self.packages) else None
        found = packages.exact(fqn) if packages is not None else None
        found = found or self.framework.get(fqn)
        return packages.get(fqn) if found is None and packages is not None else found

    def _closure(self, project: int) -> frozenset[int]:
        """Projects that `project` refers to, also through others (references are transitive in SDK projects)."""
        at_path = {info.path: at for at, info in enumerate(self.projects)}
        seen: set[int] = set()
        waiting = [project]
        while waiting:
            for path in self.projects[waiting.pop()].references:
                at = at_path.get(path)
                if at is not None and at not in seen:
                    seen.add(at)
                    waiting.append(at)
        return frozenset(seen)
