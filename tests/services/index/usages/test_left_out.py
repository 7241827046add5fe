"""Names in branches of `#if` that no configuration takes: told as of another configuration, and never as bound."""

from pathlib import Path

import pytest

from services.errors import SymbolNotFound
from tests.support.workspace import indexed

_HERO = """namespace N {
public class Hero { public static void Warm() { }
#if UNITY_EDITOR
    // Warm in a comment
    void Reset() { Hero.Warm(); Log("Warm"); }
#endif
#if !ODD
    void Now() => Warm();
#else
    void Later() => Warm();
#if DEEP
    void Deep() => Warm();
#endif
#endif
}
#if UNITY_EDITOR
public class HeroAuthoring { Hero hero; void Go() { Hero.Warm(); } }
#endif
}
"""


_SHARED = (
    '<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>{}</PropertyGroup><ItemGroup>{}</ItemGroup></Project>'
)
_ITEM = '<Compile Include="..\\S\\Hero.cs" />'


def test_a_use_in_another_configuration_is_a_name_match_with_its_condition(tmp_path: Path) -> None:
    with indexed(tmp_path, {"Hero.cs": _HERO}) as bench:
        usages = bench.usages.find("Hero.Warm").usages
    told = {
        each.line: (each.grade, each.reason.removeprefix("in another configuration: ")) for each in usages
    }
    assert told == {
        5: ("name match", "#if UNITY_EDITOR"),
        8: ("bound", ""),
        10: ("name match", "#else of #if !ODD"),
        12: ("name match", "#if DEEP"),
        17: ("name match", "#if UNITY_EDITOR"),
    }


def test_a_type_is_told_there_though_nothing_else_names_it(tmp_path: Path) -> None:
    files = {"Hero.cs": "class Hero { }", "Use.cs": "#if X\nclass A { Hero hero; }\n#endif\nclass B { }"}
    with indexed(tmp_path, files) as bench:
        for _ in range(2):
            assert [(each.file, each.line) for each in bench.usages.find("Hero").usages] == [("Use.cs", 2)]
            bench.index.relate()
            bench.index.read_bodies()


def test_what_one_of_several_projects_takes_is_no_other_configuration(tmp_path: Path) -> None:
    defines = "<DefineConstants>UNITY_EDITOR</DefineConstants>"
    files = {
        "A/A.csproj": _SHARED.format("", _ITEM),
        "B/B.csproj": _SHARED.format(defines, _ITEM),
        "S/Hero.cs": _HERO,
    }
    with indexed(tmp_path, files) as bench:
        usages = bench.usages.find("Hero.Warm").usages
    assert {each.line for each in usages if each.grade == "bound"} == {5, 8, 17}
    assert {each.line for each in usages if each.grade != "bound"} == {10, 12}


def test_a_type_that_a_branch_declares_in_part_is_told_where_it_is_missed(tmp_path: Path) -> None:
    files = {"A.cs": "#if X\nclass Half {\n#else\nclass Whole {\n#endif\n}"}
    with indexed(tmp_path, files) as bench:
        assert any("Half (A.cs)" in notice.message for notice in bench.health.notices())
        with pytest.raises(SymbolNotFound, match=r"branch of #if that no configuration here takes: A\.cs"):
            bench.usages.find("Half")


def test_a_statement_that_the_parser_refuses_lowers_the_quality_and_is_told(tmp_path: Path) -> None:
    files = {
        "A.cs": "class A {\n void M() {\n  B.F();\n  __refvalue(B, A<int>) = 3;\n  B.F();\n } }",
        "B.cs": "class B { }",
    }
    with indexed(tmp_path, files) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        status = bench.health.status()
        usages = bench.usages.find("B").usages
    assert status.quality == {"bodies-skipped": 1, "exact": 1}
    assert any("1 statement is refused by the parser: A.cs:4." in notice.message for notice in status.notices)
    assert [(each.line, each.grade) for each in usages] == [(3, "bound"), (4, "name match"), (5, "bound")]
