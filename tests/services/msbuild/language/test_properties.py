"""Properties: order of evaluation, Directory.Build files, imports, frameworks, symbols, usings."""

from __future__ import annotations

import json

import pytest

from tests.services.msbuild.memory import messages, only, properties, sdk, sources, workspace

FILE = sources("src/A/One.cs")
IMPLICIT = ["System", "System.Collections.Generic", "System.IO", "System.Linq", "System.Net.Http"]


def wrapped(xml: str) -> str:
    return f"<Project><PropertyGroup>{xml}</PropertyGroup></Project>"


def value(expression: str, before: str = "", **options) -> str:
    """What an expression comes to, read back through LangVersion."""
    project = properties(f"{before}<LangVersion>[{expression}]</LangVersion>", **options)
    assert project.unknown == 0, project.unknown_examples
    assert project.lang_version is not None
    return project.lang_version[1:-1]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("$(MSBuildProjectName)|$(MSBuildProjectFile)|$(MSBuildProjectExtension)", "A|A.csproj|.csproj"),
        ("$(MSBuildProjectDirectory)|$(MSBuildThisFileDirectory)", "/Work/A|/Work/A/"),
        ("$(OS)|$(Configuration)", "Unix|Debug"),
        ("$(X.Substring(2))$(X.Substring(0, 1))$(X.ToUpper())$(X.Length)", "cdeaABCDE5"),
        ("$(X[1])$(X.IndexOf('c'))$(X.Replace('bc', ''))$(X.Trim('ae'))", "b2adebcd"),
        (
            "$(X.Split('c')[1])|$(X.PadLeft(7, '0'))|$(X.Insert(1, '-'))|$(X.Remove(1, 3))",
            "de|00abcde|a-bcde|ae",
        ),
        ("$([System.IO.Path]::Combine('a', 'b', `c.cs`))", "a/b/c.cs"),
        ("$([System.IO.Path]::GetFileNameWithoutExtension('x/y.tar.gz'))", "y.tar"),
        ("$([System.IO.Path]::GetFullPath('../B'))", "/Work/B"),
        ("$([System.IO.Path]::GetDirectoryName('$(MSBuildProjectDirectory)'))", "/Work"),
        ("$([System.IO.Path]::ChangeExtension('a/b.dll', '.xml'))", "a/b.xml"),
        ("$([System.IO.Directory]::GetParent($(MSBuildThisFileDirectory)).FullName)", "/Work/A"),
        ("$([System.IO.Directory]::GetParent('$(MSBuildThisFileDirectory)').Parent.FullName)", "/Work"),
        (
            "$([System.IO.DirectoryInfo]::new('x/').Name)|$([System.IO.Directory]::GetParent('x/y'))",
            "x|/Work/A/x",
        ),
        ("$([MSBuild]::NormalizePath('..', 'B', '.', 'C'))", "/Work/B/C"),
        ("$([MSBuild]::NormalizeDirectory('x'))", "/Work/A/x/"),
        ("$([MSBuild]::EnsureTrailingSlash('x'))", "x/"),
        ("$([MSBuild]::MakeRelative('/Work/A/', '/Work/B/C'))", "../B/C"),
        ("$([MSBuild]::ValueOrDefault('$(Nothing)', 'd'))", "d"),
        ("$([MSBuild]::GetTargetFrameworkIdentifier('net472'))", ".NETFramework"),
        ("$([MSBuild]::GetTargetFrameworkVersion('net8.0-windows'))", "8.0"),
        ("$([MSBuild]::GetTargetPlatformIdentifier('net8.0-windows'))", "windows"),
        (
            "[$([MSBuild]::GetTargetPlatformIdentifier(''))]$([MSBuild]::GetTargetFrameworkVersion(''))",
            "[]0.0",
        ),
        ("$([MSBuild]::GetTargetPlatformVersion('$(Nothing)'))", "0.0"),
        ("$([MSBuild]::IsTargetFrameworkCompatible('net8.0', ''))", "False"),
        ("$([MSBuild]::IsOSPlatform('NETBSD'))", "False"),
        ("$([MSBuild]::IsOSPlatform('Linux'))$([MSBuild]::IsOSPlatform(`Windows`))", "TrueFalse"),
        ("$([System.OperatingSystem]::IsWindows())", "False"),
        (
            "$([MSBuild]::VersionGreaterThan('8.0.1', '8.0'))$([MSBuild]::VersionEquals('v8', '8.0.0'))",
            "TrueTrue",
        ),
        ("$([MSBuild]::Add(2, 3))$([MSBuild]::Divide(7, 2))$([MSBuild]::Multiply('2', '4'))", "538"),
        ("$([System.Version]::Parse('1.2.3').Minor)$([System.Version]::Parse('1.2.3').ToString(2))", "21.2"),
        ("$([System.String]::Copy('$(X)').ToUpperInvariant())", "ABCDE"),
        ("$([System.String]::IsNullOrEmpty('$(Nothing)'))", "True"),
        ("$([System.Environment]::GetEnvironmentVariable('PATH'))", ""),
        ("$([MSBuild]::GetDirectoryNameOfFileAbove('$(MSBuildThisFileDirectory)', 'A.csproj'))", "/Work/A"),
        ("$([MSBuild]::GetPathOfFileAbove('nowhere.props'))", ""),
        ("%3B%24(x)", ";$(x)"),
    ],
)
def test_expressions_of_project_files(expression, expected):
    assert value(expression, "<X>abcde</X>") == expected


