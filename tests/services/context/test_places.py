"""Every frame that has a source finds its member: nineteen ways to fail, as .NET 10 printed them (`shop/frames.txt`),
with lines and without."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.context.places import PlaceFinder, changed
from tests.support.workspace import indexed, opened, project, write_workspace

SHOP = Path(__file__).with_name("shop")
FRAMES = (SHOP / "frames.txt").read_text().splitlines()
OWN = [frame for frame in FRAMES if " in /src/" in frame]
FOREIGN = [frame for frame in FRAMES if " in /src/" not in frame and "Shop" not in frame]
EXPECTED = {
    34: "Order.Order(params Line[])", 39: "Order.this[int]", 18: "Line.Price", 44: "Order.Note",
    21: "Line.operator +(Line, Line)", 23: "Line.explicit operator Line(string)", 47: "Order.IAudited.Record(string)",
    8: "IPriced.Discounted(decimal)", 53: "Order.Totals()", 86: "OrderExtensions.Sum",
    71: "Order.Builder<TKey>.Build<TResult>(TKey, Func<TKey, TResult>)",
    75: "Order.Builder<TKey>.Build<TResult>(TKey, Func<TKey, TResult>)",
    65: "Order.Builder<TKey>.Build<TResult>(TKey, Func<TKey, TResult>)",
    98: "OrderExtensions.SendAsync(this Order, int)", 95: "OrderExtensions.SendAsync(this Order, int)",
    102: "OrderExtensions.OnceAsync<T>(this Order, Func<Order, Task<T>>)",
    108: "OrderExtensions.StreamAsync(this Order)", 116: "Registry.Load()", 114: "Registry.Size",
    59: "Order.Touch()", 121: "Cursor.Cursor(ReadOnlySpan<int>)",
}  # fmt: skip
"""By the line in Orders.cs; what stands in Program.cs is of its top-level statements."""


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    files = {f"app/Shop/{path.name}": path.read_text() for path in SHOP.iterdir() if path.suffix != ".txt"}
    with indexed(tmp_path_factory.mktemp("shop"), files) as bench:
        yield bench


def found(bench: Bench, text: str) -> list[str | None]:
    """The full labels of the places of a text, those without a symbol as None."""
    with bench.index.facade.reading():
        places = PlaceFinder(bench.index.facade).of(text)
    return [place.symbol.full if place.symbol else None for place in places]


def expected(frame: str) -> str:
    line = int(frame.rpartition(" ")[2])
    return f"Shop.Orders.{EXPECTED[line]}" if "Orders.cs" in frame else "Program"


@pytest.mark.parametrize("frame", OWN)
def test_a_frame_with_its_line_finds_its_member(bench: Bench, frame: str) -> None:
    assert found(bench, f"   {frame}")[0] == expected(frame)


@pytest.mark.parametrize("frame", OWN)
def test_a_frame_without_its_line_finds_the_same(bench: Bench, frame: str) -> None:
    assert found(bench, f"   {frame.partition(' in /src/')[0]}") == [expected(frame)]


@pytest.mark.parametrize("frame", FOREIGN)
def test_a_frame_of_the_framework_is_told_and_finds_nothing(bench: Bench, frame: str) -> None:
    assert found(bench, f"   {frame}") == [None]


def test_frames_of_another_machine_and_of_windows_lead_to_the_same_files(bench: Bench) -> None:
    text = r"   at Shop.Orders.Order.Touch() in C:\build\agent\Shop\Orders.cs:line 59"
    assert found(bench, text) == ["Shop.Orders.Order.Touch()"]


@pytest.mark.parametrize(
    "frame",
    [
        "   bei Shop.Orders.Order.Touch() in /src/Shop/Orders.cs:Zeile 59.",
        "   à Shop.Orders.Order.Touch() dans /src/Shop/Orders.cs:ligne 59",
        "  at void Shop.Orders.Order.Touch() in /src/Shop/Orders.cs:line 59",
        "[ERR]    at Shop.Orders.Order.Touch() in /src/Shop/Orders.cs:line 59".removeprefix("[ERR]"),
    ],
)
def test_frames_of_other_languages_and_formatters(bench: Bench, frame: str) -> None:
    assert found(bench, frame)[0] == "Shop.Orders.Order.Touch()"


def test_lines_of_files_are_found_in_any_text(bench: Bench) -> None:
    text = "Orders.cs(59,5): error CS1002: ; expected, see Shop/Orders.cs:39 and app/Shop/Program.cs and Nowhere.cs:3"
    assert found(bench, text) == ["Shop.Orders.Order.Touch()", "Shop.Orders.Order.this[int]", "Program"]


def test_a_diff_leads_to_what_it_changes(bench: Bench) -> None:
    text = "--- a/app/Shop/Orders.cs\n+++ b/app/Shop/Orders.cs\n@@ -57,3 +57,3 @@\n \n \n-    public void\n+    x\n"
    assert found(bench, text) == ["Shop.Orders.Order.Touch()"]


def test_a_line_that_has_moved_since_does_not_mislead(bench: Bench) -> None:
    assert found(bench, "   at Shop.Orders.Order.Touch() in /src/Shop/Orders.cs:line 3") == [
        "Shop.Orders.Order.Touch()"
    ]


def test_overloads_are_told_apart_by_their_parameters(tmp_path: Path) -> None:
    code = (
        "namespace A; class B { void C(int a) {} void C(string a) {} void C(int a, System.Func<int> b) {} }"
    )
    with indexed(tmp_path, {"A.csproj": project(), "B.cs": code}) as bench:
        text = "   at A.B.C(String a)\n   at A.B.C(Int32 a, Func`1 b)\n   at A.B.C(Int32 a)"
        assert found(bench, text) == ["A.B.C(string)", "A.B.C(int, System.Func<int>)", "A.B.C(int)"]


def test_a_file_name_that_several_files_have_leads_to_none_of_them(tmp_path: Path) -> None:
    write_workspace(tmp_path, {"a/X.cs": "class A { }", "b/X.cs": "class B { }"})
    with opened(tmp_path) as bench:
        bench.index.refresh()
        assert found(bench, "X.cs:1") == []
        assert found(bench, "b/X.cs:1") == ["B"]


def test_a_trace_of_five_megabytes_takes_no_more_than_a_moment(bench: Bench) -> None:
    frame = "   at Program.<<Main>$>g__Down|0_20(Int32 n) in /src/Shop/Program.cs:line 48\n"
    places = found(bench, frame * 60_000)
    assert places == ["Program"]


def test_a_line_of_a_million_letters_is_no_place(bench: Bench) -> None:
    assert found(bench, "a" * 1_000_000 + ".cs:3\n   at " + "b" * 1_000_000 + "(") == []


@pytest.mark.parametrize("mark", ["\f", "\v", "\x85", "\u2028"])
def test_a_form_feed_in_a_diff_ends_no_line(mark: str) -> None:
    text = (
        f"--- a/A.cs\n+++ b/A.cs\n@@ -7,4 +7,4 @@\n one{mark} more\n two{mark} three\r\n-old\n+new\n four\n"
    )
    assert [(each.path, each.line) for each in changed(text)] == [("A.cs", 9)]


ODD = """namespace A;
interface ISend { System.Threading.Tasks.Task SendAsync(); }
class Order : ISend
{
    System.Threading.Tasks.Task ISend.SendAsync() => null;
    public System.Threading.Tasks.Task SendAsync() => null;
    void Take(int a) { }
    void Take(int? a) { }
    void Take(System.DateTime? a, (int, int) b) { }
    void Take(System.DateTime? a, string b) { }
}
file class Hidden { void Touch() { } }
"""


@pytest.mark.parametrize(
    ("frame", "symbol"),
    [
        ("A.Order.<A-ISend-SendAsync>d__0.MoveNext()", "A.Order.ISend.SendAsync()"),
        ("A.Order.<SendAsync>d__1.MoveNext()", "A.Order.SendAsync()"),
        ("A.Order.Take(Int32 a)", "A.Order.Take(int)"),
        ("A.Order.Take(Nullable`1 a)", "A.Order.Take(int?)"),
        ("A.Order.Take(Nullable`1 a, ValueTuple`2 b)", "A.Order.Take(System.DateTime?, (int, int))"),
        ("A.Order.Take(Nullable`1 a, String b)", "A.Order.Take(System.DateTime?, string)"),
        ("A.<B>F0A1__Hidden.Touch()", "A.Hidden.Touch()"),
    ],
)
def test_names_that_the_compiler_makes_lead_to_what_is_declared(
    tmp_path: Path, frame: str, symbol: str
) -> None:
    with indexed(tmp_path, {"A.csproj": project(), "B.cs": ODD}) as bench:
        assert found(bench, f"   at {frame}") == [symbol]
