"""What bodies and comments name is worked out behind everything else, kept, and renewed with what it leaned on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from services.bench.bench import Bench
from tests.support import workspace
from tests.support.eventually import eventually
from tests.support.workspace import edit, indexed, project

FILES = {
    "A.csproj": project(),
    "A.cs": """class A : Base
{
    Leaf At;
    /// <summary>As a <see cref="Told"/>, not <c>Base</c>.</summary>
    [Mark(typeof(Kind))] object Make() { var made = new Tree(Kind.Low); Leaf other = null; return Tree.Of(other); }
    string Text => "Never" + nameof(Told); // Never
    class In { void M() { new A(); } }
}""",
    "B.cs": """class Base { } class Leaf { } class Told { } class Never { } enum Kind { Low }
class Tree { public Tree(Kind kind) { } public static Tree Of(Leaf leaf) => null; }
class Mark : System.Attribute { public Mark(System.Type t) { } }""",
}


def named(bench: Bench, of: str) -> dict[str, tuple[int, int]]:
    catalogue = bench.index.facade.catalogue
    found = bench.index.facade.graph().dependencies(catalogue.type_at[0, of, ""])
    return {catalogue.types[index].fqn: counts for index, counts in found.items()}


def test_dependencies_are_counted_by_where_they_come_from(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        before = named(bench, "A")
        assert bench.index.read_bodies()
        after = named(bench, "A")
        detail = bench.outlines.detail("A")
        assert not bench.index.read_bodies()
    assert before == {"Base": (1, 0), "Leaf": (1, 0), "Mark": (1, 0)}
    assert after == {
        "Base": (1, 0),
        "Leaf": (1, 1),
        "Mark": (1, 0),
        "Tree": (0, 2),
        "Kind": (0, 2),
        "Told": (0, 2),
    }
    assert {link.fqn for link in detail.depends_on} == {"Base", "Leaf", "Mark"}
    assert {link.fqn: link.count for link in detail.in_bodies} == {"Leaf": 1, "Tree": 2, "Kind": 2, "Told": 2}


def test_a_type_inside_another_names_for_itself(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert named(bench, "A+In") == {"A": (0, 1)}


GENERATED = {
    "A.csproj": project(),
    "A.cs": """class Key { } class Leaf { } class Tree { } class Told { } class Told2 { } class Kept { } class Own { }
interface IDeep<T> { T Deep(Key key); }
interface IStore : IDeep<Leaf>
{
    Tree this[int at] { get; }
    void Written(Told told);
    void Written(Told2[] told);
    Kept Default(Kept kept) => kept;
}
interface IOwn { Own Own(); }
partial class Base : IOwn { }
partial class Store : Base, IStore { public void Written(Told told) { } }
partial class Whole : IStore
{
    public Leaf Deep(Key k) => null;
    Tree IStore.this[int i] => null;
    public void Written(Told t) { }
    public void Written(Told2[] t) { }
}
partial class Unknown : Package.Base, IStore { }
class Broken : IStore { }""",
}


def test_what_a_generated_part_has_to_implement_is_named_by_it(tmp_path: Path) -> None:
    with indexed(tmp_path, GENERATED) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert set(named(bench, "Store")) == {"Base", "IStore", "Told", "Key", "Leaf", "Tree", "Told2"}
        assert set(named(bench, "Base")) == {"IOwn", "Own"}
        assert set(named(bench, "Whole")) == {"IStore", "Key", "Leaf", "Tree", "Told", "Told2"}
        assert set(named(bench, "Unknown")) == set(named(bench, "Broken")) == {"IStore"}


def test_it_is_known_without_a_look_at_each_file_whether_bodies_are_unread(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:

        def told() -> bool:
            graph = bench.index.facade.graph()
            assert graph.has_unread == bool(graph.unread())
            return graph.has_unread

        bench.index.relate()
        assert told()
        bench.index.read_bodies()
        assert not told()
        edit(tmp_path, "A.cs", FILES["A.cs"].replace("Kind.Low", "0"))
        bench.index.refresh()
        bench.index.relate()
        assert told()
        bench.index.read_bodies()
        (tmp_path / "A.cs").unlink()
        bench.index.refresh()
        assert not told()


def test_what_bodies_name_is_kept_and_renewed_with_the_file_and_with_what_comes_and_goes(
    tmp_path: Path,
) -> None:
    with indexed(tmp_path, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        kept = named(bench, "A")
    with workspace.opened(tmp_path) as bench:
        assert bench.index.load()
        bench.index.refresh()
        assert not bench.index.read_bodies()
        assert named(bench, "A") == kept
        edit(tmp_path, "B.cs", FILES["B.cs"].replace("class Told { }", ""))
        bench.index.refresh()
        bench.index.relate()
        assert bench.index.read_bodies()
        assert "Told" not in named(bench, "A")
        edit(tmp_path, "C.cs", "class Told { }")
        edit(tmp_path, "A.cs", FILES["A.cs"].replace("new Tree(Kind.Low)", "1"))
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        assert named(bench, "A")["Told"] == (0, 2)
        assert named(bench, "A")["Tree"] == (0, 1)


def test_var_of_an_argument_and_of_a_deconstruction_reaches_its_type(tmp_path: Path) -> None:
    files = {
        "A.cs": """class A
{
    void M(Maker maker) { maker.Try(out var made); }
    void N(Maker maker) { (var part, _) = maker.Two(); }
    void O(Maker maker) { maker.Give(out _); }
}""",
        "B.cs": """class Made { } class Part { } class Other { }
