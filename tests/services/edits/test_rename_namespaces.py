"""Renames of namespaces, and names in files of other languages, which are listed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.edits.places import Decisions
from services.errors import EditConflict, UsageError
from tests.support.workspace import indexed

PROJECT = (
    '<Project Sdk="Microsoft.NET.Sdk.Web"><ItemGroup><Using Include="Shop.Orders"/></ItemGroup></Project>'
)
USE = """\
using Shop.Orders;
using O = Shop.Orders;
using static Shop.Orders.Basket;
namespace Shop
{
    /// <summary><see cref="Orders.Basket"/> and <see cref="Shop.Orders.Basket"/></summary>
    class Use
    {
        Orders.Basket a = new global::Shop.Orders.Basket();
        O.Basket b = new O.Basket();
        string c = nameof(Shop.Orders);
        void M(int Orders) { System.Console.WriteLine(Orders); }
        int Other => Elsewhere.Orders.N;
        // Shop.Orders
    }
    namespace Orders.Deep { class D { Basket b; } }
}
namespace Elsewhere { class Orders { public static int N; } }
"""
BASKET = "namespace Shop.Orders;\npublic class Basket { public int Count; }\n"
RAZOR = "@using Shop.Orders\n<p>@Cart.Count</p>\n@code { Basket Cart = new(); }\n"
FILES = {"P.csproj": PROJECT, "Use.cs": USE, "Basket.cs": BASKET, "Page.razor": RAZOR}
RENAMED = (
    USE.replace("Shop.Orders", "Shop.Sales")
    .replace('"Orders.Basket', '"Sales.Basket')
    .replace("        Orders.Basket", "        Sales.Basket")
    .replace("namespace Orders.Deep", "namespace Sales.Deep")
    .replace("// Shop.Sales", "// Shop.Orders")
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as opened:
        yield opened


def _all(bench: Bench) -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in Path(bench.root).iterdir() if path.is_file()}


@pytest.mark.parametrize(
    "name", ["Shop.Orders", "Basket.cs:1:16", "Use.cs:1:12", "Use.cs:9:9", "Use.cs:16:15"]
)
def test_a_namespace_changes_where_dotted_names_lead_to_it(bench: Bench, name: str) -> None:
    answer = bench.refactoring.rename(name, "Sales")
    made = _all(bench)
    assert made["Use.cs"] == RENAMED
    assert made["Basket.cs"] == BASKET.replace("Orders", "Sales")
    assert (made["P.csproj"], made["Page.razor"]) == (PROJECT, RAZOR)
    assert [(each.file, each.line) for each in answer.listed] == [
        ("Use.cs", 14),
        ("P.csproj", 1),
        ("Page.razor", 1),
    ]
    bench.refactoring.rename("Shop.Sales", "Orders")
    assert _all(bench) == FILES


def test_names_in_markup_are_changed_where_a_person_says_so(bench: Bench) -> None:
    bench.refactoring.rename("Shop.Orders.Basket.Count", "Number", Decisions(change=["Page.razor:2"]))
    made = _all(bench)
    assert made["Page.razor"] == RAZOR.replace("Count", "Number")
    assert "int Number;" in made["Basket.cs"]


@pytest.mark.parametrize(("new", "why"), [("Use", "a type Shop.Use already"), ("System", "certain")])
def test_a_name_that_collides_is_refused(bench: Bench, new: str, why: str) -> None:
    with pytest.raises(EditConflict, match=why):
        bench.refactoring.rename("Shop.Orders", new)
    assert _all(bench) == FILES


@pytest.mark.parametrize("new", ["", "A.B", "1st", "a" * 10_000])
def test_a_name_that_cannot_be_is_refused(bench: Bench, new: str) -> None:
    with pytest.raises(UsageError):
        bench.refactoring.rename("Shop.Orders", new)
    assert _all(bench) == FILES


def test_names_in_files_of_the_build_are_listed(tmp_path: Path) -> None:
    props = "<Project><PropertyGroup><RootNamespace>Shop.Orders</RootNamespace></PropertyGroup></Project>"
    more = {
        "Directory.Build.props": props,
        "eng/Pack.targets": props.replace("RootN", "N").replace("Shop.", ""),
    }
    with indexed(tmp_path, {**FILES, **more}) as bench:
        listed = [each.file for each in bench.refactoring.rename("Shop.Orders", "Sales").listed]
    assert [each for each in listed if each in more] == ["Directory.Build.props", "eng/Pack.targets"]
    assert (tmp_path / "Directory.Build.props").read_text("utf-8") == props
