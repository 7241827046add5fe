"""Names of types from packages: bound where the project refers to the package, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.model import Kind
from tests.support.workspace import edit, indexed

# Two unknown usings, so that nothing is inferred by elimination.
HEAD = "using Newtonsoft.Json; using Newtonsoft.Json.Linq; using Elsewhere; "
SOURCE = HEAD + "public class Grid { public JToken At; }"
JSON = '<PackageReference Include="Newtonsoft.Json" Version="13.0.4" />'
HINTED = '<Reference Include="Newtonsoft.Json"><HintPath>..\\Newtonsoft.Json.13.0.1\\lib\\x.dll</HintPath></Reference>'
BOUND = "Newtonsoft.Json.Linq.JToken"


def csproj(items: str, framework: str = "net8.0") -> str:
    target = f"<PropertyGroup><TargetFramework>{framework}</TargetFramework></PropertyGroup>"
    return f'<Project Sdk="Microsoft.NET.Sdk">{target}<ItemGroup>{items}</ItemGroup></Project>'


def type_of_at(folder: Path, files: dict[str, str]) -> str | None:
    with indexed(folder, files) as bench:
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
        return field.return_type_fqn


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        (JSON, BOUND),
        (JSON.replace("Newtonsoft.Json", "newtonsoft.json"), BOUND),
        ("", None),
        (JSON.replace("13.0.4", "13.*"), BOUND),
        (JSON.replace("13.0.4", "[13.0.1,14)"), BOUND),
        (JSON.replace("13.0.4", "8.0.1"), None),
        (JSON.replace("13.0.4", "$(Unset)"), None),
        (JSON.replace("/>", 'ExcludeAssets="compile" />'), None),
        (JSON.replace("/>", 'IncludeAssets="runtime; build" />'), None),
        (JSON.replace("/>", """Condition="'$(TargetFramework)' == 'net8.0'" />"""), BOUND),
        (JSON.replace("/>", """Condition="'$(TargetFramework)' == 'net48'" />"""), None),
        ('<PackageReference Include="Microsoft.AspNetCore.Mvc.NewtonsoftJson" Version="8.0.0" />', BOUND),
        ('<PackageReference Include="Dapper" Version="2.1.79" />', None),
        ('<Reference Include="Newtonsoft.Json, Version=13.0.0.0, Culture=neutral" />', BOUND),
        (HINTED, BOUND),
        ('<Reference Include="Newtonsoft.Json" />', None),
    ],
)  # fmt: skip
def test_a_name_is_bound_where_the_project_refers_to_its_package(
    tmp_path: Path, items: str, expected: str | None
) -> None:
    assert type_of_at(tmp_path, {"A.csproj": csproj(items), "A.cs": SOURCE}) == expected


@pytest.mark.parametrize(("private", "expected"), [("", BOUND), (' PrivateAssets="all"', None)])
def test_packages_come_through_project_references(tmp_path: Path, private: str, expected: str | None) -> None:
    files = {
        "a/A.csproj": csproj('<ProjectReference Include="../b/B.csproj" />'),
        "a/A.cs": SOURCE,
        "b/B.csproj": csproj('<ProjectReference Include="../c/C.csproj" />'),
        "c/C.csproj": csproj(JSON.replace(" />", f"{private} />")),
    }
    assert type_of_at(tmp_path, files) == expected


def test_a_package_of_one_project_is_none_of_another(tmp_path: Path) -> None:
    files = {"a/A.csproj": csproj(""), "a/A.cs": SOURCE, "b/B.csproj": csproj(JSON)}
    assert type_of_at(tmp_path, files) is None


def test_versions_are_managed_centrally(tmp_path: Path) -> None:
    central = (
        "<Project><PropertyGroup><ManagePackageVersionsCentrally>true</ManagePackageVersionsCentrally>"
        '</PropertyGroup><ItemGroup><PackageVersion Include="Newtonsoft.Json" Version="13.0.4" /></ItemGroup></Project>'
    )
    files = {
        "Directory.Packages.props": central,
        "A.csproj": csproj('<PackageReference Include="Newtonsoft.Json" />'),
        "A.cs": SOURCE,
    }
    assert type_of_at(tmp_path, files) == BOUND


def test_an_old_style_project_has_packages_config(tmp_path: Path) -> None:
    old = (
        '<Project ToolsVersion="15.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003"><ItemGroup>'
        '<Compile Include="A.cs" /></ItemGroup></Project>'
    )
    config = '<packages><package id="Newtonsoft.Json" version="13.0.3" targetFramework="net48" /></packages>'
    assert type_of_at(tmp_path, {"A.csproj": old, "packages.config": config, "A.cs": SOURCE}) == BOUND


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (SOURCE + " namespace Newtonsoft.Json.Linq { public class JToken { } }", BOUND),
        (SOURCE + " public class JToken { }", "JToken"),
        (HEAD + "public class Grid { public JToken At; public class JToken { } }", "Grid+JToken"),
        (
            HEAD + "namespace App; public class JToken { } public class Grid { public JToken At; }",
            "App.JToken",
        ),
    ],
)
def test_a_type_of_the_workspace_wins_where_the_language_says_so(
    tmp_path: Path, source: str, expected: str
) -> None:
    with indexed(tmp_path, {"A.csproj": csproj(JSON), "A.cs": source}) as bench:
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
        assert field.return_type_fqn == expected.replace("+", ".")
        assert [s.fqn for s in bench.index.symbols() if s.name == "JToken" and s.kind is Kind.CLASS] == [
            expected
        ]


def test_namespaces_move_between_major_versions(tmp_path: Path) -> None:
    source = (
        "using Microsoft.OpenApi; using Microsoft.OpenApi.Models; using Elsewhere; "
        "public class Grid { public OpenApiDocument At; }"
    )
    named = {}
    for major, version in ((1, "1.6.31"), (2, "2.7.6")):
        items = f'<PackageReference Include="Microsoft.OpenApi" Version="{version}" />'
        named[major] = type_of_at(tmp_path / str(major), {"A.csproj": csproj(items), "A.cs": source})
    assert named == {1: "Microsoft.OpenApi.Models.OpenApiDocument", 2: "Microsoft.OpenApi.OpenApiDocument"}


def test_a_type_that_the_version_may_lack_comes_after_any_other(tmp_path: Path) -> None:
    source = (
        "namespace Own { public class JToken { } } "
        "namespace App { using Newtonsoft.Json.Linq; using Own; class Grid { JToken At; } }"
    )
    old = {"A.csproj": csproj(JSON.replace("13.0.4", "13.0.1")), "A.cs": source}
    assert type_of_at(tmp_path, old) == "Own.JToken"


def test_adding_a_reference_binds_names_anew(tmp_path: Path) -> None:
    with indexed(tmp_path, {"A.csproj": csproj(""), "A.cs": SOURCE}) as bench:
        edit(tmp_path, "A.csproj", csproj(JSON))
        bench.index.refresh()
        (field,) = (symbol for symbol in bench.index.symbols() if symbol.name == "At")
        assert field.return_type_fqn == BOUND


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ('<PackageReference Include="xunit.v3" Version="3.0.0" />', "Xunit.TestContext"),
        ('<PackageReference Include="Other" Version="3.0.0" />', None),
        ("", None),
    ],
)
def test_a_package_of_which_the_members_are_known_has_its_types(
    tmp_path: Path, items: str, expected: str | None
) -> None:
    """Also beside other usings of which nothing is known, and in a type whose base is one of them."""
    source = "using Elsewhere; using Xunit; class Grid : IClassFixture<Grid> { TestContext At; }"
    assert type_of_at(tmp_path, {"A.csproj": csproj(items), "A.cs": source}) == expected


def test_members_of_a_package_that_no_list_has_are_bound(tmp_path: Path) -> None:
    source = (
        "using Elsewhere; using Xunit; using System.Threading; class Grid : IClassFixture<Grid> { int N; "
        "void M() { Do(TestContext.Current.CancellationToken); Assert.Single(new[] { this }).N = 1; } "
        "void Do(CancellationToken token) { } void Do(int i) { } }"
    )
    items = '<PackageReference Include="xunit.v3" Version="3.0.0" />'
    with indexed(tmp_path, {"A.csproj": csproj(items), "A.cs": source}) as bench:
        for asked in ("Grid.Do(CancellationToken)", "Grid.N"):
            assert [str(usage.grade) for usage in bench.usages.find(asked).usages] == ["bound"]
