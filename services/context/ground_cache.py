"""Cache of the ranking's corpus, updated incrementally with the index and the repository."""

from __future__ import annotations

import threading
from bisect import insort
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from services.context import cochange as log
from services.context.cochange import CoChangeHistory, StoredHistory
from services.context.ranking import RankingCorpus
from services.context.structure import Edges, RankedUnit, Structure, UnitNames, is_test
from services.context.text_index import KeptWords, TextIndex, sealed, unsealed
from services.errors import CodeCortexError
from services.index.catalog.catalogue import Catalogue
from services.index.compiled import home_of
from services.index.graph.by_file import Mark
from services.index.graph.graph import Graph
from services.index.index import Index
from services.model import Notice, Progress
from services.workspace.state import StateFolder

T = TypeVar("T")
_NOTHING = Structure({}, Edges.of({}), 0, {}, {}, UnitNames({}))


class StructureBuilder:
    """Follows catalogues and their dependencies. Not thread-safe; what it gave never changes.

    Types whose outermost types have one full name are a *family*: which unit any of them belongs to is told by these
    alone, so that a family of which a type has changed is looked at anew, and no other."""

    def __init__(self) -> None:
        self._begin(None)

    def _begin(self, numbering: object) -> None:
        self._numbering = numbering
        self._changes = -1
        self._marks: tuple[Mark, Mark] | None = None
        self._families: defaultdict[str, set[int]] = defaultdict(set)
        self._types: dict[int, list[int]] = {}  # of each unit
        self._made = _NOTHING

    def update(self, catalogue: Catalogue, graph: Graph) -> Structure:
        """That of a revision, as far as its dependencies have been worked out."""
        named = graph.named_since(self._marks)
        follows = catalogue.numbering is self._numbering and self._changes <= catalogue.changes
        if not follows or named is None:
            self._begin(catalogue.numbering)
        touched = catalogue.changed_since(self._changes)
        if touched or named or catalogue.type_count != self._made.size:
            was = self._made.unit_of
            moved = self._place(catalogue, touched)
            named = {*(named or ()), *moved, *(each for at in moved for each in graph.naming(at))}
            unit_of = (was, self._made.unit_of)
            self._name({units[at] for units in unit_of for at in named if at in units}, graph)
        self._changes, self._marks = catalogue.changes, graph.marks
        return self._made

    def _place(self, catalogue: Catalogue, touched: Collection[int]) -> set[int]:
        """Finds the units of touched types and their families; the types that have another one than before."""
        for at in touched:
            self._families[_family(catalogue, at)].add(at)
        members = [at for name in {_family(catalogue, at) for at in touched} for at in self._families[name]]
        was = self._made
        units_of = {at: _unit_of(catalogue, at) for at in members}
        moved = {at for at, unit in units_of.items() if was.unit_of.get(at) != unit}
        gone = {unit for at in members if (unit := was.unit_of.get(at)) is not None}
        for unit in gone:
            self._types.pop(unit, None)
        for at, unit in units_of.items():
            if unit is not None:
                self._types.setdefault(unit, []).append(at)
        come = {unit: _unit(catalogue, unit) for unit in {*units_of.values()} if unit is not None}
        self._made = Structure(
            _with(was.units, {**dict.fromkeys(gone), **come}),
            was.edges,
            catalogue.type_count,
            _at_path(was, gone, come),
            _with(was.unit_of, units_of) if moved else was.unit_of,
            was.names.with_those({**dict.fromkeys(gone), **{at: unit.name for at, unit in come.items()}}),
        )
        return moved

    def _name(self, changed: Iterable[int], graph: Graph) -> None:
        """Finds what these units, which may be gone, name."""
        unit_of, found = self._made.unit_of, dict[int, Counter[int]]()
        for unit in changed:
            named = found[unit] = Counter()
            for type_ in self._types.get(unit, ()):
                for target, times in graph.named(type_):
                    to = unit_of.get(target, unit)
                    if to != unit:
                        named[to] += times
        self._made = replace(self._made, edges=self._made.edges.with_those(found, self._made.size))


def _family(catalogue: Catalogue, at: int) -> str:
    return catalogue.type(at).fqn.partition("+")[0]


def _unit_of(catalogue: Catalogue, at: int) -> int | None:
    entry, outer = catalogue.type(at), at
    if not entry.parts:
        return None
    if "+" in entry.fqn:
        outermost = entry.project, entry.fqn.partition("+")[0], entry.local
        outer = catalogue.type_at.get(outermost, at)
    return home_of(catalogue, outer) if catalogue.type(outer).parts else at


def _unit(catalogue: Catalogue, at: int) -> RankedUnit:
    entry = catalogue.type(at)
    paths = tuple(dict.fromkeys(catalogue.file(file).path for file, _ in entry.parts))
    name = entry.fqn.rpartition(".")[2].partition("`")[0]
    return RankedUnit(name, entry.fqn, paths, all(map(is_test, paths)))


