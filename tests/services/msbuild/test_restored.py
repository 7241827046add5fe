"""What a restore wrote down beside a project: believed where it is of this project, framework and shape."""

from __future__ import annotations

import json
from typing import Any

import pytest

from services.msbuild.language.info import PackageAssembly
from tests.services.msbuild.memory import only, sdk, sources

PLACE = "A/obj/project.assets.json"
POLLY = PackageAssembly(
    package="Polly",
    version="8.0.0",
    path="polly/8.0.0/lib/net8.0/Polly.dll",
    places=("/home/user/.nuget/packages/polly/8.0.0/lib/net8.0/Polly.dll",),
)


def assets(framework: str = "net8.0", **changed: Any) -> dict[str, Any]:
    """A file of assets with one package, Polly."""
    asset = {"type": "package", "compile": {"lib/net8.0/Polly.dll": {}}}
    return {
        "version": 3,
        "targets": {framework: {"Polly/8.0.0": asset}},
        "libraries": {"Polly/8.0.0": {"type": "package", "path": "polly/8.0.0"}},
        "packageFolders": {"/home/user/.nuget/packages/": {}},
        "project": {"restore": {"projectPath": "/build/agent/A/A.csproj"}},
        **changed,
    }


def of(found: dict[str, Any] | bytes, *, place: str = PLACE, body: str = "", framework: str = "net8.0"):
    """The assemblies of `A/A.csproj`, where a restore wrote this at a place."""
    content = found if isinstance(found, bytes) else json.dumps(found)
    project = sdk(body, framework)
    return only({"A/A.csproj": project, place: content, **sources("A/One.cs")}).assemblies


def with_asset(inside: str, **changed: Any) -> dict[str, Any]:
    asset = {"type": "package", "compile": {inside: {}}, **changed}
    return assets(targets={"net8.0": {"Polly/8.0.0": asset}})


def test_assemblies_of_packages_are_those_the_restore_found() -> None:
    assert of(assets()) == (POLLY,)


def test_a_byte_order_mark_is_no_part_of_it() -> None:
    assert of(b"\xef\xbb\xbf" + json.dumps(assets()).encode()) == (POLLY,)


def test_every_packages_folder_is_a_place_to_look() -> None:
    folders = {"/first/": {}, "/second": {}}
    (found,) = of(assets(packageFolders=folders))
    assert found.places == (f"/first/{POLLY.path}", f"/second/{POLLY.path}")


@pytest.mark.parametrize(
    ("framework", "key"),
    [
        ("net472", ".NETFramework,Version=v4.7.2"),
        ("netstandard2.0", ".NETStandard,Version=v2.0"),
        ("net8.0-windows", "net8.0-windows"),
    ],
)
def test_a_target_is_known_by_either_of_its_names(framework: str, key: str) -> None:
    assert of(assets(key), framework=framework) == (POLLY,)


@pytest.mark.parametrize("key", ["net9.0", "net8.0/linux-x64", "net8.0-windows", "?"])
def test_another_target_is_not_taken_for_that_of_the_project(key: str) -> None:
    assert of(assets(key)) == ()


def test_what_was_written_for_a_project_of_another_name_does_not_count() -> None:
    assert of(assets(project={"restore": {"projectPath": "/build/B.csproj"}})) == ()
    assert of(assets(project={"restore": {"projectPath": "/BUILD/a.CSPROJ"}})) == (POLLY,)
    assert of(assets(project={})) == (POLLY,)


@pytest.mark.parametrize(
    "damaged",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe\x00",
        json.dumps(assets(version=2)).encode(),
        json.dumps(assets(version="3")).encode(),
        json.dumps(assets(targets=[])).encode(),
        json.dumps({key: value for key, value in assets().items() if key != "version"}).encode(),
    ],
)
def test_another_shape_counts_as_not_restored(damaged: bytes) -> None:
    assert of(damaged) == ()


@pytest.mark.parametrize(
    "inside",
    [
        "../../other/1.0.0/lib/Other.dll",
        "lib/../../../../Other.dll",
        "lib//Polly.dll",
        "./Polly.dll",
        "lib/net8.0/_._",
        "lib/net8.0/Polly.xml",
    ],
)
def test_what_leads_out_of_the_folder_or_is_no_assembly_is_left_out(inside: str) -> None:
    assert of(with_asset(inside)) == ()


def test_a_project_among_the_libraries_is_no_package() -> None:
    assert of(with_asset("bin/placeholder/B.dll", type="project")) == ()


def test_a_package_without_a_library_is_left_out() -> None:
    assert of(assets(libraries={})) == ()


@pytest.mark.parametrize(
    ("place", "body"),
    [
        ("out/A/project.assets.json", "<BaseIntermediateOutputPath>../out/A/</BaseIntermediateOutputPath>"),
        ("out/project.assets.json", "<MSBuildProjectExtensionsPath>../out/</MSBuildProjectExtensionsPath>"),
        ("A/artifacts/obj/A/project.assets.json", "<UseArtifactsOutput>true</UseArtifactsOutput>"),
    ],
)
def test_it_is_looked_for_where_the_project_has_its_output(place: str, body: str) -> None:
    group = f"<PropertyGroup>{body}</PropertyGroup>"
    assert of(assets(), place=place, body=group) == (POLLY,)
    assert of(assets(), place=place) == ()


def test_where_the_likeliest_place_has_nothing_to_read_the_next_is_taken() -> None:
    group = "<PropertyGroup><BaseIntermediateOutputPath>../out/</BaseIntermediateOutputPath></PropertyGroup>"
    files = {
        "A/A.csproj": sdk(group),
        "out/project.assets.json": "{",
        PLACE: json.dumps(assets()),
        **sources("A/One.cs"),
    }
    assert only(files).assemblies == (POLLY,)


@pytest.mark.parametrize("path", ["../elsewhere/1.0.0", "../../elsewhere"])
def test_a_library_that_lies_outside_the_packages_folder_is_left_out(path: str) -> None:
    assert of(assets(libraries={"Polly/8.0.0": {"type": "package", "path": path}})) == ()
