"""Callers that a change leaves behind, in a review of it."""

# ruff: noqa: E501 - each case in one piece

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.model.review import Finding
from tests.support.review_change import CODE, committed, git, write
from tests.support.workspace import edit

_USER = """namespace N;

public class User
{
    public int All(Shop shop) => shop.Sum(1)
        + new Shop().Twice(2);
}
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with committed(tmp_path, {"Lib/User.cs": _USER}) as made:
        yield made


def _broken(bench: Bench) -> list[Finding]:
    findings = bench.review.review("", analyze=True).findings
    found = [each for each in findings if each.kind == "broken"]
    assert list(findings[: len(found)]) == found, "they come first"
    return found


@pytest.mark.parametrize(
    ("old", "new", "places", "why"),
    [
        ("int Sum(int a)", "int Sum(int a, bool b)", ["Lib/Shop.cs:10", "Lib/User.cs:5"], "takes 2, given 1"),
        ("int Sum(int a)", "int Sum(string a)", ["Lib/Shop.cs:10", "Lib/User.cs:5"], "argument 1 is int, string is taken"),
        ("public int Sum(int a)", "private int Sum(int a)", ["Lib/User.cs:5"], "is not accessible here"),
        ("public int Sum(int a)", "public static int Sum(int a)", ["Lib/User.cs:5"], "is static"),
        ("int Sum(int a)", "int Sum<T>(int a)", ["Lib/Shop.cs:10", "Lib/User.cs:5"], "type arguments are missing"),
        ("int Sum(int a)", "int Total(int a)", ["Lib/Shop.cs:10", "Lib/User.cs:5"], "which is gone"),
        ("public class Shop\n{", "public class Shop\n{\n    public Shop(int a) { }", ["Lib.Tests/ShopTests.cs:6", "Lib/User.cs:6"], "takes 1, given 0"),
        ("public class Shop\n{", "public class Shop(int a)\n{", ["Lib.Tests/ShopTests.cs:6", "Lib/User.cs:6"], "takes 1, given 0"),
    ],
)  # fmt: skip
def test_callers_that_do_not_fit_any_more_come_first(
    bench: Bench, old: str, new: str, places: list[str], why: str
) -> None:
    write(bench, CODE.replace(old, new))
    found = _broken(bench)
    assert sorted(f"{each.file}:{each.line}" for each in found) == places
    assert all(why in each.text and each.severity == "blocker" for each in found)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return a;", "return a + 1;"),
        ("int Sum(int a)", "long Sum(int a)"),
        ("int Sum(int a)", "int Sum(int a, int b = 1)"),
        ("int Sum(int a)", "int Sum(params int[] a)"),
        ("public int Sum(int a)", "public virtual int Sum(int a)"),
        ("public class Shop\n{", "public class Shop\n{\n    public Shop() { }"),
    ],
)
def test_callers_that_still_fit_are_not_told(bench: Bench, old: str, new: str) -> None:
    write(bench, CODE.replace(old, new))
    assert not _broken(bench)


def test_callers_that_changed_along_are_not_told(bench: Bench) -> None:
    write(bench, _USER.replace("Sum(1)", "Sum(1, true)"), "Lib/User.cs")
    write(bench, CODE.replace("Sum(int a)", "Sum(int a, bool b)").replace("Sum(a) + Sum(a)", "2 * a"))
    assert not _broken(bench)


def test_who_implements_a_changed_interface_no_more_is_told(bench: Bench) -> None:
    write(bench, "namespace N;\npublic interface IShop { }\n", "Lib/IShop.cs")
    write(bench, CODE.replace("class Shop", "class Shop : IShop"))
    git(bench.root, "add", ".")
    git(bench.root, "commit", "-qm", "two")
    write(bench, "namespace N;\npublic interface IShop { void More(int a); }\n", "Lib/IShop.cs")
    (found,) = _broken(bench)
    assert (found.file, found.line, found.code) == ("Lib/Shop.cs", 3, "unimplemented")
    assert "N.IShop.More(int)" in found.text


_BASE = """namespace N;
public interface IPart {
    void Fit(int a);
    string Name { get; set; } }
