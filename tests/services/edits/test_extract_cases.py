"""Extracted methods of marked C#, each a project of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from services.bench import Bench
from services.edits.extract_planner import ExtractPlanner
from services.errors import CodeCortexError, EditConflict, UsageError
from tests.support.workspace import indexed, project

CASES = Path(__file__).with_name("cases") / "extractions.txt"
_MARKS = ("/*[*/", "/*]*/")


class Case(NamedTuple):
    """A case of the file. `told`: what it is refused with, or else the head and the call."""

    title: str
    refused: str
    told: tuple[str, ...]
    text: str

    @property
    def name(self) -> str:
        """The title as the name of a folder."""
        return re.sub(r"\W+", "-", self.title)


def _cases() -> Iterator[Case]:
    _, *blocks = CASES.read_text("utf-8").split("\n## ")
    for block in blocks:
        title, *lines = block.rstrip("\n").split("\n")
        refused = next((each[3:] for each in lines if each.startswith("!! ")), "")
        told = tuple(each[3:] for each in lines if each.startswith(("=> ", "-> ")))
        code = [each for each in lines if not each.startswith(("!! ", "=> ", "-> "))]
        yield Case(title, refused, told, "\n".join(code) + "\n")


_ALL = list(_cases())


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    files = {f"{case.name}/P.csproj": project() for case in _ALL}
    files |= {f"{case.name}/A.cs": case.text for case in _ALL}
    with indexed(tmp_path_factory.mktemp("extractions"), files) as opened:
        yield opened


@pytest.mark.parametrize("case", _ALL, ids=lambda case: case.title)
def test_an_extracted_method(bench: Bench, case: Case) -> None:
    index = bench.index.facade
    texts = index.bound_texts()
    assert texts is not None
    start = case.text.index(_MARKS[0]) + len(_MARKS[0])
    planner = ExtractPlanner(texts, index.with_texts)
    try:
        plan, made = planner.plan(f"{case.name}/A.cs", (start, case.text.index(_MARKS[1])), "Made")
    except CodeCortexError as error:
        assert case.refused, error
        assert case.refused in error.message
        return
    if case.refused:
        assert case.refused in " ".join(each.message for each in plan.problems)
        return
    assert not plan.problems
    assert (made.declared, made.call) == case.told


def test_an_extracted_method_is_written_and_taken_back(tmp_path: Path) -> None:
    text = (
        "class A\n{\n    int total;\n\n    int M(int n)\n    {\n        if (n > 0)\n        {\n"
        "            total += n;\n            n = total;\n        }\n        return n;\n    }\n}\n"
    )
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": text}) as bench:
        answer = bench.refactoring.extract("A.cs:9-10", "Add")
        assert answer.created == "private int Add(int n)"
        assert (tmp_path / "A.cs").read_text() == (
            "class A\n{\n    int total;\n\n    int M(int n)\n    {\n        if (n > 0)\n        {\n"
            "            n = Add(n);\n        }\n        return n;\n    }\n\n"
            "    private int Add(int n)\n    {\n        total += n;\n        n = total;\n        return n;\n    }\n}\n"
        )
        bench.writing.undo(None)
        assert (tmp_path / "A.cs").read_text() == text


def test_a_stretch_that_ends_a_block_is_refused(tmp_path: Path) -> None:
    text = (
        "class A\n{\n    void M(int n)\n    {\n        if (n > 0)\n        {\n            M(n);\n        }\n"
        "        else\n        {\n            M(1);\n        }\n    }\n}\n"
    )
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": text}) as bench:
        for place in ("A.cs:7-8", "A.cs:7-9", "A.cs:6-7"):
            with pytest.raises(UsageError, match="cuts through"):
                bench.refactoring.extract(place, "Add")


def test_statements_are_named_by_their_lines(tmp_path: Path) -> None:
    with indexed(tmp_path, {"P.csproj": project(), "A.cs": "class A { }\n"}) as bench:
        for place in ("A.cs", "A.cs:1-1", "A.cs:7"):
            with pytest.raises(CodeCortexError):
                bench.refactoring.extract(place, "Add")
        with (
            pytest.raises(EditConflict),
            indexed(
                tmp_path / "b",
                {"P.csproj": project(), "A.cs": "class A { int M() {\nint a = X.Y;\nreturn a; } }\n"},
            ) as other,
        ):
            other.refactoring.extract("A.cs:2", "M")
