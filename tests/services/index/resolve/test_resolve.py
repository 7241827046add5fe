"""Symbol paths to symbols (SPEC section 5)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.errors import AmbiguousSymbol
from tests.support.workspace import indexed, project

SOURCE = """
namespace Shop.Core
{
    public class NodeStore
    {
        public NodeStore(int size) { }
        public NodeStore(string name, int size) { }
        public void Get(int id) { }
        public void Get(string id, System.Collections.Generic.List<int> more) { }
        public void GetAll() { }
        public T Convert<T>(T value) => value;
        public string Convert(string value) => value;
        public int this[int at] => at;
        public static NodeStore operator +(NodeStore a, NodeStore b) => a;
        public static implicit operator int(NodeStore a) => 1;
        public int Size { get; set; }
        public class Entry { public int Key; }
    }
    public class Pair<T> { }
    public class Pair<T, U> { public T First; }
    public class Pair { }
    internal class Twin { }
}
namespace Shop.Core.Deep { public class Twin { } public class Only { public void Reset() { } } }
namespace Shop { public class Third { public int Value; } }
namespace Mart { class Third { } }
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(Path(tmp_path_factory.mktemp("resolve")), {"Shop.cs": SOURCE}) as made:
        yield made


@pytest.mark.parametrize(
    ("path", "how", "label"),
    [
        ("Shop.Core.NodeStore", "exact", "NodeStore"),
        ("shop.core.nodestore", "exact", "NodeStore"),
        ("global::Shop.Core.NodeStore", "exact", "NodeStore"),
        ("NodeStore", "suffix", "NodeStore"),
        ("Core.NodeStore", "suffix", "NodeStore"),
        ("NodeStore+Entry", "suffix", "Entry"),
        ("Shop.Core.NodeStore.Entry", "exact", "Entry"),
        ("NodeStore.Entry.Key", "suffix", "Key"),
        ("Shop.Core.NodeStore.GetAll", "exact", "GetAll()"),
        ("NodeStore.GetAll()", "suffix", "GetAll()"),
        ("NodeStore.Get(int)", "suffix", "Get(int)"),
        (
            "NodeStore.Get( string , List<int> )",
            "suffix",
            "Get(string, System.Collections.Generic.List<int>)",
        ),
        ("GetAll", "suffix", "GetAll()"),
        ("Pair<T>", "suffix", "Pair<T>"),
        ("Pair<A, B>", "suffix", "Pair<T, U>"),
        ("Pair`2", "suffix", "Pair<T, U>"),
        ("Pair", "suffix", "Pair"),
        ("Pair<A,B>.First", "suffix", "First"),
        ("NodeStore.Convert<T>", "suffix", "Convert<T>(T)"),
        ("NodeStore.Convert(string)", "suffix", "Convert(string)"),
        ("NodeStore..ctor(int)", "suffix", "NodeStore(int)"),
        ("NodeStore.NodeStore(string,int)", "suffix", "NodeStore(string, int)"),
        ("NodeStore.this[int]", "suffix", "this[int]"),
        ("NodeStore.this[]", "suffix", "this[int]"),
        ("NodeStore.Item", "suffix", "this[int]"),
        ("NodeStore.operator +", "suffix", "operator +(NodeStore, NodeStore)"),
        ("NodeStore.operator +(NodeStore, NodeStore)", "suffix", "operator +(NodeStore, NodeStore)"),
        ("NodeStore.implicit operator", "suffix", "implicit operator int(NodeStore)"),
        ("NodeStroe", "fuzzy", "NodeStore"),
        ("NodeStore.GetAl", "fuzzy", "GetAll()"),
        ("NodeStoer.GetAll", "fuzzy", "GetAll()"),
        ("NodeSt?re.GetA*", "wildcard", "GetAll()"),
        ("Shop.Core.N*e", "wildcard", "NodeStore"),
        ("NodeStore.*All", "wildcard", "GetAll()"),
        ("*.Deep.O*y", "wildcard", "Only"),
    ],
)
def test_a_path_leads_to_one_symbol(bench: Bench, path: str, how: str, label: str) -> None:
    answer = bench.lookup.resolve(path)
    assert [each.label for each in answer.candidates] == []
    assert answer.symbol is not None
    assert (answer.how, answer.symbol.label) == (how, label)
    assert answer.resolved is not None
    assert answer.symbol.id == (answer.resolved.member_id or answer.resolved.type_id)