public abstract class Part
{
    public virtual void Run(int a) { }
    public virtual string Title { get; set; } = "";
    public virtual int Give() => 1;
    public int Size { get; set; }
}
"""
_HEIR = """namespace N;
public class Wheel : Part, IPart
{
    public override void Run(int a) { }
    public override string Title { get; set; } = "";
    public override int Give() => 2;
    void IPart.Fit(int a) { }
    public string Name { get; set; } = "";
    void Use(Part part) => part.Size = 3;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        (
            "virtual void Run(int a) { }",
            "void Go() { }",
            4,
            "overrides or implements N.Part.Run, which is gone",
        ),
        ("Title { get; set; }", "Title { get; }", 5, "has no set there"),
        ("virtual int Give()", "virtual long Give()", 6, "returns long there, int here"),
        ("void Fit(int a);", "", 7, "overrides or implements N.IPart.Fit, which is gone"),
        ("string Name { get; set; }", "string Name { get; init; }", 8, "has no init here"),
        ("Size { get; set; }", "Size { get; private set; }", 9, "its set is private"),
    ],
)
def test_who_relies_on_a_base_that_changed_is_told(
    tmp_path: Path, old: str, new: str, line: int, why: str
) -> None:
    with committed(tmp_path, {"Lib/Part.cs": _BASE, "Lib/Wheel.cs": _HEIR}) as bench:
        edit(tmp_path, "Lib/Part.cs", _BASE.replace(old, new))
        bench.index.refresh()
        found = {each.line: each.text for each in _broken(bench) if each.file == "Lib/Wheel.cs"}
    assert why in found[line]


_SHAPES = """namespace N;
public class Base { public void Deconstruct(out int a, out int b) { a = b = 1; } }
public static class Ext { public static T Own<T>(this T x) where T : class => x; }
public struct Money { public static Money operator +(Money a, Money b) => a; public static implicit operator int(Money m) => 1; }
public class Bag { public Enumerator GetEnumerator() => new(); public class Enumerator { public int Current => 1; public bool MoveNext() => false; } }
public abstract class Frame { protected virtual void Hook() { } }
"""
_SHAPED = """namespace N;
class Use {
 void Decon(Base b) { var (x, y) = b; }
 int E() => "a".Own().Length;
 Money Op(Money m) { int i = m; return m + m; }
 void Each(Bag b) { foreach (var x in b) { } }
}
class Wall : Frame { protected override void Hook() { } }
"""


@pytest.mark.parametrize(
    ("old", "new", "line", "why"),
    [
        ("out int b) { a = b = 1; }", "out int b, out int c) { a = b = c = 1; }", 3, "does not fit N.Base.Deconstruct"),
        ("where T : class", "where T : struct", 4, "does not fit N.Ext.Own"),
        ("public static Money operator +(Money a, Money b) => a;", "", 5, "uses N.Money.operator +, which is gone"),
        ("public static implicit operator int(Money m) => 1;", "", 5, "uses N.Money.implicit operator, which is gone"),
        ("public Enumerator GetEnumerator() => new();", "", 6, "uses N.Bag.GetEnumerator, which is gone"),
        ("protected virtual void Hook", "protected void Hook", 8, "is not virtual there"),
    ],
)  # fmt: skip
def test_who_uses_a_member_without_its_name_is_told(
    tmp_path: Path, old: str, new: str, line: int, why: str
) -> None:
    with committed(tmp_path, {"Lib/Shapes.cs": _SHAPES, "Lib/Use.cs": _SHAPED}) as bench:
        write(bench, _SHAPES.replace("=> 1;", "=> 2;"), "Lib/Shapes.cs")
        assert not [each for each in _broken(bench) if each.file == "Lib/Use.cs"]
        write(bench, _SHAPES.replace(old, new), "Lib/Shapes.cs")
        found = {each.line: each.text for each in _broken(bench) if each.file == "Lib/Use.cs"}
    assert why in found[line]


def test_a_member_that_is_gone_is_named_where_others_share_its_line(tmp_path: Path) -> None:
    both = "namespace N; public class Tool { public int One() => 1; public int Two() => 2; public int Three() => 3; }\n"
    user = "namespace N; class Job { int Go(Tool t) => t.One() + t.Two() + t.Three(); }\n"
    with committed(tmp_path, {"Lib/Tool.cs": both, "Lib/Job.cs": user}) as bench:
        write(bench, both.replace(" public int Two() => 2;", ""), "Lib/Tool.cs")
        assert [(each.file, each.line, each.text) for each in _broken(bench)] == [
            ("Lib/Job.cs", 1, "This uses N.Tool.Two, which is gone: it does not compile any more.")
        ]
        changed = both.replace("Three()", "Three(int a)")
        write(bench, changed, "Lib/Tool.cs")
        assert ["N.Tool.Three" in each.text for each in _broken(bench)] == [True]


