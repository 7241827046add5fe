"""Queries about files: their declarations, the symbols their lines refer to, and whether they have changed since
indexing; and the state of an index: its size, quality, projects, and notices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec

from services.index.catalog.catalogue import KINDS, FileEntry
from services.index.compiled import homes
from services.index.core import IndexCore
from services.index.index_snapshot import IndexSnapshot
from services.model import TYPE_KINDS, Definition, Notice, Project, Quality, SymbolRef
from services.syntax.records.declaration import Declaration
from services.workspace.files.folders import stamps_of
from services.workspace.files.root import FileStamp
from services.workspace.source_kinds import is_markup

if TYPE_CHECKING:
    from services.index.binding.types.symbol import Member
    from services.index.usages.mentions import Mentions


class FileQueries:
    """Queries about the files of an index. Thread-safe."""

    def __init__(self, core: IndexCore) -> None:
        self._core = core

    def definition(self, path: str, line: int, column: int) -> Definition:
        """Return the meaning of the name at a place of a file (`line` from 1, `column` in characters from 0)."""
        with self._core.exclusive() as now:
            search, compiled = now.usage_search(), _texts_of(now, path)
            if search is None or not compiled:
                return Definition(name="", reason=f"{path} is not part of a project that was read.")
            name, meaning, local = search.meaning(compiled, line, column)
            files = now.catalogue.files
            at = [row for row in meaning.declarations if files[row[0]] is not None]
            symbols = [self.declared(*row) for row in at[: 1 if meaning.certain else None]]
            symbols = [each and _at_a_part(now, each, at) for each in symbols]
            if meaning.made is not None:
                symbols = [_made(now, meaning.made) or each for each in symbols]
            if meaning.itself:
                symbols = [_innermost(now, compiled, (line, line))]
            told = tuple(symbol for symbol in symbols if symbol is not None)
            certain = (meaning.certain or meaning.itself) and bool(told or local)
            return Definition(name=name, symbols=told, certain=certain, line=local, reason=meaning.reason)

    def mentions_in(self, path: str, first: int, last: int) -> Mentions:
        """Return the symbols that lines (1-based, inclusive) of a file refer to."""
        from services.index.usages.mentions import Mentions

        with self._core.exclusive() as now:
            search, compiled = now.usage_search(), _texts_of(now, path)
            if search is None or not compiled:
                return Mentions()
            return search.mentions().of_lines(compiled[0], first, last)

    def mentions_of(self, places: Iterable[tuple[int, int, Declaration]]) -> Mentions:
        """Return the symbols that the signatures of declarations, each (file, place in it, declaration), name."""
        from services.index.usages.mentions import Mentions

        with self._core.exclusive() as now:
            search = now.usage_search()
            return Mentions() if search is None else search.mentions().of_declarations(places)

    def mentions_in_declaration(self, file: int, at: int) -> Mentions:
        """Return the symbols that declaration `at` of a file, by its index, refers to."""
        from services.index.usages.mentions import Mentions

        with self._core.exclusive() as now:
            search = now.usage_search()
            return Mentions() if search is None else search.mentions().of_declaration(file, at)

    def declared(self, file: int, at: int) -> SymbolRef | None:
        """The symbol of declaration `at` of a file, by its index; None where it has gone, or `at` is negative."""
        with self._core.exclusive() as now:
            files = now.catalogue.files
            if file >= len(files) or files[file] is None or at < 0:
                return None
            return now.row_ref(file, at)

    def enclosing(self, path: str, line: int, last: int | None = None, *, name: str = "") -> SymbolRef | None:
        """Return the innermost symbol around a line of a file, or around lines up to `last`; where several share them,
        one of that `name`."""
        with self._core.exclusive() as now:
            return _innermost(now, _texts_of(now, path), (line, last or line), name)

    def enclosing_each(self, path: str, lines: Iterable[int]) -> list[SymbolRef]:
        """The innermost symbols around each of these lines, in their order, each once."""
        with self._core.exclusive() as now:
            found: dict[tuple[int, int], None] = {}
            texts = [(at, _Innermost(now.records.lines(at))) for at in _texts_of(now, path)]
            for line in sorted(lines):
                own = [(*place, file) for file, text in texts if (place := text.at(line)) is not None]
                if own:
                    _, number, file = max(own, key=lambda each: each[0])
                    found.setdefault((file, number))
            return [ref for place in found if (ref := now.row_ref(*place)) is not None]

    def types_in(self, path: str, *, nested: bool = False) -> list[int]:
        """The outermost types that a file declares, or all of them, in the order of their lines."""
        now = self._core.now
        entry = now.by_path.get(path)
        if entry is None:
            return []
        first, count = entry.rows
        columns, types = now.catalogue.columns, now.catalogue.types
        rows = (row for row in range(first, first + count) if KINDS[columns.kind[row]] in TYPE_KINDS)
        owners = dict.fromkeys(columns.owner[row] for row in rows)
        there = (at for at in owners if at >= 0 and not types[at].is_elsewhere)
        return [at for at in there if nested or "+" not in types[at].fqn]

    def left_out(self, name: str) -> list[str]:
        """Return the files in which only branches of `#if` that are left out everywhere declare a type of that name."""
        with self._core.exclusive():
            return sorted(path for each, path in types_left_out(self._core) if each.lstrip("@") == name)

    def stamps_of(self, index: int | None) -> list[tuple[str, int, int]]:
        """(path, size, mtime_ns), as indexed, of the files that declare a type."""
        catalogue = self._core.now.catalogue
        parts = catalogue.types[index].parts if index is not None else ()
        files = [catalogue.file(file) for file in sorted({file for file, _ in parts})]
        return [(file.path, file.size, file.mtime_ns) for file in files]

    def are_stale(self, paths: Iterable[str]) -> bool:
        """Whether any of these files is not on disk as it was indexed. A file that is not indexed is not stale."""
        by_path = self._core.now.by_path
        known = [entry for path in paths if (entry := by_path.get(path)) is not None]
        stamps = stamps_of(self._core.root, [entry.path for entry in known])
        return any(_differs(entry, stamps[entry.path]) for entry in known)


def _made(now: IndexSnapshot, member: Member) -> SymbolRef | None:
    """A member that the compiler adds, as that of a positional property."""
    whole = now.describer.whole(member.index)
    declaration = member.declaration
    for placed in whole.members if whole is not None else ():
        own = placed.declaration
        if placed.implicit and own.name == declaration.name and own.parameters == declaration.parameters:
            assert whole is not None
            return now.describer.refs.member_ref(whole, placed)
    return None


def _at_a_part(now: IndexSnapshot, ref: SymbolRef, rows: Sequence[tuple[int, int]]) -> SymbolRef:
    """Return a type at one of these declarations where its canonical part is in another file: the requesting project
    compiles only other parts of it."""
    paths = {now.catalogue.file(file).path for file, _ in rows}
    if ref.kind not in TYPE_KINDS or ref.file in paths:
        return ref
    file, at = rows[0]
    declaration = now.records.declaration(file, at)
    if declaration is None:
        return ref
    lines = {"start_line": declaration.start_line, "end_line": declaration.end_line}
    return msgspec.structs.replace(ref, file=now.catalogue.file(file).path, **lines)


def _texts_of(now: IndexSnapshot, path: str) -> list[int]:
    """The file's index in the project that holds it, then in one more for each other text that the preprocessor leaves
    of it."""
    catalogue = now.catalogue
    files = [at for (_, file), at in catalogue.units.items() if file == path]
    files.sort(key=lambda at: (catalogue.file(at).shadow, catalogue.file(at).project))
    texts: dict[str, int] = {}
    for at in files:
        texts.setdefault(catalogue.file(at).variant, at)
    return list(texts.values())


def _innermost(
    now: IndexSnapshot, texts: Sequence[int], span: tuple[int, int], name: str = ""
) -> SymbolRef | None:
    """Return the innermost symbol around lines in one of a file's texts, of that `name` if any is: in the first text
    that has the fewest lines removed."""
    best: tuple[int, int, int] | None = None
    for at in texts:
        lines = now.records.lines(at)
        own: tuple[int, int, int] | None = None
        for number, (first, last) in enumerate(zip(*lines, strict=True) if lines is not None else ()):
            if first <= span[0] and span[1] <= last:
                own = (first - last, at, number)
                ref = now.row_ref(at, number) if name else None
                if ref is not None and _is_label_of(ref.label, name):
                    return ref
        if own is not None and (best is None or own[0] > best[0]):
            best = own
    return None if best is None else now.row_ref(*best[1:])


def _is_label_of(label: str, name: str) -> bool:
    """Whether a label begins with the name of a declaration: `operator +(Money, Money)`, `this[int]`."""
    bare = name.removesuffix("[]")
    return label.startswith(bare) and label[len(bare) : len(bare) + 1] in _BEHIND_NAMES


class _Innermost:
    """Finder of the innermost symbols around lines of a file, requested in ascending order."""

    def __init__(self, lines: tuple[Sequence[int], Sequence[int]] | None) -> None:
        self._firsts, self._lasts = lines if lines is not None else ((), ())
        self._order = sorted(range(len(self._firsts)), key=self._firsts.__getitem__)
        self._next = 0
        self._open: list[int] = []

    def at(self, line: int) -> tuple[int, int] | None:
        """(minus the length, number) of a declaration."""
        while self._next < len(self._order) and self._firsts[self._order[self._next]] <= line:
            self._open.append(self._order[self._next])
            self._next += 1
        self._open = [each for each in self._open if self._lasts[each] >= line]
        # Declarations are numbered from without to within.
        last = max(self._open, default=None)
        return None if last is None else (self._firsts[last] - self._lasts[last], last)


def _differs(known: FileEntry, stamp: FileStamp | None) -> bool:
    return stamp is None or (stamp.size, stamp.mtime_ns) != (known.size, known.mtime_ns)


_BEHIND_NAMES = ("", "(", "<", "[", " ")
_NAMED = 3
_WHOLE = (Quality.EXACT, Quality.DIRECTIVES, Quality.REPAIRED)
_NO_CSHARP = "There are no C# files here."


def counts(core: IndexCore) -> tuple[int, int, int]:
    """Files, types and members."""
    catalogue = core.now.catalogue
    types = sum(1 for _, entry in homes(catalogue) if not entry.is_elsewhere)
    kinds = {code for code, kind in enumerate(KINDS) if kind in TYPE_KINDS}
    dead, kind = catalogue.columns.dead, catalogue.columns.kind
    members = sum(1 for row, gone in enumerate(dead) if not gone and kind[row] not in kinds)
    return len({entry.path for entry in catalogue.live_files()}), types, members


def qualities(core: IndexCore) -> dict[str, int]:
    """How many files have each quality. Of bodies it counts as far as they have been read."""
    refused = core.now.graph.bodies.refused()
    counted = Counter(
        Quality.BODIES_SKIPPED if at in refused and entry.quality in _WHOLE else entry.quality
        for at, entry in enumerate(core.now.catalogue.files)
        if entry is not None and not entry.shadow
    )
    return {str(quality): counted[quality] for quality in Quality if quality in counted}


def projects(core: IndexCore) -> tuple[Project, ...]:
    """Return the projects of the last refresh; from a stored catalogue, their names alone."""
    made = core.plan
    if made is None:
        return tuple(Project(name=name, path="") for name in core.now.catalogue.projects)
    return tuple(
        Project(
            name=project.name,
            path=project.path,
            target_framework=project.target_framework,
            target_frameworks=project.target_frameworks,
            files=len(project.files),
            others={other.name: len(other.files) for other in project.others},
            notices=project.notices,
            unknown=project.unknown,
            unknown_examples=project.unknown_examples,
        )
        for project in made.evaluation.projects
    )


def notices(core: IndexCore, of_reading: Sequence[Notice]) -> tuple[Notice, ...]:
    """Return the notices of the last refresh. `of_reading`: those about files."""
    made = core.plan
    found = (
        *(made.notices if made is not None else ()),
        *of_reading,
        *_lossy(core),
        *_failed(core),
        *_refused(core),
        *_markup(core),
        *_left_out(core),
        *_unreadable(core),
    )
    if made is not None and not made.stamps:
        advice = "Open a folder that holds some, or look into .gitignore and .codecortexignore."
        found = (Notice(severity="warning", message=_NO_CSHARP, what_to_do=advice), *found)
    return (*renewals(core), *found)


def _unreadable(core: IndexCore) -> Iterator[Notice]:
    for path, (package, why) in core.unreadable.items():
        message = f"{path} of {package} could not be read: {why.rstrip('.')}."
        advice = (
            "Restore the package again. Until then its names come from the lists that ship with the program."
        )
        yield Notice(severity="warning", message=message, what_to_do=advice)


def renewals(core: IndexCore) -> tuple[Notice, ...]:
    """Return notices about damaged or outdated parts of the index, which are rebuilt, and about why it is not stored,
    if so."""
    advice = "Nothing you made was in it."
    found: list[Notice] = []
    if core.store.renewed:
        why = f"The index was built anew: {core.store.renewed}."
        found.append(Notice(severity="information", message=why, what_to_do=advice))
    if core.rebuilt:
        why = f"Damaged, and made anew: {', '.join(core.rebuilt)}."
        found.append(Notice(severity="information", message=why, what_to_do=advice))
    if why := core.store.unkept or core.save_error:
        message = f"The index cannot be kept for the next start: {why.rstrip('.')}."
        advice = f"Everything can be read; free space for {core.store.path.parent}, or make it writable."
        found.append(Notice(severity="warning", message=message, what_to_do=advice))
    return tuple(found)


def _markup(core: IndexCore) -> list[Notice]:
    """Return a notice with the number of markup files with embedded C#."""
    paths = {entry.path for entry in core.now.catalogue.live_files() if is_markup(entry.path)}
    counts = Counter(f".{path.rpartition('.')[2].lower()}" for path in paths)
    if not counts:
        return []
    told = ", ".join(
        f"{count} {suffix} {'file' if count == 1 else 'files'}" for suffix, count in sorted(counts.items())
    )
    message = f"{told}: members of their C# blocks are symbols, elsewhere names only."
    return [Notice(severity="information", message=message)]