def _with(old: Mapping[int, T], new: Mapping[int, T | None]) -> dict[int, T]:
    """Merge two maps; newer values win, and keys whose new value is None are removed."""
    found = dict(old)
    for at, value in new.items():
        if value is None:
            found.pop(at, None)
        else:
            found[at] = value
    return found


def _at_path(was: Structure, gone: Iterable[int], come: Mapping[int, RankedUnit]) -> dict[str, Sequence[int]]:
    """Return the units of each file, after some were removed or added."""
    found, own = dict(was.at_path), dict[str, list[int]]()
    for unit in gone:
        for path in was.units[unit].paths:
            own.setdefault(path, [*found[path]]).remove(unit)
    for unit, each in come.items():
        for path in each.paths:
            insort(own.setdefault(path, [*found.get(path, ())]), unit)
    found |= own
    for path in own:
        if not found[path]:
            del found[path]
    return found


_WORDS, _HISTORY = "words.db", "history.bin"
_DECODER = msgspec.msgpack.Decoder(StoredHistory)

Report = Callable[[Progress], None]


class CorpusCache:
    """Cached corpus of the ranking, rebuilt incrementally when the index or the repository changes. Thread-safe:
    one thread at a time updates it, and a returned corpus does not change."""

    def __init__(self, index: Index, state: StateFolder, folder: Path) -> None:
        """`folder`: the workspace's root."""
        self._index = index
        self._state = state
        self._folder = folder
        self._words = KeptWords(state.path(_WORDS))
        self._text = TextIndex(self._words)
        self._history: CoChangeHistory | None = None
        self._read_again = False
        self._made: RankingCorpus | None = None
        self._made_of = ""
        self._structures, self._tip = StructureBuilder(), log.Tip(folder)
        self.lock = threading.RLock()
        """Held while a ground is brought up to date, and while it is asked: words change in place."""

    def notices(self) -> tuple[Notice, ...]:
        """Notices about damaged caches that are being rebuilt."""
        lost = {
            f"the words of files ({_WORDS})": self._words.renewed,
            f"the history ({_HISTORY})": self._read_again,
        }
        return tuple(
            Notice(severity="information", message=f"Damaged, and made anew: {what}.")
            for what, is_lost in lost.items()
            if is_lost
        )

    def now(self, *, report: Report | None = None, cancel: threading.Event | None = None) -> RankingCorpus:
        """Return the corpus of the current index. Raises Cancelled; what was read so far is cached."""
        with self.lock, self._index.reading():
            self._state.ensure()
            catalogue, graph = self._index.catalogue, self._index.graph()
            read = _told(report, "Reading words")
            self._text.update(
                catalogue,
                self._index.records,
                worker=self._index.worker_input,
                report=read,
                cancel=cancel,
            )
            history = self._up_to_date(report, cancel)
            structure = self._structures.update(catalogue, graph)
            made = self._made
            if made is None or made.structure is not structure or self._made_of != history.tip:
                made = self._made = RankingCorpus(structure, self._text, history)
                self._made_of = history.tip
            return made

    def let_go(self) -> bool:
        """Release the caches from memory unless they would have to be rebuilt; return whether no update was
        running."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            if self._words.is_lasting:
                self._text, self._structures = TextIndex(self._words), StructureBuilder()
                self._history = self._made = None
        finally:
            self.lock.release()
        return True

    # History

    def _up_to_date(self, report: Report | None, cancel: threading.Event | None) -> CoChangeHistory:
        history = self._history if self._history is not None else self._kept()
        tip = self._tip.now()
        if tip != history.tip:
            if report is not None:
                report(Progress(phase="Reading the history", done=0, total=None))
            history = self._brought(history, tip, cancel)
            with suppress(CodeCortexError, OSError):
                self._state.write(_HISTORY, sealed(msgspec.msgpack.encode(history.stored())))
        self._history = history
        return history

    def _brought(self, history: CoChangeHistory, tip: str, cancel: threading.Event | None) -> CoChangeHistory:
        """The history up to `tip`: what is new of it, or all where it went another way."""
        if not tip:
            return CoChangeHistory()
        since = history.tip if history.tip and log.is_ancestor(self._folder, history.tip, tip) else None
        new = history if since else CoChangeHistory()
        new.add(tip, log.read(self._folder, tip, since=since, cancel=cancel))
        return new

    def _kept(self) -> CoChangeHistory:
        with suppress(CodeCortexError, OSError):
            data = self._state.read(_HISTORY)
            with suppress(msgspec.MsgspecError, IndexError):
                if (whole := unsealed(data)) is not None:
                    return CoChangeHistory(_DECODER.decode(whole))
            self._read_again = data is not None
        return CoChangeHistory()


def _told(report: Report | None, phase: str) -> Callable[[int, int], None] | None:
    if report is None:
        return None
    return lambda done, total: report(Progress(phase=phase, done=done, total=total))
