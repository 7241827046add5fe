"""C# in Razor and XAML, as the index answers about it."""

from pathlib import Path

from services.bench.bench import Bench
from tests.support.workspace import edit, indexed

WEB = {
    "W/W.csproj": '<Project Sdk="Microsoft.NET.Sdk.Web"><PropertyGroup><TargetFramework>net9.0</TargetFramework>'
    "<RootNamespace>W</RootNamespace></PropertyGroup></Project>",
    "W/Till.cs": "namespace W.Money; public class Till { public int Add(long x) => 1; public int Sum => 2; }",
    "W/_Imports.razor": "@using W.Money\n",
    "W/Pages/Desk.razor": '@inject Till Till\n<p>@Till.Sum</p>\n<Bell Loud="@Count" Tone="tone" />\n'
    '<a @onclick="Ring">x</a>\n@code {\n    int Count;\n    void Ring() { Count = Till.Add(1); Close(); }\n}\n',
    "W/Pages/Desk.razor.cs": "namespace W.Pages; public partial class Desk { string tone; void Close() { Ring(); } }",
    "W/Shared/Bell.razor": "@namespace W.Pages\n@code { public int Loud { get; set; } public string Tone => null; }",
    "W/Views/Show.cshtml": "@model W.Money.Till\n<b>@Model.Sum</b>\n",
    "W/Main.xaml": '<Window x:Class="W.Main" xmlns:m="clr-namespace:W.Money"><Box x:Name="Name" Click="Go_Click" '
    'Tag="{Binding Sum}" /><m:Till /></Window>',
    "W/Main.xaml.cs": "namespace W; public partial class Main { void Go_Click() { Name.Show(); } }",
}


def places(bench: Bench, path: str) -> list[str]:
    return sorted({f"{Path(each.file).name}:{each.line}" for each in bench.usages.find(path).usages})


def test_members_of_code_blocks_are_symbols_of_their_component(tmp_path: Path) -> None:
    with indexed(tmp_path, WEB) as bench:
        types = [each.fqn for each in bench.index.symbols() if each.is_type]
        assert sorted(types) == sorted(
            [
                "AspNetCoreGeneratedDocument.Views_Show",
                "W.Main",
                "W.Money.Till",
                "W.Pages.Bell",
                "W.Pages.Desk",
            ]
        )
        found = {
            each.fqn: (each.file, each.start_line) for each in bench.index.symbols() if not each.implicit
        }
        assert found["W.Pages.Desk.Ring"] == ("W/Pages/Desk.razor", 7)
        assert found["W.Pages.Desk.Till"] == ("W/Pages/Desk.razor", 1)
        assert found["W.Main.Name"] == ("W/Main.xaml", 1)


def test_names_in_markup_are_usages(tmp_path: Path) -> None:
    with indexed(tmp_path, WEB) as bench:
        assert places(bench, "Till.Add") == ["Desk.razor:7"]
        assert places(bench, "W.Money.Till.Sum") == ["Desk.razor:2", "Main.xaml:1", "Show.cshtml:2"]
        assert places(bench, "W.Money.Till") == ["Desk.razor:1", "Main.xaml:1", "Show.cshtml:1"]
        assert places(bench, "Desk.Ring") == ["Desk.razor.cs:1", "Desk.razor:4"]
        assert places(bench, "Desk.Close") == ["Desk.razor:7"]
        assert places(bench, "Desk.tone") == ["Desk.razor:3"]
        assert places(bench, "W.Pages.Desk.Till") == ["Desk.razor:2", "Desk.razor:7"]
        assert places(bench, "W.Pages.Bell") == places(bench, "Bell.Loud") == ["Desk.razor:3"]
        assert places(bench, "Main.Go_Click") == ["Main.xaml:1"]
        assert places(bench, "W.Main.Name") == ["Main.xaml.cs:1"]


def test_markup_that_is_a_value_uses_what_it_names(tmp_path: Path) -> None:
    fragment = (
        '@inject Till Till\n@code {\n    object View =>\n        @<Bell Loud="@Till.Sum">@Ring(2)</Bell>;\n'
        "    int Ring(int x) => Till.Add(x);\n}\n"
    )
    with indexed(tmp_path, WEB | {"W/Pages/Shelf.razor": fragment}) as bench:
        assert places(bench, "Shelf.Ring") == ["Shelf.razor:4"]
        assert "Shelf.razor:4" in places(bench, "W.Pages.Bell")
        assert "Shelf.razor:4" in places(bench, "W.Money.Till.Sum")
        assert "Shelf.razor:5" in places(bench, "Till.Add")
        grades = {each.grade for each in bench.usages.find("Till.Add").usages if "Shelf" in each.file}
        assert grades == {"bound"}


def test_tags_may_be_generic_components_of_other_projects_and_their_content(tmp_path: Path) -> None:
    lib = '<Project Sdk="Microsoft.NET.Sdk.Razor">'
    files = {
        "Lib/Lib.csproj": lib + "</Project>",
        "Lib/Grid.razor": "@typeparam TRow\n@code { public object Header { get; set; } public TRow First; }",
        "Lib/Row.cs": "namespace Lib; public class Row { public int Height; }",
        "App/App.csproj": lib
        + '<ItemGroup><ProjectReference Include="../Lib/Lib.csproj" /></ItemGroup></Project>',
        "App/_Imports.razor": "\ufeff@using Lib",
        "App/Home.razor": '<Grid TRow="Row">\n<Header>x</Header>\n<b>@context.Height</b>\n</Grid>',
    }
    with indexed(tmp_path, files) as bench:
        assert places(bench, "Lib.Grid") == ["Home.razor:1"]
        assert places(bench, "Lib.Row") == ["Home.razor:1"]
        assert "Home.razor:2" in places(bench, "Grid.Header")
        assert places(bench, "Row.Height") == ["Home.razor:3"]


def test_markup_is_followed_counted_and_shown_as_it_is_written(tmp_path: Path) -> None:
    with indexed(tmp_path, WEB) as bench:
        usage = bench.usages.find("Till.Add").usages[0]
        assert usage.snippet.strip() == "void Ring() { Count = Till.Add(1); Close(); }"
        told = [each.message for each in bench.health.status().notices]
        assert any("3 .razor files" in each and "1 .xaml file" in each for each in told)
        edit(tmp_path, "W/Pages/Desk.razor", "<p>none</p>\n")
        bench.index.refresh()
        assert places(bench, "Till.Add") == []


def test_a_class_is_used_as_its_project_s_folders_say(tmp_path: Path) -> None:
    files = {
        **WEB,
        "W/Areas/2nd/My-Part.razor": "@code { void M() { } }",
        "Loose.razor": "@code { void L() { } }",
    }
    with indexed(tmp_path, files) as bench:
        found = {each.fqn for each in bench.index.symbols()}
        assert "W.Areas._2nd.My_Part.M" in found
        assert any(each.endswith("Loose.L") for each in found)
