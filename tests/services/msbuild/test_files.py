"""Which files a project has: default items, and what projects add, remove and link."""

from __future__ import annotations

import pytest

from tests.services.msbuild.memory import messages, only, sdk, sources, workspace

TREE = sources(
    "App/One.cs",
    "App/Sub/Two.cs",
    "App/Sub/Deep/Three.cs",
    "App/bin/Debug/b.cs",
    "App/obj/o.cs",
    "App/.hidden/h.cs",
    "App/.dot.cs",
    "App/Sub/obj/kept.cs",
    "Shared/S1.cs",
    "Shared/S2.cs",
    "Shared/Deep/S3.cs",
    "Other/X.cs",
)
DEFAULT = {"App/.dot.cs", "App/One.cs", "App/Sub/Two.cs", "App/Sub/Deep/Three.cs", "App/Sub/obj/kept.cs"}


def files(body: str = "", **options) -> set[str]:
    return set(only({"App/App.csproj": sdk(body), **TREE}, **options).files)


def items(xml: str) -> set[str]:
    return files(f"<ItemGroup>{xml}</ItemGroup>")


def test_the_default_is_everything_below_but_build_output_and_dot_folders():
    assert files() == DEFAULT


@pytest.mark.parametrize("name", ["EnableDefaultItems", "EnableDefaultCompileItems"])
def test_default_items_can_be_turned_off(name):
    assert files(f"<PropertyGroup><{name}>false</{name}></PropertyGroup>") == set()


def test_default_excludes_can_be_added_to():
    body = "<PropertyGroup><DefaultItemExcludes>$(DefaultItemExcludes);Sub/**</DefaultItemExcludes></PropertyGroup>"
    assert files(body) == {"App/.dot.cs", "App/One.cs"}


def test_another_output_folder_is_excluded_too():
    body = "<PropertyGroup><BaseIntermediateOutputPath>Sub\\</BaseIntermediateOutputPath></PropertyGroup>"
    assert files(body) == {"App/.dot.cs", "App/One.cs"}


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ('<Compile Remove="Sub\\**" />', {"App/.dot.cs", "App/One.cs"}),
        ('<Compile Remove="**/*.CS" />', set()),
        ('<Compile Remove="one.cs;SUB/two.cs" />', DEFAULT - {"App/One.cs", "App/Sub/Two.cs"}),
        ('<Compile Remove="Sub\\*.cs" />', DEFAULT - {"App/Sub/Two.cs"}),
        ('<Compile Remove="*e.cs" />', DEFAULT - {"App/One.cs"}),
        ('<Compile Remove="Sub/*/*.cs" />', DEFAULT - {"App/Sub/Deep/Three.cs", "App/Sub/obj/kept.cs"}),
        ('<Compile Remove="@(Compile)" />', set()),
        ('<Compile Include="..\\Shared\\*.cs" />', DEFAULT | {"Shared/S1.cs", "Shared/S2.cs"}),
        (
            '<Compile Include="..\\Shared\\**\\*.cs" Exclude="..\\Shared\\S1.cs" LinkBase="S" />',
            DEFAULT | {"Shared/S2.cs", "Shared/Deep/S3.cs"},
        ),
        ('<Compile Include="..\\Other\\X.cs" Link="Linked\\X.cs" />', DEFAULT | {"Other/X.cs"}),
        (
            '<Compile Include="..\\Shared\\S?.cs;..\\Other\\X.cs" Exclude="..\\Shared\\S2.cs" />',
            DEFAULT | {"Shared/S1.cs", "Other/X.cs"},
        ),
        ('<Compile Include="obj/o.cs" />', DEFAULT | {"App/obj/o.cs"}),
        ('<Compile Update="One.cs"><DependentUpon>x</DependentUpon></Compile>', DEFAULT),
        (
            '<Compile Remove="Sub/**" /><Compile Include="Sub/Two.cs" />',
            {"App/.dot.cs", "App/One.cs", "App/Sub/Two.cs"},
        ),
        ("<Compile Include=\"..\\Other\\X.cs\" Condition=\"'$(TargetFramework)' == 'net6.0'\" />", DEFAULT),
        ('<Mine Include="..\\Other\\X.cs" /><Compile Include="@(Mine)" />', DEFAULT | {"Other/X.cs"}),
        (
            '<Mine Include="..\\Other\\X.vb" /><Compile Include="@(Mine->\'..\\Other\\%(Filename).cs\')" />',
            DEFAULT | {"Other/X.cs"},
        ),
        (
            """<Mine Include="../Other/X.cs;../Other/No.cs;../Other/x.cs" /><Mine Include="@(Mine->Distinct())" />
            <Compile Include="@(Mine->Exists())" />""",
            DEFAULT | {"Other/X.cs"},
        ),
        (
            """<Mine Include="../Other/X.cs" Take="Yes" /><Mine Include="../Shared/S1.cs" Take="no" />
            <Compile Include="@(Mine->WithMetadataValue('Take', 'yes'))" />""",
            DEFAULT | {"Other/X.cs"},
        ),
        (
            """<Mine Include="../Other/X.cs" Take="yes" /><Mine Include="../Shared/S1.cs" />
            <Compile Include="@(Mine->WithoutMetadataValue('Take', 'yes'))" />
            <Compile Remove="@(Mine->HasMetadata('Take'))" />
            <Compile Remove="One.cs" Condition="'@(Mine->Count())' == '1'" />
            <Compile Remove="Sub/Two.cs" Condition="'@(Mine->Count())' == '2'" />""",
            (DEFAULT | {"Shared/S1.cs"}) - {"App/Sub/Two.cs"},
        ),
    ],
)
def test_items_are_taken_in_order(item, expected):
    assert items(item) == expected


