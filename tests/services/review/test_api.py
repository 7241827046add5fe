from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from services.review.api.compare import ApiChanges, compared
from services.review.api.constants import evaluated
from services.review.api.members import knows_readonly_members
from services.review.api.sides import surface
from services.review.api.symbol import ApiSymbol
from tests.support.workspace import indexed, project

NET = "<TargetFramework>net8.0</TargetFramework><AssemblyName>Lib</AssemblyName><ImplicitUsings>enable</ImplicitUsings>"


def api(folder: Path, text: str) -> Mapping[str, ApiSymbol]:
    with indexed(folder, {"Lib.csproj": project(NET), "A.cs": text}) as bench:
        bench.index.relate()
        return surface(bench.index.facade, [each.name for each in bench.health.status().projects])


def changes(tmp_path: Path, old: str, new: str) -> ApiChanges:
    return compared(api(tmp_path / "old", old), api(tmp_path / "new", new), name="Lib-2")


def codes(found: ApiChanges) -> list[str]:
    return [each.code for each in found.breaking]


IDS = {
    "public class C { public void M(int? a, string? b, int[] c, int[][,] d, (int, string) e) {} }":
        "M:N.C.M(System.Nullable{System.Int32},System.String,System.Int32[],System.Int32[0:,0:][],"
        "System.ValueTuple{System.Int32,System.String})",
    "public class C<T> { public class D<U> { public void M<V>(T a, U b, V c, List<T> d) {} } }":
        "M:N.C`1.D`1.M``1(`0,`1,``0,System.Collections.Generic.List{`0})",
    "public class C { public void M(ref int a, out dynamic b, in DateTime c) { b = 1; } }":
        "M:N.C.M(System.Int32@,System.Object@,System.DateTime@)",
    "public class C { public void M<T, U>(T? a, U? b) where T : struct {} }":
        "M:N.C.M``2(System.Nullable{``0},``1)",
    "public struct C { public static C operator -(C c) => c; }": "M:N.C.op_UnaryNegation(N.C)",
    "public struct C { public static implicit operator int(C c) => 1; }": "M:N.C.op_Implicit(N.C)~System.Int32",
    "public class C { public int this[string key] => 1; }": "P:N.C.Item(System.String)",
    "public class C { public event EventHandler E; }": "E:N.C.E",
    "public enum C { A }": "M:N.C.#ctor",
    "public delegate void C(ref int a);": "M:N.C.EndInvoke(System.Int32@,System.IAsyncResult)",
    "public record C(int A);": "M:N.C.{Clone}$",
    "public class C { }": "M:N.C.#ctor",
    "public static class C { extension(string s) { public int Size => 1; } }": "M:N.C.get_Size(System.String)",
}  # fmt: skip


@pytest.mark.parametrize(("code", "id_"), IDS.items())
def test_documentation_ids_are_those_of_the_compiler(tmp_path: Path, code: str, id_: str) -> None:
    assert id_ in api(tmp_path, f"namespace N {{ {code} }}")


def test_what_nobody_else_sees_is_no_api(tmp_path: Path) -> None:
    found = api(tmp_path, """namespace N {
        internal class A { public void M() {} }
        public class B { internal B() {} protected void P() {} private protected void Q() {} public void R() {} }
        public sealed class C { protected void P() {} internal class D { public void M() {} } }
        public class E { void I.M() {} protected void P() {} public class F { } }
    }""")  # fmt: skip
    assert sorted(found) == [
        "M:N.B.R", "M:N.C.#ctor", "M:N.E.#ctor", "M:N.E.F.#ctor", "M:N.E.P", "T:N.B", "T:N.C", "T:N.E", "T:N.E.F",
    ]  # fmt: skip


