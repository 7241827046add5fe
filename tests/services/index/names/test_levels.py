"""The namespaces around a scope, from the inside out, each with the usings that hold in it."""

from __future__ import annotations

from pathlib import Path

from services.index.names.space import Level, levels_of
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import Using
from tests.support.workspace import indexed

GLOBAL = (Using(name="System", alias="", static=False, is_global=True),)
TEXT = """
using Top;
namespace A.B
{
    using Inner;
    namespace C.D
    {
        class T { }
    }
}
"""


def levels(text: str) -> list[tuple[str, list[str]]]:
    record = read_file(text.encode())
    (declared,) = (each for each in record.declarations if each.name == "T")
    return [
        (level.namespace, [using.name for using in level.usings])
        for level in levels_of(record, declared.scope, GLOBAL)
    ]


def test_usings_are_of_their_own_namespace_and_not_of_the_outer_parts_of_its_name() -> None:
    assert levels(TEXT) == [
        ("A.B.C.D", []),
        ("A.B.C", []),
        ("A.B", ["Inner"]),
        ("A", []),
        ("", ["Top", "System"]),
    ]


def test_usings_after_a_namespace_of_the_whole_file_are_its_own() -> None:
    assert levels("using Top;\nnamespace A.B;\nusing Inner;\nclass T { }\n") == [
        ("A.B", ["Inner"]),
        ("A", []),
        ("", ["Top", "System"]),
    ]


def test_in_no_namespace_there_is_the_global_one_alone() -> None:
    assert levels("using Top;\nclass T { }\n") == [("", ["Top", "System"])]
    record = read_file(b"class T { }")
    assert levels_of(record, record.declarations[0].scope, ()) == (Level(""),)


def test_each_part_of_a_type_in_one_file_has_the_usings_around_it(tmp_path: Path) -> None:
    parts = "".join(f"namespace A {{ using {each}; partial class P {{ T {each}; }} }}\n" for each in "XY")
    files = {f"{each}.cs": f"namespace {each}; class T {{ }}" for each in "XY"}
    with indexed(tmp_path, {**files, "P.cs": parts}) as bench:
        bench.index.relate()
        at, graph = bench.index.facade.catalogue.type_at, bench.index.facade.graph()
        for each in "XY":
            assert [user for user, _ in graph.used_by(at[0, f"{each}.T", ""])] == [at[0, "A.P", ""]]