def test_a_removal_before_the_sdk_s_items_removes_nothing():
    props = '<Project><ItemGroup><Compile Remove="Sub/**" /></ItemGroup></Project>'
    early = only({"App/App.csproj": sdk(), "Directory.Build.props": props, **TREE})
    late = only({"App/App.csproj": sdk(), "Directory.Build.targets": props, **TREE})
    assert set(early.files) == DEFAULT
    assert set(late.files) == {"App/.dot.cs", "App/One.cs"}


def test_items_see_the_final_properties_wherever_they_stand():
    body = """<ItemGroup><Compile Remove="$(Gone)" /></ItemGroup>
      <PropertyGroup><Gone>One.cs</Gone></PropertyGroup>"""
    assert files(body) == DEFAULT - {"App/One.cs"}


def test_a_nested_project_s_files_are_in_both():
    projects = workspace({"App/App.csproj": sdk(), "App/Sub/Sub.csproj": sdk(), **TREE}).projects
    by_path = {project.path: project.files for project in projects}
    assert "App/Sub/Two.cs" in by_path["App/App.csproj"]
    assert "App/Sub/Two.cs" in by_path["App/Sub/Sub.csproj"]
    assert "App/Sub/obj/kept.cs" not in by_path["App/Sub/Sub.csproj"]


def test_files_of_an_imported_project_are_relative_to_the_importing_one():
    shared = """<Project><ItemGroup>
      <Compile Include="$(MSBuildThisFileDirectory)S1.cs" /><Compile Include="One.cs" /></ItemGroup></Project>"""
    body = (
        '<PropertyGroup><EnableDefaultItems>false</EnableDefaultItems></PropertyGroup><Import Project="{}" />'
    )
    project = only(
        {
            "App/App.csproj": sdk(body.format("..\\shared\\Shared.projitems")),
            "Shared/Shared.projitems": shared,
            "Shared/Shared.shproj": "<Project />",
            **TREE,
        }
    )
    assert project.files == ("App/One.cs", "Shared/S1.cs")


def test_a_file_that_is_named_and_missing_is_said_with_its_line_unless_a_build_makes_it():
    body = """<ItemGroup>
      <Compile Include="obj/Made.cs" />
      <Compile Include="Gone.cs" /></ItemGroup>"""
    evaluation = workspace({"App/App.csproj": sdk(body), **sources("App/One.cs")})
    (notice,) = evaluation.notices
    assert notice.message.endswith(": Gone.cs")
    assert (notice.file, notice.line) == ("App/App.csproj", 3)


