"""Uses that would not compile: told as name matches, each with the reason why it does not fit."""

# ruff: noqa: E501 - each case in one piece

from pathlib import Path

import pytest

from tests.support.workspace import indexed

_CALLS = """
using System;
public delegate int Del(int a, int b);
[AttributeUsage(AttributeTargets.All)] public class TagAttribute : Attribute { public TagAttribute(int a) { } }
public class Box {
    private void Hidden() { }
    public static void St() { }
    public void Inst(int i) { }
    public void Opt(int i, string s = "") { }
    public void Many(int i, params string[] s) { }
    public void Out(out int i) { i = 1; }
    public T Gen<T>() => default;
    public void Over(int a) { }
    public void Over(string a, int b) { }
    public int this[int a, int b] => 1;
    public int P { get; }
    private int Q;
}
public class Held { public Held(string s) { } }
public static class Ext { public static void Add(this Box b, int a) { } }
public class Use {
    int One(int a) => a;
    void M(Box b, Del d, int n) { {call}; }
}
"""


@pytest.mark.parametrize(
    ("call", "symbol", "reason"),
    [
        ("b.Inst()", "Box.Inst", "takes 1, given 0"),
        ("b.Inst(1, 2)", "Box.Inst", "takes 1, given 2"),
        ("b?.Inst()", "Box.Inst", "takes 1, given 0"),
        ('b.Inst("x")', "Box.Inst", "argument 1 is string, int is taken"),
        ("b.Inst(j: 1)", "Box.Inst", "has no parameter j"),
        ("b.Inst(ref n)", "Box.Inst", "argument 1 is given by ref, taken by value"),
        ("b.Out(n)", "Box.Out", "argument 1 is given by value, taken by out"),
        ("b.Opt()", "Box.Opt", "takes 1 to 2, given 0"),
        ("b.Many()", "Box.Many", "takes 1 or more, given 0"),
        ("b.Gen()", "Box.Gen", "type arguments are missing"),
        ("b.Gen<int, int>()", "Box.Gen", "takes 1 type argument, given 2"),
        ("b.Over()", "Box.Over(int)", "takes 1, given 0"),
        ("b.Over()", "Box.Over(string, int)", "takes 2, given 0"),
        ("b.Hidden()", "Box.Hidden", "is not accessible here"),
        ("n = b.Q", "Box.Q", "is not accessible here"),
        ("b.St()", "Box.St", "is static"),
        ("b.P()", "Box.P", "is not called"),
        ("n = b[1]", "Box.this[int, int]", "takes 2, given 1"),
        ("new Held()", "Held.Held", "takes 1, given 0"),
        ("Held h = new(1)", "Held.Held", "argument 1 is int, string is taken"),
        ("d(1)", "Del", "takes 2, given 1"),
        ("Del e = x => x", "Del", "takes 2, the function 1"),
        ("Del e = delegate (int x) { return x; }", "Del", "takes 2, the function 1"),
        ("Del e = One", "Del", "takes 2, the method 1"),
        ("Del e = One", "Use.One", "takes 1, given 2"),
        ("b.Add()", "Ext.Add", "takes 1, given 0"),
        ('b.Add("x")', "Ext.Add", "argument 1 is string, int is taken"),
        ("[Tag] void L() { }", "TagAttribute.TagAttribute", "takes 1, given 0"),
    ],
)
def test_a_use_that_does_not_fit_is_a_name_match_with_the_reason(
    tmp_path: Path, call: str, symbol: str, reason: str
) -> None:
    with indexed(tmp_path, {"Case.cs": _CALLS.replace("{call}", call)}) as bench:
        usages = bench.usages.find(symbol).usages
    assert [(each.grade, each.reason) for each in usages if each.reason] == [("name match", reason)]


_HEIRS = """
public interface IShop { void Sell(int a, int b); string Name { get; } void Done(); }
public abstract class Base { public virtual void Run(int a) { } protected abstract object Give(); }
{heir}
"""


