"""Names that are nearly right, or of something else than a symbol: what they lead to, and what they never do."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.errors import AmbiguousSymbol, FileMissing, LineOutOfRange, SymbolNotFound
from services.index.catalog.catalogue import Catalogue
from services.index.resolve.candidates import TypeNameIndex
from services.model import Kind
from tests.support.workspace import indexed

SOURCE = """namespace Shop.Core
{
    public class Store
    {
        bool _disposed;
        public string Serialize(object value) => "";
        public void Load(int a) { }
        public void Load<T>(T a) { }
        public void Load(string a, int b) { }
        public class Shelf { }
    }
    public class Stove { public void Heat() { } }
    public class Table { public int this[int at] => at; }
    public record Item(string Title, decimal Price);
}
namespace Shop.Other { class Alone { } }
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    files = {
        "src/Shop.cs": SOURCE,
        "src/One.cs": "class One\n{\n    void Do()\n    {\n    }\n}\n",
        "src/None.cs": "// none",
    }
    with indexed(tmp_path_factory.mktemp("shop"), files) as made:
        yield made


def labels(bench: Bench, path: str) -> list[str]:
    """What a path may mean."""
    answer = bench.lookup.resolve(path)
    return sorted(each.label for each in (answer.symbol, *answer.candidates) if each is not None)


@pytest.mark.parametrize(
    "path", ["Store.Dispose()", "Store.Dispos()", "Store.Shel()", "Store.Shelf()", "Stov()", "St*e()"]
)
def test_what_is_called_is_never_what_cannot_be(bench: Bench, path: str) -> None:
    answer = bench.lookup.resolve(path)
    assert (answer.symbol, [each for each in answer.candidates if each.kind is not Kind.CONSTRUCTOR]) == (
        None,
        [],
    )


def test_a_name_that_is_misspelt_keeps_its_parameters(bench: Bench) -> None:
    assert labels(bench, "Store.Serialise(object)") == ["Serialize(object)"]
    answer = bench.lookup.resolve("Store.Serialise(int)")
    assert (answer.symbol, answer.candidates) == (None, ())
    assert answer.suggestions[0] == "Shop.Core.Store.Serialize"


def test_all_overloads_are_meant_where_none_is_written(bench: Bench) -> None:
    every = ["Load(int)", "Load(string, int)", "Load<T>(T)"]
    assert labels(bench, "Store.Load") == labels(bench, "Load") == labels(bench, "Store.Load(bool)") == every
    assert labels(bench, "Store.Load<T>") == ["Load<T>(T)"]
    assert labels(bench, "Store.Load(int)") == ["Load(int)"]


def test_a_miss_inside_a_type_suggests_its_members(bench: Bench) -> None:
    found = bench.lookup.resolve("Store.Unserializable").suggestions
    assert found[0] == "Shop.Core.Store.Serialize"
    assert all(each.startswith("Shop.Core.Store.") for each in found)
    with pytest.raises(SymbolNotFound) as refused:
        bench.outlines.outline("Store.Unserializable")
    assert refused.value.details["suggestions"] == list(found)


def test_positional_properties_of_a_record_are_found_misspelt(bench: Bench) -> None:
    assert labels(bench, "Item.Titel") == labels(bench, "Item.Tit*") == ["Title"]
    assert labels(bench, "Item.EqualityContrac") == []


@pytest.mark.parametrize(
    ("path", "how", "full"),
    [
        ("Shop.Core", "exact", "Shop.Core"),
        ("shop", "exact", "Shop"),
        ("Core", "suffix", "Shop.Core"),
        ("global::Shop.Other", "exact", "Shop.Other"),
    ],
)
def test_a_namespace_is_an_answer(bench: Bench, path: str, how: str, full: str) -> None:
    answer = bench.lookup.resolve(path)
    assert answer.symbol is not None
    assert answer.resolved is not None
    assert (answer.how, answer.symbol.path, answer.symbol.kind) == (how, full, Kind.NAMESPACE)
    assert answer.resolved.path == full
    again = bench.lookup.resolve(answer.symbol.id)
    assert again.symbol == answer.symbol
    with pytest.raises(SymbolNotFound, match="is a namespace") as refused:
        bench.outlines.outline(path)
    for each in refused.value.details["suggestions"]:
        assert bench.lookup.resolve(each).how == "exact"


