"""Accuracy of the index, compared with the C# compiler on the same sources.

    python -m benchmarks.truth FOLDER TRUTH [declarations|usages|definitions|dependencies …]
        [--ask FILE] [--answers OUT] [--scorer PATH] [--seed 1] [-n COUNT] [--show 5]

A copy of FOLDER is indexed, with the index that is kept in it. The scorer says what to ask and compares; it is
`score_truth.py` beside TRUTH, in a folder `tools` next to that of TRUTH, or `--scorer`. `--ask` takes the questions of
one comparison from a file instead; `--answers` keeps the answers, with each comparison's name in OUT where there
are several.
"""

from __future__ import annotations

import argparse
import json
import lzma
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import msgspec

from benchmarks.harness.corpus import copied, settings
from benchmarks.index.places import Places, utf16
from services.errors import UsageError
from services.index.compiled import compilations, homes
from services.model import Grade, Symbol

if TYPE_CHECKING:
    from services.bench import Bench
    from services.index.index import Index
    from services.index.resolve.resolve import FoundSymbol

COMPARISONS = ("declarations", "usages", "definitions", "dependencies")
_ASKED = ("usages", "definitions")
"""Comparisons for which the scorer says what to ask."""
_SCORER = "score_truth.py"
Row = Mapping[str, Any]


class NoScorer(Exception):
    """Nothing was found that compares answers."""


@dataclass(frozen=True, slots=True)
class Truth:
    """`left_out`: the files that the compiler could not wholly bind, in which nothing is compared; `parts`: by its id,
    the files of a type that shares its full name with others."""

    left_out: frozenset[str] = frozenset()
    parts: Mapping[str, frozenset[str]] = field(default_factory=dict)


class Board:
    """Board over one workspace."""

    def __init__(self, bench: Bench, truth: Truth | None = None) -> None:
        self._bench = bench
        self._truth = truth or Truth()
        self._index: Index = bench.index.facade  # pyright: ignore[reportPrivateUsage]
        self._places = Places(self._index, bench.root)

    def answers(self, comparison: str, questions: Iterable[Row]) -> Iterator[Row]:
        """The answers of a comparison, as the scorer reads them."""
        asked: dict[str, Callable[[Iterable[Row]], Iterator[Row]]] = {
            "declarations": lambda _: self._declarations(),
            "usages": lambda rows: map(self._usages, rows),
            "definitions": lambda rows: map(self._definition, rows),
            "dependencies": lambda _: self._dependencies(),
        }
        return asked[comparison](questions)

    def _declarations(self) -> Iterator[Row]:
        """Yield declared symbols before implicit ones: of several on one line, the scorer takes the first that fits.
        A partial type whose main part is in an excluded file is placed at another of its parts, which the scorer
        accepts as well."""
        every = [self._told(symbol) for symbol in self._bench.index.symbols()]
        return iter(sorted(every, key=lambda row: row["implicit"]))

    def _told(self, symbol: Symbol) -> Row:
        row = msgspec.to_builtins(symbol)
        if not symbol.is_type or symbol.file not in self._truth.left_out:
            return row
        detail = self._bench.outlines.detail(symbol.id)
        parts = (
            [part for part in detail.parts if part.file not in self._truth.left_out]
            if detail is not None
            else []
        )
        if not parts:
            return row
        return {**row, "file": parts[0].file, "startLine": parts[0].start_line, "endLine": parts[0].end_line}

    def _usages(self, question: Row) -> Row:
        found = self._places.symbol(question)
        told: list[Row] = []
        with suppress(UsageError):  # what the index does not look for has no answer
            project = self._compiling(found, question.get("id", "")) if found is not None else ""
            for file in self._index.usages(found, project=project) if found is not None else ():
                for spot in file.spots:
                    if spot.grade == Grade.RELATED:
                        continue  # a usage of another symbol, to the compiler
                    column = utf16(self._places.line(file.path, spot.line), spot.column) + 1
                    place = {"file": file.path, "line": spot.line, "column": column}
                    told.append({**place, "bound": spot.grade == Grade.BOUND})
        return {**question, "usages": told}

    def _compiling(self, found: FoundSymbol, id_: str) -> str:
        """Return a project that compiles exactly the parts of the requested symbol, among those that compile some: to
        the compiler each has a symbol of its own, and several may begin at one place. Empty where any project does."""
        catalogue, parts = self._index.catalogue, self._truth.parts.get(id_)
        for at in compilations(catalogue, found.whole.index) if parts else ():
            entry = catalogue.type(at)
            if {catalogue.file(file).path for file, _ in entry.parts} == parts:
                return catalogue.projects[entry.project]
        return ""

    def _definition(self, question: Row) -> Row:
        line = self._places.line(question["file"], question["line"])
        column = len(line.encode("utf-16-le")[: 2 * (question["column"] - 1)].decode("utf-16-le", "replace"))
        found = self._index.files.definition(question["file"], question["line"], column)
        symbols = [{"file": s.file, "line": self._places.name_line(s)} for s in found.symbols]
        return {**question, "certain": found.certain, "symbols": symbols}

    def _dependencies(self) -> Iterator[Row]:
        graph, named = self._index.graph(), self._places.named
        for index, entry in homes(self._index.catalogue):
            place = named(index)
            if place is not None and not entry.is_elsewhere:
                on = [named(target, entry.project) for target in graph.dependencies(index)]
                yield {**place, "on": [each for each in on if each is not None]}


