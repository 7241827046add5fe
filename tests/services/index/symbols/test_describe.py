"""Types as values: parts merged, access narrowed, docs from the files."""

from pathlib import Path

from services.model import Base, Kind, Symbol
from tests.support.workspace import edit, indexed

FILES = {
    "A.cs": """namespace N;
/// <summary>Holds <see cref="T:N.Item"/>s. More.</summary>
public partial class Box<T> : IBox where T : class
{
    /// <summary>Adds one.</summary>
    public void Add(T item) { }
    void IBox.Clear() { }
    protected class Inner { public int Depth { get; private set; } }
}
""",
    "B.cs": """namespace N;
partial class Box<T> : IOther
{
    internal int count;
}
internal struct Item { public int X; }
""",
}


def by_fqn(symbols: tuple[Symbol, ...] | list[Symbol]) -> dict[str, Symbol]:
    return {each.fqn: each for each in symbols if not each.implicit}


def test_parts_make_one_type(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        detail = bench.outlines.detail("Box")
        assert [(part.file, part.start_line, part.end_line) for part in detail.parts] == [
            *(("A.cs", 3, 9), ("B.cs", 2, 5))
        ]
        assert [member.name for member in detail.members if not member.implicit] == ["Add", "Clear", "count"]
        assert [ref.label for ref in detail.nested] == ["Inner"]
        assert detail.doc == "Holds Items. More."
        symbol = detail.symbol
        assert (symbol.fqn, symbol.arity, symbol.type_parameters) == ("N.Box`1", 1, ("T",))
        assert (symbol.accessibility.declared, symbol.accessibility.effective) == ("public", "public")
        assert symbol.signature == "public class Box<T> where T : class"
        assert [base.text for base in symbol.bases or ()] == ["IBox", "IOther"]
        assert symbol.doc_first_line == "Holds Items."


def test_access_is_narrowed_by_what_encloses(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = by_fqn(list(bench.index.symbols()))
    depth = found["N.Box`1+Inner.Depth"]
    assert (depth.accessibility.declared, depth.accessibility.effective) == ("public", "protected")
    assert depth.accessors == {"get": "public", "set": "private"}
    assert depth.declaring_type == "N.Box`1+Inner"
    assert found["N.Box`1+Inner"].declaring_type == "N.Box`1"
    assert found["N.Item.X"].accessibility.effective == "internal"
    clear = found["N.Box`1.Clear"]
    assert (clear.explicit_interface, clear.accessibility.effective) == ("IBox", "private")


def test_a_doc_of_a_file_that_has_changed_since_is_not_guessed(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        edit(tmp_path, "A.cs", "// moved\n" + FILES["A.cs"])
        found = by_fqn(list(bench.index.symbols()))
        assert found["N.Box`1.Add"].doc_first_line is None
        bench.index.refresh()
        assert by_fqn(list(bench.index.symbols()))["N.Box`1.Add"].doc_first_line == "Adds one."


def test_other_line_endings_do_not_shift_what_is_read(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        edit(tmp_path, "A.cs", FILES["A.cs"].replace("\n", "\r\n"))
        assert by_fqn(list(bench.index.symbols()))["N.Box`1.Add"].doc_first_line is None


def test_hashes_of_a_type_do_not_depend_on_its_files(tmp_path: Path) -> None:
    one = {"A.cs": "partial class A { public int X; }\npartial class A { int y; }"}
    other = {"A.cs": "partial class A { int y; }", "B.cs": "partial class A { public int X; }"}
    with indexed(tmp_path / "one", one) as bench:
        first = bench.outlines.detail("A").hashes
    with indexed(tmp_path / "two", other) as bench:
        assert bench.outlines.detail("A").hashes == first


def test_a_record_implements_equality_with_itself(tmp_path: Path) -> None:
    source = "namespace N; record R<T>(int X); record struct S : System.IEquatable<S>; class C {}"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        bases = {symbol.name: symbol.bases for symbol in bench.index.symbols() if symbol.is_type}
        assert "IEquatable" not in bench.outlines.outline("N.R").text
    assert bases["R"] == (Base(text="IEquatable<R<T>>", fqn="System.IEquatable<N.R<T>>", implicit=True),)
    assert bases["S"] == (Base(text="System.IEquatable<S>", fqn="System.IEquatable<N.S>"),)
    assert bases["C"] == ()


def test_variance_is_part_of_a_type_s_signature_and_structure(tmp_path: Path) -> None:
    source = "interface I<in T, out U, V> {} delegate U D<in T, out U>(T at);"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        found = {symbol.name: symbol for symbol in bench.index.symbols() if symbol.is_type}
        before = bench.outlines.detail("I").hashes["structure"]
        edit(tmp_path, "A.cs", source.replace("out U, V", "U, V"))
        bench.index.refresh()
        assert bench.outlines.detail("I").hashes["structure"] != before
    assert found["I"].signature == "internal interface I<in T, out U, V>"
    assert found["D"].signature == "internal delegate U D<in T, out U>(T at)"
    assert found["I"].type_parameters == ("T", "U", "V")


def test_constraints_may_stand_at_any_part_of_a_type(tmp_path: Path) -> None:
    parts = {"A.cs": "/// Speaks.\npartial class A<T> { }", "B.cs": "partial class A<T> where T : class { }"}
    with indexed(tmp_path, parts) as bench:
        assert bench.outlines.detail("A").symbol.signature == "internal class A<T> where T : class"


def test_what_is_obsolete_is_known_by_its_attribute(tmp_path: Path) -> None:
    source = """
        [System.ObsoleteAttribute("gone")] partial class A
        {
            [Obsolete] void Old() { }
            [X, global::System.Obsolete("x")] int older;
            [NotObsolete, Obsolete<int>, X<N.Obsolete>] void New() { }
            [Obsolete] class Inner { }
            class Other { }
        }
        partial class A { }
    """
    with indexed(tmp_path, {"A.cs": source}) as bench:
        detail, other = bench.outlines.detail("A"), bench.outlines.detail("Other")
        text = bench.outlines.outline("A.Old").text
    ids = {symbol.name: symbol.id for symbol in detail.members} | {ref.label: ref.id for ref in detail.nested}
    assert detail.obsolete == {detail.symbol.id, ids["Old"], ids["older"], ids["Inner"]}
    assert other.obsolete == frozenset()
    assert "[Obsolete] private void Old();\n" in text


def test_a_finalizer_is_protected_as_what_it_overrides(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "public class A { ~A() { } }"}) as bench:
        (finalizer,) = (symbol for symbol in bench.index.symbols() if symbol.kind is Kind.DESTRUCTOR)
    assert finalizer.accessibility.declared == "protected"
    assert finalizer.signature == "~A()"


def test_members_of_an_extension_block_know_its_type_parameters(tmp_path: Path) -> None:
    block = "extension<T>(System.Collections.Generic.List<T> list) where T : class"
    inside = "{ public T First() => list[0]; public (T, int) Two => default; }"
    source = f"static class X {{ {block} {inside} }} class T {{}}"
    with indexed(tmp_path, {"A.cs": source}) as bench:
        bench.index.relate()
        returned = {
            s.name: s.return_type_fqn for s in bench.index.symbols() if s.kind is Kind.EXTENSION_MEMBER
        }
        assert [link.fqn for link in bench.outlines.detail("X").depends_on] == [
            "System.Collections.Generic.List`1"
        ]
    assert returned == {"First": "T", "Two": "(T, int)"}


def test_the_members_of_one_name_are_described_as_among_all(tmp_path: Path) -> None:
    overloads = "namespace N; partial class Box<T> { /// <summary>Adds two.</summary>\n public void Add(T a, T b) { } }"
    with indexed(tmp_path, FILES | {"C.cs": overloads}) as bench:
        whole = bench.outlines.detail("Box")
        index = bench.index.facade
        at = index.index_of(whole.symbol.id)
        assert at is not None
        plain, named = index.detail(at, bound=False), index.named_members(at, "Add")
        assert plain is not None and named is not None
        assert named.members == tuple(each for each in plain.members if each.name == "Add")
        assert len(named.members) == 2 and (named.symbol, named.doc) == (plain.symbol, plain.doc)
        assert (named.nested, named.depends_on) == ((), ())


def test_an_attribute_with_type_arguments_is_depended_on_with_them(tmp_path: Path) -> None:
    source = (
        "class MarkAttribute<T> : System.Attribute { } class Mode { } class X { [Mark<Mode>] void M() { } }"
    )
    with indexed(tmp_path, {"A.cs": source}) as bench:
        bench.index.relate()
        assert {link.fqn for link in bench.outlines.detail("X").depends_on} == {"MarkAttribute`1", "Mode"}


ALIASES = {
    "G.cs": "global using Items = System.Collections.Generic.List<N.Item>; global using Pair = (N.Item A, int B);",
    "A.cs": "using Row = N.Item[]; class X { Items a; } class Y { Pair a; } class Z { Row a; }",
    "B.cs": "namespace N { class Item { } }",
}


def test_all_that_an_alias_stands_for_is_depended_on(tmp_path: Path) -> None:
    with indexed(tmp_path, ALIASES) as bench:
        bench.index.relate()
        items = "System.Collections.Generic.List`1"
        assert {link.fqn for link in bench.outlines.detail("X").depends_on} == {items, "N.Item"}
        assert [link.fqn for link in bench.outlines.detail("Y").depends_on] == ["N.Item"]
        assert [link.fqn for link in bench.outlines.detail("Z").depends_on] == ["N.Item"]


def test_a_type_that_comes_later_is_found_behind_aliases(tmp_path: Path) -> None:
    with indexed(tmp_path, {**ALIASES, "B.cs": "namespace N { class Other { } }"}) as bench:
        bench.index.relate()
        edit(tmp_path, "B.cs", ALIASES["B.cs"])
        bench.index.refresh()
        bench.index.relate()
        assert all(
            "N.Item" in [link.fqn for link in bench.outlines.detail(name).depends_on] for name in "XYZ"
        )
