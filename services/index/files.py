"""Questions about files: what they declare, what their lines refer to, and whether they are as they were indexed.

How an index stands: how much is in it, of which quality, in which projects, and what a person should know of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from services.index.catalog.catalogue import KINDS, FileEntry
from services.index.holding import Holding
from services.model import TYPE_KINDS, Definition, Notice, Project, Quality, SymbolRef
from services.syntax.records.declaration import Declaration
from services.workspace.files.looking import stamps_of
from services.workspace.files.root import FileStamp

if TYPE_CHECKING:
    from services.index.usages.mentions import Mentions


class Files:
    """One index's. Thread-safe."""

    def __init__(self, held: Holding) -> None:
        self._held = held

    def definition(self, path: str, line: int, column: int) -> Definition:
        """What the name at a place of a file means (`line` from 1, `column` in characters from 0)."""
        with self._held.lock:
            search, file = self._held.usage_search(), self._file_of(path)
            if search is None or file is None:
                return Definition(name="", reason=f"{path} is not part of a project that was read.")
            name, meaning, local = search.meaning(file, line, column)
            files = self._held.catalogue.files
            at = [row for row in meaning.declarations if files[row[0]] is not None]
            symbols = [self.declared(*row) for row in at[: 1 if meaning.certain else None]]
            if meaning.itself:
                symbols = [self._innermost(file, line)]
            told = tuple(symbol for symbol in symbols if symbol is not None)
            certain = (meaning.certain or meaning.itself) and bool(told or local)
            return Definition(name=name, symbols=told, certain=certain, line=local, reason=meaning.reason)

    def mentions_in(self, path: str, first: int, last: int) -> Mentions:
        """What lines (1-based, inclusive) of a file refer to."""
        from services.index.usages.mentions import Mentions

        with self._held.lock:
            search, file = self._held.usage_search(), self._file_of(path)
            if search is None or file is None:
                return Mentions()
            return search.mentions().of_lines(file, first, last)

    def mentions_of(self, places: Iterable[tuple[int, int, Declaration]]) -> Mentions:
        """What the signatures of declarations, each (file, place in it, declaration), name."""
        from services.index.usages.mentions import Mentions

        with self._held.lock:
            search = self._held.usage_search()
            return Mentions() if search is None else search.mentions().of_declarations(places)

    def declared(self, file: int, at: int) -> SymbolRef | None:
        """The symbol of declaration `at` of a file, by its index; None where it has gone, or `at` is negative."""
        with self._held.lock:
            if self._held.catalogue.files[file] is None or at < 0:
                return None
            return self._held.row_ref(file, at)

    def enclosing(self, path: str, line: int) -> SymbolRef | None:
        """The innermost symbol at a line of a file."""
        with self._held.lock:
            for (_, file), at in self._held.catalogue.units.items():
                if file == path:
                    return self._innermost(at, line)
        return None

    def _file_of(self, path: str) -> int | None:
        """The file's index, in the project that has it first."""
        catalogue = self._held.catalogue
        files = [at for (_, file), at in catalogue.units.items() if file == path]
        return min(files, key=lambda at: catalogue.file(at).shadow, default=None)

    def _innermost(self, at: int, line: int) -> SymbolRef | None:
        lines = self._held.records.lines(at)
        best = None
        for number, (first, last) in enumerate(zip(*lines, strict=True) if lines is not None else ()):
            if first <= line <= last:
                best = number
        return None if best is None else self._held.row_ref(at, best)

    def types_in(self, path: str, *, nested: bool = False) -> list[int]:
        """The outermost types that a file declares, or all of them, in the order of their lines."""
        with self._held.lock:
            entry = self._held.by_path().get(path)
            if entry is None:
                return []
            first, count = entry.rows
            catalogue = self._held.catalogue
            columns, types = catalogue.columns, catalogue.types
            rows = (row for row in range(first, first + count) if KINDS[columns.kind[row]] in TYPE_KINDS)
            owners = dict.fromkeys(columns.owner[row] for row in rows)
            return [at for at in owners if at >= 0 and (nested or "+" not in types[at].fqn)]

    def stamps_of(self, index: int | None) -> list[tuple[str, int, int]]:
        """(path, size, mtime_ns), as indexed, of the files that declare a type."""
        with self._held.lock:
            catalogue = self._held.catalogue
            parts = catalogue.types[index].parts if index is not None else []
            files = [catalogue.file(file) for file in sorted({file for file, _ in parts})]
            return [(file.path, file.size, file.mtime_ns) for file in files]

    def are_stale(self, paths: Iterable[str]) -> bool:
        """Whether any of these files is not on disk as it was indexed. A file that is not indexed is not stale."""
        with self._held.lock:
            by_path = self._held.by_path()
        known = [entry for path in paths if (entry := by_path.get(path)) is not None]
        stamps = stamps_of(self._held.root, [entry.path for entry in known])
        return any(_differs(entry, stamps[entry.path]) for entry in known)


