"""What branches of `#if` declare that no configuration takes: symbols, marked as of another configuration."""

from pathlib import Path

from msgspec import UNSET

from services.bench.bench import Bench
from services.model import Grade
from tests.support.workspace import indexed

_HERO = """using System;
#if UNITY_EDITOR
using UnityEditor;
#endif
namespace N {
    public partial class Hero : IDisposable {
        public int Life;
#if UNITY_EDITOR
        /// <summary>Draws outlines.</summary>
        [MenuItem("x")]
        public void OnDrawGizmos(int depth) { Draw(depth); }
        public int Life;
        class Inner { int deep; }
#elif UNITY_IOS
        void Ios() { }
#else
        void Draw(int d) { }
#endif
        public void Dispose() {
#if UNITY_EDITOR
            OnDrawGizmos(1);
            int none = 3;
#endif
        }
        enum Color { Red,
#if UNITY_EDITOR
            Green,
#endif
            Blue }
    }
#if UNITY_EDITOR
    public class HeroEditor : Editor {
        public void Go() {
#if NET472
            int none;
#endif
        }
#if NET472
        public void Deep() { }
#endif
    }
#endif
}
"""
_USE = "namespace N;\nclass Use {\n void M(Hero h) {\n  h.OnDrawGizmos(2);\n  new HeroEditor().Go();\n } }"
_FILES = {"Hero.cs": _HERO, "Use.cs": _USE}


def _elsewhere(bench: Bench) -> dict[str, str]:
    told = (each for each in bench.index.symbols() if each.condition and not each.implicit)
    return {each.fqn: str(each.condition) for each in told}


def test_they_are_symbols_with_the_condition_and_those_around_them_stay(tmp_path: Path) -> None:
    with indexed(tmp_path, _FILES) as bench:
        found = _elsewhere(bench)
        others = [each.fqn for each in bench.index.symbols() if not each.condition and not each.implicit]
    editor = "#if UNITY_EDITOR"
    assert found == {
        "N.Hero.OnDrawGizmos": editor,
        "N.Hero.Ios": "#elif UNITY_IOS",
        "N.Hero+Inner": editor,
        "N.Hero+Inner.deep": editor,
        "N.Hero+Color.Green": editor,
        "N.HeroEditor": editor,
        "N.HeroEditor.Go": editor,
        "N.HeroEditor.Deep": "#if NET472",
    }
    own = ["N.Hero", "N.Hero.Life", "N.Hero.Draw", "N.Hero.Dispose"]
    own += ["N.Hero+Color", "N.Hero+Color.Red", "N.Hero+Color.Blue", "N.Use", "N.Use.M"]
    assert sorted(others) == sorted(own)


def test_search_outline_and_resolution_tell_them(tmp_path: Path) -> None:
    with indexed(tmp_path, _FILES) as bench:
        hits = [each.symbol for each in bench.index.search("Gizmos").hits]
        outline = " ".join(bench.outlines.outline("Hero").text.split())
        whole = bench.lookup.resolve("HeroEditor").symbol
        hero = bench.lookup.resolve("Hero").symbol
    assert [(each.path, each.file, each.start_line, each.condition) for each in hits] == [
        ("N.Hero.OnDrawGizmos", "Hero.cs", 10, "#if UNITY_EDITOR")
    ]
    assert "public void OnDrawGizmos(int depth); // #if UNITY_EDITOR: Draws outlines." in outline
    assert whole is not None and whole.condition == "#if UNITY_EDITOR"
    assert hero is not None and not hero.condition


def test_a_line_is_in_what_is_declared_around_it(tmp_path: Path) -> None:
    with indexed(tmp_path, _FILES) as bench:
        around = bench.index.facade.files.enclosing
        found = {
            line: (ref.path, ref.condition) for line in (7, 11, 20, 33) if (ref := around("Hero.cs", line))
        }
        each = [ref.path for ref in bench.index.facade.files.enclosing_each("Hero.cs", [7, 11, 27])]
    editor = "#if UNITY_EDITOR"
    assert found == {
        7: ("N.Hero.Life", UNSET),
        11: ("N.Hero.OnDrawGizmos", editor),
        20: ("N.Hero.Dispose", UNSET),
        33: ("N.HeroEditor.Go", editor),
    }
    assert each == ["N.Hero.Life", "N.Hero.OnDrawGizmos", "N.Hero.Color.Green"]