def test_the_platform_is_the_caller_s():
    assert value("$(OS)$([MSBuild]::IsOSPlatform('Windows'))", platform="win32") == "Windows_NTTrue"
    assert value("$([MSBuild]::IsOSPlatform('OSX'))", platform="darwin") == "True"


def test_a_value_that_doubles_does_not_eat_the_memory():
    doubling = "<A>xxxxxxxxxx</A>" + "<A>$(A)$(A)</A>" * 60
    project = properties(f"{doubling}<LangVersion>$(A)</LangVersion>")
    assert project.unknown > 0
    assert not project.lang_version


def test_props_come_before_the_project_and_targets_after_it():
    project = only(
        {
            "Directory.Build.props": wrapped("<Nullable>enable</Nullable><LangVersion>9</LangVersion>"),
            "src/A/A.csproj": sdk("<PropertyGroup><LangVersion>10</LangVersion></PropertyGroup>"),
            "Directory.Build.targets": wrapped(
                """<LangVersion Condition="'$(LangVersion)' == '10'">11</LangVersion>"""
            ),
            **FILE,
        }
    )
    assert (project.lang_version, project.nullable) == ("11", True)


@pytest.mark.parametrize("kind", ["props", "targets"])
def test_a_directory_build_file_may_ask_how_such_files_are_called_to_import_the_next(kind):
    name = f"_DirectoryBuild{kind.title()}File"
    above = f"$([System.IO.Path]::Combine('..', '$({name})'))"
    near = f"""<Project><PropertyGroup><Above Condition="'$({name})' != ''">{above}</Above></PropertyGroup>
      <Import Project="$(Above)" Condition="Exists('$(Above)')" /></Project>"""
    files = {
        f"Directory.Build.{kind}": wrapped("<LangVersion>9</LangVersion>"),
        f"src/Directory.Build.{kind}": near,
        "src/A/A.csproj": sdk(),
        **FILE,
    }
    assert only(files).lang_version == "9"


def test_only_the_nearest_directory_build_file_counts_unless_it_imports_the_next():
    above = "$([MSBuild]::GetPathOfFileAbove('Directory.Build.props', '$(MSBuildThisFileDirectory)../'))"
    near = f'<Project><Import Project="{above}" /></Project>'
    files = {
        "Directory.Build.props": wrapped("<LangVersion>9</LangVersion>"),
        "src/A/A.csproj": sdk(),
        **FILE,
    }
    assert only(files | {"src/Directory.Build.props": "<Project />"}).lang_version is None
    chained = only(files | {"src/Directory.Build.props": near})
    assert (chained.lang_version, chained.unknown) == ("9", 0)