def scorer_of(truth: Path) -> Path:
    """Return the scorer, which is found next to the truth. Raises NoScorer."""
    near = (truth.parent, truth.parent / "tools", truth.parent.parent / "tools")
    for folder in near:
        if (folder / _SCORER).is_file():
            return folder / _SCORER
    raise NoScorer(f"There is no {_SCORER} near {truth}. Name one by --scorer.")


def truth_at(path: Path) -> Truth:
    """Return the facts of the truth that requests need."""
    opening = lzma.open if path.suffix == ".xz" else open
    with opening(path, "rt", encoding="utf-8") as lines:
        about = json.loads(next(lines))
        files = about["files"]
        told = (json.loads(line) for line in lines if "@" in line and line.startswith('{"s"'))
        parts = {
            row["s"]: frozenset(files[at] for at, *_ in row["at"])
            for row in told
            if "@" in row["s"] and "arity" in row
        }
    return Truth(frozenset(files[at] for at in about["dirty"]), parts)


def main() -> None:
    """Run the requests and compare the answers."""
    chosen = _options().parse_intermixed_args()
    if not chosen.truth.is_file():
        raise SystemExit(
            f"There is no file {chosen.truth}: name what the compiler says, .jsonl or .jsonl.xz."
        )
    try:
        scorer = chosen.scorer or scorer_of(chosen.truth.resolve())
    except NoScorer as error:
        raise SystemExit(str(error)) from error
    comparisons = chosen.comparison or list(COMPARISONS)
    if chosen.ask and len(comparisons) != 1:
        raise SystemExit("--ask has the questions of one comparison: name which.")
    from services.bench import Bench

    with (
        copied(chosen.folder, name=chosen.folder.resolve().name, workers=2, rounds=1, kept=True) as corpus,
        Bench.open(corpus.folder, settings=settings(2)) as bench,
        TemporaryDirectory() as temporary,
    ):
        truth = truth_at(chosen.truth)
        bench.index.load()
        bench.index.refresh()
        if "dependencies" in comparisons:
            bench.index.relate()
            bench.index.read_bodies()
        for comparison in comparisons:
            out = _out(chosen, comparison, Path(temporary))
            began = time.perf_counter()
            _write(out, Board(bench, truth).answers(comparison, _questions(chosen, scorer, comparison)))
            print(f"{comparison}: answered in {time.perf_counter() - began:.1f} s", flush=True)
            _run(scorer, comparison, str(chosen.truth), str(out), "--show", str(chosen.show))


def _questions(chosen: argparse.Namespace, scorer: Path, comparison: str) -> list[Row]:
    if comparison not in _ASKED:
        return []
    if chosen.ask:
        text = chosen.ask.read_text("utf-8")
    else:
        words = (str(chosen.truth), "--seed", str(chosen.seed), "-n", str(chosen.count))
        asked = [sys.executable, str(scorer), "ask", comparison, *words]
        text = subprocess.run(asked, check=True, capture_output=True, encoding="utf-8").stdout
    return [json.loads(line) for line in text.splitlines() if line.strip()]


def _out(chosen: argparse.Namespace, comparison: str, temporary: Path) -> Path:
    if chosen.answers is None:
        return temporary / f"{comparison}.jsonl"
    several = len(chosen.comparison or COMPARISONS) > 1
    return chosen.answers.with_stem(f"{chosen.answers.stem}.{comparison}") if several else chosen.answers


def _write(out: Path, answers: Iterable[Row]) -> None:
    with out.open("w", encoding="utf-8") as written:
        for answer in answers:
            written.write(json.dumps(answer, ensure_ascii=False) + "\n")


def _run(scorer: Path, *words: str) -> None:
    done = subprocess.run([sys.executable, str(scorer), *words], check=False)
    if done.returncode:
        raise SystemExit(done.returncode)


def _comparison(name: str) -> str:
    if name not in COMPARISONS:
        raise argparse.ArgumentTypeError(f"no such comparison: {name}")
    return name


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.truth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("folder", type=Path, help="the folder; a copy of it is indexed")
    options.add_argument("truth", type=Path, help="what the compiler says of it, .jsonl or .jsonl.xz")
    options.add_argument("comparison", nargs="*", type=_comparison, help=f"{', '.join(COMPARISONS)} (all)")
    options.add_argument("--ask", type=Path, help="questions, as the scorer's `ask` prints them")
    options.add_argument("--answers", type=Path, help="where answers are kept")
    options.add_argument("--scorer", type=Path, help=f"the program that compares ({_SCORER} near TRUTH)")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument(
        "-n", dest="count", type=int, default=0, help="how many questions (the scorer's own)"
    )
    options.add_argument("--show", type=int, default=5, help="mistakes of each sort to print")
    return options


if __name__ == "__main__":
    main()