def test_nothing_outside_the_workspace_is_taken_or_asked_for():
    body = """<ItemGroup><Compile Include="..\\..\\..\\secret\\*.cs;/etc/*.cs;C:\\x.cs" /></ItemGroup>
      <Import Project="../../evil.props" Condition="Exists('../../evil.props')" />
      <Import Project="/etc/evil.props" />"""
    assert files(body) == DEFAULT


def test_targets_never_run_but_sources_that_only_they_would_add_are_counted():
    made = '<Target Name="T"><ItemGroup><Compile Include="$(IntermediateOutputPath)Made.cs" /></ItemGroup></Target>'
    real = '<Target Name="T"><ItemGroup><Compile Include="..\\Other\\X.cs" /></ItemGroup></Target>'
    assert only({"App/App.csproj": sdk(made), **TREE}).unknown == 0
    project = only({"App/App.csproj": sdk(real), **TREE})
    assert (project.unknown, "Other/X.cs" in project.files) == (1, False)


def test_projects_of_sdks_without_sources_take_none():
    for name in ("Microsoft.Build.Traversal/4.1.0", "Microsoft.Build.NoTargets"):
        assert only({"App.csproj": sdk(name=name), **TREE}).files == ()


def test_a_folder_without_a_project_is_one_project():
    evaluation = workspace(sources("a/A.cs", "B.cs"))
    (project,) = evaluation.projects
    assert (project.name, project.path, project.files) == ("Work", ".", ("B.cs", "a/A.cs"))
    assert not project.evaluated
    assert "no project file" in messages(evaluation)[0]


def test_files_of_no_project_are_gathered_without_build_output():
    extra = sources("Loose.cs", "App/obj/Debug/Made.cs")
    evaluation = workspace({"App/App.csproj": sdk(), **sources("App/One.cs"), **extra})
    loose = evaluation.projects[0]
    assert (loose.path, loose.files, loose.evaluated) == (".", ("Loose.cs",), False)
    assert "1 C# file belongs to no project" in messages(evaluation)[0]


def test_an_old_style_project_has_what_it_lists():
    old = """<?xml version="1.0" encoding="utf-8"?>
    <Project ToolsVersion="15.0" xmlns="http://schemas.microsoft.com/developer/msbuild/2003">
      <Import Project="$(MSBuildExtensionsPath)\\$(MSBuildToolsVersion)\\Microsoft.Common.props"
        Condition="Exists('$(MSBuildExtensionsPath)\\$(MSBuildToolsVersion)\\Microsoft.Common.props')" />
      <PropertyGroup><TargetFrameworkVersion>v4.7.2</TargetFrameworkVersion><RootNamespace>Old</RootNamespace>
        <AssemblyName>Old.Name</AssemblyName></PropertyGroup>
      <PropertyGroup Condition=" '$(Configuration)|$(Platform)' == 'Debug|AnyCPU' or '$(Platform)' == '' ">
        <DefineConstants>DEBUG;TRACE, UNITY_2020 </DefineConstants></PropertyGroup>
      <ItemGroup><Compile Include="One.cs" /><Compile Include="sub\\two.cs" /></ItemGroup>
      <Import Project="$(MSBuildToolsPath)\\Microsoft.CSharp.targets" />
    </Project>"""
    props = "<Project><PropertyGroup><LangVersion>7.3</LangVersion></PropertyGroup></Project>"
    project = only({"App/Old.csproj": old, "Directory.Build.props": props, **TREE})
    assert project.files == ("App/One.cs", "App/Sub/Two.cs")
    assert (project.name, project.root_namespace, project.target_framework) == ("Old.Name", "Old", "net472")
    assert project.defines == {"DEBUG", "TRACE", "UNITY_2020"}
    assert (project.lang_version, project.unknown) == ("7.3", 0)


