"""Files bound: every declaration once, for the project that compiles the file."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial

from msgspec.structs import replace

from services.index.binding.crefs import Crefs, crefs_in
from services.index.binding.declarations import DeclarationBinder, scan
from services.index.binding.facts import Fact, Facts
from services.index.binding.session import Session, Tools
from services.index.binding.types.assemblies import Assemblies, Visible
from services.index.binding.types.symbol import Symbol
from services.index.binding.types.workspace import Workspace
from services.index.binding.types.world import World
from services.index.catalog.catalogue import Catalogue
from services.index.catalog.records import Records
from services.index.external.table import load
from services.index.names.names import Names
from services.index.names.space import Context
from services.index.symbols.partials import differing
from services.model import TYPE_KINDS, Kind
from services.msbuild import ProjectInfo
from services.msbuild.language import frameworks
from services.syntax.parse.lexer import Lexed
from services.syntax.parse.skeleton import blanked
from services.syntax.records.declaration import Declaration, FileRecord
from services.workspace.source_kinds import is_markup, is_script

_MODERN = ("net10", "aspnet", "packages", "net472")
_STANDARD = ("netstandard20", "packages", "net10", "net472")
_FULL = ("net472", "packages", "net10", "aspnet")
_NAMESPACE = re.compile(rb"\bnamespace\s+[\w\x80-\xff]")
_USING = re.compile(
    rb"(?:^|(?<=[;{}]))[ \t]*(?:global\s+)?using\s+(?!var\b)[\w@.:=<>,\s\x80-\xff()\[\]?*\\]+;", re.MULTILINE
)
# Bounded, so that what never closes is not read again from each beginning.
_BLOCK = re.compile(rb"(?<![\w@.])extension\s*(?:<[^(){}]{0,999}>\s*)?\([^{};]{0,999}\)[^{};]{0,999}(?=\{)")
Profile = tuple[tuple[str, ...], frozenset[str], tuple[tuple[int, int], ...], frozenset[str]]
"""Assemblies, packages, which compilations are seen of the types that projects compile differently, and the tables of
restored packages."""

_FIELDS = (Kind.FIELD, Kind.CONSTANT, Kind.EVENT)


class FileBinder:
    """Binds declarations of files. Made for one version of the catalogue; not thread-safe."""

    def __init__(
        self, catalogue: Catalogue, records: Records, names: Names, projects: Sequence[ProjectInfo]
    ) -> None:
        self._catalogue = catalogue
        self._records = records
        self._names = names
        self._projects = projects
        self._binders: dict[Profile, tuple[Tools, DeclarationBinder]] = {}
        self._of_project: dict[int, tuple[Tools, DeclarationBinder]] = {}
        self._last_script: tuple[int, dict[int, Facts]] = (-1, {})
        self._last_field: tuple[tuple[int, int, int], Facts] = ((-1, 0, 0), Facts())

    def tools(self, project: int) -> Tools:
        """Return the tools that bind the files of a project."""
        return self._for(project)[0]

    def _for(self, project: int) -> tuple[Tools, DeclarationBinder]:
        known = self._of_project.get(project)
        if known is None:
            profile = self._profile(project)
            known = self._binders.get(profile)
            if known is None:
                tools = self._make(project, profile)
                known = self._binders[profile] = (tools, DeclarationBinder(tools))
            self._of_project[project] = known
        return known

    def _profile(self, project: int) -> Profile:
        """Return the profile of a project: its target framework, its package references, transitive ones too, and the
        types visible to it."""
        space = self._names.space
        seen = [at for at in range(len(self._projects)) if space.sees(project, at)]
        packages = {p.name.casefold() for at in seen for p in self._projects[at].packages}
        info = self._projects[project]
        tables = frozenset(each.table for each in info.assemblies if each.table)
        return _sources(info), frozenset(packages), tuple(self._seen(project)), tables

    @cached_property
    def _differing(self) -> Mapping[int, Sequence[int]]:
        return differing(self._catalogue, self._records)

    def _seen(self, project: int) -> Iterator[tuple[int, int]]:
        """Yield (canonical type, compilation) where a project sees another compilation of a type: its own, else that
        of the first referenced project."""
        sees, types = self._names.space.sees, self._catalogue.types
        for home, every in self._differing.items():
            seen = [at for at in every if sees(project, types[at].project)]
            nearest = min(
                seen, key=lambda at: (types[at].project != project, types[at].project), default=home
            )
            if nearest != home:
                yield home, nearest

    def _make(self, project: int, profile: Profile) -> Tools:
        assemblies = self._assemblies(project, profile)
        seen = profile[2]
        chosen = {home: (at, *self._differing[home]) for home, at in seen}
        workspace = Workspace(self._catalogue, self._records, self._names, chosen)
        world = World(workspace, assemblies)
        workspace.reader = world.reader
        return Tools(world)

    def _assemblies(self, project: int, profile: Profile) -> Assemblies:
        """Return the assemblies of a profile, reused between revisions while projects are unchanged."""
        sources, packages, _, tables = profile
        sight, key = self._names.space.sight, (sources, packages, tables)
        if key not in sight.assemblies:
            restored = sight.packages[project].restored if project < len(sight.packages) else None
            visible = Visible(sources, packages, restored, partial(sight.foreign, project))
            sight.assemblies[key] = Assemblies(load(), visible)
        return sight.assemblies[key]

    def bind(self, file: int, at: int, lexed: Lexed) -> Facts:
        """Bind declaration `at` of a file; of a type only the header. -1: the code outside all types. For one that is
        nested too deeply to parse or follow only names are known. Fields that share a declaration share its facts."""
        try:
            return self._bind(file, at, lexed)
        except (RecursionError, IndexError):
            record = self._records.record(file)
            declaration = record.every[at] if record is not None and at >= 0 else None
            span = (declaration.start, declaration.end) if declaration is not None else (0, 0)
            found = Facts()
            scan(found, lexed, span)
            return found

    def _bind(self, file: int, at: int, lexed: Lexed) -> Facts:
        record = self._records.record(file)
        assert record is not None
        entry = self._catalogue.file(file)
        tools, binder = self._for(entry.project)
        if at >= 0 and is_markup(entry.path) and _is_generated(record.every[at], lexed):
            return Facts()
        if at < 0:
            return self._outside(file, lexed, record, binder)
        declaration = record.every[at]
        is_function = declaration.parent >= 0 and record.every[declaration.parent].is_program
        if is_function and is_script(entry.path):
            return self._script(file, declaration.parent, lexed, record).get(at, Facts())
        if declaration.is_program:
            if is_script(entry.path):
                return self._script(file, at, lexed, record)[at]
            return self._program(file, at, lexed, record, binder)
        place = file, declaration.start, declaration.end
        if self._last_field[0] == place:
            return self._last_field[1]
        clean = _without_names(lexed, record) if is_markup(entry.path) else lexed
        found = _declared(clean, record, (file, at), binder)
        if clean is not lexed:
            _name(found, record, lexed, (file, at), binder)
        if declaration.kind in _FIELDS:
            self._last_field = place, found
        if b"cref" in lexed.source[declaration.doc[0] : declaration.doc[1]]:
            found.extend(self._crefs(file, at, lexed, tools))
        return found

    def _program(
        self, file: int, at: int, lexed: Lexed, record: FileRecord, binder: DeclarationBinder
    ) -> Facts:
        """Bind statements outside of members: top-level statements, or those that markup has between its members."""
        declaration = record.every[at]
        if not is_markup(self._catalogue.file(file).path):
            return binder.program(lexed, (file, at), declaration)
        left = _without_names(lexed, record, _inside(record, at))
        found = binder.program(left, (file, at), declaration, is_static=False)
        _name(found, record, lexed, (file, at), binder)
        return found

    def _script(self, file: int, at: int, lexed: Lexed, record: FileRecord) -> dict[int, Facts]:
        """The facts of the statements of a script and of each function in it, which are bound together: variables of
        a script count in its functions."""
        if self._last_script[0] != file:
            tools, binder = self._for(self._catalogue.file(file).project)
            owner = self._catalogue.columns.owner[self._catalogue.file(file).rows[0] + at]
            every = tools.world.workspace.symbols(owner).values()
            symbols = {
                each.member.at: each
                for named in every
                for each in named
                if each.member is not None and each.member.file == file and each.kind is Kind.METHOD
            }
            found = binder.program(lexed, (file, at), record.declarations[at])
            self._last_script = file, _by_function(found, lexed, record, at, symbols)
        return self._last_script[1]

    def _crefs(self, file: int, at: int, lexed: Lexed, tools: Tools) -> Facts:
        """Bind the doc comment of a declaration, in which locals and parameters of the declaration are not in
        scope."""
        record = self._records.record(file)
        assert record is not None
        declaration = record.every[at]
        context = self._names.context(file, at, declaration.own_parameters)
        session = Session(tools, context, {}, is_static=False)
        crefs = Crefs(session)
        for cref in crefs_in(lexed.source, [declaration.doc]):
            crefs.bind(cref)
        return session.found

    def _outside(self, file: int, lexed: Lexed, record: FileRecord, binder: DeclarationBinder) -> Facts:
        """Using directives, and attributes of the assembly."""
        found = binder.outside(lexed, _outside(lexed, record), self._names.file_context(file))
        starts = [each.start for each in record.declarations]
        for match in _USING.finditer(lexed.clean):
            at = bisect_right(starts, match.start()) - 1
            if at < 0 or record.every[at].end <= match.start():
                around = self._around(file, record, _target(match[0]))
                found.extend(binder.usings(lexed, match.span(), around))
        return found

    def _around(self, file: int, record: FileRecord, target: str) -> Context:
        """Return the context in which a using directive is resolved: its namespace and outer ones, without sibling
        usings (C# specification 14.5.1)."""
        holding = (
            at for at, scope in enumerate(record.scopes) if any(_bare(u.name) == target for u in scope.usings)
        )
        return self._names.using_context(file, next(holding, 0))

    def all(self, file: int, lexed: Lexed) -> Iterator[tuple[int, Facts]]:
        """(declaration, what it names) of a whole file."""
        record = self._records.record(file)
        for at in range(-1, len(record.declarations) if record is not None else -1):
            yield at, self.bind(file, at, lexed)


def _by_function(
    found: Facts, lexed: Lexed, record: FileRecord, program: int, symbols: Mapping[int, Symbol]
) -> dict[int, Facts]:
    """Divide the facts of a script among its functions (`symbols`: by their places) and its statements. Names of the
    functions are members, not locals."""
    spans = sorted((record.declarations[at].start, at) for at in symbols)
    starts = [start for start, _ in spans]
    made: dict[int, Facts] = {at: Facts() for at in (program, *symbols)}

    def of(offset: int) -> Facts:
        at = bisect_right(starts, offset) - 1
        inside = at >= 0 and offset < record.declarations[spans[at][1]].end
        return made[spans[at][1] if inside else program]

    named = {_named_at(lexed, record.declarations[at]): symbol for at, symbol in symbols.items()}
    for each in found.locals:
        symbol = named.get(each.at)
        if symbol is None:
            of(each.start).locals.append(each)
        elif each.start != each.at:
            is_call = lexed.clean[each.end : each.end + 1] in (b"(", b"<")
            of(each.start).facts.append(Fact(each.start, each.end, symbol, "call" if is_call else "read"))
    for each in found.facts:
        of(each.start).facts.append(each)
    for each in found.loose:
        of(each.start).loose.append(each)
    for each in found.labels:
        of(each.start).labels.append(each)
    for start, what in found.others.items():
        of(start).others[start] = what
    for start, local in found.variables.items():
        of(start).variables[start] = local
    for start in found.refused:
        of(start).refused.append(start)
    return made


def _named_at(lexed: Lexed, declaration: Declaration) -> int:
    """Return the offset of the name of a function."""
    name = re.escape(declaration.name.encode())
    found = re.compile(rb"(?<![\w@\x80-\xff])" + name + rb"\s*[<(]").search(
        lexed.clean, declaration.start, declaration.end
    )
    return found.start() if found is not None else -1


def _is_generated(declaration: Declaration, lexed: Lexed) -> bool:
    """Whether a member is one that markup declares, not C#."""
    return not declaration.is_program and lexed.clean[declaration.end - 1 : declaration.end] not in (
        b";",
        b"}",
    )


def _declared(lexed: Lexed, record: FileRecord, place: tuple[int, int], binder: DeclarationBinder) -> Facts:
    """Bind a member, or the header of a type."""
    _, at = place
    declaration = record.every[at]
    if declaration.kind not in TYPE_KINDS or declaration.kind is Kind.DELEGATE:
        return binder.member(lexed, place, declaration)
    found = binder.header(lexed, place, declaration)
    for span in _blocks(lexed, record, at):
        found.extend(binder.block(lexed, place, span))
    return found


def _name(
    found: Facts, record: FileRecord, lexed: Lexed, place: tuple[int, int], binder: DeclarationBinder
) -> None:
    """Add the names that markup has in declaration `place`, and in none inside it."""
    _, at = place
    declaration, inside = record.every[at], _inside(record, at)

    def is_own(span: tuple[int, int]) -> bool:
        return declaration.start <= span[0] < declaration.end and not any(a <= span[0] < b for a, b in inside)

    for span in filter(is_own, record.names):
        scan(found, lexed, span)
    for span in filter(is_own, record.types):
        named = binder.type(lexed, place, declaration, span)
        found.extend(named)
        if not named.facts:  # content that a component takes is written as a component is
            scan(found, lexed, span)


def _inside(record: FileRecord, at: int) -> list[tuple[int, int]]:
    """The spans of what declaration `at` holds."""
    return [(each.start, each.end) for each in record.every[at + 1 :] if each.parent == at]


def _without_names(lexed: Lexed, record: FileRecord, more: Sequence[tuple[int, int]] = ()) -> Lexed:
    """The code of a markup file without the names of which no statement is known, and without `more`."""
    spans = _joined([*more, *record.names, *record.types])
    return (
        replace(lexed, clean=blanked(lexed.clean, spans), code=blanked(lexed.code, spans)) if spans else lexed
    )


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, without those inside others."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found


def _blocks(lexed: Lexed, record: FileRecord, at: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of the heads of a type's extension blocks."""
    declaration = record.every[at]
    inside = [(d.start, d.end) for d in record.declarations if d.parent == at]
    for match in _BLOCK.finditer(lexed.clean, declaration.start, declaration.end):
        if not any(start <= match.start() < end for start, end in inside):
            yield match.span()


def _target(directive: bytes) -> str:
    """Return the target of a using directive."""
    text = directive.decode("utf-8", "replace").rstrip(";").rpartition("=")[2]
    return _bare(re.sub(r"^\s*(?:global\s+)?(?:using\s+)?(?:static\s+)?(?:unsafe\s+)?", "", text))


def _bare(text: str) -> str:
    return re.sub(r"\s", "", text)


def _sources(project: ProjectInfo) -> tuple[str, ...]:
    framework = frameworks.parse(project.target_framework) if project.target_framework else None
    if framework is None:
        return _MODERN
    if framework.identifier == frameworks.NET_FRAMEWORK:
        return _FULL
    return _STANDARD if "standard" in framework.identifier.casefold() else _MODERN


def _outside(lexed: Lexed, record: FileRecord) -> int:
    """Return the offset of the first namespace or type."""
    end = min((d.start for d in record.declarations), default=len(lexed.source))
    found = _NAMESPACE.search(lexed.clean, 0, end)
    return found.start() if found is not None else end
