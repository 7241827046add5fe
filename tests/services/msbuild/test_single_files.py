"""File-based apps: programs of one file, with the project that their directives make."""

from __future__ import annotations

import pytest

from services.msbuild import ProjectInfo
from services.msbuild.single_files import begins_with_statements, directives, is_file_app
from tests.services.msbuild.memory import messages, sdk, workspace

APP = """#!/usr/bin/env dotnet
#:sdk Microsoft.NET.Sdk.Web
#:package Humanizer@2.14.1
#:package Other
#:property LangVersion=preview
#:project ../lib
#:include parts/*.cs
#:exclude parts/Not.cs
// what it does
using System;
Console.WriteLine(1);
"""
FILES = {
    "apps/one.cs": APP,
    "apps/two.cs": "#:property DefineConstants=$(DefineConstants);TWO\nRun(); void Run() { }",
    "apps/parts/Yes.cs": "class Yes { }",
    "apps/parts/Not.cs": "class Not { }",
    "apps/Directory.Build.props": "<Project><PropertyGroup><Nullable>disable</Nullable></PropertyGroup></Project>",
    "lib/Lib.csproj": sdk(),
    "lib/Lib.cs": "",
}


def by_name(files: dict[str, str]) -> dict[str, ProjectInfo]:
    return {info.name: info for info in workspace(files).projects}


def test_each_is_a_project_of_its_directives():
    found = by_name(FILES)
    assert set(found) == {"one", "two", "Lib", "Work"}
    one = found["one"]
    assert one.files == ("apps/one.cs", "apps/parts/Yes.cs")
    assert one.references == ("lib/Lib.csproj",)
    assert [(p.name, p.version) for p in one.packages] == [("Humanizer", "2.14.1"), ("Other", "")]
    assert (one.lang_version, one.target_framework) == ("preview", "net10.0")
    assert "Microsoft.AspNetCore.Builder" in {using.name for using in one.usings}
    assert "TWO" in found["two"].defines and "TWO" not in one.defines
    assert found["Work"].files == ("apps/parts/Not.cs",)


def test_what_is_named_and_not_there_is_told():
    text = "#:include gone.cs\n#:project ../gone\nRun();"
    assert len(messages(workspace({"a/x.cs": text}))) == 2


def test_a_file_that_includes_itself_in_a_circle_is_read_once():
    files = {"a.cs": "#:include b.cs\nRun();", "b.cs": "#:include a.cs\nclass B { }"}
    assert ("a.cs", "b.cs") in {info.files for info in workspace(files).projects}


def test_a_file_that_a_project_compiles_is_no_program():
    assert [info.name for info in workspace({"A/A.csproj": sdk(), "A/x.cs": APP}).projects] == ["A"]


def test_files_with_statements_are_programs_where_there_are_several():
    one = {"a.cs": "Run();", "B.cs": "class B { }"}
    assert [info.files for info in workspace(one).projects] == [("B.cs", "a.cs")]
    found = {info.files: info for info in workspace({**one, "c.cs": "using X; Go();"}).projects}
    assert set(found) == {("a.cs",), ("c.cs",), ("B.cs",)}
    assert found[("a.cs",)].references == (".",)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", False),
        ("// nothing", False),
        ("using System;\nusing F = System.Func<int, string>;\nF f = null;", True),
        ("using var x = Open();", True),
        ("using (Open()) { }", True),
        ("[assembly: X(1)]\nnamespace N { }", False),
        ("#if A\nextern alias X;\n#endif\n[Serializable] public sealed class C { }", False),
        ("public readonly record struct R(int X);", False),
        ("record R(int X);", False),
        ("record.Go();", True),
        ("static void F() { }", True),
        ("delegate void D();", False),
        ("unsafe { }", True),
        ("partial class P { }", False),
        ("/* class C */ await Go();", True),
        ("file static class E { }", False),
        ("static async Task F() { }", True),
        ("namespace N;", False),
    ],
)
def test_statements_at_the_head_are_told_from_declarations(text: str, expected: bool):
    assert begins_with_statements(text.encode()) is expected
    assert begins_with_statements(b"\xef\xbb\xbf\n" + text.encode()) is expected


def test_directives_end_where_code_begins():
    found = directives(b'\xef\xbb\xbf#!/x\r\n#:package A@1\r\n\r\n#load "b.csx"\r\nRun();\r\n#r "c.dll"\r\n')
    assert found == [("package", "A@1", 2), ("load", "b.csx", 4)]
    assert is_file_app(b"#!/usr/bin/dotnet\nRun();") and not is_file_app(b'var x = "#:";')
