"""Solutions of three formats, and which projects are taken."""

from __future__ import annotations

import json

from tests.services.msbuild.memory import messages, sdk, sources, workspace

SLN = """
Microsoft Visual Studio Solution File, Format Version 12.00
Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}") = "App", "src\\App\\App.csproj", "{1}"
EndProject
Project("{2150E333-8FDC-42A3-9474-1A3956D46DE8}") = "Items", "Items", "{2}"
EndProject
Project("{F2A71F9B-5D33-465A-A702-920D77279786}") = "Fs", "src\\Fs\\Fs.fsproj", "{3}"
EndProject
Project("{9A19103F-16F7-4668-BE54-9A1E7A4F7556}") = "Gone", "src\\Gone\\Gone.csproj", "{4}"
EndProject
Global
EndGlobal
"""
SLNX = """<Solution>
  <Folder Name="/src/"><Project Path="src/App/App.csproj" /><File Path="x.md" /></Folder>
  <Project Path="../Outside/Outside.csproj" />
</Solution>"""
TWO = {
    "src/App/App.csproj": sdk('<ItemGroup><ProjectReference Include="..\\Lib\\Lib.csproj" /></ItemGroup>'),
    "src/Lib/Lib.csproj": sdk(),
    "src/Alone/Alone.csproj": sdk(),
    **sources("src/App/A.cs", "src/Lib/L.cs", "src/Alone/X.cs"),
}


def paths(evaluation) -> list[str]:
    return [project.path for project in evaluation.projects]


def test_a_solution_names_its_projects_and_what_is_missing_is_said_with_its_line():
    evaluation = workspace({"All.sln": "\ufeff" + SLN.replace("\n", "\r\n"), **TWO}, start="All.sln")
    assert paths(evaluation) == ["src/App/App.csproj"]
    gone = next(notice for notice in evaluation.notices if "Gone" in notice.message)
    assert (gone.file, gone.line, gone.severity) == ("All.sln", 9, "warning")
    assert any("1 project in another language is left out" in message for message in messages(evaluation))


def test_an_xml_solution_and_a_project_outside_the_workspace():
    evaluation = workspace({"All.slnx": SLNX, **TWO}, start="All.slnx")
    assert paths(evaluation) == ["src/App/App.csproj"]
    assert "outside the workspace" in messages(evaluation)[0]
    assert evaluation.notices[0].line == 3


def test_a_filter_is_relative_to_the_solution_it_filters():
    listed = {"solution": {"path": "..\\All.slnx", "projects": ["src\\Lib\\Lib.csproj"]}}
    evaluation = workspace(
        {"All.slnx": SLNX, "filters/Lib.slnf": json.dumps(listed), **TWO}, start="filters/Lib.slnf"
    )
    assert paths(evaluation) == ["src/Lib/Lib.csproj"]
    assert not evaluation.notices
    loose = '// a filter\n{"solution": {"path": "All.slnx", /* one */ "projects": ["src/Lib/Lib.csproj",],},}'
    assert paths(workspace({"Lib.slnf": loose, **TWO}, start="Lib.slnf")) == ["src/Lib/Lib.csproj"]


def test_without_a_choice_every_project_is_taken_in_a_solution_or_not():
    evaluation = workspace({"All.sln": SLN, **TWO})
    assert paths(evaluation) == ["src/Alone/Alone.csproj", "src/App/App.csproj", "src/Lib/Lib.csproj"]


def test_a_named_project_brings_what_it_references():
    evaluation = workspace(TWO, start="src/App/App.csproj")
    assert paths(evaluation) == ["src/App/App.csproj", "src/Lib/Lib.csproj"]


def test_a_name_may_be_written_as_windows_does():
    assert paths(workspace(TWO, start=".\\SRC\\app\\App.csproj"))[0] == "src/App/App.csproj"


def test_a_choice_that_is_not_there_is_an_error_notice():
    evaluation = workspace(TWO, start="No.csproj")
    assert not evaluation.projects
    assert [(notice.severity, notice.file) for notice in evaluation.notices] == [("error", "No.csproj")]


def test_a_solution_that_cannot_be_read_is_a_notice_and_its_projects_are_still_found():
    for name, content in {
        "a.sln": "nonsense",
        "b.slnx": "<Solution>\n<Project",
        "c.slnx": '<!DOCTYPE x [<!ENTITY a "b">]><Solution />',
    }.items():
        evaluation = workspace({name: content, **TWO})
        assert len(evaluation.projects) == 3
        assert [notice.file for notice in evaluation.notices] == [name]
    broken = workspace({"d.slnf": "{]", **TWO}, start="d.slnf")
    assert "cannot be read" in messages(broken)[0]


def test_the_solution_folder_is_that_of_the_solution_nearest_the_root():
    body = "<PropertyGroup><DefineConstants>$(SolutionName)</DefineConstants></PropertyGroup>"
    files = {"src/App/App.csproj": sdk(body), "src/Other.sln": SLN, "All.sln": SLN, **sources("src/App/A.cs")}
    (project,) = workspace(files).projects
    assert "All" in project.defines
