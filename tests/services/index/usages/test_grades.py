"""Places of small sources, each marked with what it is to the symbol that is asked for.

`/*+*/` before a name: bound; `/*~*/`: related; `/*?*/`: a name match; `/*-*/`, and every name without a mark: no usage."""

# ruff: noqa: E501 - each source in one piece

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from services.errors import AmbiguousSymbol
from tests.support.workspace import indexed

_MARK = re.compile(r"/\*[+~?-]\*/")

_SIGNS = {"bound": "+", "related": "~", "name match": "?"}


class Case(NamedTuple):
    """A source and the symbol that is asked for."""

    name: str
    symbol: str
    source: str


CASES = (
    Case(
        "names in what the parser refuses, of types too",
        "Box",
        "class Box { public int N; } class A { void M() { var x = = /*?*/Box.Foo() ) 1; /*+*/Box b = null; } }",
    ),
    Case(
        "overloads by the number of arguments",
        "A.Do(int, int)",
        "class A { void Do(int a) {} void Do(int a, int b) {} void M() { /*-*/Do(1); /*+*/Do(1, 2); } }",
    ),
    Case(
        "what is asked of something unknown, and something is asked of in its turn",
        "Box.Next",
        "using Unknown; class Box { public Box Next; } class A : Thing { async void M() { Get<Box>()./*?*/Next.Foo(); Get<Box>()?./*?*/Next?./*?*/Next;"
        "Get<Box>()./*?*/Next[0].Foo(); Get<Box>()./*?*/Next = 1; Get<Box>()./*?*/Next += 1; (Get<Box>()./*?*/Next!).Foo();"
        "(Get<Box>()./*?*/Next, var a) = (1, 2); var b = from c in Get<Box>()./*?*/Next where c./*?*/Next > 1 select c;"
        "var d = await Get<Box>()./*?*/Next; foreach (var e in Get<Box>()./*?*/Next) {} } }",
    ),
    Case(
        "what a type of elsewhere gives is none of the workspace's, unless that is handed in",
        "Box.Next",
        "using System.IO; class Box { public Box Next; static Box At; } class A { void M(Stream s) {"
        'var a = s.Lacking(1, ""); a.Next.Foo(); a.Next = 1; s.Lacks.Next.Foo(); a?.Next.Foo(); var b = a.More; b.Next();'
        "var c = s.Lacking(new Box()); c./*?*/Next.Foo(); s.Lacking<Box>()./*?*/Next.Foo(); s.Lacking(x => x)./*?*/Next.Foo(); } }",
    ),
    Case(
        "what is declared with a type of elsewhere, by its name, is none of the workspace's",
        "Box.Next",
        "using Elsewhere; class Box { public Box Next; } class A { Foo at; Foo Give() => null; void M(Foo f, Bar<Box> g) {"
        "at.Next.Foo(); var a = Give(); a.Next = 1; f.Next.Foo(); Foo b = f; b.Next.Foo(); var c = f.Make(b); c.Next.Foo();"
        "g.Next.Foo(); g.Make()./*?*/Next.Foo(); foreach (Foo d in f) d.Next(); } }",
    ),
    Case(
        "overloads by the types of arguments",
        "A.Do(string)",
        'class A { void Do(int a) {} void Do(string a) {} void M(int n) { /*-*/Do(n); /*+*/Do("x"); } }',
    ),
    Case(
        "the nearer class is the better parameter",
        "A.Do(Dog)",
        "class Pet {} class Dog : Pet {} class Pug : Dog {}"
        "class A { void Do(Pet a) {} void Do(Dog a) {} void M() { /*+*/Do(new Pug()); /*-*/Do(new Pet()); } }",
    ),
    Case(
        "better in one argument and as good in the others",
        "A.Do(object, long)",
        "class A { void Do(object a, long b) {} void Do(object a, object b) {}"
        'void M(int n) { /*+*/Do("x", n); /*-*/Do("x", "y"); } }',
    ),
    Case(
        "neither is better: what is not told is no usage for sure",
        "A.Do(object, string)",
        "class A { void Do(object a, string b) {} void Do(string a, object b) {}"
        "void M(dynamic d) { /*?*/Do(d, d); } }",
    ),
    Case(
        "a method that is not expanded is better than one that is",
        "A.Do(string)",
        "class A { void Do(string a) {} void Do(string a, params int[] b) {}"
        'void M() { /*+*/Do("x"); /*-*/Do("x", 1); } }',
    ),
    Case(
        "a method that is not generic is better than one that is",
        "A.Do(string)",
        'class A { void Do(string a) {} void Do<T>(T a) {} void M() { /*+*/Do("x"); /*-*/Do(1); } }',
    ),
    Case(
        "a conversion is no reference",
        "A.Do(long)",
        "class A { int n; void Do(ref int a) {} void Do(long a) {} void M() { /*+*/Do(1); /*+*/Do(n); /*-*/Do(ref n); } }",
    ),
    Case(
        "what takes a reference takes no value",
        "A.Do(int)",
        "class A { int n; void Do(ref int a) {} void Do(long a) {} void M() { /*-*/Do(1); /*-*/Do(n); /*+*/Do(ref n); } }",
    ),
    Case(
        "a base's method that takes a reference is not hidden by one that takes a value",
        "A.Do",
        "class A { protected void Do(ref string a) {} } class B : A { new void Do(string a) {} void M(string s) { /*-*/Do(s); /*+*/Do(ref s); } }",
    ),
    Case(
        "in takes arguments that are passed in either way",
        "A.Do(Big)",
        "struct Big {} class A { Big b; void Do(in Big a) {} void Do(string a) {} void M() { /*+*/Do(b); /*+*/Do(in b); /*+*/Do(ref b); } }",
    ),
    Case(
        "a receiver is passed by reference without saying so",
        "E.Grow",
        "struct Big {} static class E { public static void Grow(this ref Big b, int n) {} }"
        "class A { Big b; void M() { b./*+*/Grow(1); E./*+*/Grow(ref b, 1); } }",
    ),
    Case(
        "named arguments",
        "A.Do(int)",
        "class A { void Do(int one) {} void Do(string two) {} void M(int n) { /*+*/Do(one: n); } }",
    ),
    Case(
        "nullable and its value, and a number with a literal",
        "A.Do(ulong?)",
        "class A { void Do(ulong? a) {} void Do(object a) {} void M(object o, ulong u) { /*+*/Do(o == null ? (ulong?)null : (ulong)o); /*+*/Do(u - 1); } }",
    ),
    Case(
        "new() as an argument is told by the overload that takes as many",
        "A.A(int)",
        "class A { public A(int n) {} } class B { public B(int n) {} }"
        "class U { void Do(A a) {} void Do(B b, int n) {} void M() { Do(/*+*/new(1)); Do(/*-*/new(1), 2); } }",
    ),
    Case(
        "what a lambda gives",
        "A.Do(System.Func<string>)",
        "using System; class A { void Do(Action a) {} void Do(Func<string> a) {} void Do(Func<int> a) {} void Do(Func<string, string> a) {}"
        'void M(string s) { /*+*/Do(() => s); /*-*/Do(() => { s = "x"; }); /*-*/Do(() => 3); /*-*/Do(a => a); /*+*/Do(() => { return s; }); /*?*/Do(() => throw new Exception()); } }',
    ),
    Case(
        "tasks that a lambda gives",
        "A.Do(Func<Task>, int)",
        "using System; using System.Threading.Tasks; class A { void Do(Func<Task> a, int n = 0) {} void Do<T>(Func<Task<T>> a) {}"
        "void M(Task t) { /*+*/Do(() => t); /*-*/Do(async () => { await t; return 1; }); /*+*/Do(async () => { await t; }); } }",
    ),
    Case(
        "a hidden member is another",
        "Base.Run()",
        "class Base { public void Run() {} } class Sub : Base { public new void Run() {}"
        "void M(Base b, Sub s) { b./*+*/Run(); s./*-*/Run(); base./*+*/Run(); } }",
    ),
    Case(
        "an override is called for what it overrides",
        "Base.Run()",
        "class Base { public virtual void Run() {} } class Sub : Base { public override void Run() {} }"
        "class U { void M(Base b, Sub s) { b./*+*/Run(); s./*~*/Run(); } }",
    ),
    Case(
        "an implementation is called for its interface's member",
        "IRun.Run()",
        "interface IRun { void Run(); } class Sub : IRun { public void Run() {} } class Other { public void Run() {} }"
        "class U { void M(IRun i, Sub s, Other o) { i./*+*/Run(); s./*~*/Run(); o./*-*/Run(); } }",
    ),
    Case(
        "an index by what stands in its brackets",
        "Row.this[int]",
        "class Row { public int this[int at] => at; public int this[string name] => this/*+*/[0]; public Row? Next; }"
        "class Named : Row { public new int this[int at] => base/*+*/[at]; }"
        'class U { int[] a = new int[1]; void M(Row r, Named n) { _ = r/*+*/[1] + r/*-*/["x"] + n/*-*/[2] + a/*-*/[0]; '
        "_ = r?/*+*/[1] + r.Next!/*+*/[2]; _ = r.Next?.Next?/*+*/[3]; } }",
    ),
    Case(
        "what overrides an indexer is related to it",
        "Row.this[int]",
        "class Row { public virtual int this[int at] => at; } class Sub : Row { public override int this[int at] => base/*+*/[at]; }"
        "class U { void M(Row r, Sub s) { _ = r/*+*/[1] + s/*~*/[2]; } }",
    ),
    Case(
        "what a member begins with sees the parameters of the primary constructor first",
        "R.Name",
        "class P { public string Name; } record R(P Name) { public P Other { get; } = /*-*/Name; "
        "static P Own => null; public P Read => /*+*/Name; int At = /*-*/Name.Name.Length; P M() => /*+*/Name; }",
    ),
    Case(
        "a local shadows a field",
        "A.x",
        "class A { int x; void M() { /*+*/x = 1; { } } void N() { int x = 2; /*-*/x++; this./*+*/x++; } }",
    ),
    Case(
        "partial types are one",
        "A.x",
        "partial class A { int x; } partial class A { int M() => /*+*/x; }",
    ),
    Case(
        "the same name in another namespace",
        "One.A",
        "namespace One { class A {} class U { /*+*/A a; Two./*-*/A b; } } namespace Two { class A {} class V { /*-*/A a; One./*+*/A b; } }",
    ),
    Case(
        "the suffix of attributes is left out",
        "MarkAttribute",
        "class MarkAttribute : System.Attribute {} [/*+*/Mark] class A { [/*+*/MarkAttribute] void M() {} }",
    ),
    Case(
        "an attribute with type arguments",
        "MarkAttribute",
        "class MarkAttribute<T> : System.Attribute { public int Size; } class Mark<T, U> : System.Attribute {}"
        "[/*+*/Mark<A>] class A { [/*+*/MarkAttribute<int>] void M() {} [/*-*/Mark<A, A>] void N() {} }",
    ),
    Case(
        "what an attribute with type arguments sets",
        "MarkAttribute<T>.Size",
        "class MarkAttribute<T> : System.Attribute { public int Size; } [Mark<A>(/*+*/Size = 1)] class A {}",
    ),
    Case(
        "a type argument of an attribute",
        "A",
        "class MarkAttribute<T> : System.Attribute {} [Mark</*+*/A>] class A { [Mark</*+*/A[]>] void M() {} }",
    ),
    Case(
        "constructors by new(), this() and base()",
        "A.A(int)",
        "class A { public A(int n) {} public A() : /*+*/this(1) {} static A M(int n) { A a = /*+*/new(n); return new /*+*/A(2); } }"
        "class B : A { B() : /*+*/base(3) {} A N() => new /*-*/A(); }",
    ),
    Case(
        "events",
        "A.Happened",
        "class A { public event System.Action Happened; void M() { /*+*/Happened?.Invoke(); } }"
        "class U { void M(A a) { a./*+*/Happened += () => {}; } }",
    ),
    Case(
        "using static",
        "N.Maths.Half(int)",
        "using static N.Maths; namespace N { static class Maths { public static int Half(int n) => n / 2; } }"
        "class U { int M() => /*+*/Half(4); }",
    ),
    Case(
        "an alias",
        "N.A",
        "using B = N./*+*/A; namespace N { class A {} } class U { /*+*/B b; }",
    ),
    Case(
        "a branch that is not compiled",
        "A.x",
        "class A { int x;\n#if NOWHERE\nint M() => /*?*/x;\n#else\nint M() => /*+*/x;\n#endif\n}",
    ),
    Case(
        "comments and strings",
        "A.x",
        'class A { int x; string M() => "x" /* x */ + $"{/*+*/x} x" + nameof(/*+*/x); }',
    ),
    Case(
        "var, out var, patterns, tuples, foreach and await",
        "A.x",
        "using System.Collections.Generic; using System.Threading.Tasks;"
        "class A { public int x; static bool Try(out A a) { a = null; return true; } static (A, int n) Two() => default;"
        "async Task M(object o, List<A> all, Task<A> later, Dictionary<string, A> map) { var v = new A(); v./*+*/x++;"
        "Try(out var t); t./*+*/x++; if (o is A p) p./*+*/x++; if (o is A { /*+*/x: 1 }) {} var (q, _) = Two(); q./*+*/x++;"
        'foreach (var e in all) e./*+*/x++; (await later)./*+*/x++; all[0]./*+*/x++; map["a"]?./*+*/x.ToString();'
        "Two().Item1./*+*/x++; } }",
    ),
    Case(
        "elements of LINQ and parameters of lambdas",
        "A.x",
        "using System; using System.Collections.Generic; using System.Linq;"
        "class A { public int x; public List<A> inner; }"
        "class U { void M(List<A> all, Func<A, int> f) { all.Where(a => a./*+*/x > 1).First()./*+*/x++;"
        "all.SelectMany(a => a.inner).OrderBy(b => b./*+*/x).Select(c => new { Its = c }).First().Its./*+*/x++;"
        "M(all, z => z./*+*/x); var r = from a in all where a./*+*/x > 0 select a; r.Last()./*+*/x++; } }",
    ),
    Case(
        "a lambda of a delegate in an initialiser",
        "Args.x",
        "class Args { public int x; } class Options { public System.Func<Args, int> On { get; set; } }"
        "class U { void Take(Options o) {} void M() { Take(new() { On = a => a./*+*/x }); var o = new Options { On = b => b./*+*/x }; } }",
    ),
    Case(
        "a member of an anonymous type is another",
        "A.Name",
        "class A { public string Name; string M() { var made = new { Name = 1, this./*+*/Name.Length }; return made./*-*/Name.ToString(); } }",
    ),
    Case(
        "object initialisers and with",
        "A.X",
        "record A { public int X { get; init; } } class U { A M(A a) => a with { /*+*/X = 1 }; A N() => new() { /*+*/X = 2 }; }",
    ),
    Case(
        "a constructor that something dynamic goes to is chosen when it runs",
        "A.A(int)",
        "class A { public A(int i) {} public A(int i, int j) {} static void M(dynamic d) { "
        "new /*?*/A(d); A a = /*?*/new(d.X); new /*-*/A(d, 1); } }",
    ),
    Case(
        "what dynamic has is told when it runs",
        "A.x",
        "class A { public int x; int M(dynamic d) => d./*-*/x; }",
    ),
    Case(
        "an extension method of the workspace",
        "E.Twice(string)",
        "static class E { public static string Twice(this string s) => s + s; public static int Twice(this int n) => n; }"
        'class U { void M(string s) { s./*+*/Twice(); 1./*-*/Twice(); E./*+*/Twice("x"); } }',
    ),
    Case(
        "an extension block's method on its receiver and as the static method it is",
        "E.Twice(int)",
        "class A {} class B : A {} class C {}"
        "static class E { extension(A it) { public int Twice(int n) => n; int N() => it./*+*/Twice(1); } extension(C it) { public int Twice(long n) => 0; } }"
        "class U { void M(A a, B b, C c) { a./*+*/Twice(1); b./*+*/Twice(2); c./*-*/Twice(3); E./*~*/Twice(a, 3); a./*?*/Twice(); E./*-*/Twice(c, 3); } }",
    ),
    Case(
        "an extension block's method without parameters",
        "E.Twice()",
        "class A {} static class E { extension(A it) { public int Twice() => 2; } }"
        "class U { void M(A a) { a./*+*/Twice(); E./*~*/Twice(a); a./*?*/Twice(1); } }",
    ),
    Case(
        "type arguments of an extension block",
        "A.x",
        "using System.Collections.Generic; class A { public int x; }"
        "static class E { extension<T>(List<T> all) { public T Pick<U>(U other) => all[0]; } }"
        "class U { void M(List<A> all) { all.Pick(1)./*+*/x++; all.Pick<int>(1)./*+*/x++; E.Pick(all, 1)./*+*/x++; E.Pick<A, int>(all, 1)./*+*/x++; } }",
    ),
    Case(
        "extension properties by their receiver",
        "E.Half",
        "class A {} class C {} static class E { extension(A it) { public int Half => 1; } } static class F { extension(C it) { public int Half => 1; } }"
        "class U { void M(A a, C c, dynamic d) { int n = a./*+*/Half; n = c./*-*/Half; } }",
    ),
    Case(
        "a static member of an extension block has no receiver",
        "E.Made(int)",
        "class A {} static class E { extension(A it) { public static A Made(int n) => new(); } }"
        "class U { void M(A a) { E./*~*/Made(1); E./*?*/Made(a, 1); A./*+*/Made(1); } }",
    ),
    Case(
        "a property named like its type: what follows tells which is meant",
        "A.Color",
        "enum Color { Red } static class E { public static int Shade(this Color c) => 0; }"
        "class A { public Color Color { get; set; } Color M(bool b) { if (/*+*/Color == /*-*/Color.Red) return Color.Red; /*+*/Color.ToString(); /*+*/Color.Shade(); return /*+*/Color; }"
        "bool N(Color c) => c is /*-*/Color.Red || this./*+*/Color.Equals(c) || /*+*/Color.Equals(c) || /*-*/Color.Equals(c, c); Color O() => global::Color.Red; }"
        "class U { A M() => new A { /*+*/Color = Color.Red }; A N(A a) { a./*+*/Color = Color.Red; return a; } }",
    ),
    Case(
        "a field named like its class",
        "A.Pet",
        "class Pet { public static int All; public const int Legs = 4; public class Toy {} public int Age; public static Pet Make() => null; public void Run() {} public static void Both(int n) {} public void Both() {} }"
        "class A { Pet Pet; void M() { int n = /*-*/Pet.All + /*-*/Pet.Legs + /*+*/Pet.Age; Pet.Make(); /*+*/Pet.Run(); var t = new Pet.Toy(); /*-*/Pet.Both(1); /*+*/Pet.Both(); this./*+*/Pet.Run(); } }",
    ),
    Case(
        "a property named like another type",
        "A.Color",
        "enum Color { Red } class Paint { public int Red; } class A { Paint Color { get; set; } int M() => /*+*/Color.Red; }",
    ),
    Case(
        "a property named like its type, which is of a package or of the framework",
        "A.DayOfWeek",
        "using System; class A { public DayOfWeek DayOfWeek { get; set; } bool M() => /*+*/DayOfWeek == DayOfWeek.Monday; A N() => new A { /*+*/DayOfWeek = DayOfWeek.Friday }; }",
    ),
    Case(
        "a type named like a property, a parameter and a local of it",
        "Color",
        "enum Color { Red } class A { /*+*/Color Color { get; set; } bool M() => Color == /*+*/Color.Red; int N(/*+*/Color Color) => (int)/*+*/Color.Red + Color.GetHashCode(); }",
    ),
    Case(
        "a property of a type that is not known and has its name",
        "A.Shade",
        "class A { public Far.Shade Shade { get; set; } void M() { /*?*/Shade.Run(); this./*+*/Shade.Run(); var s = /*+*/Shade; } }",
    ),
    Case(
        "the receiver of an extension block is a type",
        "Thing",
        "class Thing { public Thing() {} public static int Count; } static class Ex {\n"
        "extension(/*+*/Thing it) { public int A => 1; }\n"
        "extension<T>(System.Collections.Generic.IEnumerable</*+*/Thing> it) where T : /*+*/Thing { public int B => 1; }\n"
        "extension(/*+*/Thing) { public static int C => 1; } extension(Far./*-*/Thing) { public static int F => 1; }\n"
        "extension(ref /*+*/Thing it) { public int D => 1; }\n"
        "extension(/*+*/Thing[] it) { public int E => 1; } extension<Thing>(Thing it) { public int G => 1; } extension<T>(T) where T : /*+*/Thing { public static int H => 1; } }",
    ),
    Case(
        "the receiver of an extension block is no creation",
        "Thing.Thing()",
        "class Thing { public Thing() {} public static int Count; } static class Ex {\n"
        "extension(/*-*/Thing it) { public int A => 1; }\n"
        "extension<T>(System.Collections.Generic.IEnumerable</*-*/Thing> it) where T : /*-*/Thing { public int B => 1; }\n"
        "extension(/*-*/Thing) { public static int C => 1; } extension(Far./*-*/Thing) { public static int F => 1; }\n"
        "extension(ref /*-*/Thing it) { public int D => 1; }\n"
        "extension(/*-*/Thing[] it) { public int E => 1; } extension<Thing>(Thing it) { public int G => 1; } static Thing Make() => new /*+*/Thing(); }",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_places_have_the_grade_that_the_language_gives_them(case: Case, tmp_path: Path) -> None:
    # A line that is too long is told in part.
    source = case.source.replace("; ", ";\n")
    wanted = {(mark.end(), mark[0][2]) for mark in _MARK.finditer(source) if mark[0][2] != "-"}
    with indexed(tmp_path, {"Case.cs": source}) as bench:
        answer = bench.usages.find(case.symbol)
    starts = [0, *(match.end() for match in re.finditer("\n", source))]
    found = {(starts[u.line - 1] + u.column, _SIGNS[u.grade]) for u in answer.usages}
    assert _shown(source, found) == _shown(source, wanted)


def test_overloads_that_differ_in_a_reference_alone_are_two(tmp_path: Path) -> None:
    source = """class A { int n; void Do(int a) {} void Do(ref int a) {}
void M() { Do(1);
Do(n);
Do(ref n); } }"""
    with indexed(tmp_path, {"Case.cs": source}) as bench:
        with pytest.raises(AmbiguousSymbol) as raised:
            bench.usages.find("A.Do")
        both = [bench.usages.find(each["memberId"]).usages for each in raised.value.details["candidates"]]
    assert sorted([(u.line, u.grade) for u in usages] for usages in both) == [
        [(2, "bound"), (3, "bound")],
        [(4, "bound")],
    ]


def _shown(source: str, places: set[tuple[int, str]]) -> list[str]:
    return [f"{at}{mark} {source[at : at + 30]}" for at, mark in sorted(places)]


def test_what_is_a_name_match_to_usages_is_not_certain_to_definitions(tmp_path: Path) -> None:
    call = "class B { void M(Source source) { source.Open().Many(1); } }"
    files = {
        "A.cs": "using Odd;\nstatic class A { public static int Many(this Reader reader, int at) => at; }",
        "B.cs": f"using Odd;\n{call}",
    }
    with indexed(tmp_path, files) as bench:
        (usage,) = bench.usages.find("A.Many").usages
        found = bench.places.definition("B.cs", usage.line, usage.column)
    assert (usage.column, usage.grade) == (call.index("Many"), "name match")
    assert [symbol.path for symbol in found.symbols] == ["A.Many"]
    assert not found.certain


def test_the_static_form_of_a_member_of_an_extension_block_is_related(tmp_path: Path) -> None:
    files = {
        "E.cs": "static class E { extension(string text) { public int Size(int by) => by; } }",
        "U.cs": 'class U {\n int A() => "a".Size(1);\n int B() => E.Size("a", 1);\n}',
    }
    with indexed(tmp_path, files) as bench:
        found = [(each.line, each.grade) for each in bench.usages.find("E.Size").usages]
    assert found == [(2, "bound"), (3, "related")]