def types_left_out(core: IndexCore) -> Iterator[tuple[str, str]]:
    """Iterate over (name, path) of the types that stand in branches of `#if` alone which every project leaves out."""
    catalogue, records = core.now.catalogue, core.now.records
    declared = {entry.name for _, entry in catalogue.live_types()} if _leaving_out(core) else frozenset[str]()
    seen: set[tuple[str, str]] = set()
    for file in _leaving_out(core):
        record, path = records.record(file), catalogue.file(file).path
        for name in record.left_out if record is not None else ():
            if name not in declared and (name, path) not in seen:
                seen.add((name, path))
                yield name, path


def _leaving_out(core: IndexCore) -> list[int]:
    files = enumerate(core.now.catalogue.files)
    return [at for at, entry in files if entry is not None and entry.leaves_out]


def _left_out(core: IndexCore) -> list[Notice]:
    """Return a notice with the number of types in branches of `#if` that are left out everywhere."""
    found = sorted(types_left_out(core))
    if not found:
        return []
    names = ", ".join(f"{name} ({path})" for name, path in found[:_NAMED])
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    what = "type stands" if len(found) == 1 else "types stand"
    message = f"{len(found)} {what} only in branches of #if that no configuration here takes: {names}{more}."
    return [Notice(severity="information", message=message, file=found[0][1])]


