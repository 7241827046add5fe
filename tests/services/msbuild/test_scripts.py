"""Scripts, with what they load and refer to."""

from __future__ import annotations

from tests.services.msbuild.memory import messages, sdk, workspace

FILES = {
    "a.csx": '#r "nuget: Newtonsoft.Json, 13.0.1"\n#load "lib/b.csx"\nvar x = 1;',
    "lib/b.csx": '#load "c.cs"\nint y = 2;',
    "lib/c.cs": "class C { }",
    "d.csx": '#r "bin/W.dll"\nGo();',
    "W/W.csproj": sdk(),
    "W/W.cs": "",
    "V/V.csproj": sdk(),
    "V/V.cs": "",
}


def test_a_script_has_what_it_loads_and_sees_what_it_refers_to():
    found = {info.name: info for info in workspace(FILES).projects}
    assert set(found) == {"a.csx", "d.csx", "V", "W"}
    assert found["a.csx"].files == ("a.csx", "lib/b.csx", "lib/c.cs")
    assert [(p.name, p.version) for p in found["a.csx"].packages] == [("Newtonsoft.Json", "13.0.1")]
    assert found["a.csx"].references == ("V/V.csproj", "W/W.csproj")
    assert found["d.csx"].references == ("W/W.csproj",)


def test_scripts_that_load_each_other_are_one_program():
    files = {
        "a.csx": '#load "b.csx"',
        "b.csx": '#load "c.csx"',
        "c.csx": '#load "a.csx"',
        "d.csx": '#load "d.csx"',
    }
    assert [info.files for info in workspace(files).projects] == [("a.csx", "b.csx", "c.csx"), ("d.csx",)]


def test_a_script_that_is_not_there_is_told_once():
    assert messages(workspace({"a.csx": '#load "gone.csx"\n#load "nuget: X"\n'})) == [
        "The script that is loaded is not in the workspace: gone.csx"
    ]


def test_a_query_is_a_program_of_its_own_with_what_it_loads():
    head = (
        b'\xef\xbb\xbf<Query Kind="Program">\n  <NuGetReference Version="1.2">A.B</NuGetReference>\n'
        b'  <Reference Relative="W.dll">&lt;Docs&gt;\\W.dll</Reference>\n</Query>\n\n'
    )
    files = {
        "q/a.linq": head + b'#load ".\\B"\nvoid Main() { }',
        "q/b.linq": '<Query Kind="Expression" />\n#load "gone"\n1',
        "q/c.linq": '<Query Kind="Statements" />',
        "W/W.csproj": sdk(),
        "W/W.cs": "",
        "V/V.csproj": sdk(),
        "V/V.cs": "",
    }
    found = {info.name: info for info in workspace(files).projects}
    assert set(found) == {"a.linq", "c.linq", "V", "W"}
    assert found["a.linq"].files == found["a.linq"].markup == ("q/a.linq", "q/b.linq")
    assert [(p.name, p.version) for p in found["a.linq"].packages] == [("A.B", "1.2")]
    assert found["a.linq"].references == ("W/W.csproj",)
    assert found["c.linq"].references == ("V/V.csproj", "W/W.csproj")
    assert messages(workspace(files)) == ["The script that is loaded is not in the workspace: gone"]