class Maker
{
    public void Try(out Made made) => made = null; public (Part, int) Two() => default;
    public void Give(out Other other) => other = null;
}""",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert named(bench, "A") == {"Maker": (3, 3), "Made": (0, 1), "Part": (0, 1)}


def test_a_type_before_the_dot_of_a_signature_is_named_with_its_arguments_too(tmp_path: Path) -> None:
    files = {
        "A.cs": "class A { Outer<int>.In One; Derived<Outer<int>.In>.In Two; }",
        "B.cs": "class Outer<T> { public class In { } } class Derived<T> : Outer<T> { }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert set(named(bench, "A")) == {"Outer`1", "Outer`1+In", "Derived`1"}


def test_an_operator_that_is_found_by_its_operands_reaches_no_type(tmp_path: Path) -> None:
    files = {
        "A.cs": "class A { bool M(Pair p) => p.One == p.One; void N(Pair p) { int a, b; (a, b) = p.One; } }",
        "B.cs": """class Pair { public Money One; }
class Money { public static bool operator ==(Money a, Money b) => true;
public static bool operator !=(Money a, Money b) => false;
public void Deconstruct(out int a, out int b) => a = b = 1; }""",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert named(bench, "A") == {"Pair": (2, 2)}


def test_var_reaches_the_type_that_it_stands_for(tmp_path: Path) -> None:
    files = {
        "A.cs": """class A
{
    void M(Maker maker)
    {
        var one = maker.Make();
        foreach (var each in maker.All()) { }
    }
    int N(Maker maker) { Maker typed = maker; return 1; }
}""",
        "B.cs": """class Made { } class Part { }
