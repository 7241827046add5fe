"""Accuracy of edits, compared with Roslyn's own refactorings in the same repositories.

    python -m benchmarks.edits FOLDER renames|extractions EDITS [--answers OUT] [-n COUNT] [--seed 1]

A copy of FOLDER is indexed, and everything that EDITS names (`.jsonl` or `.jsonl.xz`) is asked for as a dry run.
Answers go to OUT, or to standard output, in the form that `score_edits.py` compares.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.harness.corpus import copied, settings
from services.edits.rename.planner import RenamePlanner
from services.errors import CodeCortexError

if TYPE_CHECKING:
    from services.index.index import Index
    from services.index.usages.bound_texts import BoundTexts

Row = Mapping[str, Any]
_ASKED = ("file", "line", "column")
_STRETCH = ("file", "from", "to")


class Board:
    """Board over one index."""

    def __init__(self, index: Index) -> None:
        self._index = index
        texts = index.bound_texts()
        assert texts is not None
        self._texts: BoundTexts = texts
        self._planner = RenamePlanner(texts, index.with_texts)
        self._lines: dict[str, bytes] = {}

    def rename(self, question: Row) -> Row:
        """The answer to one rename."""
        asked = {key: question[key] for key in _ASKED}
        path = question["file"]
        try:
            offset = self._offset(path, question["line"], question["column"])
            plan = self._planner.at(path, offset, question["to"])
        except CodeCortexError as error:
            return {**asked, "refused": error.message}
        if plan.problems:
            return {**asked, "refused": plan.problems[0].message}
        edits: dict[str, list[list[int]]] = {}
        doubtful: dict[str, list[list[int]]] = {}
        sees = self._seeing(path)
        for each in plan.replacements:
            if each.named and sees(each.path):
                edits.setdefault(each.path, []).append(self._place(each.path, each.start))
        for each in plan.doubtful:
            doubtful.setdefault(each.path, []).append(self._place(each.path, each.start))
        return {**asked, "edits": edits, "doubtful": doubtful}

    def _seeing(self, path: str) -> Callable[[str], bool]:
        """Which files count. What several projects compile from one file is one symbol here and as many to Roslyn,
        which was asked for that of the first, by path: places in projects that see another alone are not asked."""
        units = self._index.catalogue.units
        compiling = [project for project, each in units if each == path]
        if len(compiling) < 2:
            return lambda _: True
        first = min(compiling, key=self._project_path)
        space = self._texts.world_of(first).workspace.names.space
        others = {each for each in compiling if each != first}

        def counts(file: str) -> bool:
            projects = [project for project, each in units if each == file]
            return any(
                each == first
                or space.sees(each, first)
                or not any(space.sees(each, other) for other in others)
                for each in projects
            )

        return counts

    def _project_path(self, project: int) -> str:
        info = self._index.info(project)
        return info.path if info is not None else ""

    def extract(self, question: Row) -> Row:
        """The answer to one extracted method."""
        from services.edits.extract_planner import ExtractPlanner

        asked = {key: question[key] for key in _STRETCH}
        path = question["file"]
        stretch = self._offset(path, *question["from"]), self._offset(path, *question["to"])
        try:
            plan, made = ExtractPlanner(self._texts, self._index.with_texts).plan(path, stretch, "NewMethod")
        except CodeCortexError as error:
            return {**asked, "refused": error.message}
        if plan.problems:
            return {**asked, "refused": plan.problems[0].message}
        shown = {"modifiers": made.modifiers, "returns": made.returns, "parameters": made.parameters}
        return {**asked, **shown, "call": made.call}

    def _text(self, path: str) -> bytes:
        if path not in self._lines:
            units = self._index.catalogue.units
            file = next(at for (_, each), at in units.items() if each == path)
            found = self._texts.text(file)
            self._lines[path] = found.text if found is not None else b""
        return self._lines[path]

    def _offset(self, path: str, line: int, column: int) -> int:
        lines = self._text(path).split(b"\n")
        before = sum(len(each) + 1 for each in lines[: line - 1])
        mark = 3 if line == 1 and lines[0].startswith(b"\xef\xbb\xbf") else 0
        shown = lines[line - 1][mark:].decode("utf-8", "replace").encode("utf-16-le")
        return before + mark + len(shown[: 2 * (column - 1)].decode("utf-16-le", "replace").encode())

    def _place(self, path: str, offset: int) -> list[int]:
        text = self._text(path)
        first = text.rfind(b"\n", 0, offset) + 1
        mark = 3 if first == 0 and text.startswith(b"\xef\xbb\xbf") else 0
        shown = text[first + mark : offset].decode("utf-8", "replace")
        return [text.count(b"\n", 0, offset) + 1, len(shown.encode("utf-16-le")) // 2 + 1]


def main() -> None:
    """Run the edits and print the results."""
    chosen = _options().parse_args()
    questions = list(_questions(chosen.edits))
    if chosen.count:
        questions = random.Random(chosen.seed).sample(questions, min(chosen.count, len(questions)))
    from services.bench import Bench

    with (
        copied(chosen.folder, name=chosen.folder.resolve().name, workers=2, rounds=1, kept=True) as corpus,
        Bench.open(corpus.folder, settings=settings(2)) as bench,
    ):
        bench.index.load()
        bench.index.refresh()
        board = Board(bench.index.facade)
        out = chosen.answers.open("w", encoding="utf-8") if chosen.answers else sys.stdout
        times: list[float] = []
        for each in questions:
            began = time.perf_counter()
            answer = board.rename(each) if chosen.what == "renames" else board.extract(each)
            times.append(time.perf_counter() - began)
            out.write(json.dumps({**answer, "seconds": round(times[-1], 3)}, ensure_ascii=False) + "\n")
        times.sort()
        print(
            f"{len(times)} asked; median {times[len(times) // 2]:.2f} s, longest {times[-1]:.2f} s",
            file=sys.stderr,
        )


def _questions(path: Path) -> Iterator[Row]:
    data = path.read_bytes()
    text = (lzma.decompress(data) if path.suffix == ".xz" else data).decode()
    yield from (json.loads(line) for line in text.splitlines() if line.strip())


def _options() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.edits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    options.add_argument("folder", type=Path, help="the folder; a copy of it is indexed")
    options.add_argument("what", choices=("renames", "extractions"))
    options.add_argument("edits", type=Path, help="what Roslyn does, .jsonl or .jsonl.xz")
    options.add_argument("--answers", type=Path, help="where answers are kept")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("-n", dest="count", type=int, default=0, help="how many (all)")
    return options


if __name__ == "__main__":
    main()
