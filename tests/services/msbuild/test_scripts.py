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