def test_the_framework_s_parts_are_not_known_before_the_body_and_are_after_it():
    test = """<LangVersion Condition="'$(TargetFrameworkIdentifier)' == '.NETCoreApp'">12</LangVersion>"""
    files = {"src/A/A.csproj": sdk(), **FILE}
    assert only(files | {"Directory.Build.props": wrapped(test)}).lang_version is None
    assert only(files | {"Directory.Build.targets": wrapped(test)}).lang_version == "12"


def test_choose_takes_the_first_branch_that_holds():
    choose = """<Choose>
      <When Condition="'$(TargetFramework)' == 'net6.0'">
        <PropertyGroup><LangVersion>1</LangVersion></PropertyGroup></When>
      <When Condition="'$(TargetFramework)' == 'net8.0'">
        <PropertyGroup><LangVersion>2</LangVersion></PropertyGroup></When>
      <Otherwise><PropertyGroup><LangVersion>3</LangVersion></PropertyGroup>
        <ItemGroup><Compile Remove="**" /></ItemGroup></Otherwise></Choose>"""
    assert only({"src/A/A.csproj": sdk(choose), **FILE}).lang_version == "2"
    other = only({"src/A/A.csproj": sdk(choose, "net9.0"), **FILE})
    assert (other.lang_version, other.files) == ("3", ())


def test_imports_by_property_wildcard_and_group():
    body = """<PropertyGroup><Dir>..\\..\\eng</Dir></PropertyGroup>
      <Import Project="$(Dir)\\*.props" />
      <ImportGroup><Import Project="../../eng/more/last.targets" /></ImportGroup>
      <Import Project="no.props" Condition="Exists('no.props')" />"""
    project = only(
        {
            "src/A/A.csproj": sdk(body),
            "eng/a.props": wrapped("<DefineConstants>$(DefineConstants);FROM_A</DefineConstants>"),
            "eng/b.props": wrapped("<DefineConstants>$(DefineConstants);FROM_B</DefineConstants>"),
            "eng/more/last.targets": wrapped("<DefineConstants>$(DefineConstants);LAST</DefineConstants>"),
            **FILE,
        }
    )
    assert {"FROM_A", "FROM_B", "LAST", "TRACE", "DEBUG"} <= project.defines
    assert project.unknown == 0


def test_an_import_that_is_missing_outside_or_broken_is_counted():
    body = '<Import Project="no.props" /><Import Project="../../../up.props" /><Import Project="bad.props" />'
    evaluation = workspace({"src/A/A.csproj": sdk(body), "src/A/bad.props": "<Project>\n<Oops", **FILE})
    (project,) = evaluation.projects
    assert project.unknown == 3
    assert any((notice.file, notice.line) == ("src/A/bad.props", 2) for notice in evaluation.notices)
    assert project.files == ("src/A/One.cs",)


def test_imports_that_go_in_circles_end():
    loop = '<Project><Import Project="{}" /></Project>'
    body = '<Import Project="a.props" />\n<Import Project="A.csproj" />'
    evaluation = workspace(
        {
            "src/A/A.csproj": sdk(body),
            "src/A/a.props": loop.format("b.props"),
            "src/A/b.props": loop.format("a.props"),
            **FILE,
        }
    )
    assert evaluation.projects[0].files == ("src/A/One.cs",)
    circles = [(notice.file, notice.line) for notice in evaluation.notices if "circle" in notice.message]
    assert circles == [("src/A/b.props", 1), ("src/A/A.csproj", 2)]


def test_a_file_imported_twice_is_read_once_as_msbuild_does():
    twice = '<Import Project="add.props" /><Import Project="add.props" />'
    added = wrapped("<LangVersion>$(LangVersion)9</LangVersion>")
    evaluation = workspace({"src/A/A.csproj": sdk(twice), "src/A/add.props": added, **FILE})
    assert evaluation.projects[0].lang_version == "9"
    assert not evaluation.notices


