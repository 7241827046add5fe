"""Usages, hierarchies and what a path means, as a person reads them and as a pipe gets them."""

from __future__ import annotations

import msgspec
import pytest

from services.model import (
    Direction,
    Grade,
    HierarchyAnswer,
    HierarchyRow,
    ResolveAnswer,
    Resolved,
    SearchAnswer,
    SearchHit,
    Usage,
    UsagesAnswer,
)
from tests.support.stage_bench import HEIGHT, TREE
from workbench.shell.text.render import Look, render

TERMINAL, PIPE = Look(terminal=True, colour=False), Look(terminal=False, colour=False)
RESOLVED = Resolved(path="Orchard.Tree", type_id=TREE.id)


def hierarchy(*rows: HierarchyRow, truncated: bool = False) -> HierarchyAnswer:
    return HierarchyAnswer(
        resolved=RESOLVED,
        symbol=TREE,
        direction=Direction.CALLERS,
        rows=rows,
        truncated=truncated,
        elapsed_ms=3.2,
    )


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (HierarchyRow(name="A.Go()", depth=1, file="A.cs", line=3), "  A.Go()  A.cs:3"),
        (HierarchyRow(name="Go()", depth=3, count=2, note="name match"), "      Go()  2×  name match"),
        (HierarchyRow(name="Go()", depth=2, again=True), "    Go()  as above"),
        (HierarchyRow(name="IDisposable", depth=1), "  IDisposable"),
        (HierarchyRow(name="a\x1b[2J", depth=1, note="\u202e"), "  a␛[2J  ⟨U+202E⟩"),
    ],
    ids=["place", "often", "again", "outside", "hostile"],
)
def test_a_row_of_a_tree_is_indented_by_its_depth_and_says_where_and_how_often(
    row: HierarchyRow, line: str
) -> None:
    assert render(hierarchy(row), PIPE) == f"{line}\n"


def test_on_a_terminal_a_tree_says_of_what_it_is_and_whether_there_is_more() -> None:
    row = HierarchyRow(name="Go()", depth=1)
    assert render(hierarchy(row), TERMINAL) == "Orchard.Tree  callers\n  Go()\n1 row, 3 ms\n"
    assert render(hierarchy(row, row, truncated=True), TERMINAL).endswith(
        "2 rows, 3 ms; there are more (--limit)\n"
    )
    assert render(hierarchy(), TERMINAL).endswith("  none in this workspace\n")
    assert render(hierarchy(), PIPE) == ""


def usage(file: str, line: int, grade: Grade) -> Usage:
    return Usage(
        file=file,
        line=line,
        column=7,
        end_column=10,
        snippet="x.Go(\t1);",
        snippet_start=5,
        grade=grade,
        kind="call",
    )


USAGES = UsagesAnswer(
    resolved=RESOLVED,
    symbol=TREE,
    usages=(
        usage("A.cs", 3, Grade.BOUND),
        usage("A.cs", 120, Grade.RELATED),
        usage("B.cs", 1, Grade.NAME_MATCH),
    ),
    total=1200,
    bound=1,
    related=1,
    truncated=True,
    elapsed_ms=4.4,
)


def test_usages_stand_under_their_files_with_a_sign_of_how_sure_they_are() -> None:
    assert render(USAGES, PIPE) == (
        "A.cs\n=     3: x.Go(\t1);\n≈   120: x.Go(\t1);\nB.cs\n~     1: x.Go(\t1);\n"
    )
    last = render(USAGES, TERMINAL).splitlines()[-1]
    assert last == "3 of 1 200 usages, 1 bound (=), 1 related (≈), the rest by name (~), 4 ms"


def test_a_usage_of_another_framework_alone_says_which() -> None:
    one = msgspec.structs.replace(usage("A.cs", 3, Grade.BOUND), framework="net8.0-ios")
    answer = msgspec.structs.replace(USAGES, usages=(one,))
    assert render(answer, PIPE) == "A.cs\n=     3: x.Go(\t1);  (net8.0-ios only)\n"


def test_the_name_is_set_off_in_a_line_that_was_cut() -> None:
    shown = render(USAGES, Look(terminal=True, colour=True))
    assert "x.\x1b[1;31mGo(\x1b[0m" in shown


def test_a_search_says_how_much_it_found_to_a_person_and_only_the_rows_to_a_pipe() -> None:
    found = SearchAnswer(
        query="tree", hits=(SearchHit(symbol=TREE, score=1.0),), total=1, searched=12_345, elapsed_ms=1.2
    )
    row = "class        Orchard.Tree  src/Tree.cs:6\n"
    assert render(found, PIPE) == row
    assert render(found, TERMINAL) == f"{row}1 of 1 in 12 345 symbols, 1 ms\n"
    none = SearchAnswer(query="x", hits=(), total=0, searched=3, elapsed_ms=0, advice="Say ns:Orchard.")
    assert render(none, TERMINAL) == "nothing in 3 symbols, 0 ms\nSay ns:Orchard.\n"


@pytest.mark.parametrize(
    ("answer", "first"),
    [
        (ResolveAnswer(query="Tree", how="exact", symbol=TREE), "class        Orchard.Tree  src/Tree.cs:6"),
        (ResolveAnswer(query="T", how="suffix", candidates=(TREE, HEIGHT)), "Several symbols match:"),
        (ResolveAnswer(query="Go(int)", candidates=(TREE,)), "No overload is so; there are:"),
    ],
    ids=["one", "several", "no overload"],
)
def test_what_a_path_means_is_one_symbol_or_those_it_may_mean(answer: ResolveAnswer, first: str) -> None:
    lines = render(answer, PIPE).splitlines()
    assert lines[0] == first
    assert len(lines) == 1 + max(1, len(answer.candidates))