@pytest.mark.parametrize(
    ("heir", "symbol", "reason"),
    [
        ("class A : Base { public override void Run() { } }", "Base.Run", "is not overridden: 1 parameters there, 0 here"),
        ("class A : Base { public override void Run(string a) { } }", "Base.Run", "is not overridden: parameter 1 is int there, string here"),
        ("class A : Base { protected override int Give() => 1; }", "Base.Give", "is not overridden: returns object there, int here"),
        ("class A : IShop { void IShop.Sell(int a) { } }", "IShop.Sell", "is not implemented: 2 parameters there, 1 here"),
        ("class A : IShop { public void Sell(int a) { } }", "IShop.Sell", "is not implemented: 2 parameters there, 1 here"),
        ("class A : IShop { public int Name => 1; }", "IShop.Name", "is not implemented: returns string there, int here"),
    ],
)  # fmt: skip
def test_who_overrides_or_implements_a_member_no_more_is_told_with_the_reason(
    tmp_path: Path, heir: str, symbol: str, reason: str
) -> None:
    with indexed(tmp_path, {"Case.cs": _HEIRS.replace("{heir}", heir)}) as bench:
        (usage,) = bench.usages.find(symbol).usages
    assert (usage.grade, usage.kind, usage.reason) == ("name match", "override", reason)


_SET = """
public interface IShop { string Open { get; set; } string Shut { get; } }
public class Base { public virtual string Title { get; } = ""; public int Size { get; private set; } public int Free { get; set; }
    public System.Collections.Generic.List<int> Items { get; } = []; public ref int Place => ref place; int place;
    public Base() { Title = ""; Size = 1; } }
public record Point(int X);
public class Use {
    void M(Base b, IShop shop, Point p) { {use} }
}
"""


@pytest.mark.parametrize(
    ("use", "symbol", "reasons"),
    [
        ('b.Title = "x";', "Base.Title", ["cannot be set: it has no set"]),
        ("b.Size++;", "Base.Size", ["cannot be set here: its set is private"]),
        ("b = new() { Size = 3 };", "Base.Size", ["cannot be set here: its set is private"]),
        ('shop.Shut = shop.Open = "";', "IShop.Shut", ["cannot be set: it has no set"]),
        ("int n = b.Size; var t = b.Title;", "Base.Size", []),
        ("b.Free = 3; b.Free += 2;", "Base.Free", []),
        ("b = new() { Items = { 1, 2 } };", "Base.Items", []),
        ("b.Place = 3; F(ref b.Place);", "Base.Place", []),
        ("p = p with { X = 3 };", "Point.X", []),
    ],
)
def test_a_property_that_cannot_be_set_is_told_with_the_reason(
    tmp_path: Path, use: str, symbol: str, reasons: list[str]
) -> None:
    with indexed(tmp_path, {"Case.cs": _SET.replace("{use}", use)}) as bench:
        usages = bench.usages.find(symbol).usages
    assert [each.reason for each in usages if each.reason] == reasons
    assert len(usages) > len(reasons) or reasons


@pytest.mark.parametrize(
    ("source", "symbol"),
    [
        ("class A { void F(int a) { } void F(int a, int b) { } void M() { F(1); F(1, 2); } }", "A.F(int)"),
        ("class A { T F<T>(T a) => a; void M() { F(1); F<int>(1); } }", "A.F"),
        ("interface I<T> { void F(T a); } class A : I<int> { public void F(int a) { } public void F() { } }", "I.F"),
        ("class B<T> { public virtual object F(T a) => a; } class A : B<int> { public override string F(int a) => null; }", "B.F"),
        ("interface I { void F() { } void G(); } class A : I { void I.G() { } public int G(int a) => a; public int F(int a) => a; }", "I.G"),
        ("class A { dynamic d; void F(int a) { } void M() { F(d); } }", "A.F"),
        ("using Unknown; class A : Thing { void M() { F(1); } void F() { } }", "A.F"),
    ],
)  # fmt: skip
def test_what_fits_or_may_fit_has_no_reason(tmp_path: Path, source: str, symbol: str) -> None:
    with indexed(tmp_path, {"Case.cs": source}) as bench:
        usages = bench.usages.find(symbol).usages
    assert [each.reason for each in usages if each.reason and each.kind == "override"] == []
    assert "Unknown" in source or [each.reason for each in usages if each.reason] == []


def test_a_constant_goes_to_what_a_conversion_of_a_type_takes(tmp_path: Path) -> None:
    source = """struct Id { public static implicit operator Id(uint n) => default; }
class A { A(string s, Id id) { } A(string s, string t) { } static A Make() => new A("", 0); }"""
    with indexed(tmp_path, {"Case.cs": source}) as bench:
        (usage,) = bench.usages.find("A.A(string, Id)").usages
    assert usage.grade == "bound"