def test_a_workspace_s_own_file_named_like_one_of_msbuild_s_is_its_own():
    files = {"src/A/A.csproj": sdk('<Import Project="Microsoft.Common.props" />'), **FILE}
    files["src/A/Microsoft.Common.props"] = wrapped("<LangVersion>9</LangVersion>")
    assert only(files).lang_version == "9"


def test_several_frameworks_and_the_highest_is_chosen():
    body = """<PropertyGroup><TargetFrameworks>net472; netstandard2.0;net8.0</TargetFrameworks></PropertyGroup>
      <PropertyGroup Condition="'$(TargetFramework)' == 'net472'"><DefineConstants>OLD</DefineConstants></PropertyGroup>
      <ItemGroup Condition="'$(TargetFramework)' == 'net472'"><Compile Remove="New.cs" /></ItemGroup>"""
    files = {"src/A/A.csproj": sdk(body, ""), **FILE, **sources("src/A/New.cs")}
    best = only(files)
    assert best.target_frameworks == ("net472", "netstandard2.0", "net8.0")
    assert (best.target_framework, len(best.files), "NET8_0" in best.defines) == ("net8.0", 2, True)
    old = only(files, framework="NET472")
    assert (old.target_framework, old.files) == ("net472", ("src/A/New.cs", "src/A/One.cs"))
    assert [(other.name, other.files) for other in old.others] == [("net8.0", ("src/A/New.cs",))]
    assert {"OLD", "NETFRAMEWORK", "DEBUG"} <= old.defines
    assert "TRACE" not in old.defines
    assert only(files, framework="net9.0").target_framework == "net8.0"
    union = only(files, framework="union")
    assert {"OLD", "NET8_0", "NETSTANDARD2_0"} <= union.defines
    assert (len(union.files), union.target_framework) == (2, "net8.0")


def test_a_project_with_sources_and_no_known_framework_is_counted():
    for framework in ("", "strange9"):
        assert only({"src/A/A.csproj": sdk(framework=framework), **FILE}).unknown > 0
    assert only({"src/A/A.csproj": sdk(framework="")}).unknown == 0


def test_a_single_framework_wins_over_a_list():
    body = "<PropertyGroup><TargetFrameworks>net6.0;net9.0</TargetFrameworks></PropertyGroup>"
    assert only({"src/A/A.csproj": sdk(body, "net8.0"), **FILE}).target_framework == "net8.0"


def test_the_chosen_framework_cannot_be_set_by_the_project():
    body = """<PropertyGroup><TargetFrameworks>net6.0;net8.0</TargetFrameworks>
      <TargetFramework Condition="'$(TargetFramework)' == 'net8.0'">net6.0</TargetFramework></PropertyGroup>"""
    assert only({"src/A/A.csproj": sdk(body, ""), **FILE}).target_framework == "net8.0"


@pytest.mark.parametrize(
    ("xml", "present", "absent"),
    [
        ("", {"DEBUG", "TRACE", "NET8_0", "NET"}, {"RELEASE"}),
        ("<DefineConstants>$(DefineConstants);MINE</DefineConstants>", {"MINE", "TRACE", "DEBUG"}, set()),
        ("<DefineConstants>MINE</DefineConstants>", {"MINE", "DEBUG"}, {"TRACE"}),
        (
            "<DisableImplicitFrameworkDefines>true</DisableImplicitFrameworkDefines>",
            {"DEBUG"},
            {"NET8_0", "NET"},
        ),
        (
            "<DisableImplicitConfigurationDefines>true</DisableImplicitConfigurationDefines>",
            {"TRACE"},
            {"DEBUG"},
        ),
        (
            "<DefineConstants>$(DefineConstants.Replace('TRACE', ''))A B,C</DefineConstants>",
            {"A", "B", "C"},
            {"TRACE"},
        ),
    ],
)
def test_symbols(xml, present, absent):
    defines = properties(xml).defines
    assert present <= defines
    assert not absent & defines