def test_their_usages_are_name_matches(tmp_path: Path) -> None:
    with indexed(tmp_path, _FILES) as bench:
        found = {
            name: [(each.file, each.line, each.grade) for each in bench.usages.find(name).usages]
            for name in ("Hero.OnDrawGizmos", "HeroEditor", "HeroEditor.Go")
        }
    match = Grade.NAME_MATCH
    assert found == {
        "Hero.OnDrawGizmos": [("Hero.cs", 21, match), ("Use.cs", 4, match)],
        "HeroEditor": [("Use.cs", 5, match)],
        "HeroEditor.Go": [("Use.cs", 5, match)],
    }


def test_nothing_is_bound_to_them(tmp_path: Path) -> None:
    files = {
        "A.cs": "#if NETFX\nclass Twin { public void Go() { } }\n"
        "static class E { public static int F(this int x) => x; }\n#endif",
        "B.cs": "class B { void M(Twin t) { t.Go(); 1.F(); } }",
    }
    with indexed(tmp_path, files) as bench:
        assert not bench.places.definition("B.cs", 1, 18).certain
        assert not bench.places.definition("B.cs", 1, 29).certain
        assert {each.grade for each in bench.usages.find("E.F").usages} == {Grade.NAME_MATCH}


def test_the_id_of_a_type_does_not_change_with_its_twin(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "class Twin { }"}) as bench:
        alone = bench.lookup.resolve("Twin").symbol
        (tmp_path / "B.cs").write_text("#if NETFX\nclass Twin { int a; }\n#endif\n")
        bench.index.refresh()
        beside = bench.lookup.resolve("Twin").symbol
    assert alone is not None and beside is not None
    assert (beside.id, beside.file) == (alone.id, "A.cs")


def test_what_another_project_compiles_is_of_that(tmp_path: Path) -> None:
    shared = (
        '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{}</PropertyGroup>'
        '<ItemGroup><Compile Include="..\\S\\H.cs" /></ItemGroup></Project>'
    )
    branches = "#if NETFX\n void InB() { }\n#elif ANDROID\n void Nowhere() { }\n#else\n void InA() { }\n"
    files = {
        "A/A.csproj": shared.format(""),
        "B/B.csproj": shared.format("<DefineConstants>NETFX</DefineConstants>"),
        "S/H.cs": f"class H {{\n{branches}#endif\n}}\n",
    }
    with indexed(tmp_path, files) as bench:
        assert _elsewhere(bench) == {"H.Nowhere": "#elif ANDROID"}
        for name in ("InA", "InB", "Nowhere"):
            assert [each.symbol.path for each in bench.index.search(name).hits] == [f"H.{name}"]


def test_a_branch_that_is_no_whole_declaration_declares_nothing(tmp_path: Path) -> None:
    files = {
        "A.cs": "class A\n#if NETFX\n : B { void C() { }\n#else\n {\n#endif\n void M() { } }",
        "D.cs": "class D { void M() {\n#if NETFX\n int no = 1;\n}\n void N() {\n#endif\n } }",
        "U.cs": "#if NETFX\nusing System;\n#endif\nclass U { }",
    }
    with indexed(tmp_path, files) as bench:
        assert _elsewhere(bench) == {}
        assert {each.fqn for each in bench.index.symbols() if not each.implicit} >= {"A.M", "D.M", "U"}


def test_a_symbol_that_nothing_is_known_to_define_declares_nothing(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.cs": "#if NOPE\nclass Gone { }\n#endif\nclass A { }"}) as bench:
        assert _elsewhere(bench) == {}
        assert any("Gone (A.cs)" in notice.message for notice in bench.health.notices())
