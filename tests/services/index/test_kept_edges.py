"""Dependencies that were kept are those that were worked out, and are read when they are needed."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.index.graph.by_file import EdgesByFile, opened
from services.index.graph.file_edges import FileEdges
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


@given(st.dictionaries(numbers, edges_of), st.dictionaries(numbers, edges_of | st.none()), st.booleans())
def test_edges_that_were_kept_are_the_same_whatever_came_and_went_since(
    first: dict[int, FileEdges], then: dict[int, FileEdges | None], read: bool
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
            kept[file] = expected[file] = edges
    for again in (kept, EdgesByFile(kept.frozen())):
        assert again.files() == set(expected)
        assert len(again) == len(expected)
        assert {file: opened(edges) for file, edges in again.once()} == expected
        assert dict(again.items()) == expected


def users(bench: Bench, name: str) -> list[str]:
    catalogue = bench._index.catalogue
    found = bench._index.graph().used_by(catalogue.type_at[0, name])
    return [catalogue.types[index].fqn for index, _ in found]


def test_a_start_that_only_searches_reads_no_edges(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.relate()
    with workspace.opened(tmp_path) as bench:
        assert bench.load()
        bench.search("a")
        bench.refresh()
        graph = bench._index.graph()
    assert graph._sums is None
    assert len(graph._files._unread) == 2


def test_types_that_come_and_go_after_a_start_are_bound_where_they_are_named(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.relate()
    for there in (True, False, True):
        with workspace.opened(tmp_path) as bench:
            assert bench.load()
            if there:
                edit(tmp_path, "B.cs", "class B { }")
            else:
                (tmp_path / "B.cs").unlink()
            bench.refresh()
            bench.relate()
            assert users(bench, "C") == ["A"]
            assert users(bench, "B") == (["A"] if there else [])