def test_the_configuration_is_the_caller_s():
    assert {"RELEASE", "TRACE"} <= properties("", configuration="Release").defines
    assert "DEBUG" not in properties("", configuration="Release").defines


def names(project) -> list[str]:
    return [using.name for using in project.usings]


def test_implicit_usings_depend_on_the_sdk():
    on = "<PropertyGroup><ImplicitUsings>enable</ImplicitUsings></PropertyGroup>"
    plain = only({"src/A/A.csproj": sdk(on), **FILE})
    assert names(plain) == [*IMPLICIT, "System.Threading", "System.Threading.Tasks"]
    web = only({"src/A/A.csproj": sdk(on, name="Microsoft.NET.Sdk.Web"), **FILE})
    assert {"Microsoft.AspNetCore.Builder", "System.Net.Http.Json", "System"} <= set(names(web))
    worker = only({"src/A/A.csproj": sdk(on, name="Microsoft.NET.Sdk.Worker"), **FILE})
    assert "Microsoft.Extensions.Hosting" in names(worker)
    assert "Microsoft.AspNetCore.Http" not in names(worker)
    assert names(only({"src/A/A.csproj": sdk(), **FILE})) == []
    framework = only({"src/A/A.csproj": sdk(on, "net472"), **FILE})
    assert "System.Net.Http" not in names(framework)


def test_usings_are_added_removed_aliased_and_static():
    body = """<PropertyGroup><ImplicitUsings>enable</ImplicitUsings></PropertyGroup><ItemGroup>
      <Using Include="System.Math" Static="true" /><Using Include="System.Text.StringBuilder" Alias="SB" />
      <Using Remove="system.io;System.Net.Http" /><Using Include="A.B;C" /></ItemGroup>"""
    project = only({"src/A/A.csproj": sdk(body), **FILE})
    assert {"System.IO", "System.Net.Http"}.isdisjoint(names(project))
    found = {using.name: (using.alias, using.static) for using in project.usings}
    assert found["System.Math"] == (None, True)
    assert found["System.Text.StringBuilder"] == ("SB", False)
    assert {"A.B", "C"} <= set(found)


def test_references_and_friends():
    body = """<ItemGroup>
      <ProjectReference Include="..\\b\\B.csproj" />
      <ProjectReference Include="..\\Gen\\Gen.csproj" OutputItemType="Analyzer" ReferenceOutputAssembly="false" />
      <ProjectReference Include="..\\No\\No.csproj" />
      <InternalsVisibleTo Include="$(AssemblyName).Tests;Other" Key="00" />
      <AssemblyAttribute Include="System.Runtime.CompilerServices.InternalsVisibleToAttribute">
        <_Parameter1>Third, PublicKey=00</_Parameter1></AssemblyAttribute></ItemGroup>"""
    evaluation = workspace(
        {"src/A/A.csproj": sdk(body), "src/B/B.csproj": sdk(), "src/Gen/Gen.csproj": sdk(), **FILE}
    )
    project = evaluation.projects[0]
    assert project.references == ("src/B/B.csproj",)
    assert project.refers_elsewhere
    assert not evaluation.projects[1].refers_elsewhere
    assert project.internals_visible_to == ("A.Tests", "Other", "Third")
    (notice,) = evaluation.notices
    assert (notice.file, notice.line) == ("src/A/A.csproj", 4)
    assert "No.csproj" in notice.message


def test_references_by_wildcard():
    body = '<ItemGroup><ProjectReference Include="src\\**\\*.csproj" Exclude="src/B/*.csproj" /></ItemGroup>'
    files = {
        "All.csproj": sdk(body, name="Microsoft.Build.Traversal"),
        "src/A/A.csproj": sdk(),
        "src/B/B.csproj": sdk(),
    }
    evaluation = workspace({**files, **FILE})
    assert evaluation.projects[0].references == ("src/A/A.csproj",)
    assert not evaluation.notices


