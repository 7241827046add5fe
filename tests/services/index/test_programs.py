"""Programs without a project file, as the index answers about them."""

from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.index.usages.overlay import OverlayText
from services.model import Quality
from tests.support.workspace import edit, indexed, project

APPS = {
    "apps/one.cs": "#!/usr/bin/env dotnet\n#:project ../lib\nusing Lib;\nnew Bell().Ring();\nvar i = new Item(1);\n"
    "record Item(int N);\nclass Game { public void Play() { } }",
    "apps/two.cs": '#:package X@1.0\nvar i = new Item("a", 2); new Game().Play(1);\n'
    "record Item(string Name, int Q);\nclass Game { public void Play(int how) { } }",
    "lib/Lib.csproj": project("<TargetFramework>net10.0</TargetFramework>"),
    "lib/Bell.cs": "namespace Lib; public class Bell { public void Ring() { } }",
}


def places(bench: Bench, path: str) -> list[str]:
    return sorted(f"{each.file}:{each.line}" for each in bench.usages.find(path).usages)


def test_two_apps_in_one_folder_share_no_types_and_see_their_projects(tmp_path: Path) -> None:
    with indexed(tmp_path, APPS) as bench:
        items = {each.file: each.id for each in bench.index.symbols() if each.fqn == "Item"}
        assert set(items) == {"apps/one.cs", "apps/two.cs"} and len(set(items.values())) == 2
        assert [places(bench, items[file]) for file in sorted(items)] == [
            ["apps/one.cs:5"],
            ["apps/two.cs:2"],
        ]
        assert places(bench, "Lib.Bell.Ring") == places(bench, "Lib.Bell") == ["apps/one.cs:4"]


def test_a_directive_that_changes_is_followed(tmp_path: Path) -> None:
    with indexed(tmp_path, APPS) as bench:
        edit(tmp_path, "apps/two.cs", "#:project ../lib/Lib.csproj\nusing Lib;\nnew Bell().Ring();")
        bench.index.facade.update(["apps/two.cs"], report=lambda _: None, cancel=None)
        assert places(bench, "Lib.Bell.Ring") == ["apps/one.cs:4", "apps/two.cs:3"]


def test_scripts_are_read(tmp_path: Path) -> None:
    files = {"a.csx": '#load "b.csx"\nvar b = new Bell(); b.Ring(); new Own();', "b.csx": "class Own { }"}
    lib = {path: text for path, text in APPS.items() if path.startswith("lib/")}
    with indexed(tmp_path, {**lib, **files, "lib/usings.csx": "using Lib; new Bell().Ring();"}) as bench:
        assert places(bench, "Own") == ["a.csx:2"]
        assert places(bench, "Lib.Bell.Ring") == ["a.csx:2", "lib/usings.csx:1"]


def test_queries_share_no_types_but_what_they_load(tmp_path: Path) -> None:
    files = {
        "a.linq": '<Query Kind="Program" />\n\n#load "b"\nvoid Main() { Own.Go(); new Node(1); Help(); }\n'
        "class Node(int n) { }",
        "b.linq": '<Query Kind="Program">\n  <Namespace>static N.Tools</Namespace>\n</Query>\nvoid Help() { }\n'
        "class Own { public static void Go() { } }",
        "c.linq": '<Query Kind="Expression" />\n\nnew Node("c")\n\t.Next()',
        "d.linq": '<Query Kind="Program" />\nvoid Main() { new Node("d"); }\nclass Node(string s) { }',
        "e.linq": '<Query Kind="FSharpProgram" />\nlet x = class Node end',
    }
    with indexed(tmp_path, files) as bench:
        nodes = {each.file: each.id for each in bench.index.symbols() if each.fqn == "Node"}
        assert set(nodes) == {"a.linq", "d.linq"}
        assert places(bench, nodes["a.linq"]) == ["a.linq:4"] and places(bench, nodes["d.linq"]) == [
            "d.linq:2"
        ]
        assert places(bench, "Own.Go") == places(bench, "Help") == ["a.linq:4"]
        status = bench.health.status()
        assert {each.name for each in status.projects} == {"a.linq", "c.linq", "d.linq", "e.linq"}
        assert {str(each): count for each, count in status.quality.items() if count} == {"exact": 5}


def test_unity_s_editor_code_is_read_and_what_the_editor_makes_is_not(tmp_path: Path) -> None:
    files = {
        "Assets/Game/Game.asmdef": '{ "name": "Acme.Game" }',
        "Assets/Game/Hero.cs": "#if UNITY_EDITOR\nclass Bake { void Go() => Hero.Warm(); }\n#endif\n"
        "public static class Hero { public static void Warm() { } }",
        "Assets/Free.cs": "class Free { void Go() => Hero.Warm(); }",
        "Library/X.cs": "class Made { }",
    }
    with indexed(tmp_path, files) as bench:
        assert places(bench, "Hero.Warm") == ["Assets/Free.cs:1", "Assets/Game/Hero.cs:2"]
        assert {each.fqn for each in bench.index.symbols() if each.is_type} == {"Bake", "Hero", "Free"}
        assert {each.name for each in bench.health.status().projects} == {"Acme.Game", "Assembly-CSharp"}


def test_functions_of_a_script_are_members_that_other_scripts_use(tmp_path: Path) -> None:
    files = {
        "a.csx": '#load "b.csx"\nvar n = 3;\nint Twice(int x) => x * n + Help("a");\nFunc<int, int> f = Twice;\n'
        "class K { }\nItem item = Make(Twice(n));",
        "b.csx": "int Help(string s) => s.Length;\nItem Make(int n) => new Item();\nclass Item { }",
        "c.csx": "void Twice() { Twice(); }",
    }
    with indexed(tmp_path, files) as bench:
        ids = {(each.name, each.file): each.id for each in bench.index.symbols() if each.kind == "method"}
        found = {
            key: [(each.file, each.line, each.grade) for each in bench.usages.find(id_).usages]
            for key, id_ in ids.items()
        }
    assert found == {
        ("Twice", "a.csx"): [("a.csx", 4, "bound"), ("a.csx", 6, "bound")],
        ("Help", "b.csx"): [("a.csx", 3, "bound")],
        ("Make", "b.csx"): [("a.csx", 6, "bound")],
        ("Twice", "c.csx"): [("c.csx", 1, "bound")],
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.csx", b"class Other { }\nnew Other()"),
        ("a.linq", b'<Query Kind="Expression" />\n\nnew Other()'),
    ],
)
def test_a_script_with_another_text_may_end_with_an_expression(
    path: str, text: bytes, tmp_path: Path
) -> None:
    with indexed(tmp_path, {path: text.decode().replace("Other", "Own")}) as bench:
        over = bench.index.facade.with_texts({path: OverlayText(text, path)})
        assert over is not None
        (now,) = over.files.values()
        assert over.texts.catalogue.file(now).quality is Quality.EXACT