def test_a_file_is_what_it_declares(bench: Bench) -> None:
    assert labels(bench, "src/One.cs") == ["One"]
    assert bench.outlines.outline("src/One.cs").resolved.path == "One"
    assert labels(bench, "src/Shop.cs") == ["Alone", "Item", "Store", "Stove", "Table"]
    with pytest.raises(AmbiguousSymbol):
        bench.outlines.outline("src/Shop.cs")
    with pytest.raises(SymbolNotFound, match="place in a file"):
        bench.outlines.outline("src/None.cs")
    with pytest.raises(FileMissing):
        bench.outlines.outline("src/Gone.cs")


@pytest.mark.parametrize(
    ("lines", "label"),
    [("3", "Do()"), ("3-5", "Do()"), ("4", "Do()"), ("2", "One"), ("4-6", "One"), ("1-6", "One")],
)
def test_lines_of_a_file_are_the_innermost_symbol_around_them(bench: Bench, lines: str, label: str) -> None:
    assert labels(bench, f"src/One.cs:{lines}") == [label]
    assert bench.usages.find(f"src/One.cs:{lines}", limit=1).symbol.label == label


@pytest.mark.parametrize("lines", ["9999", "0", "7-9", "0-3", "5-2"])
def test_lines_that_are_not_there_are_refused(bench: Bench, lines: str) -> None:
    for ask in (bench.lookup.resolve, bench.outlines.outline, bench.sources.read):
        with pytest.raises(LineOutOfRange) as refused:
            ask(f"src/One.cs:{lines}")
        assert refused.value.code == 4004


@pytest.mark.parametrize("path", ["Stoer", "Shop.Core.Stor", "Store.Serialise", "Item.Titel"])
def test_nothing_is_done_to_a_guess(bench: Bench, path: str) -> None:
    answer = bench.lookup.resolve(path)
    assert answer.how == "fuzzy"
    acts = (
        lambda: bench.writing.lock(path),
        lambda: bench.writing.replace(path, "", handle="x"),
        lambda: bench.writing.patch("", {path: "x"}, ()),
        lambda: bench.writing.undo(path),
        lambda: bench.writing.break_lock(path, reason="x"),
        lambda: bench.window.pin(path),
        lambda: bench.exports.write([path]),
    )
    there = [each.id for each in (answer.symbol, *answer.candidates) if each is not None]
    for act in acts:
        with pytest.raises(AmbiguousSymbol) as refused:
            act()
        found = refused.value.details["candidates"]
        assert [each.get("memberId", each["typeId"]) for each in found] == there
    assert bench.writer.locks().locks == ()
    assert bench.window.render().items == ()


@pytest.mark.parametrize("path", ["One.cs", "one.cs", "One.cs:3"])
def test_a_file_that_is_not_there_suggests_those_that_are(bench: Bench, path: str) -> None:
    answer = bench.lookup.resolve(path)
    assert (answer.symbol, answer.candidates, answer.suggestions) == (None, (), ("src/One.cs",))


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("M:Shop.Core.Store.Load(System.Int32)", "Load(int)"),
        ("T:Shop.Core.Store", "Store"),
        ("Store#Serialize", "Serialize(object)"),
        ("M:Shop.Core.Item.#ctor(System.String,System.Decimal)", "Item(string, decimal)"),
        ("Table[int]", "this[int]"),
        ("Table[]", "this[int]"),
        ('Table["x"]', "this[int]"),
    ],
)
def test_other_ways_to_write_a_symbol(bench: Bench, path: str, label: str) -> None:
    assert labels(bench, path) == [label]


