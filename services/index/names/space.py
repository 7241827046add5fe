"""Types and namespaces that a name may mean: those visible to a project, its own, of projects it refers to, of
framework and packages; and the types, namespaces and usings around a name, from the inside out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from services.index.catalog.access import widest
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.file_rows import ACCESSES
from services.index.catalog.naming import with_outer
from services.index.compiled import compilations, home_of
from services.index.external import table as external
from services.index.names.framework import FrameworkType, namespace_of
from services.index.names.visibility import ProjectVisibility
from services.model import TYPE_KINDS, Kind
from services.syntax.records.declaration import Declaration, FileRecord, Using
from services.syntax.records.hashing import simple

if TYPE_CHECKING:
    from services.index.names.packages import Deduction


class Enclosing(msgspec.Struct, frozen=True):
    """A type around a name: its index in the catalogue, its record, and its part's file."""

    index: int
    declaration: Declaration


class Level(msgspec.Struct, frozen=True):
    """A namespace to look in. `usings` are those of its own declaration, none for the outer parts of a dotted name."""

    namespace: str
    usings: tuple[Using, ...] = ()


class Context(msgspec.Struct, frozen=True, eq=False):
    """Context of names. `own`: type parameters of the member; `enclosing` and `levels`: innermost first; `file`: the
    path of its file.

    Compared by identity, as it serves thousands of names."""

    project: int
    own: tuple[str, ...]
    enclosing: tuple[Enclosing, ...]
    levels: tuple[Level, ...]
    file: str


def enclosing_of(catalogue: Catalogue, file: int, record: FileRecord, at: int) -> tuple[Enclosing, ...]:
    """The types around declaration `at`, itself first if it is a type."""
    first = catalogue.file(file).rows[0]
    found: list[Enclosing] = []
    while at >= 0:
        owner = catalogue.columns.owner[first + at]
        declaration = record.every[at]
        if declaration.kind in TYPE_KINDS:
            found.append(Enclosing(home_of(catalogue, owner), declaration))
        at = declaration.parent
    return tuple(found)


def levels_of(record: FileRecord, scope: int, global_usings: tuple[Using, ...]) -> tuple[Level, ...]:
    """The namespaces around a scope of a file, down to the global one, which has the global usings too."""
    levels: list[Level] = []
    while scope >= 0:
        kept = record.scopes[scope]
        outer = record.scopes[kept.parent].namespace if kept.parent >= 0 else ""
        usings = kept.usings
        namespace = kept.namespace
        if kept.parent < 0:
            levels.append(Level(namespace, usings + global_usings))
            break
        while namespace != outer and namespace:
            levels.append(Level(namespace, usings))
            usings = ()
            namespace = namespace.rpartition(".")[0]
        scope = kept.parent
    return tuple(levels)


class Bound(msgspec.Struct, frozen=True):
    """Bound type text. `fqn`: the text with full names, or None where a name in it is unknown; `types`: every bound
    type, also in a text that is only partly bound; `head`: the target of the outermost name; `inferred`: the inferred
    types in the text."""

    fqn: str | None
    types: tuple[Known, ...] = ()
    head: Known | None = None
    inferred: tuple[Deduction, ...] = ()


_INTERNAL = frozenset({"internal", "private protected"})
_PACKAGES = "packages"
"""The packages among the sources of the external table."""


class Known(msgspec.Struct, frozen=True):
    """A type that a name was bound to. `index`: in the catalogue, of the home of its symbol, through whichever project
    it was bound; or None for one of the framework or a package."""

    fqn: str
    index: int | None = None