BREAKS = [
    ("public class C {}", "internal class C {}", ["CP0001"]),
    ("public class C { public void M() {} }", "public class C { }", ["CP0002"]),
    ("public class C { public int P { get; set; } }", "public class C { public int P { get; } }", ["CP0002"]),
    ("public class C { public int M() => 1; }", "public class C { public long M() => 1; }", ["CP0002"]),
    ("public class B { } public class C : B { public void M() {} }",
     "public class B { public void M() {} } public class C : B { }", []),
    ("public abstract class C { }", "public abstract class C { public abstract void M(); }", ["CP0005"]),
    ("public abstract class C { internal C() {} }",
     "public abstract class C { internal C() {} public abstract void M(); }", []),
    ("public interface I { }", "public interface I { void M(); int P { get; } event Action E; }",
     ["CP0006", "CP0006", "CP0006"]),
    ("public interface I { }", "public interface I { void M() { } int P => 1; }", []),
    ("public class B { } public class C : B { }", "public class B { } public class C { }", ["CP0007"]),
    ("public class C : IDisposable { public void Dispose() {} }", "public class C { public void Dispose() {} }",
     ["CP0008"]),
    ("public class C { }", "public sealed class C { }", ["CP0009"]),
    ("public enum E { A, B }", "public enum E { B, A }", ["CP0011", "CP0011"]),
    ("public enum E { A }", "public enum E : byte { A }", ["CP0010"]),
    ("public class C { public virtual void M() {} }", "public class C { public void M() {} }", ["CP0012"]),
    ("public class C { public virtual int P { get; set; } }", "public class C { public int P { get; set; } }",
     ["CP0012", "CP0012", "CP0012"]),
    ("public class C { public virtual void M() {} }", "public abstract class C { public abstract void M(); }",
     ["CP0019", "CP0012"]),
    ("public abstract class C { public void M() {} }", "public abstract class C { public abstract void M(); }", []),
    ("public abstract class C { }", "public abstract class C { public abstract int P { get; set; } }",
     ["CP0005", "CP0005", "CP0005"]),
    ("public interface I { void M(); }", "public interface I { int M(); }", ["CP0006", "CP0002"]),
    ("public interface I { }", "public interface I { static void M() { } const int A = 1; }", ["CP0006"]),
    ("public interface I { void M() { } }", "public interface I { sealed void M() { } }", ["CP0018"]),
    ("public interface B { } public interface I : B { void M(); }",
     "public interface B { void M(); } public interface I : B { }", ["CP0006"]),
    ("public class C { public C() {} }", "public class C { internal C() {} }", ["CP0009", "CP0002"]),
    ("public class C { public void M() {} }", "public class C { protected void M() {} }", ["CP0019"]),
    ("public class C { public int P { get; set; } }", "public class C { public int P { get; protected set; } }",
     ["CP0019"]),
    ("public class C : IEquatable<C> { public bool Equals(C? c) => true; }", "public record C { }", []),
    ("class A { } public class B : A { } public class C : B { }", "public class B { } public class C : B { }",
     ["CP0007"]),
    ("public interface I<T> { }", "public interface I<out T> { }", ["CP0001"]),
    ("public class C<T> { }", "public class C<TKey> { }", ["CP0001"]),
    ("public class C<T> { }", "public class C<T> where T : notnull, IDisposable { }", ["CP0021", "CP0021"]),
    ("public class C<T> where T : class { }", "public class C<T> { }", ["CP0021"]),
    ("public sealed class C<T> where T : class { }", "public sealed class C<T> { }", []),
    ("public class C { public void M<T>() where T : new() {} }", "public class C { public void M<T>() {} }", []),
    ("public class C { public virtual void M<T>() where T : new() {} }",
     "public class C { public virtual void M<T>() {} }", ["CP0021"]),
    ("public class C { public int P { get; set; } }", "public class C { public int P { get; init; } }", ["CP0002"]),
    ("public class C { public void M(ref int a) {} }", "public class C { public void M(out int a) { a = 1; } }", []),
    ("public static class C { public static void M(this int a) {} }",
     "public static class C { public static void M(int a) {} }", ["CP0002"]),
    ("public class C { public void M(int a) {} }", "public class C { public void M(int b = 1) {} }", []),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "expected"), BREAKS)
def test_what_breaks_is_told_by_its_code(tmp_path: Path, old: str, new: str, expected: list[str]) -> None:
    found = changes(tmp_path, f"namespace N {{ {old} }}", f"namespace N {{ {new} }}")
    assert codes(found) == expected


SENTENCES = [
    ("public class C { public int P { get; set; } }", "public class C { public int P { get; } }",
     "Member 'void N.C.P.set' exists but not"),
    ("public class C { public event Action E; }", "public class C { }", "Member 'void N.C.E.add' exists but not"),
    ("public static class C { public static void M(this int a, params string[] b) {} }", "public static class C { }",
     "Member 'void N.C.M(this int, params string[])' exists but not"),
    ("public interface I<in T> { }", "public interface I<in T> { void M(IComparer<T> a, T b, int[,] c); }",
     ("Cannot add interface member 'void N.I<in T>.M(System.Collections.Generic.IComparer<in T>, T, int[*,*])' to Lib-2"
      " because it does not exist")),
    ("public class B<T> { } public class C : B<int> { }", "public class B<T> { } public class C { }",
     "Type 'N.C' does not inherit from base type 'N.B<int>' but it does"),
    ("public interface A<T> { } public class B<T> : A<T> { } public class C : B<int> { }",
     "public interface A<T> { } public class B<T> { } public class C : B<int> { }",
     "Type 'N.C' does not implement interface 'N.A<int>' but it does"),
    ("public record C { }", "public class C { }",
     "Type 'N.C' does not implement interface 'System.IEquatable<N.C>' but it does"),
    ("public class C { }", "public sealed class C { }", "Type 'N.C' has the sealed modifier but not"),
    ("public class C { public C() {} public C(int a) {} }", "public class C { private C() {} }",
     "Type 'N.C' is sealed because it has no visible constructor but it does"),
    ("public class O { public enum E { A = 1 } }", "public class O { public enum E { A = 2 } }",
     "Value of field 'A' in enum 'E' changed from '1' to '2'."),
    ("public class C { public void M() {} }", "public class C { protected void M() {} }",
     "Visibility of 'N.C.M()' reduced from 'Public' to 'Protected'."),
    ("public interface J<T> { } public interface I<in T> { }",
     "public interface J<T> { } public interface I<in T> where T : J<T> { }",
     "Cannot add constraint 'T:N.J{`0}' on type parameter 'T' of 'N.I<in T>'."),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "sentence"), SENTENCES)