def test_ids_resolve_in_any_case(bench: Bench) -> None:
    for symbol in bench.index.symbols():
        for id_ in (symbol.id, symbol.id.lower()):
            answer = bench.lookup.resolve(id_)
            assert answer.symbol is not None
            assert (answer.how, answer.symbol.id) == ("exact", symbol.id)


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ("NodeStore.Get", ["Get(int)", "Get(string, System.Collections.Generic.List<int>)"]),
        ("NodeStore.Get*", ["Get(int)", "Get(string, System.Collections.Generic.List<int>)", "GetAll()"]),
        ("NodeStore.ctor", ["NodeStore(int)", "NodeStore(string, int)"]),
    ],
)
def test_several_symbols_are_candidates(bench: Bench, path: str, labels: list[str]) -> None:
    answer = bench.lookup.resolve(path)
    assert answer.resolved is None
    assert sorted(each.label for each in answer.candidates) == labels


def test_candidates_stand_shallow_first_then_public_first(bench: Bench) -> None:
    assert [each.path for each in bench.lookup.resolve("Twin").candidates] == [
        "Shop.Core.Twin",
        "Shop.Core.Deep.Twin",
    ]
    assert [each.path for each in bench.lookup.resolve("Third").candidates] == ["Shop.Third", "Mart.Third"]


def test_an_overload_that_is_not_there_leads_to_those_that_are(bench: Bench) -> None:
    for path in ("NodeStore.GetAll(int)", "GetAll(int)", "Shop.Core.NodeStore.GetAll(int, int)"):
        answer = bench.lookup.resolve(path)
        assert (answer.how, answer.resolved, answer.symbol) == (None, None, None)
        assert [each.label for each in answer.candidates] == ["GetAll()"]
        with pytest.raises(AmbiguousSymbol, match="No overload") as refused:
            bench.outlines.outline(path)
        assert [each["path"] for each in refused.value.details["candidates"]] == [
            "Shop.Core.NodeStore.GetAll()"
        ]


def test_a_miss_suggests_names_like_it(bench: Bench) -> None:
    answer = bench.lookup.resolve("NodeStoreFactory")
    assert (answer.resolved, answer.candidates) == (None, ())
    assert "Shop.Core.NodeStore" in answer.suggestions


@pytest.mark.parametrize(
    "path", ["", " ", ".", "(", ")", "x", "T_00000000", "T_", "<>", "`", "**", "Q*", "a..b", "[]"]
)
def test_nonsense_is_a_miss(bench: Bench, path: str) -> None:
    assert bench.lookup.resolve(path).resolved is None


@given(text=st.text(max_size=30) | st.lists(
    st.sampled_from(["NodeStore", ".", "+", "(", ")", "<", ">", ",", "*", "?", "[", "]", "operator", "`1", "T_", "int",
                     "implicit", " ", "this", ":1", "Get", "99999999999"]), max_size=12).map("".join))  # fmt: skip
def test_no_path_raises(bench: Bench, text: str) -> None:
    answer = bench.lookup.resolve(text)
    assert answer.resolved is None or answer.candidates == ()


@pytest.mark.parametrize(
    "path", ["*e" * 40 + "x", "<" * 50_000 + ">" * 50_000, "(" * 50_000, "N" * 1_000_000, "A." * 900]
)
def test_a_path_meant_to_hang_does_not(bench: Bench, path: str) -> None:
    # A backtracking match of the first takes longer than anyone waits.
    assert bench.lookup.resolve(path).resolved is None


def test_a_line_of_a_file_leads_to_what_stands_there(bench: Bench) -> None:
    line = SOURCE.split("\n").index("        public void GetAll() { }") + 1
    answer = bench.lookup.resolve(f"Shop.cs:{line}")
    assert answer.symbol is not None
    assert answer.symbol.label == "GetAll()"
    assert bench.lookup.resolve("Shop.cs:1").resolved is None


def test_what_was_used_last_stands_first(tmp_path: Path) -> None:
    files = {"A.cs": "namespace A { class X { } } namespace B { class X { } }"}
    with indexed(tmp_path, files) as made:
        made.window.visit("B.X")
        assert [each.path for each in made.lookup.resolve("X").candidates] == ["B.X", "A.X"]


