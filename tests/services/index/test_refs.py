"""Rows of lists: what is told from columns is what the whole type tells."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.index.catalogue import KINDS
from services.index.heads import Heads
from services.index.index import Index
from services.index.naming import short_member_ids
from services.index.refs import Refs
from services.model import TYPE_KINDS, SymbolRef
from services.settings import IndexSettings
from services.workspace.root import Root
from services.workspace.state import StateFolder
from tests.support.workspace import edit, indexed, write_workspace

FILES = {
    "A.cs": """namespace N;
public partial class Box<T>
{
    public Box() { }
    public void Add(T item) { }
    public void Add(T item, int at) { }
    partial void Ready(global::System.Int32 count);
    public enum Colour { Red, Green }
    public class Inner { public int Depth { get; set; } }
}
public record Point(int X, int Y) { public int X { get; } = X; public override string ToString() => ""; }
public class Service(string name) { public string Name => name; }
public delegate int Made(string text);
public static class Extensions { extension(string text) { public int Words() => 0; } }
class Twice { void Same() { } void Same() { } }
""",
    "B.cs": "namespace N;\npartial class Box<T> { partial void Ready(System.Int32 count) { } internal int count; }\n",
}


@contextmanager
def index_of(folder: Path, files: dict[str, str]) -> Iterator[Index]:
    """An index of `files`, read with one worker."""
    root = Root.open(write_workspace(folder, files))
    index = Index(root, StateFolder.open(root), settings=IndexSettings(workers=1))
    index.refresh(report=lambda _: None, cancel=None)
    yield index
    index.close()


def by_row(index: Index) -> dict[int, SymbolRef | None]:
    """What is told from columns alone, by catalogue row."""
    refs = Refs(index.catalogue, Heads(index.catalogue, index.records, index.identities))
    return {row: refs.of_row(row) for row, dead in enumerate(index.catalogue.columns.dead) if not dead}


def by_type(index: Index) -> dict[tuple[str, int, str], SymbolRef]:
    """What whole types tell, by file, line and label."""
    found: list[SymbolRef] = []
    for at, _ in index.catalogue.live_types():
        whole = index.describer.whole(at)
        assert whole is not None
        members = [index.describer.member_ref(whole, m) for m in whole.members if not m.implicit]
        found += [index.describer.type_ref(whole), *members]
    return {(ref.id, ref.start_line, ref.label): ref for ref in found}


def test_columns_tell_what_whole_types_tell(tmp_path: Path) -> None:
    with index_of(tmp_path, FILES) as index:
        known = by_type(index)
        told = [ref for ref in by_row(index).values() if ref is not None]
        assert len(told) > 15
        assert all(known[ref.id, ref.start_line, ref.label] == ref for ref in told)


def test_only_members_whose_ids_others_share_take_the_whole_type(tmp_path: Path) -> None:
    with index_of(tmp_path, FILES) as index:
        names, columns = index.catalogue.names.values, index.catalogue.columns
        asked = [names[columns.name[row]] for row, ref in by_row(index).items() if ref is None]
        assert sorted(asked) == ["Ready", "Ready", "Same", "Same"]
        assert {"Same()"} <= {hit.symbol.label for hit in index.search("same", limit=9).hits}
        assert (
            len({hit.symbol.id for hit in index.search("same", limit=9).hits if hit.symbol.label == "Same()"})
            == 2
        )


def test_a_number_that_two_members_share_is_told_by_the_whole_type(tmp_path: Path) -> None:
    with index_of(tmp_path, {"A.cs": "class A { void M() { } void N() { } }"}) as index:
        columns = index.catalogue.columns
        first, second = [row for row in range(3) if columns.signature[row]]
        columns.signature[second] = columns.signature[first]
        assert by_row(index)[first] is None
        ref = index.describer.row_ref(first)
        assert ref is not None
        assert ref.label == "M()"


def test_a_changed_file_is_told_anew(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class A { void Once() { } }"}) as bench:
        assert [hit.symbol.label for hit in bench.search("once").hits] == ["Once()"]
        edit(tmp_path, "A.cs", "class A { int a;\n public void Once(int more) { } }")
        bench.refresh()
        hit = bench.search("once").hits[0].symbol
        assert (hit.label, hit.access, hit.start_line) == ("Once(int)", "public", 2)
        assert bench.resolve(hit.id).how == "exact"


@pytest.mark.parametrize("numbers", [[1, 2, 1], [0, 0]])
def test_equal_numbers_give_no_short_ids(numbers: list[int]) -> None:
    assert short_member_ids("T_X", numbers) is None


def test_types_have_no_number(tmp_path: Path) -> None:
    with index_of(tmp_path, FILES) as index:
        columns = index.catalogue.columns
        types = [row for row in range(len(columns.dead)) if KINDS[columns.kind[row]] in TYPE_KINDS]
        assert not any(columns.signature[row] for row in types)
