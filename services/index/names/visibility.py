"""Visibility between projects: references, and packages that come with them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from services.index.external.table import ExternalTable
from services.index.framework.table import FrameworkTable, FrameworkType
from services.index.names.visible_packages import Likely, VisiblePackages
from services.msbuild import ProjectInfo


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

    def foreign(self, project: int, fqn: str) -> FrameworkType | None:
        """Return the type of the framework or of a package of the project: as restored, else as listed."""
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
