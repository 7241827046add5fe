"""The scoreboard answers by place, in the units of the compiler, whatever folder and truth it is given."""

import json
from pathlib import Path

import pytest

from benchmarks.truth import Board, NoScorer, Truth, main, scorer_of, truth_at
from services.bench import Bench
from tests.support.workspace import indexed, project

SOURCE = """class Tree(int size)
{
    string mark = "🌲"; Leaf First() => new Leaf(size);
    Leaf Other() => First();
}
class Leaf { public Leaf(int size) { } }
delegate Leaf Grower(Tree tree);
"""


@pytest.fixture
def bench(tmp_path: Path):
    with indexed(tmp_path, {"Tree.cs": SOURCE}) as bench:
        bench.index.relate()
        yield bench


def _asked(bench: Bench, comparison: str, *questions: dict) -> list:
    return list(Board(bench).answers(comparison, questions))


def test_usages_are_asked_for_by_the_place_of_a_name_and_told_in_utf16_columns(bench: Bench) -> None:
    first = {"file": "Tree.cs", "line": 3, "column": 30, "kind": "method", "name": "First"}
    leaf = {"file": "Tree.cs", "line": 6, "column": 7, "kind": "class", "name": "Leaf"}
    methods, types = _asked(bench, "usages", first, leaf)
    assert methods["usages"] == [{"file": "Tree.cs", "line": 4, "column": 21, "bound": True}]
    # The tree before it is one character, and two units.
    assert {"file": "Tree.cs", "line": 3, "column": 25, "bound": True} in types["usages"]


def test_a_constructor_is_told_from_its_type_by_kind(bench: Bench) -> None:
    asked = [
        {"file": "Tree.cs", "line": 6, "column": 21, "kind": "ctor", "name": ".ctor"},
        {"file": "Tree.cs", "line": 1, "column": 7, "kind": "ctor", "name": ".ctor"},
    ]
    written, primary = _asked(bench, "usages", *asked)
    assert {place["line"] for place in written["usages"]} == {3}
    assert primary["usages"] == []


def test_definitions_are_told_with_their_lines(bench: Bench) -> None:
    (answer,) = _asked(bench, "definitions", {"file": "Tree.cs", "line": 4, "column": 21})
    assert answer["certain"]
    assert answer["symbols"] == [{"file": "Tree.cs", "line": 3}]


def test_dependencies_are_told_of_types_by_the_places_of_their_names(bench: Bench) -> None:
    told = {answer["name"]: answer for answer in _asked(bench, "dependencies")}
    assert (told["Grower"]["line"], told["Grower"]["arity"]) == (7, 0)
    assert {on["name"] for on in told["Grower"]["on"]} == {"Tree", "Leaf"}


def test_the_scorer_is_found_beside_the_truth_or_is_asked_for(tmp_path: Path) -> None:
    truth = tmp_path / "truth" / "Some.jsonl"
    with pytest.raises(NoScorer):
        scorer_of(truth)
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "score_truth.py").touch()
    assert scorer_of(truth) == tmp_path / "tools" / "score_truth.py"


def test_a_truth_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["truth", str(tmp_path), str(tmp_path / "None.jsonl")])
    with pytest.raises(SystemExit, match=r"There is no file .*None\.jsonl"):
        main()


PARTS = {
    "Main.cs": "/// <summary>Speaks.</summary>\npublic partial class Half { int first; }",
    "More.cs": "record Pair(int A);\npublic partial class Half { int second; } class Lone { }",
}


def test_declarations_are_told_those_that_are_written_first(tmp_path: Path) -> None:
    with indexed(tmp_path, PARTS) as bench:
        implicit = [row["implicit"] for row in _asked(bench, "declarations")]
        assert implicit == sorted(implicit)
        assert True in implicit


def test_a_type_is_told_at_a_part_that_is_compared(tmp_path: Path) -> None:
    with indexed(tmp_path, PARTS) as bench:
        for left_out, file in (
            ((), "Main.cs"),
            (("Main.cs",), "More.cs"),
            (("Main.cs", "More.cs"), "Main.cs"),
        ):
            told = Board(bench, Truth(frozenset(left_out))).answers("declarations", ())
            (half,) = (row for row in told if row["name"] == "Half" and row["kind"] == "class")
            assert (half["file"], half["startLine"]) == (file, 2)


def test_of_several_symbols_at_one_place_the_one_with_its_parts_is_asked_for(tmp_path: Path) -> None:
    rows = [
        {"files": ["A/X.cs", "A/Y.cs"], "dirty": [1]},
        {"s": "T:X@A/X.cs:1:22", "arity": 0, "at": [[0, 1, 22]]},
        {"s": "T:X@A/Y.cs:1:22", "arity": 0, "at": [[0, 1, 22], [1, 1, 22]]},
        {"s": "M:X.M@A/X.cs:1:30", "at": [[0, 1, 30]]},
    ]
    lines = "\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    (tmp_path / "truth.jsonl").write_text(lines)
    truth = truth_at(tmp_path / "truth.jsonl")
    assert truth.left_out == {"A/Y.cs"}
    assert truth.parts == {"T:X@A/X.cs:1:22": {"A/X.cs"}, "T:X@A/Y.cs:1:22": {"A/X.cs", "A/Y.cs"}}
    linked = '<ItemGroup><Compile Include="../A/X.cs" /></ItemGroup></Project>'
    files = {
        "A/A.csproj": project(),
        "A/X.cs": "public partial class X { }",
        "A/Y.cs": "public partial class X { }",
        "A/U.cs": "class U { X x; }",
        "B/B.csproj": project().replace("</Project>", linked),
        "B/V.cs": "class V { X x; }",
    }
    with indexed(tmp_path / "w", files) as bench:
        bench.index.relate()
        asked = [
            {"file": "A/X.cs", "line": 1, "column": 22, "kind": "class", "name": "X", "id": id_}
            for id_ in ("T:X@A/X.cs:1:22", "T:X@A/Y.cs:1:22", "T:X")
        ]
        board = Board(bench, truth)
        told = [{each["file"] for each in answer["usages"]} for answer in board.answers("usages", asked)]
        assert told == [{"B/V.cs"}, {"A/U.cs"}, {"A/U.cs", "B/V.cs"}]
        on = {
            answer["name"]: answer["on"][0]["file"]
            for answer in board.answers("dependencies", ())
            if answer["on"]
        }
        assert (on["U"], on["V"]) == ("A/X.cs", "A/X.cs")
