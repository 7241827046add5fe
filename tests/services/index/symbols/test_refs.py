"""Rows of lists: what is told from columns is what the whole type tells."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from services.index.catalog.catalogue import KINDS
from services.index.catalog.file_rows import made_signatures, rests_of
from services.index.catalog.naming import short_member_ids
from services.index.index import Index
from services.index.symbols.implicit import implicit_members
from services.index.symbols.refs import Heads, Refs
from services.model import TYPE_KINDS, Kind, SymbolRef
from services.settings import IndexSettings
from services.syntax.records.hashing import canonical_signature, signature_number
from services.workspace.files.root import Root
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


def by_columns(index: Index) -> dict[int, SymbolRef | None]:
    """What is told from columns where names are known and no declaration can be read, by catalogue row."""
    names, columns = index.catalogue.names.values, index.catalogue.columns
    refs = Refs(index.catalogue, Unreadable(index.catalogue, index.records, index.identities))
    return {
        row: refs.of_row(row, names[columns.name[row]]) for row, dead in enumerate(columns.dead) if not dead
    }


class Unreadable(Heads):
    """As if the store had lost every record."""

    def head(self, index: int) -> None:
        """Nothing."""


def by_type(index: Index) -> dict[tuple[str, int, str], SymbolRef]:
    """What whole types tell, by file, line and label."""
    found: list[SymbolRef] = []
    for at, _ in index.catalogue.live_types():
        whole = index.describer.whole(at)
        assert whole is not None
        members = [index.describer.refs.member_ref(whole, m) for m in whole.members if not m.implicit]
        found += [index.describer.refs.type_ref(whole), *members]
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
        assert [hit.symbol.label for hit in bench.index.search("once").hits] == ["Once()"]
        edit(tmp_path, "A.cs", "class A { int a;\n public void Once(int more) { } }")
        bench.index.refresh()
        hit = bench.index.search("once").hits[0].symbol
        assert (hit.label, hit.access, hit.start_line) == ("Once(int)", "public", 2)
        assert bench.lookup.resolve(hit.id).how == "exact"


@pytest.mark.parametrize("numbers", [[1, 2, 1], [0, 0]])
def test_equal_numbers_give_no_short_ids(numbers: list[int]) -> None:
    assert short_member_ids("T_X", numbers) is None


def test_types_have_no_number(tmp_path: Path) -> None:
    with index_of(tmp_path, FILES) as index:
        columns = index.catalogue.columns
        types = [row for row in range(len(columns.dead)) if KINDS[columns.kind[row]] in TYPE_KINDS]
        assert not any(columns.signature[row] for row in types)


def test_columns_alone_tell_nearly_all(tmp_path: Path) -> None:
    with index_of(tmp_path, FILES | {"C.cs": KINDS_OF_ROWS}) as index:
        known = by_row(index)
        told = {row: ref for row, ref in by_columns(index).items() if ref is not None}
        assert all(known[row] == ref for row, ref in told.items())
        labels = {ref.label for ref in told.values()}
        assert {
            "Map<TKey, TValue>(TKey)",
            "Of<T>(T, ref int)",
            "this[int, string]",
            "IOne.Do()",
            "Service",
        } <= labels
        untold = [ref.path for row, ref in known.items() if ref is not None and row not in told]
        assert all(path.startswith(("N.Box<T>", "N.Point.")) for path in untold)


KINDS_OF_ROWS = """namespace N;
public delegate TResult Map<in TKey, out TValue, TResult>(TKey key, TValue value);
public delegate void Map<TKey, TValue>(TKey key);
public interface IOne { void Do(); }
public struct Pair<TLeft, TRight>(TLeft left, System.Collections.Generic.Dictionary<int, string> right) : IOne
{
    public static Pair<TLeft, TRight> Of<T>(T item, ref int at) => default;
    public int this[int at, string name] => 0;
    void IOne.Do() { }
    public static implicit operator string(Pair<TLeft, TRight> it) => "";
    public static Pair<TLeft, TRight> operator +(Pair<TLeft, TRight> a, Pair<TLeft, TRight> b) => a;
    public class Deep { public Deep() { } public const int Most = 1; public event System.Action? Gone; ~Deep() { } }
}
public abstract class Bare { public int Field; }
"""


def test_the_numbers_that_implicit_members_may_have_are_known_from_columns(tmp_path: Path) -> None:
    with index_of(tmp_path, FILES | {"C.cs": KINDS_OF_ROWS}) as index:
        checked = 0
        for at, entry in index.catalogue.live_types():
            whole = index.describer.whole(at)
            assert whole is not None
            type_ = whole.primary.declaration
            known = made_signatures(entry.fqn, entry.name, rests_of([type_], [KINDS.index(type_.kind)])[0])
            if known is None or type_.kind is Kind.DELEGATE:
                continue
            made = implicit_members(type_, frozenset(whole.modifiers), [])
            assert {canonical_signature(each, entry.fqn) for each in made} <= set(known)
            checked += bool(made)
        assert checked >= 4


@pytest.mark.parametrize("implicit", ["public N.A.A() 0", "public N.B.B(int,Pair<int,string>) 0"])
def test_a_member_with_the_number_of_an_implicit_one_takes_its_type(tmp_path: Path, implicit: str) -> None:
    text = "namespace N;\nclass A { void M() { } }\nclass B(int a, Pair<int, string> b) { void M() { } }"
    with index_of(tmp_path, {"A.cs": text}) as index:
        catalogue = index.catalogue
        owner = next(at for at, entry in catalogue.live_types() if f" {entry.fqn}." in implicit)
        row = next(
            row
            for row, of in enumerate(catalogue.columns.owner)
            if of == owner and catalogue.columns.signature[row]
        )
        assert by_columns(index)[row] is not None
        catalogue.columns.signature[row] = signature_number(implicit)
        assert by_columns(index)[row] is None


def test_rows_past_what_columns_hold_are_told_by_their_declarations(tmp_path: Path) -> None:
    with index_of(tmp_path, {"A.cs": "class A {" + "\n" * 70_000 + "int b; }"}) as index:
        assert [ref for ref in by_columns(index).values() if ref is not None] == []
        assert [hit.symbol.end_line for hit in index.search("A", limit=1).hits] == [70_001]


def test_kept_rows_are_told_as_before(tmp_path: Path) -> None:
    write_workspace(tmp_path, FILES | {"C.cs": KINDS_OF_ROWS})
    with index_of(tmp_path, {}) as index:
        before = by_columns(index)
    root = Root.open(tmp_path)
    again = Index(root, StateFolder.open(root), settings=IndexSettings(workers=1))
    assert again.load()
    assert by_columns(again) == before
    again.close()
