"""The language, feature by feature, beside what the compiler says of it.

`cases.tar.xz` and `cases2.tar.xz` have small programs, one project a folder; the `.jsonl.xz` of each what the C#
compiler says of them: symbols with the places of their names (`s`, `at`), and usages (`u`, `at` with marks).
`still_wrong.txt` lists the usages of the first that are not told as the compiler tells them: the list may only shrink.
Of the second, all are told.
"""

from __future__ import annotations

import json
import lzma
import tarfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.bench import Bench
from services.index.binding.facts import Fact
from services.index.binding.files import FileBinder
from services.index.binding.types.symbol import Symbol
from services.syntax.parse.branches import lex_file
from tests.support.workspace import opened

HERE = Path(__file__).parent
_SILENT = frozenset("ocfwdaq#?")
"""Marks of places that have no name, are in comments, or name several symbols at once."""
Place = tuple[str, int, int]


class Truth:
    """What the compiler says."""

    def __init__(self, name: str) -> None:
        self.symbols: dict[str, Any] = {}
        self.used: dict[str, list[Any]] = {}
        with lzma.open(HERE / f"{name}.jsonl.xz", "rt", encoding="utf-8") as lines:
            self.meta = json.loads(next(lines))
            for line in lines:
                row = json.loads(line)
                if "s" in row:
                    self.symbols[row["s"]] = row
                elif "u" in row:
                    self.used[row["u"]] = row["at"]
        self.files: list[str] = self.meta["files"]

    def usages(self) -> Iterator[tuple[str, Place]]:
        """(symbol, place) of every name that stands for a symbol of the workspace."""
        for id_, places in self.used.items():
            for file, line, column, marks in places if id_ in self.symbols else ():
                if not _SILENT.intersection(marks) and self._counts(file, line):
                    yield id_, (self.files[file], line, column)

    def declared(self, id_: str) -> list[tuple[str, int]]:
        """The files and lines where the name of a symbol is declared."""
        return [(self.files[file], line) for file, line, _ in self.symbols[id_]["at"]]

    def _counts(self, file: int, line: int) -> bool:
        dark = self.meta["dark"].get(str(file), ())
        return file not in self.meta["dirty"] and not any(first <= line <= last for first, last in dark)


class Told:
    """What the index says: the symbols at each place, by line and column in UTF-16 units."""

    def __init__(self, bench: Bench, name: str) -> None:
        self.truth = Truth(name)
        kept = (HERE / "still_wrong.txt").read_text("utf-8").splitlines() if name == "cases" else ()
        self.kept = frozenset(kept)
        now = bench.index.facade._core.published  # pyright: ignore[reportPrivateUsage]
        names = now.names()
        assert names is not None
        self.catalogue, self.records = now.catalogue, now.records
        self.binder = FileBinder(self.catalogue, self.records, names, now.infos)
        self.infos = now.infos
        self.at: dict[Place, set[Symbol | int]] = defaultdict(set)
        self.lines: dict[tuple[str, int], set[Symbol | int]] = defaultdict(set)
        for file, entry in enumerate(self.catalogue.files):
            if entry is not None and not entry.shadow:
                self._read(file)

    def _read(self, file: int) -> None:
        entry, text = self.catalogue.file(file), self.records.text(file)
        assert text is not None
        starts = [0, *(at + 1 for at, byte in enumerate(text) if byte == ord("\n"))]
        lexed = lex_file(text, self.infos[entry.project].symbols(entry.path))
        for _, facts in self.binder.all(file, lexed):
            for fact in facts.facts:
                if fact.sure and not fact.silent:
                    self._take(entry.path, text, starts, fact)

    def _take(self, path: str, text: bytes, starts: list[int], fact: Fact) -> None:
        line = bisect_right(starts, fact.start)
        begin = fact.start - text.startswith(b"@", fact.start - 1)
        before = text[starts[line - 1] : begin].decode("utf-8", "replace").removeprefix("\ufeff")
        self.at[path, line, len(before.encode("utf-16-le")) // 2 + 1].add(fact.target)
        self.lines[path, line].add(fact.target)

    def is_at(self, target: Symbol | int, row: Any, declared: list[tuple[str, int]]) -> bool:
        """Whether a symbol is the one that the compiler means."""
        if isinstance(target, int):
            is_type = "arity" in row or row["k"] in ("enum", "delegate")
            parts = self.catalogue.types[target].parts if is_type else ()
        else:
            assert target.member is not None
            named = row["n"].rpartition(".")[2]
            same = target.name == named or (row["k"], target.kind.value) in (
                ("ctor", "constructor"),
                ("indexer", "indexer"),
            )
            parts = ((target.member.file, target.member.at),) if same else ()
        for file, at in parts:
            path, part = self.catalogue.file(file).path, self.records.declaration(file, at)
            if part is not None and any(
                p == path and part.start_line <= n <= part.end_line for p, n in declared
            ):
                return True
        return False


@pytest.fixture(scope="module", params=["cases", "cases2"])
def told(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Told]:
    root = tmp_path_factory.mktemp("cases")
    with tarfile.open(HERE / f"{request.param}.tar.xz") as archive:
        archive.extractall(root, filter="data")
    with opened(root) as bench:
        bench.index.refresh()
        yield Told(bench, request.param)


def _missed(told: Told) -> set[str]:
    truth = told.truth
    missed: set[str] = set()
    for id_, place in truth.usages():
        row = truth.symbols[id_]
        # A constructor is called where `new` stands; its name is that of the type.
        found = told.lines.get(place[:2], ()) if row["k"] == "ctor" else told.at.get(place, ())
        if not row.get("implicit") and not any(told.is_at(each, row, truth.declared(id_)) for each in found):
            missed.add(f"{place[0]}:{place[1]}:{place[2]} {id_}")
    return missed


def test_usages_are_told_as_the_compiler_tells_them_but_for_a_list_that_shrinks(told: Told) -> None:
    missed = _missed(told)
    assert sorted(missed - told.kept) == [], "These were told before."
    assert sorted(told.kept - missed) == [], "These are told now: take them off still_wrong.txt."


def test_nothing_else_is_told_at_a_place_where_the_compiler_sees_a_symbol(told: Told) -> None:
    truth = told.truth
    real: dict[Place, set[str]] = defaultdict(set)
    for id_, place in truth.usages():
        real[place].add(id_)
    wrong = {
        place
        for place, targets in told.at.items()
        if place in real
        and not any(
            told.is_at(target, truth.symbols[id_], truth.declared(id_))
            for target in targets
            for id_ in real[place]
        )
        and not all(truth.symbols[id_].get("implicit") for id_ in real[place])
    }
    kept = {line.split(" ")[0] for line in told.kept}
    assert {f"{path}:{line}:{column}" for path, line, column in wrong} <= kept