def _lossy(core: IndexCore) -> list[Notice]:
    """Return one notice about all files that are in no encoding that is known of them."""
    paths = sorted({entry.path for entry in core.now.catalogue.live_files() if entry.lossy})
    if not paths:
        return []
    declared = core.root.encoding
    wrong = f" nor {declared}, which files.encoding declares" if declared else ""
    what = "file is" if len(paths) == 1 else "files are"
    message = f"{len(paths)} C# {what} not UTF-8{wrong}: {', '.join(paths)}."
    advice = (
        "Declare the encoding by the setting files.encoding (cp1252, shift_jis …), or save as UTF-8; "
        "until then what cannot be decoded is shown as replacement characters, and cannot be edited."
    )
    return [Notice(severity="warning", message=message, what_to_do=advice, file=paths[0])]


def _refused(core: IndexCore) -> list[Notice]:
    """Return one notice for all statements that the parser refuses, as far as bodies have been read."""
    catalogue = core.now.catalogue
    found = sorted(
        f"{entry.path}:{line}"
        for file, lines in core.now.graph.bodies.refused().items()
        if (entry := catalogue.files[file]) is not None and not entry.shadow
        for line in lines
    )
    if not found:
        return []
    more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
    what = "statement is" if len(found) == 1 else "statements are"
    message = f"{len(found)} {what} refused by the parser: {', '.join(found[:_NAMED])}{more}."
    advice = "What they name is told as name matches."
    return [
        Notice(severity="information", message=message, what_to_do=advice, file=found[0].rpartition(":")[0])
    ]


def _failed(core: IndexCore) -> list[Notice]:
    """Return one notice for all files that even error recovery could not parse, except those with a notice about
    their encoding."""
    files = core.now.catalogue.live_files()
    failed = (entry for entry in files if entry.quality == Quality.FAILED and not entry.lossy)
    paths = sorted({entry.path for entry in failed})
    if not paths:
        return []
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    what = "file" if len(paths) == 1 else "files"
    message = f"{len(paths)} C# {what} could not be read whole: {', '.join(paths[:_NAMED])}{more}."
    advice = "Declarations of theirs may be missing. Look there for syntax that no compiler takes."
    return [Notice(severity="warning", message=message, what_to_do=advice, file=paths[0])]