def test_of_many_types_of_one_name_those_with_the_member_are_found(tmp_path: Path) -> None:
    bodies = ["", "public void Other() { }", "public int this[int a] => a;", "public void PAINT() { }"]
    files = {
        f"N{at}.cs": f"namespace N{at} {{ public class Node {{ {body} }} }}" for at, body in enumerate(bodies)
    }
    files["R.cs"] = "namespace R { public record Node(int Total); }"
    with indexed(tmp_path, files) as bench:
        for path, owners in [("Node.paint", "N3"), ("Node.total", "R"), ("Node.this", "N2")]:
            answer = bench.lookup.resolve(path)
            found = answer.candidates or ((answer.symbol,) if answer.symbol is not None else ())
            assert {each.path.partition(".")[0] for each in found} == set(owners.split()), path


NODES = """
namespace Lib.Core
{
    public class Node<T>
    {
        public static Node<T> Make(T of) => null;
        public static Node<T> Make(T of, int times) => null;
        public int Depth;
        public class Leaf { public void Grow(int by) { } }
    }
    public class Node
    {
        public static Node<T> Make<T>(T of) => null;
        public class Leaf<T> { public void Grow(int by) { } public void Shrink(T by) { } }
        public class Leaf { public void Grow(int by) { } }
    }
    public class Only<T> { public static void Do<U>(T a, U b) { } public class Deep<V> { public void Do(V a) { } } }
}
"""


@pytest.fixture(scope="module")
def nodes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(Path(tmp_path_factory.mktemp("nodes")), {"Nodes.cs": NODES}) as made:
        yield made


@pytest.mark.parametrize(
    ("path", "full"),
    [
        ("Node.Make", "Node.Make<T>(T)"),
        ("Node.Make(T)", "Node.Make<T>(T)"),
        ("Node.Make<T>(T)", "Node.Make<T>(T)"),
        ("Node<T>.Make(T)", "Node<T>.Make(T)"),
        ("Node<>.Make(T)", "Node<T>.Make(T)"),
        ("Node`1.Make(`0)", "Node<T>.Make(T)"),
        ("Node`1.Make(`0, int)", "Node<T>.Make(T, int)"),
        ("Node.Make``1(``0)", "Node.Make<T>(T)"),
        ("Node.Depth", "Node<T>.Depth"),
        ("Node.Leaf", "Node.Leaf"),
        ("Node<T>.Leaf", "Node<T>.Leaf"),
        ("Node`1+Leaf", "Node<T>.Leaf"),
        ("Node.Leaf<X>", "Node.Leaf<T>"),
        ("Node.Leaf.Grow(int)", "Node.Leaf.Grow(int)"),
        ("Node<T>.Leaf.Grow", "Node<T>.Leaf.Grow(int)"),
        ("Node.Leaf<T>.Grow", "Node.Leaf<T>.Grow(int)"),
        ("Node.Leaf.Shrink", "Node.Leaf<T>.Shrink(T)"),
        ("Only.Do", "Only<T>.Do<U>(T, U)"),
        ("Only`1.Do``1(`0,``0)", "Only<T>.Do<U>(T, U)"),
        ("Only`1+Deep`1.Do(`1)", "Only<T>.Deep<V>.Do(V)"),
    ],
)
def test_each_name_of_a_path_has_its_own_arity(nodes: Bench, path: str, full: str) -> None:
    answer = nodes.lookup.resolve(f"Lib.Core.{path}")
    assert answer.symbol is not None, [each.full for each in answer.candidates]
    assert (answer.how, answer.symbol.full) == ("exact", f"Lib.Core.{full}")


def test_an_overload_that_is_not_there_is_looked_for_in_the_type_that_is_written(nodes: Bench) -> None:
    answer = nodes.lookup.resolve("Lib.Core.Node.Make(string)")
    assert answer.symbol is None
    assert [each.full for each in answer.candidates] == ["Lib.Core.Node.Make<T>(T)"]


def test_the_names_of_type_parameters_tell_apart_what_nothing_else_does(tmp_path: Path) -> None:
    files = {"A/A.csproj": project(), "A/C.cs": "namespace N { class C<T> { void M() { } } }",
             "B/B.csproj": project(), "B/C.cs": "namespace N { class C<TResult> { void M() { } } }"}  # fmt: skip
    with indexed(tmp_path, files) as bench:
        for path in ["N.C<T>", "N.C<TResult>", "N.C<T>.M()", "N.C<TResult>.M()"]:
            symbol = bench.lookup.resolve(path).symbol
            assert symbol is not None, path
            assert symbol.full == path
        assert len(bench.lookup.resolve("N.C<U>").candidates) == 2