NAMES = st.sampled_from(
    ["Store", "Stove", "Load", "Serialize", "_disposed", "Shelf", "Item", "Title", "Heat"]
)
TYPES = st.lists(st.sampled_from(["int", "string", "object", "T", "bool"]), max_size=3).map(", ".join)


@given(NAMES, NAMES, st.text("aeiorst", max_size=2), TYPES)
def test_what_is_resolved_has_the_parameters_that_were_written(
    bench: Bench, owner: str, name: str, slip: str, types: str
) -> None:
    answer = bench.lookup.resolve(f"{owner}.{name}{slip}({types})")
    if answer.symbol is not None:
        assert answer.symbol.label.endswith(f"({types})")
    for each in answer.candidates:
        assert (
            answer.how is not None
            or each.label.split("(")[0].split("<")[0].lower() == f"{name}{slip}".lower()
        )


@pytest.mark.parametrize(
    ("path", "suggested"),
    [
        ("Serializ_e", "Shop.Core.Store.Serialize"),
        ("Haet", "Shop.Core.Stove.Heat"),
        ("src/Shops.cs", "src/Shop.cs"),
        ("Shpo.cs", "src/Shop.cs"),
        ("scr/None.cs", "src/None.cs"),
    ],
)
def test_a_slip_in_the_name_of_a_member_or_file_suggests_it(bench: Bench, path: str, suggested: str) -> None:
    answer = bench.lookup.resolve(path)
    assert (answer.symbol, answer.suggestions[0]) == (None, suggested)


@pytest.mark.parametrize(
    ("path", "error"),
    [("src/One.cs:9999", LineOutOfRange), ("One.cs:1", FileMissing), ("One.cs:9999", FileMissing)],
)
def test_lines_that_are_not_there_are_not_locked(bench: Bench, path: str, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^Nothing was locked\."):
        bench.writing.lock(path)
    assert bench.writer.locks().locks == ()


class _Met(str):
    """Name at which two threads meet that read it at once."""

    meeting = threading.Barrier(2)

    def lower(self) -> str:
        self.meeting.wait(60)
        return super().lower()


def test_threads_that_find_names_after_a_change_find_each_once() -> None:
    catalogue = Catalogue()
    catalogue.names.ids(["First", "Second"])
    types = TypeNameIndex(catalogue)
    assert types.of_rows("first") == [0]
    catalogue.names.ids(["first", _Met("second")])
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(types.of_rows, ["first", "first"]))
    assert found == [[0, 2], [0, 2]]
    assert types.of_rows("second") == [1, 3]


def test_what_no_project_compiles_is_meant_by_its_id_where_one_compiles_the_same(tmp_path: Path) -> None:
    listing = "namespace N { public class Till { public void Add(int x) { } public int Sum; } public class Only { } }"
    files = {
        "P/P.csproj": '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup><TargetFramework>net9.0</TargetFramework>'
        '</PropertyGroup><ItemGroup><Compile Remove="api/*.cs" /></ItemGroup></Project>',
        "P/Till.cs": "namespace N; public class Till { public void Add(int x) { } }",
        "P/api/P.cs": listing,
    }
    with indexed(tmp_path, files) as bench:
        for path in ("Till", "N.Till", "Till.Add", "Till.Add(int)"):
            found = bench.lookup.resolve(path)
            assert found.symbol is not None, path
            assert found.symbol.file == "P/Till.cs"
        for path in ("Only", "Till.Sum"):
            found = bench.lookup.resolve(path)
            assert found.symbol is not None, path
            assert found.symbol.file == "P/api/P.cs"
        copy = next(each for each in bench.index.symbols() if each.fqn == "N.Till" and "api" in each.file)
        found = bench.lookup.resolve(copy.id)
        assert found.symbol is not None
        assert found.symbol.file == "P/api/P.cs"
