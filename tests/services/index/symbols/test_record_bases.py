"""What a record inherits it does not make again."""

from pathlib import Path

import pytest

from services.bench import Bench
from services.model import Kind
from tests.support.workspace import edit, indexed

BASE = "namespace N.Bases { public record Event(int Id, string At) { public object Who => 1; private int Own; } }"


THROUGH = """namespace N.Bases;
record Between(int Id, string At) : Event(Id, At);
class C { record Opened(int Id, string At, object Who, int Own) : Between(Id, At); }
"""


def properties(bench: Bench, name: str) -> set[str]:
    """The properties of a record that nobody wrote, but for the one that all have."""
    return {
        each.name
        for each in bench.index.symbols()
        if each.kind is Kind.PROPERTY and each.implicit and (each.declaring_type or "").endswith(name)
    } - {"EqualityContract"}


@pytest.mark.parametrize(
    "source",
    [
        "namespace N.Bases { record Opened(int Id, string At, object Who, int Own) : Event(Id, At); }",
        "using N.Bases; record Opened(int Id, string At, object Who, int Own) : Event(Id, At);",
        "namespace N { record Opened(int Id, string At, object Who, int Own) : Bases.Event(Id, At); }",
        THROUGH,
    ],
)
def test_only_parameters_that_no_base_has_a_property_for_make_one(tmp_path: Path, source: str) -> None:
    with indexed(tmp_path, {"Base.cs": BASE, "Opened.cs": source}) as bench:
        assert properties(bench, "Opened") == {"Own"}


def test_generic_bases_are_told_by_their_arity(tmp_path: Path) -> None:
    source = "record B<T, U>(T X); record B(int Y); record D(int X, int Y) : B<int, B<int, int>>(X);"
    with indexed(tmp_path, {"Code.cs": source}) as bench:
        assert properties(bench, "D") == {"Y"}


def test_a_base_that_changes_changes_its_heirs(tmp_path: Path) -> None:
    files = {"Base.cs": "record B(int X);", "Heir.cs": "record D(int X, int Y) : B(X);"}
    with indexed(tmp_path, files) as bench:
        assert properties(bench, "D") == {"Y"}
        edit(tmp_path, "Base.cs", "record B(int Y, int Z);")
        bench.index.refresh()
        assert properties(bench, "D") == {"X"}
