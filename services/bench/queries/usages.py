"""Usages as values: the first of them whole, all of them counted."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import msgspec

import services
from services.bench.queries.lookup import Lookup, of_one_revision, resolved
from services.decoding import decode_msgpack
from services.errors import CodeCortexError
from services.index.index import Index
from services.index.usages.search import FileUsages, SourceUsage
from services.measures import Measures
from services.model import Grade, Progress, SymbolRef, Usage, UsagesAnswer
from services.workspace.state import StateFolder

_LONG = 1.0
"""Seconds past which an answer is kept."""
_FOLDER = "usages"
_MOST = 40
_UP_TO = {"bound": (Grade.BOUND,), "related": (Grade.BOUND, Grade.RELATED), "all": tuple(Grade)}


class Usages:
    """Usages of symbols of one workspace."""

    def __init__(
        self, index: Index, lookup: Lookup, *, measures: Measures, kept: KeptUsages | None = None
    ) -> None:
        """Create the search. `kept`: cache of slow answers that outlasts the process."""
        self._kept = kept
        self._index = index
        self._lookup = lookup
        self._measures = measures

    @of_one_revision
    def find(
        self,
        path: str,
        *,
        limit: int = 200,
        grade: str = "all",
        nameless: bool = False,
        crefs: bool = True,
        project: str = "",
        found: Callable[[Sequence[Usage]], object] | None = None,
        progress: Callable[[Progress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> UsagesAnswer:
        """Return the usages of a type or member. `grade`: `bound`, `related` or `all`; `nameless`: also uses
        without a name, as of a method that `foreach` finds; `crefs`: also in documentation comments; `project`:
        the one that compiles the source, where several do; `found`: called with the usages of one file after the
        other, in the order of the answer, unless that is cached. Raises SymbolNotFound, AmbiguousSymbol, Cancelled,
        and UsageError for a destructor or a project that does not compile it."""
        began = time.perf_counter()
        symbol = self._lookup.found(path)
        with self._measures.timed("usages.find.ms"):
            kept = self._kept
            key = (self._lookup.ref(symbol).id, limit, grade, nameless, crefs, project)
            counted = kept.get(key) if kept is not None else None
            if counted is None:
                files = self._index.usages(
                    symbol, nameless=nameless, crefs=crefs, project=project, report=progress, cancel=cancel
                )
                counted = _counted(self._index, files, limit=limit, grade=grade, found=found)
                if kept is not None and time.perf_counter() - began > _LONG:
                    kept.keep(key, counted)
        return UsagesAnswer(
            resolved=resolved(symbol),
            symbol=self._lookup.ref(symbol),
            usages=counted.usages,
            total=counted.total,
            bound=counted.bound,
            related=counted.related,
            truncated=counted.total > len(counted.usages),
            elapsed_ms=round((time.perf_counter() - began) * 1000, 1),
        )


class KeptUsages:
    """Cache of slow answers in the workspace's state. An entry is valid until a file, a project or the program
    changes."""

    def __init__(self, index: Index, state: StateFolder) -> None:
        self._index = index
        self._state = state

    def get(self, key: tuple[object, ...]) -> _Counted | None:
        """Return the cached answer to a query; None where there is none."""
        name = self._name(key)
        with suppress(OSError, CodeCortexError, msgspec.MsgspecError):
            data = self._state.read(name) if name is not None else None
            return decode_msgpack(_Counted, data) if data is not None else None
        return None

    def keep(self, key: tuple[object, ...], counted: _Counted) -> None:
        """Store an answer, unless a file of it has changed meanwhile."""
        name = self._name(key)
        if name is None or self._index.files.are_stale({each.file for each in counted.usages}):
            return
        with suppress(OSError, CodeCortexError):
            names = self._state.names(_FOLDER)
            for each in names if len(names) >= _MOST else ():
                self._state.remove(f"{_FOLDER}/{each}")
            self._state.write(name, msgspec.msgpack.encode(counted))

    def _name(self, key: tuple[object, ...]) -> str | None:
        digest = self._index.digest
        if digest is None:
            return None
        said = f"{digest.hex()} {_program()} {key!r}"
        return f"{_FOLDER}/{blake2b(said.encode('utf-8', 'replace'), digest_size=16).hexdigest()}"


def _program() -> str:
    """Something that is another text when the parts of the program are that find usages."""
    rooms = [Path(services.__file__).parent / room for room in ("index", "syntax", "msbuild")]
    files = (Path(folder, name) for room in rooms for folder, _, names in os.walk(room) for name in names)
    signs = sorted(
        (str(file), status.st_size, status.st_mtime_ns)
        for file in files
        if file.suffix == ".py" and (status := file.stat())
    )
    return blake2b(repr((services.__version__, signs)).encode(), digest_size=16).hexdigest()


class _Counted(NamedTuple):
    """`usages`: the first ones; `total`, `bound`, `related`: how many there are."""

    usages: tuple[Usage, ...]
    total: int
    bound: int
    related: int


def _counted(
    index: Index,
    files: Iterator[FileUsages],
    *,
    limit: int,
    grade: str,
    found: Callable[[Sequence[Usage]], object] | None,
) -> _Counted:
    """The first `limit` usages up to a grade (`bound`, `related` or `all`), each file's passed to `found`. Raises what
    the search raises."""
    usages: list[Usage] = []
    counts = Counter[Grade]()
    for each in files:
        spots = [spot for spot in each.spots if spot.grade in _UP_TO[grade]]
        counts.update(spot.grade for spot in spots)
        if shown := [*_values(index, each, spots[: limit - len(usages)])]:
            usages += shown
            if found is not None:
                found(shown)
    return _Counted(tuple(usages), counts.total(), counts[Grade.BOUND], counts[Grade.RELATED])


def _values(index: Index, found: FileUsages, spots: list[SourceUsage]) -> Iterator[Usage]:
    enclosing: dict[int, SymbolRef | None] = {}
    for spot in spots:
        at = spot.declaration
        if at not in enclosing:
            enclosing[at] = index.files.declared(found.file, at)
        yield Usage(
            file=found.path,
            line=spot.line,
            column=spot.column,
            end_column=spot.end_column,
            snippet=spot.snippet,
            snippet_start=spot.snippet_start,
            grade=spot.grade,
            kind=spot.kind,
            enclosing=enclosing[at],
            reason=spot.reason,
            framework=found.framework,
        )