def test_metadata_may_name_other_metadata_of_the_same_item():
    body = """<ItemGroup>
      <Root Include="B;C" />
      <Root Update="@(Root)" Path="..\\%(Identity)\\%(Identity).csproj" />
      <ProjectReference Include="@(Root->'%(Path)')" /></ItemGroup>"""
    files = {"a/A.csproj": sdk(body), "B/B.csproj": sdk(), "C/C.csproj": sdk()}
    found = {project.name: project for project in workspace(files).projects}
    assert set(found["A"].references) == {"B/B.csproj", "C/C.csproj"}


def test_conditions_of_an_update_ask_each_item_and_see_what_it_was_given_before():
    body = """<ItemGroup>
      <ProjectReference Include="../B/B.csproj" />
      <ProjectReference Include="../C/C.csproj" Mine="false" />
      <ProjectReference Update="@(ProjectReference)">
        <Mine Condition="'%(Mine)' != 'false'">true</Mine>
        <ReferenceOutputAssembly Condition="'%(Mine)' == 'true' and '%(None)' == ''">false</ReferenceOutputAssembly>
      </ProjectReference></ItemGroup>"""
    files = {"a/A.csproj": sdk(body), "B/B.csproj": sdk(), "C/C.csproj": sdk()}
    found = {project.name: project for project in workspace(files).projects}
    assert found["A"].references == ("C/C.csproj",)
    assert found["A"].unknown == 0


def test_references_in_a_circle_are_said_once():
    reference = '<ItemGroup><ProjectReference Include="../{0}/{0}.csproj" /></ItemGroup>'
    files = {f"{a}/{a}.csproj": sdk(reference.format(b)) for a, b in ("AB", "BC", "CA")}
    circles = [
        message for message in messages(workspace({**files, **sources("A/a.cs")})) if "circle" in message
    ]
    assert circles == [
        "These projects reference each other in a circle: A/A.csproj → B/B.csproj → C/C.csproj → A/A.csproj"
    ]


def test_names_that_clash_are_told_apart():
    files = {path: sdk() for path in ("a/App.csproj", "b/App.csproj", "c/Lib.csproj")}
    files |= {
        "d/One.csproj": sdk(),
        "d/Two.csproj": sdk("<PropertyGroup><AssemblyName>one</AssemblyName></PropertyGroup>"),
    }
    found = [project.name for project in workspace(files).projects if project.path != "."]
    assert found == ["App (a)", "App (b)", "Lib", "One (d/One.csproj)", "one (d/Two.csproj)"]


def test_a_project_named_like_the_root_keeps_its_name():
    evaluation = workspace({"src/Work.csproj": sdk(), **sources("src/A.cs", "Loose.cs")})
    assert [project.name for project in evaluation.projects] == ["Work (no project)", "Work"]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("<Project>\n  <PropertyGroup>\n</Project>", 3),
        ('<!DOCTYPE Project [\n<!ENTITY a "aaaa">\n<!ENTITY b "&a;&a;">]>\n<Project>&b;</Project>', 1),
        ("", 1),
        ("<html><body /></html>", 1),
        ("<Project>" + "<a>" * 100 + "</a>" * 100 + "</Project>", 1),
        (b"<?xml version='1.0' encoding='no-such'?><Project/>", 1),
    ],
)
def test_a_project_file_that_cannot_be_read_is_a_notice_and_its_folder_s_files(content, line):
    files = {"src/A/A.csproj": content, **FILE, **sources("src/A/sub/Two.cs", "src/A/obj/x.cs")}
    evaluation = workspace(files)
    (project,) = evaluation.projects
    assert project.files == ("src/A/One.cs", "src/A/sub/Two.cs")
    assert not project.evaluated
    (notice,) = evaluation.notices
    assert (notice.severity, notice.file) == ("warning", "src/A/A.csproj")
    assert notice.line in (line, None)