class Space:
    """Lookups by full name from the viewpoint of a project. Made for one version of the catalogue."""

    def __init__(
        self,
        catalogue: Catalogue,
        sight: ProjectVisibility,
        friends: Mapping[int, frozenset[str]],
    ) -> None:
        """`friends`: by project, the assemblies that its attributes let see its internal types."""
        self._catalogue = catalogue
        self.sight = sight
        self._framework = sight.framework
        self._projects = sight.projects
        self._friends = friends
        self._namespaces = with_outer(
            {
                entry.fqn.rpartition(".")[0]
                for _, entry in catalogue.live_types()
                if "+" not in entry.fqn and not entry.is_elsewhere
            }
        )
        self._roots, self._seen, self._blind = sight.roots, sight.seen, sight.blind
        self._packages, self._likely = sight.packages, sight.likely
        self._elsewhere = {
            at: frozenset(path for other in info.others for path in other.files)
            for at, info in enumerate(sight.projects)
            if info.others
        }
        self._access: dict[int, str] = {}
        self._doubts: dict[tuple[int, str], bool] = {}

    def is_namespace(self, project: int, name: str) -> bool:
        """Whether a namespace of that full name has types anywhere, or in a package of the project."""
        if name in self._namespaces or name in self._framework.namespaces:
            return True
        return project < len(self._packages) and self._packages[project].has_namespace(name)

    def is_blind(self, project: int) -> bool:
        """Whether the project refers to one that is not known, which may declare any name in any namespace."""
        return project < len(self._blind) and self._blind[project]

    def is_whole(self, project: int, namespace: str) -> bool:
        """Whether all types of a namespace are known: the framework's, those of listed packages alone, and those that
        belong to the workspace, by their names or since the project has no other packages. In a package's namespace
        (`Microsoft.Extensions.…`, say) a workspace may declare a type or two of its own."""
        if namespace in self._framework.namespaces:
            return True
        packages = self._packages[project] if project < len(self._packages) else None
        if packages is not None and packages.may_extend(namespace):
            return False
        if namespace in self._namespaces and (
            self._has_only_known_packages(project)
            or any(
                namespace == root or namespace.startswith(f"{root}.") or root.startswith(f"{namespace}.")
                for root in self._roots
            )
        ):
            return True
        return packages is not None and packages.has_namespace(namespace) and not packages.may_hold(namespace)

    def _has_only_known_packages(self, project: int) -> bool:
        """Whether all that the project compiles against is known: it was understood, and its packages are listed."""
        if project >= len(self._packages):
            return False
        info = self._projects[project]
        understood = info.evaluated and not info.unknown and info.target_framework is not None
        return understood and self._packages[project].are_known

    def may_come_from_packages(self, project: int, namespace: str) -> bool:
        """Whether a namespace that the project declares may have types of its packages too: one of them that is not
        listed is named like it, or like a part of it that is not the project's own."""
        if project >= len(self._packages) or namespace in self._framework.namespaces:
            return False
        packages, info = self._packages[project], self._projects[project]
        roots = (info.root_namespace, info.assembly_name)
        own = any(root and (namespace == root or namespace.startswith(f"{root}.")) for root in roots)
        return packages.may_extend(namespace) or (not own and packages.may_hold(namespace))

    def described(self, project: int, container: str, name: str, arity: int) -> Known | None:
        """Return an unlisted type of a package of the project that occurs only in a table of members. `container`: a
        namespace or a type, with its separator."""
        fqn = f"{container}{simple(name, arity)}"
        if project >= len(self._packages) or not external.load().has(_PACKAGES, fqn):
            return None
        return Known(fqn) if self._packages[project].may_bring(namespace_of(fqn)) else None

    def find(self, container: str, name: str, arity: int, *, project: int, file: str) -> Known | None:
        """A type directly in a namespace that a file of `project` may name."""
        own = simple(name, arity)
        return self.get(project, f"{container}.{own}" if container else own, file)

    def nested(self, project: int, outer: Known, name: str, arity: int) -> Known | None:
        """A type nested in `outer` itself."""
        local = self._catalogue.types[outer.index].local if outer.index is not None else ""
        found = self.get(project, f"{outer.fqn}+{simple(name, arity)}", local)
        if found is None and outer.index is None and self.foreign(project, outer.fqn) is None:
            return self.described(project, f"{outer.fqn}+", name, arity)
        return found

    def get(self, project: int, fqn: str, file: str = "") -> Known | None:
        """Return the type of that full name: that of the file alone, the project's own, then those it refers to, then
        the framework's, then its packages'. `file`: the file of the name; without one, types of one file are not
        visible. A type that its project declares for other target frameworks alone comes last, except in a file that
        is read for one."""
        indexes = self._catalogue.by_fqn.get(fqn)
        last: Known | None = None
        if indexes:
            seen = self._seen[project] if project < len(self._seen) else frozenset()
            # By project, not by age: the binding of equal sources does not depend on earlier edits.
            for index in sorted(indexes, key=lambda i: self._nearness(i, project)):
                entry = self._catalogue.types[index]
                owner = entry.project
                if not entry.parts or entry.local not in ("", file):
                    continue
                if owner == project or (owner in seen and self._may_see(project, owner, index)):
                    known = Known(fqn, home_of(self._catalogue, index) if len(indexes) > 1 else index)
                    if owner not in self._elsewhere or not self._is_elsewhere(index, file):
                        return known
                    last = last or known
        found = self.foreign(project, fqn)
        return Known(found.fqn) if found is not None else last

    def _is_elsewhere(self, index: int, file: str) -> bool:
        """Whether only files that are read for other frameworks declare a type, and `file` is none of them."""
        entry = self._catalogue.types[index]
        others = self._elsewhere[entry.project]
        return file not in others and all(self._catalogue.file(at).path in others for at, _ in entry.parts)

    def foreign(self, project: int, fqn: str) -> FrameworkType | None:
        """Return the type of the framework or of a package of the project: as restored, else as listed."""
        return self.sight.foreign(project, fqn)

    def _nearness(self, index: int, project: int) -> tuple[bool, bool, int]:
        entry = self._catalogue.types[index]
        return entry.project != project, not entry.local, entry.project

    def enclosing(self, index: int) -> int | None:
        """Return the type around a workspace type, the canonical one of its symbol; None for a top-level type."""
        outer = self._catalogue.enclosing(self._catalogue.types[index])
        return None if outer is None else home_of(self._catalogue, outer)

    def is_doubtful(self, project: int, known: Known) -> bool:
        """Whether a type is one of a framework that `project` is not for, or of a package that may be
        too old for it. The project may still have it."""
        if known.index is not None or project >= len(self._likely):
            return False
        key = (project, known.fqn)
        if key not in self._doubts:
            found, packages = self._framework.get(known.fqn), self._packages[project]
            self._doubts[key] = packages.exact(known.fqn) is None and (
                not self._likely[project].has(found) if found is not None else packages.is_doubtful(known.fqn)
            )
        return self._doubts[key]

    def fqn_of(self, index: int) -> str:
        """The full name of a workspace type."""
        return self._catalogue.types[index].fqn

    def sees(self, project: int, other: int) -> bool:
        """Whether a project may name what another declares: it is the same, or refers to it."""
        return project == other or (project < len(self._seen) and other in self._seen[project])

    def sees_type(self, project: int, index: int) -> bool:
        """Whether a project may name what a workspace type declares, through any of the projects that compile it."""
        types = self._catalogue.types
        return any(self.sees(project, types[at].project) for at in compilations(self._catalogue, index))

    def compiled_for(self, project: int, index: int) -> int:
        """Return the type that `project` compiles, among the types of one symbol, or that of the first project that
        it refers to; the type itself where it sees none."""
        types = self._catalogue.types
        same = compilations(self._catalogue, index)
        seen = [at for at in same if self.sees(project, types[at].project)]
        return min(seen, key=lambda at: self._nearness(at, project), default=index)

    def foreign_bases(self, project: int, fqn: str) -> tuple[str, ...]:
        """Full names of the bases of a type of the framework or of a package of the project."""
        found = self.foreign(project, fqn)
        return found.bases if found is not None else ()

    def kind_of(self, project: int, fqn: str) -> Kind | None:
        """The kind of a type of that full name, as `project` sees it: its own, the framework's, or of its packages."""
        known = self.get(project, fqn)
        if known is not None and known.index is not None:
            return self._catalogue.types[known.index].kind
        found = self.foreign(project, fqn)
        return found.kind if found is not None else None

    def may_use(self, context: Context, index: int, access: str) -> bool:
        """Whether a member of a workspace type that is declared with an access is accessible at a place, as far as that
        does not depend on inheritance. (C# specification 7.5.3)"""
        if access == "private":
            return any(each.index == index for each in context.enclosing)
        if access not in _INTERNAL:
            return True
        types = self._catalogue.types
        return any(
            self._is_friend(context.project, types[at].project) for at in compilations(self._catalogue, index)
        )

    def may_use_type(self, context: Context, index: int) -> bool:
        """Whether a place may name a workspace type, through any of the projects that compile it."""
        types, project = self._catalogue.types, context.project
        return types[index].local in ("", context.file) and any(
            owner == project or (self.sees(project, owner) and self._may_see(project, owner, at))
            for at in compilations(self._catalogue, index)
            for owner in (types[at].project,)
        )

    def _is_friend(self, project: int, owner: int) -> bool:
        """Whether a project sees internal types of another: it is the same, or a friend."""
        if project == owner:
            return True
        friends = self._friends.get(owner, frozenset()) | frozenset(
            self._projects[owner].internals_visible_to
        )
        return self._projects[project].assembly_name in friends

    def _may_see(self, project: int, owner: int, index: int) -> bool:
        access = self._access.get(index)
        if access is None:
            access = self._access[index] = self._declared(index)
        if access in ("public", "protected", "protected internal"):
            return True
        return access in _INTERNAL and self._is_friend(project, owner)

    def _declared(self, index: int) -> str:
        columns = self._catalogue.columns
        rows = [self._catalogue.file(file).rows[0] + at for file, at in self._catalogue.types[index].parts]
        return widest([ACCESSES[columns.access[row]] for row in rows])
