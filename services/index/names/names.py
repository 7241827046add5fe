"""Type texts of declarations bound, on demand: the names of one version of the catalogue."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Records
from services.index.names.binder import Binder
from services.index.names.packages import Deduced
from services.index.names.space import Bound, Context, Level, Space, enclosing_of, levels_of
from services.index.names.visibility import ProjectVisibility
from services.model import TYPE_KINDS
from services.syntax.records.declaration import Declaration, Using
from services.workspace.source_kinds import is_markup


class Names:
    """Binds. Holds what it has bound; make a new one when the catalogue, or what is `inferred`, has changed. Not
    thread-safe."""

    def __init__(
        self,
        catalogue: Catalogue,
        records: Records,
        sight: ProjectVisibility,
        inferred: Deduced,
    ) -> None:
        self.inferred = inferred
        self.version = catalogue.version
        self._catalogue = catalogue
        self._records = records
        self._projects = sight.projects
        self._imports: dict[str, list[Using]] = {}
        usings, friends = self._of_projects()
        self._global_usings = usings
        self.space = Space(catalogue, sight, friends)
        self.binder = Binder(self.space, self.bases, self._parameters, inferred)
        self._contexts: dict[tuple[int, int], Context] = {}
        self._variants: dict[tuple[Context, object], Context] = {}
        self._bases: dict[int, tuple[Bound, ...]] = {}

    def bound(self, file: int, at: int, declaration: Declaration, text: str) -> Bound:
        """A type text of a declaration (`at`: its place in the file; that of its type for an implicit member)."""
        return self.binder.bind(text, self._with_own(self._context(file, at), declaration.own_parameters))

    def bases(self, index: int) -> tuple[Bound, ...]:
        """The base list of a workspace type, all parts, bound. A type in its own bases is met unbound."""
        known = self._bases.get(index)
        if known is not None:
            return known
        self._bases[index] = ()
        found: list[Bound] = []
        for file, at in self._catalogue.types[index].parts:
            record = self._records.record(file)
            if record is None:
                continue
            declaration = record.every[at]
            found += [self.bound_base(file, at, text) for text in declaration.bases]
        self._bases[index] = tuple(found)
        return self._bases[index]

    def context(self, file: int, at: int, own: tuple[str, ...] = ()) -> Context:
        """Return the context of declaration `at` of a file; `own`: the type parameters of a generic member."""
        return self._with_own(self._context(file, at), own)

    def foreign(self, file: int, at: int) -> Iterable[str]:
        """The namespaces, of using directives and around declaration `at` of a file, that are not wholly known."""
        return (name for name in self.binder.foreign(self._context(file, at)) if name is not None)

    def file_context(self, file: int) -> Context:
        """Return the context outside every namespace and type of a file."""
        entry = self._catalogue.file(file)
        record = self._records.record(file)
        usings = self._outer_usings(entry)
        levels = levels_of(record, 0, usings) if record is not None else ()
        return Context(entry.project, (), (), levels, entry.path)

    def using_context(self, file: int, scope: int) -> Context:
        """Return the context of a using directive's target in a scope of a file: without the usings of the same
        level."""
        record = self._records.record(file)
        entry = self._catalogue.file(file)
        project = entry.project
        if record is None:
            return Context(project, (), (), (), entry.path)
        usings = self._global_usings.get(project, ()) if scope else ()
        own, outer = record.scopes[scope], record.scopes[scope].parent
        beyond = levels_of(record, outer, usings) if outer >= 0 else ()
        inside = [own.namespace] if own.namespace or outer < 0 else []
        stop = record.scopes[outer].namespace if outer >= 0 else ""
        while inside and inside[-1] not in ("", stop):
            inside.append(inside[-1].rpartition(".")[0])
        levels = tuple(Level(name) for name in inside if name != stop or outer < 0)
        return Context(project, (), (), (*levels, *beyond), entry.path)

    def global_usings(self, project: int) -> tuple[Using, ...]:
        """The using directives that count in every file of a project."""
        return self._global_usings.get(project, ())

    def bound_base(self, file: int, at: int, text: str) -> Bound:
        """A base list entry: looked up around the type, whose own nested types do not count, its parameters do."""
        if not self._context(file, at).enclosing:
            return Bound(None)
        return self.binder.bind(text, self.base_context(file, at))

    def base_context(self, file: int, at: int) -> Context:
        """Return the context of the base list of the type at `at`."""
        context = self._context(file, at)
        if not context.enclosing:
            return context
        outer = self._variants.get((context, "outside"))
        if outer is None:
            own = context.enclosing[0].declaration.type_parameters
            outer = Context(context.project, own, context.enclosing[1:], context.levels, context.file)
            self._variants[(context, "outside")] = outer
        return outer

    def _with_own(self, context: Context, own: tuple[str, ...]) -> Context:
        """The context seen from a generic member."""
        if not own or (context.enclosing and context.enclosing[0].declaration.type_parameters == own):
            return context
        variant = self._variants.get((context, own))
        if variant is None:
            variant = Context(context.project, own, context.enclosing, context.levels, context.file)
            self._variants[(context, own)] = variant
        return variant

    def _parameters(self, index: int) -> tuple[str, ...]:
        for file, at in self._catalogue.types[index].parts:
            record = self._records.record(file)
            if record is not None:
                return record.every[at].type_parameters
        return ()

    def _context(self, file: int, at: int) -> Context:
        record = self._records.record(file)
        if record is None:
            entry = self._catalogue.file(file)
            return Context(entry.project, (), (), (), entry.path)
        declaration = record.every[at]
        while at >= 0 and record.every[at].kind not in TYPE_KINDS:
            at = record.every[at].parent
        key = (file, at if at >= 0 else -1 - declaration.scope)
        context = self._contexts.get(key)
        if context is None:
            entry = self._catalogue.file(file)
            enclosing = enclosing_of(self._catalogue, file, record, at)
            levels = levels_of(record, declaration.scope, self._outer_usings(entry))
            context = self._contexts[key] = Context(entry.project, (), enclosing, levels, entry.path)
        return context

    def _outer_usings(self, entry: FileEntry) -> tuple[Using, ...]:
        """Return the using directives that apply to a file from other places."""
        usings = self._global_usings.get(entry.project, ())
        if not self._imports or not is_markup(entry.path):
            return usings
        folder, found = entry.path, list(usings)
        while folder:
            folder = folder.rpartition("/")[0]
            found += self._imports.get(folder, ())  # the root's last
        return tuple(dict.fromkeys(found))

    def _of_projects(self) -> tuple[dict[int, tuple[Using, ...]], dict[int, frozenset[str]]]:
        """Global usings and friends, from project files and from every file's own directives."""
        usings: dict[int, list[Using]] = defaultdict(list)
        friends: dict[int, set[str]] = defaultdict(set)
        for at, project in enumerate(self._projects):
            usings[at] += [Using(u.name, u.alias or "", u.static, True) for u in project.usings]
        for at, entry in enumerate(self._catalogue.files):
            if entry is None or not entry.telling:
                continue
            record = self._records.record(at)
            if record is not None and is_markup(entry.path):
                self._imports.setdefault(entry.path.rpartition("/")[0], []).extend(record.scopes[0].usings)
            elif record is not None:
                usings[entry.project] += [u for u in record.scopes[0].usings if u.is_global]
                friends[entry.project].update(record.friends)
        return (
            {at: tuple(dict.fromkeys(found)) for at, found in usings.items()},
            {at: frozenset(found) for at, found in friends.items()},
        )