_BELL = """using System;
namespace N;
public delegate void Ringer(int times);
public class Bell
{
    public event Ringer Rung;
    public event EventHandler Tolled;
    public Action<int> Count { get; set; }
    public int Size { get; set; }
}
"""
_LISTENER = """using System;
namespace N;
class Listener
{
    void M(Bell bell)
    {
        bell.Rung += OnRung;
        bell.Rung -= times => Console.WriteLine(times);
        bell.Tolled += OnTolled;
        bell.Count = OnRung;
        bell.Size = 3;
    }
    void OnRung(int times) { }
    void OnTolled(object sender, EventArgs e) { }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("event Ringer Rung", "event EventHandler Rung", {7: "is of type EventHandler, to which OnRung does not", 8: "the function"}),
        ("event EventHandler", "event EventHandler<UnhandledExceptionEventArgs>", {}),
        ("event EventHandler", "event Action<string>", {9: "OnTolled does not convert"}),
        ("Action<int>", "Action<string>", {10: "is of type Action<string>"}),
        ("int Size", "string Size", {11: "is of type string, to which int does not convert"}),
        ("int Size", "long Size", {}),
    ],
)  # fmt: skip
def test_what_is_assigned_to_a_member_of_another_type_is_told(
    tmp_path: Path, old: str, new: str, why: dict[int, str]
) -> None:
    with committed(tmp_path, {"Lib/Bell.cs": _BELL, "Lib/Listener.cs": _LISTENER}) as bench:
        write(bench, _BELL.replace(old, new), "Lib/Bell.cs")
        found = {each.line: each.text for each in _broken(bench) if each.file == "Lib/Listener.cs"}
    assert found.keys() == why.keys()
    assert all(text in found[line] for line, text in why.items())


_POINT = "namespace N;\npublic record Point(int X, int Pos);\npublic record struct Spot(\n    int Pos);\n"
_POINTS = """namespace N;
class Points
{
    Point A(Point p) => p with { Pos = 2 };
    Spot B(Spot s) => s with { Pos = 2 };
    bool C(Point p) => p is { Pos: 2 };
    int D(Point p) => p.Pos;
    Point E() => new Point(X: 1, Pos: 2);
    int F(Point p) => p.X;
}
"""


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("int Pos)", "int Place)", [4, 5, 6, 7, 8]),
        ("int X, int Pos)", "int X, int Pos, int Y = 0)", []),
        ("int X, int Pos);", "int X, int Pos) { public int Pos { get; init; } = Pos; }", []),
        ("int X, int Pos);", "int X, int Place) { public int Pos => Place; }", [4, 8]),
    ],
)
def test_who_uses_what_a_record_had_by_its_parameter_is_told(
    tmp_path: Path, old: str, new: str, lines: list[int]
) -> None:
    with committed(tmp_path, {"Lib/Point.cs": _POINT, "Lib/Points.cs": _POINTS}) as bench:
        write(bench, _POINT.replace(old, new), "Lib/Point.cs")
        assert sorted(each.line or 0 for each in _broken(bench)) == lines


_PATTERNS = """namespace N;

public class Patterns
{
    bool A(Point p) => p is (X: 1, Pos: 2);
    bool B(object o) => o is Point(1, Pos: 2) { X: 1 };
    int C(Point p) => p switch { (X: _, Pos: var y) => y, _ => 0 };
    bool D(Point p) => p is (1, 2);
    void E(Point p) { var (x, y) = p; }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "lines", "why"),
    [
        ("int Pos)", "int Place)", [5, 6, 7], "has no parameter Pos"),
        ("int X, int Pos)", "int Pos, int X)", [5, 6, 7], "parameter "),
        ("int Pos)", "int Pos, int Y)", [5, 6, 7, 8, 9], "takes 3, given 2"),
        ("int Pos)", "long Pos)", [], ""),
    ],
)
def test_who_takes_a_record_apart_otherwise_than_its_parameters_say_is_told(
    tmp_path: Path, old: str, new: str, lines: list[int], why: str
) -> None:
    with committed(tmp_path, {"Lib/Point.cs": _POINT, "Lib/Patterns.cs": _PATTERNS}) as bench:
        write(bench, _POINT.replace(old, new), "Lib/Point.cs")
        found = _broken(bench)
        assert sorted(each.line or 0 for each in found) == lines
        assert all(why in each.text for each in found)