def _differs(known: FileEntry, stamp: FileStamp | None) -> bool:
    return stamp is None or (stamp.size, stamp.mtime_ns) != (known.size, known.mtime_ns)


_MOST_LOSSY = 20
_NAMED = 3
_NO_CSHARP = "There are no C# files here."


def counts(held: Holding) -> tuple[int, int, int]:
    """Files, types and members."""
    with held.lock:
        catalogue = held.catalogue
        types = sum(1 for _ in catalogue.live_types())
        kinds = {code for code, kind in enumerate(KINDS) if kind in TYPE_KINDS}
        dead = catalogue.columns.dead
        members = sum(
            1 for row, code in enumerate(catalogue.columns.kind) if code not in kinds and not dead[row]
        )
        return len({path for _, path in catalogue.units}), types, members


def qualities(held: Holding) -> dict[str, int]:
    """How many files have each quality."""
    with held.lock:
        files = (entry for entry in held.catalogue.live_files() if not entry.shadow)
        return dict(Counter(str(entry.quality) for entry in files))


def projects(held: Holding) -> tuple[Project, ...]:
    """The projects of the last refresh; of a kept catalogue their names alone."""
    made = held.plan
    if made is None:
        return tuple(Project(name=name, path="") for name in held.catalogue.projects)
    return tuple(
        Project(
            name=project.name,
            path=project.path,
            target_framework=project.target_framework,
            target_frameworks=project.target_frameworks,
            files=len(project.files),
            notices=project.notices,
            unknown=project.unknown,
            unknown_examples=project.unknown_examples,
        )
        for project in made.evaluation.projects
    )


def notices(held: Holding, of_reading: Sequence[Notice]) -> tuple[Notice, ...]:
    """What a person should know of the last refresh. `of_reading`: what it met in files."""
    made = held.plan
    found = (*(made.notices if made is not None else ()), *of_reading, *_lossy(held), *_failed(held))
    if made is not None and not made.stamps:
        advice = "Open a folder that holds some, or look into .gitignore and .codecortexignore."
        found = (Notice(severity="warning", message=_NO_CSHARP, what_to_do=advice), *found)
    if held.store.renewed:
        why = f"The index was built anew: {held.store.renewed}."
        found = (
            Notice(severity="information", message=why, what_to_do="Nothing you made was in it."),
            *found,
        )
    return found


def _lossy(held: Holding) -> list[Notice]:
    with held.lock:
        paths = sorted({entry.path for entry in held.catalogue.live_files() if entry.lossy})
    advice = "Save it as UTF-8; until then it is shown with replacement characters and cannot be edited."
    return [
        Notice(severity="warning", message=f"{path} is not UTF-8.", what_to_do=advice, file=path)
        for path in paths[:_MOST_LOSSY]
    ]


def _failed(held: Holding) -> list[Notice]:
    """One notice for all files that even repair could not make sense of, but for those that have one for what they are
    written in."""
    with held.lock:
        files = held.catalogue.live_files()
        failed = (entry for entry in files if entry.quality == Quality.FAILED and not entry.lossy)
        paths = sorted({entry.path for entry in failed})
    if not paths:
        return []
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    message = f"{len(paths)} C# file(s) could not be read whole: {', '.join(paths[:_NAMED])}{more}."
    advice = "Declarations of theirs may be missing. Look there for syntax that no compiler takes."
    return [Notice(severity="warning", message=message, what_to_do=advice, file=paths[0])]
