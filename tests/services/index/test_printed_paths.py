"""What the program prints of a symbol leads back to it (SPEC section 5)."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.model import SymbolRef
from tests.support.workspace import indexed

SOURCE = """
namespace Lib.Core
{
    public delegate void Handler(object sender, ref int more);
    public delegate R Maker<in T, out R>(T from);
    public interface IShape<T> { T Area(T by); T this[T at] { get; } event System.Action Drawn; }
    public interface ISum<TSelf> where TSelf : ISum<TSelf>
    {
        static abstract TSelf operator +(TSelf a, TSelf b);
        static abstract explicit operator int(TSelf a);
    }
    public ref struct Over
    {
        public void To(int a) { }
        public void To(ref int a) { }
        public void To(params int[] a) { }
        public void To(scoped ref System.Span<int> a) { }
        public void To(int? a) { }
        public void To(string? a, in int b) { }
        public void To((int, string) a) { }
        public void To((int a, string b) a, out int c) { c = 1; }
        public void To(int[] a, int[,] b, int[][] c) { }
        public void To(System.Collections.Generic.Dictionary<System.String, List<int?>> a) { }
        public void To(Other.Dictionary<int, int> a) { }
        public void To<T>(T a) { }
        public void To<T>(List<T> a) { }
        public void To<T, U>(T a, U b) { }
        public unsafe void To(delegate*<int, void> a) { }
        public unsafe void To(int* a) { }
        public void To(global::System.Uri a) { }
        public void Ref(ref readonly int a) { }
        public void Ref(int a) { }
        public void Out(out int a) { a = 1; }
        public void Out(int a) { }
        public void In(in int a) { }
        public void In(int a) { }
    }
    public static class Extensions
    {
        public static void Add(this Shape a, int b) { }
        public static void Add(Shape a, string b) { }
        public static void Add(this ref Point a, string b) { }
        extension(Shape a) { public int Twice(int b) => b; public bool IsEmpty => true; }
        extension(Shape) { public static Shape Zero() => null; }
        extension<T>(List<T> a) { public void Each<U>(in U b) { } }
    }
    public abstract class Shape : IShape<int>, IShape<string>, ISum<Shape>, System.IDisposable
    {
        public static readonly int size = 1;
        public Shape() { }
        public Shape(in int a) { }
        static Shape() { }
        ~Shape() { }
        public int Size { get; set; }
        public const int Most = 3;
        public event System.Action Drawn, Gone;
        public int this[in int a] => a;
        public int this[int a, params string[] b] => a;
        public int this[List<(int, int)> a] => 1;
        public int Area(int by) => by;
        int IShape<int>.Area(int by) => by;
        string IShape<string>.Area(string by) => by;
        event System.Action IShape<int>.Drawn { add { } remove { } }
        void System.IDisposable.Dispose() { }
        public static Shape operator +(Shape a, Shape b) => a;
        public static Shape operator checked +(Shape a, Shape b) => a;
        public static Shape operator *(Shape a, Shape b) => a;
        public static Shape operator *(Shape a, int b) => a;
        public static Shape operator ++(Shape a) => a;
        public static bool operator <(Shape a, Shape b) => true;
        public static bool operator >(Shape a, Shape b) => true;
        public static bool operator ==(Shape a, Shape b) => true;
        public static bool operator !=(Shape a, Shape b) => true;
        public static Shape operator >>(Shape a, int b) => a;
        public static Shape operator >>>(Shape a, int b) => a;
        public static bool operator true(Shape a) => true;
        public static bool operator false(Shape a) => true;
        public void operator +=(Shape a) { }
        static Shape ISum<Shape>.operator +(Shape a, Shape b) => a;
        static explicit ISum<Shape>.operator int(Shape a) => 1;
        public static explicit operator int(Shape a) => 1;
        public static explicit operator checked int(Shape a) => 1;
        public static implicit operator int?(Shape a) => 1;
        public static implicit operator string[](Shape a) => null;
        public static implicit operator (int, int)(Shape a) => (1, 1);
        public static implicit operator List<int>(Shape a) => null;
        public static implicit operator Shape(int a) => null;
        public static implicit operator Shape(string? a) => null;
    }
    public record struct Point(int X, int Y);
    public record Named(string Name)
    {
        public class Part<T> { public void Do(T a, in int b) { } public T this[T a] => a; }
    }
    public class Tree<T> { public class Leaf { public void Do<U>(T a, U b) { } } }
    public enum Colour { Red, Green }
}
class Alone { void Run(ref int a) { } void Run(int a) { } }
"""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    with indexed(Path(tmp_path_factory.mktemp("printed")), {"Lib.cs": SOURCE}) as made:
        yield made


def refs(bench: Bench) -> list[SymbolRef]:
    """All symbols as lists show them."""
    answers = [bench.lookup.resolve(symbol.id).symbol for symbol in bench.index.symbols()]
    return [ref for ref in answers if ref is not None]


def test_every_path_that_is_printed_once_leads_to_its_symbol(bench: Bench) -> None:
    printed = refs(bench)
    count = Counter(ref.full for ref in printed)
    assert len(count) > 120
    assert {full for full, times in count.items() if times > 1} == {"Lib.Core.Shape.Shape()"}  # one is static
    wrong: list[str] = []
    for ref in printed:
        answer = bench.lookup.resolve(ref.full)
        if count[ref.full] == 1 and (answer.how, answer.symbol) != ("exact", ref):
            wrong.append(f"{ref.full} -> {answer.how} {[each.full for each in answer.candidates]}")
    assert wrong == []


def test_the_end_of_a_printed_path_leads_to_its_symbol_too(bench: Bench) -> None:
    printed = refs(bench)
    ends = [ref.full.removeprefix("Lib.Core.") for ref in printed]
    count = Counter(ends)
    once = [(ref, end) for ref, end in zip(printed, ends, strict=True) if count[end] == 1]
    assert [end for ref, end in once if bench.lookup.resolve(end).symbol != ref] == []


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("Over.To(ref int)", "To(ref int)"),
        ("Over.To(  ref   int )", "To(ref int)"),
        ("Over.To(int[])", "To(params int[])"),
        ("Over.To(ref Span<int>)", "To(scoped ref System.Span<int>)"),
        ("Over.To(Dictionary<String, List<int>>)",
         "To(System.Collections.Generic.Dictionary<System.String, List<int?>>)"),
        ("Over.To(Uri)", "To(global::System.Uri)"),
        ("Over.Ref(ref int)", None),
        ("Extensions.Add(Shape, int)", "Add(this Shape, int)"),
        ("Extensions.Add(this Shape, string)", "Add(Shape, string)"),
        ("Shape.this[int]", "this[in int]"),
        ("Shape.this[int, string[]]", "this[int, params string[]]"),
        ("Shape.explicit operator int", "explicit operator int(Shape)"),
        ("Shape.explicit operator checked", "explicit operator checked int(Shape)"),
        ("Shape.implicit operator string[]", "implicit operator string[](Shape)"),
        ("Shape.implicit operator (int, int)", "implicit operator (int, int)(Shape)"),
        ("Shape.implicit operator Lib.Core.Shape(string)", "implicit operator Shape(string?)"),
        ("Shape.operator+(Shape, Shape)", "operator +(Shape, Shape)"),
        ("Shape.IDisposable.Dispose", "System.IDisposable.Dispose()"),
        ("Shape.IShape<string>.Area", "IShape<string>.Area(string)"),
        ("Shape.Area", "Area(int)"),
        ("Shape.size", "size"),
        ("Shape.Size", "Size"),
        ("Maker<T, R>", "Maker<T, R>(T)"),
        ("Handler(object, int)", "Handler(object, ref int)"),
    ],
)  # fmt: skip
def test_what_is_written_is_preferred_and_what_is_left_out_is_forgiven(
    bench: Bench, path: str, label: str | None
) -> None:
    symbol = bench.lookup.resolve(path).symbol
    assert (symbol.label if symbol is not None else None) == label


@pytest.mark.parametrize(
    ("path", "labels"),
    [
        ("Over.To(this string, in int)", {"To(string?, in int)"}),
        ("Shape.operator *", {"operator *(Shape, Shape)", "operator *(Shape, int)"}),
        (
            "Shape.implicit operator Shape",
            {"implicit operator Shape(int)", "implicit operator Shape(string?)"},
        ),
        ("Shape.SIZE", {"Size", "size"}),
    ],
)
def test_what_nothing_has_tells_nothing_apart(bench: Bench, path: str, labels: set[str]) -> None:
    answer = bench.lookup.resolve(path)
    found = answer.candidates or ((answer.symbol,) if answer.symbol is not None else ())
    assert {each.label for each in found} == labels
