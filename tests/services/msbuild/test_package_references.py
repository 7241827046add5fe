"""Packages that a compiler is given, by items and by `packages.config`."""

from __future__ import annotations

import pytest

from services.msbuild.language.info import Package
from tests.services.msbuild.memory import only, sdk, sources

OLD = (
    '<Project ToolsVersion="15.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">'
    "<PropertyGroup><TargetFrameworkVersion>v4.7.2</TargetFrameworkVersion></PropertyGroup>"
    '<ItemGroup><Compile Include="One.cs" />{}</ItemGroup></Project>'
)


def of(*items: str, properties: str = "", **files: str) -> tuple[Package, ...]:
    """The packages of an SDK-style project with these items."""
    group = f"<PropertyGroup>{properties}</PropertyGroup>"
    body = f"{group}<ItemGroup>{''.join(items)}</ItemGroup>"
    return only({"A/A.csproj": sdk(body), **files, **sources("A/One.cs")}).packages


def old(item: str = "", config: str | None = None) -> tuple[Package, ...]:
    """The packages of an old-style project, with a `packages.config` beside it."""
    files = {"A/A.csproj": OLD.format(item), **sources("A/One.cs")}
    if config is not None:
        files["A/packages.config"] = config
    return only(files).packages


def reference(metadata: str) -> str:
    return f'<PackageReference Include="Polly" Version="8.0.0" {metadata} />'


def test_a_reference_names_a_package_and_flows_on() -> None:
    assert of(reference("")) == (Package(name="Polly", version="8.0.0", flows=True),)


@pytest.mark.parametrize(
    ("metadata", "is_compiled"),
    [
        ('IncludeAssets="runtime;build"', False),
        ('IncludeAssets="runtime; Compile"', True),
        ('IncludeAssets="all"', True),
        ('ExcludeAssets="compile"', False),
        ('ExcludeAssets="All"', False),
        ('ExcludeAssets="build"', True),
    ],
)
def test_what_is_not_for_the_compiler_is_no_package_of_it(metadata: str, *, is_compiled: bool) -> None:
    assert bool(of(reference(metadata))) is is_compiled


@pytest.mark.parametrize(("assets", "flows"), [("all", False), ("compile", False), ("build", True)])
def test_private_assets_stay_with_the_project(assets: str, *, flows: bool) -> None:
    (package,) = of(reference(f'PrivateAssets="{assets}"'))
    assert package.flows is flows


def test_a_version_that_is_not_known_is_not_said() -> None:
    assert [each.version for each in of('<PackageReference Include="Polly" />')] == [""]


def test_versions_may_be_managed_centrally() -> None:
    central = '<PackageVersion Include="polly" Version="8.1.0" />'
    is_central = "<ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>"
    bare = '<PackageReference Include="Polly" />'
    own = '<PackageReference Include="Polly" VersionOverride="7.0.0" />'
    assert [each.version for each in of(central, bare, properties=is_central)] == ["8.1.0"]
    assert [each.version for each in of(central, own, properties=is_central)] == ["7.0.0"]
    assert [each.version for each in of(central, bare)] == [""]


def test_a_package_is_told_once_as_it_is_said_first() -> None:
    assert of(reference(""), '<PackageReference Include="POLLY" Version="7.0.0" />') == (
        Package(name="Polly", version="8.0.0", flows=True),
    )


def test_an_old_project_has_its_packages_in_a_file_beside_it() -> None:
    config = (
        '<packages><package id="Polly" version="7.2.0" targetFramework="net472" />'
        '<package id="Analyzers" version="1.0.0" developmentDependency="true" /><package version="1" /></packages>'
    )
    assert old(config=config) == (Package(name="Polly", version="7.2.0", flows=False),)


@pytest.mark.parametrize("config", ["", "<packages", "<other><package id='Polly' version='1' /></other>"])
def test_a_damaged_list_of_packages_names_none(config: str) -> None:
    assert old(config=config) == ()


def test_an_sdk_project_does_not_read_the_list_of_an_old_one() -> None:
    config = '<packages><package id="Polly" version="7.2.0" /></packages>'
    assert of(**{"A/packages.config": config}) == ()


@pytest.mark.parametrize(
    ("item", "version"),
    [
        ('<Reference Include="Polly, Version=7.0.0.0, Culture=neutral" />', "7.0.0.0"),
        (
            (
                '<Reference Include="Polly, Version=7.0.0.0">'
                r"<HintPath>..\packages\Polly.7.2.3-beta.1\lib\net472\Polly.dll</HintPath></Reference>"
            ),
            "7.2.3",
        ),
    ],
)
def test_a_reference_to_an_assembly_says_its_package(item: str, version: str) -> None:
    assert old(item) == (Package(name="Polly", version=version, flows=False),)


def test_an_assembly_of_the_framework_is_no_package() -> None:
    assert old('<Reference Include="System.Xml" />') == ()