@pytest.mark.parametrize("around", ["{}", "<ImportGroup>{}</ImportGroup>"])
def test_the_condition_of_an_import_sees_files_from_where_it_stands(around):
    each = """<Import Project="more.props" Condition="Exists('more.props')" />"""
    found = only(
        {
            "a/b/B.csproj": sdk('<Import Project="../common.props" />'),
            "a/common.props": f"<Project>{around.format(each)}</Project>",
            "a/b/more.props": "<Project />",
            **sources("a/b/x.cs"),
        }
    )
    assert found.unknown == 0


def test_other_conditions_see_files_from_the_project():
    common = (
        """<Project><PropertyGroup><X Condition="Exists('here.txt')">HERE</X></PropertyGroup></Project>"""
    )
    body = '<Import Project="../common.props" /><PropertyGroup><DefineConstants>$(X)</DefineConstants></PropertyGroup>'
    found = only({"a/B.csproj": sdk(body), "common.props": common, "a/here.txt": "", **sources("a/x.cs")})
    assert "HERE" in found.defines


@pytest.mark.parametrize(
    "name",
    [
        "CustomBeforeMicrosoftCSharpTargets",
        "CustomAfterMicrosoftCommonTargets",
        "CustomBeforeDirectoryBuildTargets",
        "CustomAfterDirectoryBuildProps",
    ],
)
def test_files_that_the_build_is_told_to_import(name):
    props = f"""<Project><PropertyGroup>
      <{name}>$({name});$(MSBuildThisFileDirectory)more.targets</{name}></PropertyGroup></Project>"""
    more = """<Project><PropertyGroup Condition="'$(TargetFramework)' != 'net48'">
      <DefineConstants>$(DefineConstants);MORE</DefineConstants></PropertyGroup></Project>"""
    found = only(
        {"a/A.csproj": sdk(), "Directory.Build.props": props, "more.targets": more, **sources("a/x.cs")}
    )
    assert "MORE" in found.defines and found.unknown == 0


def test_a_framework_that_does_not_exist_is_said_once_for_each_project():
    two = sdk(
        "<PropertyGroup><TargetFramework /><TargetFrameworks>net8.0;nett9.0;nt2.0</TargetFrameworks></PropertyGroup>"
    )
    one = sdk("<PropertyGroup><TargetFramework>ent8.0</TargetFramework></PropertyGroup>")
    evaluation = workspace({"A/A.csproj": two, "B/B.csproj": one, **sources("A/One.cs", "B/One.cs")})
    assert [(each.file, each.message.rpartition(": ")[2]) for each in evaluation.notices] == [
        ("A/A.csproj", "nett9.0, nt2.0"),
        ("B/B.csproj", "ent8.0"),
    ]


def test_a_project_that_imports_another_one_has_its_sdk() -> None:
    files = {
        "Directory.Build.props": "<Project><PropertyGroup><Shared>$(MSBuildThisFileDirectory)Shared/</Shared>"
        "</PropertyGroup></Project>",
        "A/A.csproj": sdk('<ItemGroup><Compile Include="$(Shared)Same.cs" /></ItemGroup>'),
        "A/Tool.csproj": '<Project><Import Project="A.csproj" /></Project>',
        **sources("A/One.cs", "Shared/Same.cs"),
    }
    found = {project.path: project for project in workspace(files).projects}
    assert found["A/Tool.csproj"].files == found["A/A.csproj"].files == ("A/One.cs", "Shared/Same.cs")
    assert found["A/Tool.csproj"].target_framework == "net8.0"


@pytest.mark.parametrize(
    ("name", "namespace"),
    [("Shop", "Shop"), ("My-Shop.1.Web", "My_Shop._1.Web"), ("My Shop", "My_Shop"), ("Ü.2", "Ü._2")],
)
def test_the_namespace_of_markup_is_one(name: str, namespace: str) -> None:
    project = only({f"A/{name}.csproj": sdk(name="Microsoft.NET.Sdk.Web"), "A/in-to/Page.razor": ""})
    assert project.symbols("A/in-to/Page.razor") == {f"namespace:{namespace}.in_to"}