class Maker { public Made Make() => null; public Part[] All() => null; }""",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert named(bench, "A") == {"Maker": (2, 2), "Made": (0, 1), "Part": (0, 1)}
        edit(tmp_path, "B.cs", files["B.cs"].replace("class Made { }", ""))
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        assert "Made" not in named(bench, "A")


def test_whoever_relates_waits_for_no_bodies_that_are_being_read(tmp_path: Path) -> None:
    ended: list[str] = []
    reached, go_on = threading.Event(), threading.Event()

    def stop(_: object) -> None:
        if reached.is_set():  # it has begun again
            eventually(lambda: bool(ended))
        reached.set()
        assert go_on.wait(60)

    with indexed(tmp_path, FILES) as bench:
        dependencies = bench.index.facade.dependencies
        dependencies.relate()

        def read() -> None:
            dependencies.read_bodies(report=stop)
            ended.append("read")

        def relate() -> None:
            bench.index.relate()
            ended.append("related")

        reading, relating = threading.Thread(target=read), threading.Thread(target=relate)
        reading.start()
        assert reached.wait(60)
        bench.index.relate()  # all is related: there is nothing to wait for
        edit(tmp_path, "B.cs", FILES["B.cs"].replace("class Told { }", "class Told : Leaf { }"))
        bench.index.refresh()
        relating.start()
        eventually(lambda: bool(dependencies._wanted))
        go_on.set()
        relating.join(60)
        reading.join(60)
        assert ended == ["related", "read"]
        assert named(bench, "Told") == {"Leaf": (1, 0)}
        assert not bench.index.read_bodies()


LEANING = {
    "A.csproj": project(),
    "X.cs": "partial class X : I { } class Y { void M(Maker m) { var v = m.Get(); v.ToString(); } }",
    "I.cs": "interface I : J { Leaf Get(); }",
    "J.cs": "interface J { int Put(); }",
    "M.cs": "class Maker { public Leaf Get() => null; }",
    "L.cs": "class Leaf { } class Tree { }",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("M.cs", "class Maker { public Tree Get() => null; }"),
        ("M.cs", "class Maker : Made { } class Made { public Tree Get() => null; }"),
        ("I.cs", "interface I : J { Leaf Get(); Tree Make(); }"),
        ("I.cs", "interface I : J { Tree Get(); }"),
        ("J.cs", "interface J { Tree Put(); }"),
        ("J.cs", "interface J { int Put(); Tree At { get; } }"),
    ],
)
def test_a_signature_that_changes_renews_the_bodies_that_lean_on_it(
    tmp_path: Path, path: str, text: str
) -> None:
    with indexed(tmp_path / "one", LEANING) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        before = named(bench, "X"), named(bench, "Y")
        edit(tmp_path / "one", path, text)
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        after = named(bench, "X"), named(bench, "Y")
    with indexed(tmp_path / "other", {**LEANING, path: text}) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        fresh = named(bench, "X"), named(bench, "Y")
    assert after == fresh != before


def test_a_body_that_changes_renews_no_other(tmp_path: Path) -> None:
    with indexed(tmp_path, LEANING) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        edit(tmp_path, "M.cs", "class Maker { public Leaf Get() => new Leaf(); }")
        bench.index.refresh()
        bench.index.relate()
        graph = bench.index.facade.graph()
        left = [file for file in graph._files.files() if file not in graph.bodies]  # pyright: ignore[reportPrivateUsage]
        assert [bench.index.facade.catalogue.file(file).path for file in left] == ["M.cs"]


HEIRS = {
    "P.csproj": project(),
    "Bases.cs": "class A { public void Foo() { } } class B { public void Foo() { } }",
    "Heir.cs": "partial class Heir : Middle { }",
    "Middle.cs": "class Middle : A { }",
    "Maker.cs": "class Maker { public static Heir Make() => null; }",
    "User.cs": "class User { void M() { Maker.Make().Foo(); } }",
    "Own.cs": "partial class Heir { void M() { Foo(); } }",
}


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("Heir.cs", "partial class Heir : B { }"),
        ("Middle.cs", "class Middle : B { }"),
        ("Middle.cs", "class Middle : Far { } class Far : B { }"),
    ],
)
def test_other_bases_change_what_is_inherited_by_bodies_that_name_no_type(
    tmp_path: Path, path: str, text: str
) -> None:
    with indexed(tmp_path, HEIRS) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        before = named(bench, "User"), named(bench, "Heir")["A"]
        edit(tmp_path, path, text)
        bench.index.refresh()
        bench.index.relate()
        bench.index.read_bodies()
        after = named(bench, "User"), named(bench, "Heir")["B"][1]
    assert before == ({"Maker": (0, 1), "A": (0, 1)}, (0, 1))
    assert after == ({"Maker": (0, 1), "B": (0, 1)}, 1)


def test_a_new_heir_leaves_the_bodies_that_use_its_base(tmp_path: Path) -> None:
    with indexed(tmp_path, HEIRS) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        edit(tmp_path, "New.cs", "class New : A { }")
        bench.index.refresh()
        bench.index.relate()
        facade = bench.index.facade
        unread = [facade.catalogue.file(file).path for file in facade.graph().unread()]
    assert unread == ["New.cs"]
