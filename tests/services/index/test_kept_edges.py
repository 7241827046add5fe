"""Dependencies that were kept are those that were worked out, and are read when they are needed."""

from __future__ import annotations

from pathlib import Path

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.index.graph.by_file import EdgesByFile, FileEdges, opened
from tests.support import workspace
from tests.support.workspace import edit, indexed, project

FILES = {"A.csproj": project(), "A.cs": "class A { B At; C Of; }", "C.cs": "class C { }"}

numbers = st.integers(0, 20)
edges_of = st.builds(
    FileEdges,
    st.lists(st.tuples(numbers, numbers, numbers), max_size=3).map(tuple),
    st.lists(st.tuples(numbers, st.text(max_size=4), numbers), max_size=2).map(tuple),
    st.lists(st.text(max_size=4), max_size=2).map(tuple),
    st.lists(st.tuples(st.text(max_size=4), numbers, st.text(max_size=4)), max_size=2).map(tuple),
)


@given(
    st.dictionaries(numbers, edges_of),
    st.dictionaries(numbers, edges_of | st.none()),
    st.booleans(),
    st.booleans(),
)
def test_edges_that_were_kept_are_the_same_whatever_came_and_went_since(
    first: dict[int, FileEdges], then: dict[int, FileEdges | None], read: bool, encoded: bool
) -> None:
    made = EdgesByFile()
    for file, edges in first.items():
        made[file] = edges
    kept, expected = EdgesByFile(made.frozen()), dict(first)
    if read:
        assert dict(kept.items()) == first
    for file, edges in then.items():
        assert (file in kept) == (file in expected)
        if file in expected:
            assert kept.pop(file) == expected.pop(file)
        if edges is not None:
            kept[file] = msgspec.msgpack.encode(edges) if encoded else edges
            expected[file] = edges
    for again in (kept, EdgesByFile(kept.frozen())):
        assert again.files() == set(expected)
        assert len(again) == len(expected)
        assert {file: opened(edges) for file, edges in again.raw_items()} == expected
        assert dict(again.items()) == expected


def users(bench: Bench, name: str) -> list[str]:
    catalogue = bench.index.facade.catalogue
    found = bench.index.facade.graph().used_by(catalogue.type_at[0, name, ""])
    return [catalogue.types[index].fqn for index, _ in found]


def test_a_start_that_only_searches_reads_no_edges(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.search("a")
        bench.index.refresh()
        graph = bench.index.facade.graph()
    assert len(graph._files._unread) == 2


def test_edges_are_read_from_where_they_were_kept_from_then_on(tmp_path: Path) -> None:
    files = FILES | {"D.cs": "class D { void M() { new C(); } }"}
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        graph = bench.index.facade.graph()
        assert (graph._files._read, graph.bodies._files._read) == ({}, {})
        at = bench.index.facade.catalogue.type_at
        assert users(bench, "C") == ["A"]
        assert graph.in_bodies(at[0, "D", ""]) == [(at[0, "C", ""], 1)]
        edit(tmp_path, "D.cs", "class D { C Of; }")
        bench.index.refresh()
        bench.index.relate()
        assert sorted(users(bench, "C")) == ["A", "D"]
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        assert sorted(users(bench, "C")) == ["A", "D"]


def test_types_that_come_and_go_after_a_start_are_bound_where_they_are_named(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
    for there in (True, False, True):
        with workspace.opened(tmp_path) as bench:
            assert bench.index.load()
            if there:
                edit(tmp_path, "B.cs", "class B { }")
            else:
                (tmp_path / "B.cs").unlink()
            bench.index.refresh()
            bench.index.relate()
            assert users(bench, "C") == ["A"]
            assert users(bench, "B") == (["A"] if there else [])


def test_a_session_that_relates_nothing_keeps_what_was_related(tmp_path: Path) -> None:
    """Else the first outline after a search that met an edit would wait for every file of the workspace."""
    with indexed(tmp_path, {**FILES, "B.cs": "class B { C It; }"}) as bench:
        bench.index.relate()
    edit(tmp_path, "B.cs", "class B { }")
    edit(tmp_path, "D.cs", "class D { C It; }")
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
        bench.index.search("b")
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
        assert not bench.index.facade.is_related
        assert len(bench.index.facade.graph().fork().left()) == 2
        bench.index.relate()
        assert users(bench, "B") == ["A"]
        assert sorted(users(bench, "C")) == ["A", "D"]
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        assert bench.index.facade.is_related


def test_what_a_session_found_to_mean_something_else_is_not_kept_as_it_was(tmp_path: Path) -> None:
    files = {
        "A.csproj": project(),
        "Usings.cs": "global using One;",
        "One.cs": "namespace One; class T { }",
        "Two.cs": "namespace Two; class T { }",
        "A.cs": "class A { T It; }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        assert users(bench, "One.T") == ["A"]
    edit(tmp_path, "Usings.cs", "global using Two;")
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.relate()
        assert (users(bench, "One.T"), users(bench, "Two.T")) == ([], ["A"])


def test_a_project_file_that_alone_changed_has_its_files_related_anew(tmp_path: Path) -> None:
    files = {
        "A.csproj": project(),
        "One.cs": "namespace One; class T { }",
        "A.cs": "class A { T It; }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        assert users(bench, "One.T") == []
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        edit(
            tmp_path,
            "A.csproj",
            project().replace("</Project>", '<ItemGroup><Using Include="One" /></ItemGroup></Project>'),
        )
        bench.index.refresh()
        assert not bench.index.facade.is_related
        bench.index.relate()
        assert users(bench, "One.T") == ["A"]
