"""Properties that every project starts with."""

from __future__ import annotations

import json

import pytest

from services.msbuild.language.environment import VirtualFiles
from services.msbuild.language.paths import VirtualRoot
from services.msbuild.project_file import global_properties
from tests.services.msbuild.memory import Memory


def seeds(
    path: str = "src/A/A.b.csproj", solution: str | None = None, system: str = "linux", **files: str
) -> dict[str, str]:
    content = {name.replace("__", "/").replace("_json", ".json"): text for name, text in files.items()}
    return global_properties(VirtualFiles(Memory(content), VirtualRoot("Work"), system), path, solution)


def test_names_and_folders_of_a_project() -> None:
    found = seeds()
    assert found["MSBuildProjectName"] == found["ProjectName"] == "A.b"
    assert found["MSBuildProjectFullPath"] == "/Work/src/A/A.b.csproj"
    assert (found["MSBuildProjectDirectory"], found["ProjectDir"]) == ("/Work/src/A", "/Work/src/A/")
    assert found["MSBuildProjectExtension"] == ".csproj"
    assert "SolutionDir" not in found


def test_those_of_the_solution_it_is_read_for() -> None:
    found = seeds(solution="src/All.slnx")
    assert (found["SolutionDir"], found["SolutionPath"]) == ("/Work/src/", "/Work/src/All.slnx")
    assert (found["SolutionName"], found["SolutionExt"]) == ("All", ".slnx")


@pytest.mark.parametrize(
    ("system", "named"), [("win32", "Windows_NT"), ("darwin", "Unix"), ("linux", "Unix"), ("aix", "Unix")]
)
def test_the_system_is_the_caller_s(system: str, named: str) -> None:
    assert seeds(system=system)["OS"] == named


@pytest.mark.parametrize(
    ("content", "version"),
    [
        ('{"sdk": {"version": "8.0.100"}}', "8.0.100"),
        ('\ufeff{"sdk": {"version": "8.0.100"}}', "8.0.100"),
        ('{ // ours\n "sdk": {"version": "8.0.100",},}', "8.0.100"),
        ('{"sdk": {"rollForward": "major"}}', "10.0.100"),
        ('{"sdk": 1}', "10.0.100"),
        ("{", "10.0.100"),
        ("", "10.0.100"),
    ],
)
def test_the_sdk_s_version_is_that_of_the_workspace_or_the_latest(content: str, version: str) -> None:
    found = seeds(global_json=content)
    assert found["NETCoreSdkVersion"] == version
    assert found["BundledNETCoreAppTargetFrameworkVersion"] == f"{version.partition('.')[0]}.0"


def test_settings_of_megabytes_are_none() -> None:
    version = "8.0." + "1" * 1_000_000
    assert seeds(global_json=json.dumps({"sdk": {"version": version}}))["NETCoreSdkVersion"] == "10.0.100"


def test_the_nearest_settings_above_the_project_count() -> None:
    found = seeds(
        global_json='{"sdk": {"version": "6.0.1"}}', src__global_json='{"sdk": {"version": "7.0.1"}}'
    )
    assert found["NETCoreSdkVersion"] == "7.0.1"


@pytest.mark.parametrize(
    ("arcade", "sdk", "current", "previous", "minimum"),
    [
        ("9.0.0-beta.1", "8.0.100", "net9.0", "", "net8.0"),
        ("8.0.0", "8.0.100", "net8.0", "net7.0", "net6.0"),
        ("nightly", "10.0.100", "net10.0", "net9.0", "net8.0"),
    ],
)
def test_a_repository_of_arcade_has_names_for_frameworks(
    arcade: str, sdk: str, current: str, previous: str, minimum: str
) -> None:
    content = {"sdk": {"version": sdk}, "msbuild-sdks": {"Microsoft.DotNet.Arcade.Sdk": arcade}}
    found = seeds(global_json=json.dumps(content))
    assert (found["NetCurrent"], found["NetPrevious"], found["NetMinimum"]) == (current, previous, minimum)


def test_other_repositories_have_none() -> None:
    assert "NetCurrent" not in seeds(global_json='{"sdk": {"version": "8.0.100"}}')