def test_sentences_are_those_of_apicompat(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    found = changes(tmp_path, f"namespace N {{ {old} }}", f"namespace N {{ {new} }}")
    assert sentence in [each.bare for each in found.breaking]


@pytest.mark.parametrize(("old", "new"), [
    ("public class C { public void M(CancellationToken a = default) {} }",
     "public class C { public void M(System.Threading.CancellationToken a = new()) {} }"),
    ("public class C<T> where T : IDisposable { }", "public class C<T> where T : System.IDisposable { }"),
    ("public class B { public virtual void M<T>() {} } public class C : B { public override void M<T>() {} }",
     ("public class B { public virtual void M<T>() {} }"
      " public class C : B { public override void M<T>() where T : default {} }")),
])  # fmt: skip
def test_what_means_the_same_is_no_change(tmp_path: Path, old: str, new: str) -> None:
    found = changes(tmp_path, f"namespace N {{ {old} }}", f"namespace N {{ {new} }}")
    assert (found.added, found.removed, found.changed, found.breaking) == ((), (), (), ())


def test_changes_are_told_with_both_signatures(tmp_path: Path) -> None:
    found = changes(
        tmp_path,
        "namespace N { public class C { public string? M(DayOfWeek d = DayOfWeek.Friday) => null; } }",
        'namespace N { public class C { public string M(DayOfWeek d) => ""; } }',
    )
    (change,) = found.changed
    assert change.before is not None
    assert change.after is not None
    assert change.before.signature == "string N.C.M(System.DayOfWeek d = System.DayOfWeek.Friday)"
    assert change.after.signature == "string N.C.M(System.DayOfWeek d)"


def test_annotations_of_references_change_nothing(tmp_path: Path) -> None:
    found = changes(
        tmp_path,
        "namespace N { public class C { public string M(List<string> a) => a[0]; } }",
        "namespace N { public class C { public string? M(List<string?>? a) => null; } }",
    )
    assert (found.added, found.removed, found.changed) == ((), (), ())


def test_a_type_is_shown_by_its_keyword_however_it_is_written(tmp_path: Path) -> None:
    old = "public class C { public void M(int a, string b, long? c, (int, object) d, List<double> e) {} }"
    new = old.replace("int ", "Int32 ").replace("string", "System.String").replace("long?", "Nullable<Int64>")
    new = new.replace("(int, object)", "ValueTuple<int, object>").replace("<double>", "<Double>")
    assert changes(tmp_path, f"namespace N {{ {old} }}", f"namespace N {{ {new} }}") == ApiChanges()


def test_an_interface_of_an_interface_counts(tmp_path: Path) -> None:
    found = changes(
        tmp_path,
        "namespace N { interface H : I { } public interface I { } public class C : H { } }",
        "namespace N { interface H : I { } public interface I : IDisposable { } public class C : H { } }",
    )
    assert [each.id for each in found.changed] == ["T:N.C", "T:N.I"]


@pytest.mark.parametrize(("text", "value"), [
    ("1 << 4 | 3", 19), ("0xFF & ~1", 254), ("A + 1", 6), ("-(2 + 3) * 2", -10), ("7 / -2", -3), ("x", None),
    ("1 +", None), ("\"a\"", None), ("1 << 999999", None), ("5u", 5),
])  # fmt: skip
def test_integer_expressions_are_evaluated(text: str, value: int | None) -> None:
    assert evaluated(text, {"A": 5}.__getitem__) == value


CONSTANTS = """namespace N {
    public static class Wait { public const int Short = 2, Long = Short * Scale; internal const int Scale = 10; }
    public static class Names { public const string Group = Key<int>.Group; public const string Long = "%s"; }
    public class Key<T> { public const string Group = "DEFAULT"; }
    public enum Way : int { None = Wait.Long, Next, A = Next, Back = -Wait.Short, Same = Way.A }
    public enum Loop { A = Loop.B, B = Loop.A, C = Other.D } public enum Other { D = Loop.C, E }
    public class C {
        public const Way Usual = Way.Next;
        public void M(int wait = Wait.Long, Way way = Way.A, string name = Names.Group, char sign = ',') {}
        public int P { set { } get { return 1; } }
    }
}"""


def test_constants_are_told_by_their_values_wherever_they_come_from(tmp_path: Path) -> None:
    found = api(tmp_path, CONSTANTS % ("x" * 100))
    shown = {id_: found[id_].signature.partition(" = ")[2] for id_ in found if id_.startswith("F:")}
    assert shown == {
        "F:N.C.Usual": "Way.Next", "F:N.Key`1.Group": '"DEFAULT"', "F:N.Names.Group": '"DEFAULT"',
        "F:N.Names.Long": f'"{"x" * 100}"', "F:N.Wait.Short": "2", "F:N.Wait.Long": "20", "F:N.Way.None": "20",
        "F:N.Way.Next": "21", "F:N.Way.A": "21", "F:N.Way.Back": "-2", "F:N.Way.Same": "21", "F:N.Loop.A": "Loop.B",
        "F:N.Loop.B": "Loop.A", "F:N.Loop.C": "Other.D", "F:N.Other.D": "Loop.C", "F:N.Other.E": "",
    }  # fmt: skip
    (method,) = (each for id_, each in found.items() if id_.startswith("M:N.C.M"))
    assert method.signature == (
        "void N.C.M(int wait = 20, N.Way way = N.Way.A, string name = \"DEFAULT\", char sign = ',')"
    )
    assert found["P:N.C.P"].signature == "int N.C.P { get; set; }"


def test_a_value_changes_with_the_constant_that_it_is_told_by(tmp_path: Path) -> None:
    text = CONSTANTS % ("x" * 100)
    found = changes(tmp_path, text, text.replace("Scale = 10", "Scale = 11").replace('xxx"', 'xxy"'))
    told = {each.id.partition("(")[0] for each in found.changed}
    assert told == {
        "F:N.Wait.Long",
        "F:N.Names.Long",
        "F:N.Way.None",
        "F:N.Way.Next",
        "F:N.Way.A",
        "F:N.Way.Same",
        "M:N.C.M",
    }
    assert codes(found) == ["CP0011"] * 4


@pytest.mark.parametrize(("language", "framework", "knows"), [
    (None, "netstandard2.0", False), (None, "net5.0", True), (None, "net10.0", True), (None, "net461", False),
    (None, "netcoreapp3.1", True), (None, "netstandard2.1", True), ("7.3", "net8.0", False), ("latest", "net461", True),
    ("9.0", "netstandard2.0", True),
])  # fmt: skip
def test_getters_of_structs_are_readonly_from_csharp_8_on(
    language: str | None, framework: str, knows: bool
) -> None:
    assert knows_readonly_members(language, framework) is knows


def test_sentences_name_the_sides(tmp_path: Path) -> None:
    found = changes(
        tmp_path, "namespace N { public class C { public void M() {} } }", "namespace N { public class C {} }"
    )
    assert [each.sentence for each in found.breaking] == [
        "Member 'void N.C.M()' exists on the old side but not on the new side"
    ]


def test_the_members_of_a_delegate_are_as_visible_as_it_is(tmp_path: Path) -> None:
    hidden = "namespace N { delegate int D<T>(T a); public class C { internal delegate void E(); delegate void F(); } }"
    assert changes(tmp_path, "namespace N { public class C {} }", hidden) == ApiChanges()
    shown = changes(
        tmp_path,
        "namespace N { public class C {} }",
        "namespace N { public class C {} public delegate int D(int a); }",
    )
    assert [each.id for each in shown.added] == [
        "M:N.D.#ctor(System.Object,System.IntPtr)",
        "M:N.D.BeginInvoke(System.Int32,System.AsyncCallback,System.Object)",
        "M:N.D.EndInvoke(System.IAsyncResult)", "M:N.D.Invoke(System.Int32)", "T:N.D",
    ]  # fmt: skip


def test_what_is_gone_of_a_delegate_is_told_as_the_compiler_shows_it(tmp_path: Path) -> None:
    before = "#nullable enable\nnamespace N { public delegate int D<T>(string? a, ref T b); }"
    found = changes(tmp_path, before, before.replace("int D", "long D"))
    assert {each.sentence.partition(" exists")[0] for each in found.breaking} == {
        "Member 'int N.D<T>.Invoke(string?, ref T)'",
        "Member 'int N.D<T>.EndInvoke(ref T, System.IAsyncResult)'",
    }
    found = changes(tmp_path, before, before.replace("string? a", "int a"))
    assert {each.sentence.partition(" exists")[0] for each in found.breaking} == {
        "Member 'int N.D<T>.Invoke(string?, ref T)'",
        "Member 'System.IAsyncResult N.D<T>.BeginInvoke(string?, ref T, System.AsyncCallback, object)'",
    }
