"""Files that a project compiles for another target framework than the one it is read for."""

from collections.abc import Mapping
from pathlib import Path

from services.bench.bench import Bench
from tests.support.workspace import indexed, opened

LIBRARY = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<TargetFrameworks>netstandard2.0;net8.0-android;net8.0-ios</TargetFrameworks>
<TargetFrameworks Condition="'$(OS)' == 'Windows_NT'">$(TargetFrameworks);net8.0-windows</TargetFrameworks>
<EnableDefaultCompileItems>false</EnableDefaultCompileItems></PropertyGroup>
<ItemGroup><Compile Include="**/*.all.cs" /></ItemGroup>
<ItemGroup Condition="$(TargetFramework.StartsWith('netstandard'))"><Compile Include="**/*.std.cs" /></ItemGroup>
<ItemGroup Condition="$(TargetFramework.Contains('-android'))"><Compile Include="**/*.droid.cs" /></ItemGroup>
<ItemGroup Condition="$(TargetFramework.Contains('-ios'))"><Compile Include="**/*.ios.cs" /></ItemGroup>
<ItemGroup Condition="$(TargetFramework.Contains('-windows'))"><Compile Include="**/*.win.cs" /></ItemGroup>
</Project>"""
FILES: Mapping[str, str] = {
    "Bell/Bell.csproj": LIBRARY,
    "Bell/Bell.all.cs": "namespace N; public partial class Bell { public void Ring() => Strike(); void Note() { } }",
    "Bell/Bell.droid.cs": "namespace N; public partial class Bell { void Strike() => Note(); string tone; }",
    "Bell/Bell.ios.cs": "namespace N; public partial class Bell { void Strike() => Note(); string tone; }",
    "Bell/Bell.std.cs": "namespace N; public partial class Bell { void Strike() => Note(); }",
    "Bell/Bell.win.cs": "namespace N; public partial class Bell { void Strike() => Note(); }",
    "Bell/Tower.ios.cs": "namespace N;\n#if IOS && !ANDROID\nclass Tower { void Go(Bell b) => b.Ring(); }\n#endif\n",
}


def places(bench: Bench, path: str) -> list[str]:
    """Every usage as `file:line`."""
    return sorted(f"{each.file}:{each.line}" for each in bench.usages.find(path).usages)


def test_every_file_belongs_to_the_project_and_is_marked(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        (project,) = bench.health.status().projects
        assert (project.name, project.target_framework, project.files) == ("Bell", "net8.0-android", 6)
        assert project.others == {"net8.0-ios": 2, "netstandard2.0": 1, "net8.0-windows on windows": 1}
        assert not bench.health.status().notices


def test_a_partial_type_is_one_over_all_frameworks_and_so_are_its_members(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = [each.fqn for each in bench.index.symbols() if not each.implicit]
        assert sorted(found) == [
            "N.Bell",
            "N.Bell.Note",
            "N.Bell.Ring",
            "N.Bell.Strike",
            "N.Bell.tone",
            "N.Tower",
            "N.Tower.Go",
        ]
        assert bench.lookup.resolve("Bell.Strike").symbol is not None


def test_usages_cover_every_framework(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        files = ("Bell.droid.cs", "Bell.ios.cs", "Bell.std.cs", "Bell.win.cs")
        assert places(bench, "Bell.Note") == [f"Bell/{each}:1" for each in files]
        assert places(bench, "Bell.Ring") == ["Bell/Tower.ios.cs:3"]
        assert places(bench, "Bell.Strike") == ["Bell/Bell.all.cs:1"]


def test_a_substitute_for_older_frameworks_is_not_what_newer_ones_use(tmp_path: Path) -> None:
    body = "<PropertyGroup><TargetFrameworks>net8.0;netstandard2.0</TargetFrameworks></PropertyGroup>"
    remove = (
        """<ItemGroup Condition="'$(TargetFramework)' == 'net8.0'"><Compile Remove="Old/**" /></ItemGroup>"""
    )
    files = {
        "A/A.csproj": f'<Project Sdk="Microsoft.NET.Sdk">{body}{remove}</Project>',
        "A/Old/Index.cs": "namespace System; struct Index { } class OldOnly { Index i; }",
        "A/X.cs": "namespace N; class X { System.Index i; }",
    }
    with indexed(tmp_path, files) as bench:
        assert places(bench, "System.Index") == ["A/Old/Index.cs:1"]


def test_a_changed_framework_reads_its_files_again(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        project = tmp_path / "Bell/Bell.csproj"
        project.write_text(LIBRARY.replace("net8.0-ios", "net8.0-macos").replace("-ios", "-macos"))
        bench.index.refresh()
        (tower,) = (each for each in bench.index.symbols() if each.fqn == "N.Tower")
        assert tower.condition == "#if IOS && !ANDROID"
    with opened(tmp_path) as bench:
        bench.index.refresh()
        assert bench.health.status().projects[0].others["net8.0-macos"] == 2


def test_a_usage_says_which_framework_alone_has_it(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        found = {each.file: each.framework for each in bench.usages.find("Bell.Note").usages}
        assert found == {
            "Bell/Bell.droid.cs": "",
            "Bell/Bell.ios.cs": "net8.0-ios",
            "Bell/Bell.std.cs": "netstandard2.0",
            "Bell/Bell.win.cs": "net8.0-windows on windows",
        }


MAUI = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<TargetFrameworks>net8.0-android;net8.0-ios;net8.0-maccatalyst</TargetFrameworks>
<TargetFrameworks Condition="$([MSBuild]::IsOSPlatform('windows'))">
$(TargetFrameworks);net8.0-windows10.0.19041.0</TargetFrameworks>
<UseMaui>true</UseMaui><SingleProject>true</SingleProject></PropertyGroup></Project>"""
PLATFORMS = ("Android", "MacCatalyst", "Tizen", "Windows", "iOS")


def test_folders_of_platforms_belong_to_their_framework(tmp_path: Path) -> None:
    device = "namespace N; static class Device {{ public static string Name => App.Start() + {0}; }}"
    files = {f"Platforms/{each}/Device.cs": device.format(f'"{each}"') for each in PLATFORMS}
    app = "namespace N; static class App { public static string Start() => Device.Name; }"
    with indexed(tmp_path, {"App.csproj": MAUI, "App.cs": app, **files}) as bench:
        found = bench.usages.find("App.Start").usages
        assert [(each.file.split("/")[1], each.framework) for each in found] == [
            ("Android", ""),
            ("MacCatalyst", "net8.0-maccatalyst"),
            ("Tizen", "net8.0-tizen"),
            ("Windows", "net8.0-windows10.0.19041.0 on windows"),
            ("iOS", "net8.0-ios"),
        ]
        assert {each.grade for each in found} == {"bound"}
        assert len(bench.usages.find("Device.Name").usages) == 1
        assert not bench.health.status().notices


def test_a_project_of_platforms_may_name_its_folders(tmp_path: Path) -> None:
    project = MAUI.replace("</PropertyGroup>", "<iOSProjectFolder>Apple/</iOSProjectFolder></PropertyGroup>")
    files = {"App.csproj": project, "App.cs": "class App { }", "Apple/Start.cs": "class Start : App { }"}
    with indexed(tmp_path, files) as bench:
        assert [each.framework for each in bench.usages.find("App").usages] == ["net8.0-ios"]