def test_encodings_of_project_files():
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        name = {"cp1252": "windows-1252"}.get(encoding, encoding.removesuffix("-sig"))
        text = f'<?xml version="1.0" encoding="{name}"?>' + sdk(
            "<PropertyGroup><AssemblyName>Café</AssemblyName></PropertyGroup>"
        )
        assert only({"src/A/A.csproj": text.encode(encoding), **FILE}).name == "Café"


def test_an_sdk_that_is_not_known_is_counted_and_taken_for_the_plain_one():
    project = only({"src/A/A.csproj": sdk(name="Strange.Sdk/1.0"), **FILE})
    assert (project.unknown, project.files) == (1, ("src/A/One.cs",))
    assert "Strange.Sdk/1.0" in project.unknown_examples[0]


def test_an_sdk_may_be_imported_or_be_an_element():
    imported = """<Project><Import Project="Sdk.props" Sdk="Microsoft.NET.Sdk" />
      <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
      <Import Project="Sdk.targets" Sdk="Microsoft.NET.Sdk" /></Project>"""
    element = """<Project><Sdk Name="Microsoft.NET.Sdk" />
      <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup></Project>"""
    for text in (imported, element):
        project = only({"src/A/A.csproj": text, **FILE})
        assert (project.files, "NET8_0" in project.defines) == (("src/A/One.cs",), True)


@pytest.mark.parametrize(
    ("arcade", "frameworks"),
    [
        ("9.0.0-beta.1", ("net9.0", "net8.0", "net462")),
        ("10.0.0-beta.1", ("net10.0", "net9.0", "net8.0", "net462")),
        ("11.0.0-beta.1", ("net11.0", "net10.0", "net462")),
    ],
)
def test_arcade_repositories_name_frameworks_by_property(arcade, frameworks):
    settings = {"sdk": {"version": "10.0.100"}, "msbuild-sdks": {"Microsoft.DotNet.Arcade.Sdk": arcade}}
    listed = "$(NetCurrent);$(NetPrevious);$(NetMinimum);$(NetFrameworkMinimum)"
    project = only(
        {
            "global.json": json.dumps(settings),
            "Directory.Build.props": """<Project><Import Project="Sdk.props" Sdk="Microsoft.DotNet.Arcade.Sdk" />
              <Import Project="$(RepositoryEngineeringDir)Own.props"
                Condition="'$(IsTestProject)' == 'true'" /></Project>""",
            "eng/Versions.props": wrapped("<FromVersions>FROM_VERSIONS</FromVersions>"),
            "eng/Own.props": wrapped("<OwnSymbol>OWN</OwnSymbol>"),
            "src/A/A.Tests.csproj": sdk(
                f"<PropertyGroup><TargetFrameworks>{listed}</TargetFrameworks>"
                "<DefineConstants>$(FromVersions);$(OwnSymbol)</DefineConstants></PropertyGroup>",
                "",
            ),
            **FILE,
        }
    )
    assert project.target_frameworks == frameworks
    assert {"FROM_VERSIONS", "OWN"} <= project.defines
    assert project.unknown == 0


def test_a_reference_to_the_test_sdk_makes_a_test_project():
    targets = """<Project><ItemGroup Condition="'$(IsTestProject)' == 'true'">
      <Using Include="Xunit" /></ItemGroup></Project>"""
    body = '<ItemGroup><PackageReference Include="Microsoft.NET.Test.Sdk" /></ItemGroup>'
    files = {"Directory.Build.targets": targets, **FILE}
    assert names(only({"src/A/A.csproj": sdk(body), **files})) == ["Xunit"]
    assert names(only({"src/A/A.csproj": sdk(), **files})) == []
    early = wrapped("""<LangVersion Condition="'$(IsTestProject)' == 'true'">9</LangVersion>""")
    assert only({"src/A/A.csproj": sdk(body), "Directory.Build.props": early, **FILE}).lang_version is None
