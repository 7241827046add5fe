"""Tasks from one commit: the input, the targets, and how many of them each ranking finds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from benchmarks.context.baselines import Sources, bm25, chance, counting, tests_last, without
from benchmarks.context.commits import Span, changes, message
from services.bench import Bench
from services.bench.window.context import ContextFinder, ContextRequest
from services.context.packing import ExcerptOf, packed, short_of
from services.context.structure import Structure
from services.index.index import Index
from services.model import TYPE_KINDS, Level

BUDGETS = (8_000, 16_000)
FIRST = 10
SEEDS = 3
"""Changed members that are given, one at a time, each of another type; a commit counts once however many."""
_ALL = 10_000_000
_AT_ONCE = 24
_SMALL = 60
"""Tokens that hardly an outline takes: then a budget is used up."""


class Member(msgspec.Struct, frozen=True):
    """A changed member. `text`: its source."""

    unit: int
    id: str
    text: str


class Task(msgspec.Struct, frozen=True):
    """Task. `targets`: units to be found; `known`: the unit that is given, if one is; `asked`: the query of rankings
    by text; `weight`: of a commit's tasks of one kind they sum up to 1."""

    kind: str
    commit: str
    targets: tuple[int, ...]
    known: tuple[int, ...]
    asked: str
    question: ContextRequest
    weight: float


class Score(msgspec.Struct, frozen=True):
    """How much of the targets a ranking finds, 0 to 1: in its first ten; in the outlines that go into each budget, best
    first, those of large types shortened; and in windows of these sizes, outlines for the first ten and signatures for
    the rest."""

    kind: str
    ranking: str
    commit: str
    weight: float
    first: float
    outlines: tuple[float, ...]
    within: tuple[float, ...]
    targets: int
    ms: float = 0.0


def tasks_of(bench: Bench, structure: Structure, clone: Path, commit: str) -> list[Task]:
    """The tasks of a commit whose parent is checked out and indexed; none where it changes fewer than two types that
    are no tests."""
    changed = _changed(bench.index.facade, structure, changes(clone, commit))
    targets = tuple(unit for unit in changed if unit not in structure.tests)
    if len(targets) < 2:
        return []
    words = message(clone, commit)
    tasks = [Task("words", commit, targets, (), words, ContextRequest(words=words), 1.0)]
    members = _seeds(commit, [changed[unit] for unit in targets])
    for member in members:
        left = tuple(unit for unit in targets if unit != member.unit)
        share = 1 / len(members)
        for kind, said in (("seed", ""), ("seed and words", words)):
            question = ContextRequest(words=said, seeds=(member.id,))
            told = f"{member.text}\n{said}"
            tasks.append(Task(kind, commit, left, (member.unit,), told, question, share))
    return tasks


def _seeds(commit: str, changed: Sequence[Sequence[Member]]) -> list[Member]:
    chosen = random.Random(commit)
    one_each = [chosen.choice(members) for members in changed if members]
    chosen.shuffle(one_each)
    return one_each[:SEEDS]


def _changed(index: Index, structure: Structure, spans: dict[str, list[Span]]) -> dict[int, list[Member]]:
    """Return the units that contain the lines, each with its members among them."""
    catalogue, records = index.catalogue, index.records
    found: dict[int, dict[tuple[int, int], Member]] = {}
    for file, entry in enumerate(catalogue.files):
        record = records.record(file) if entry and not entry.shadow and entry.path in spans else None
        if entry is None or record is None:
            continue
        text = records.text(file) or b""
        for at, declaration in enumerate(record.declarations):
            lines = (declaration.start_line, declaration.end_line)
            if not any(lines[0] <= last and first <= lines[1] for first, last in spans[entry.path]):
                continue
            unit = structure.unit_of.get(catalogue.columns.owner[entry.rows[0] + at])
            if unit is None:
                continue
            members = found.setdefault(unit, {})
            ref = index.files.declared(file, at) if declaration.kind not in TYPE_KINDS else None
            if ref is not None and ref.id.count("_") > 1:
                source = text[declaration.start : declaration.end].decode("utf-8", "replace")
                members[file, at] = Member(unit, ref.id, source)
    return {unit: [members[at] for at in sorted(members)] for unit, members in sorted(found.items())}


class Scorer:
    """Puts tasks to FindContext and to what it is compared with."""

    def __init__(self, bench: Bench, structure: Structure, sources: Sources) -> None:
        self._finder: ContextFinder = bench.context
        self._index: Index = bench.index.facade
        self._structure = structure
        self._texts, self._words = sources.texts(), sources.words()

    def scores(self, task: Task) -> list[Score]:
        """Return the scores of every ranking."""
        rankings = {
            "BM25": bm25(self._words, task.asked),
            "counting": counting(self._texts, task.asked),
            "random": chance(self._structure, task.commit + task.kind),
        }
        short = cache(self._finder.shortened(task.question))
        others = (self._of(task, name, ranking, short) for name, ranking in rankings.items())
        return [self._found(task, short), *others]

    def _found(self, task: Task, short: ExcerptOf) -> Score:
        answer = self._finder.find(task.question._replace(budget=_ALL, most=_ALL))
        shown = self._finder.find(task.question._replace(budget=BUDGETS[0]))
        ranking = [self._unit(item.symbol.id) for item in answer.items]
        return self._of(task, "FindContext", ranking, short, ms=shown.elapsed_ms)

    def _unit(self, id_: str) -> int:
        at = self._index.identities.find(id_)
        return -1 if at is None else self._structure.unit_of.get(at, at)

    def _of(
        self, task: Task, name: str, ranking: Sequence[int], short: ExcerptOf, *, ms: float = 0.0
    ) -> Score:
        units = tests_last(without(ranking, task.known), self._structure)
        windows = [
            packed(units, self._finder.costs_of, budget, most=_ALL, shortened=short) for budget in BUDGETS
        ]
        return Score(
            kind=task.kind,
            ranking=name,
            commit=task.commit,
            weight=task.weight,
            first=_recall(task, units[:FIRST]),
            outlines=tuple(_recall(task, self._outlined(units, budget, short)) for budget in BUDGETS),
            within=tuple(_recall(task, [each.unit for each in shown]) for shown in windows),
            targets=len(task.targets),
            ms=ms,
        )

    def _outlined(self, units: Sequence[int], budget: int, shortened: ExcerptOf) -> list[int]:
        """The units whose outlines fit, as they are offered, best first; those that do not are passed over."""
        found: list[int] = []
        most = short_of(budget)
        for at in range(0, len(units), _AT_ONCE):
            costs = self._finder.costs_of(units[at : at + _AT_ONCE])
            for unit, each in costs.items():
                whole = each[Level.OUTLINE]
                short = shortened(unit, most, whole) if whole > most else None
                cost = whole if short is None else short.cost
                if cost <= budget:
                    budget -= cost
                    found.append(unit)
            if budget < _SMALL:
                break
        return found


def _recall(task: Task, found: Sequence[int]) -> float:
    return len(set(found) & set(task.targets)) / len(task.targets)
