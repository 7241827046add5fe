"""A workspace that was restored: names are bound by what the packages on this machine declare."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.index.external.restored import SOURCE, RestoredTypes, packed
from services.index.external.table import TypeRow
from services.msbuild import PackageAssembly
from tests.support.assembly_image import library
from tests.support.restored import SHOP, restore
from tests.support.workspace import indexed, opened, project

REFERENCE = '<ItemGroup><PackageReference Include="Shop" Version="1.2.0" /></ItemGroup>'
FILES = {
    "App.csproj": project("<TargetFramework>net8.0</TargetFramework>").replace("</Project>", f"{REFERENCE}</Project>"),
    "Report.cs": """class Report { public void Take(int n) {} public void Take(string s) {}
public void Take(object o) {} }""",
    "Use.cs": """using System.Linq;
using Shop;
class Crate : Shelf { void Fill(Report report) { report.Take(Name); report.Take(this[1, 2L]); } }
class Use
{
    void M(Report report, Shelf shelf, Tower tower)
    {
        int at = 0;
        var found = shelf.Find(ref at, out var left, 1);
        report.Take(found.Place.First);
        report.Take(left);
        report.Take((shelf + shelf).Count);
        report.Take(tower.Top.Top.Name);
        report.Take(new[] { tower }.Cheap(each => 1m).First().Name);
        report.Take(tower);
    }
}""",
}  # fmt: skip
AS_INT, AS_STRING, AS_OBJECT = "Report.Take(int)", "Report.Take(string)", "Report.Take(object)"


@pytest.fixture(autouse=True)
def _caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:  # pyright: ignore[reportUnusedFunction]
    caches = tmp_path / "caches"
    monkeypatch.setenv("XDG_CACHE_HOME", str(caches))
    yield caches


def told(bench: Bench, path: str) -> set[tuple[int, str]]:
    return {(usage.line, usage.grade) for usage in bench.usages.find(path).usages}


def test_overloads_are_chosen_by_what_packages_declare(tmp_path: Path) -> None:
    root = tmp_path / "app"
    restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": SHOP.read_bytes()})
    with indexed(root, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert told(bench, AS_STRING) == {
            (3, "bound"),
            (10, "bound"),
            (11, "bound"),
            (13, "bound"),
            (14, "bound"),
        }
        assert told(bench, AS_INT) == {(12, "bound")}
        assert told(bench, AS_OBJECT) == {(15, "bound")}


def test_a_package_is_read_once_for_all_workspaces(tmp_path: Path, _caches: Path) -> None:
    for name in ("one", "two"):
        root = tmp_path / name
        restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": SHOP.read_bytes()})
        with indexed(root, FILES) as bench:
            if name == "one":
                bench.index.read_bodies()
                (table,) = (_caches / "codecortex" / "packages").iterdir()
                read_at = table.stat().st_mtime_ns
            else:  # at once, and nothing is read again
                assert told(bench, AS_INT) == {(12, "bound")}
                bench.index.read_bodies()
    assert table.stat().st_mtime_ns == read_at


def test_who_asks_once_waits_for_what_is_not_read(tmp_path: Path) -> None:
    root = tmp_path / "app"
    restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": SHOP.read_bytes()})
    with indexed(root, FILES) as bench:  # as a command does, behind which nobody reads anything
        assert told(bench, AS_INT) == {(12, "bound")}


def test_a_package_that_comes_later_counts_from_then_on(tmp_path: Path) -> None:
    root = tmp_path / "app"
    with indexed(root, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert (12, "bound") not in told(bench, AS_INT)
        assert not bench.health.notices()
        restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": SHOP.read_bytes()})
        bench.index.refresh()
        bench.index.read_bodies()
        assert told(bench, AS_INT) == {(12, "bound")}


def test_a_damaged_package_is_told_and_its_names_are_guessed_by_nobody(tmp_path: Path) -> None:
    root = tmp_path / "app"
    image = SHOP.read_bytes()
    restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": image[: len(image) // 2]})
    with indexed(root, FILES) as bench:
        bench.index.relate()
        bench.index.read_bodies()
        assert (12, "bound") not in told(bench, AS_INT)
        (notice,) = bench.health.notices()
    assert "Shop.dll of Shop 1.2.0 could not be read" in notice.message
    assert "Restore the package again" in (notice.what_to_do or "")


def test_of_what_two_assemblies_declare_nothing_is_said_for_certain(tmp_path: Path) -> None:
    files = FILES | {
        "Use.cs": "class Use { void M(Report report, Tiny.Pipe pipe) { report.Take(pipe[0]); } }"
    }
    files["Report.cs"] = "class Report { public void Take(char c) {} public void Take(string s) {} }"
    for folder, assemblies, grade in (("one", ("Tiny",), "bound"), ("two", ("Tiny", "Teeny"), "name match")):
        root = tmp_path / folder
        images = {f"{name}/1.0.0/{name}.dll": library(name) for name in assemblies}
        restore(root / "App.csproj", tmp_path / "packages", images)
        with indexed(root, files) as bench:
            bench.index.read_bodies()
            assert told(bench, "Report.Take(char)") == {(1, grade)}


@pytest.mark.parametrize("assets", ["", "[]", '{"version": 9}', '{"version": 3, "targets": 1}', "{"])
def test_assets_of_another_shape_are_no_restore(tmp_path: Path, assets: str) -> None:
    with indexed(tmp_path, FILES | {"obj/project.assets.json": assets}) as bench:
        bench.index.read_bodies()
        assert (12, "bound") not in told(bench, AS_INT)


def test_packages_are_not_looked_for_outside_their_folder(tmp_path: Path) -> None:
    root, secret = tmp_path / "app", tmp_path / "secret"
    secret.mkdir()
    (secret / "Shop.dll").write_bytes(SHOP.read_bytes())
    restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": b""})
    assets = root / "obj" / "project.assets.json"
    assets.write_text(
        assets.read_text("utf-8").replace('"shop/1.2.0"', '"../secret"').replace("lib/net8.0/", ""), "utf-8"
    )
    with indexed(root, FILES) as bench:
        bench.index.read_bodies()
        assert (12, "bound") not in told(bench, AS_INT)


def test_a_table_that_is_cut_short_is_made_anew(tmp_path: Path, _caches: Path) -> None:
    root = tmp_path / "app"
    restore(root / "App.csproj", tmp_path / "packages", {"Shop/1.2.0/Shop.dll": SHOP.read_bytes()})
    with indexed(root, FILES) as bench:
        bench.index.read_bodies()
    (table,) = (_caches / "codecortex" / "packages").iterdir()
    table.write_bytes(table.read_bytes()[:-20])
    with opened(root) as bench:
        bench.index.refresh()
        assert (12, "bound") not in told(bench, AS_INT)
    with opened(root) as bench:
        bench.index.refresh()
        bench.index.read_bodies()
        assert told(bench, AS_INT) == {(12, "bound")}


def test_the_framework_of_the_project_chooses_the_assemblies(tmp_path: Path) -> None:
    root = tmp_path / "app"
    shop = {"Shop/1.2.0/Shop.dll": SHOP.read_bytes()}
    restore(root / "App.csproj", tmp_path / "packages", shop, framework="net6.0")
    with indexed(root, FILES) as bench:
        bench.index.read_bodies()
        assert (12, "bound") not in told(bench, AS_INT)


def test_tables_are_looked_in_together(tmp_path: Path) -> None:
    def row(fqn: str, assembly: str) -> TypeRow:
        return TypeRow(fqn, assembly, "class", "", (), "", (), None, ())

    assemblies: list[PackageAssembly] = []
    for name, rows in {
        "A": [row("N.M.A", "A"), row("N.Twice", "A")],
        "B": [row("B", "B"), row("N.Twice", "B")],
    }.items():
        (tmp_path / name).write_bytes(packed([(SOURCE, each) for each in rows]))
        assemblies.append(
            PackageAssembly(package=name, version="1", path=name, places=(), table=str(tmp_path / name))
        )
    absent = PackageAssembly(package="C", version="1", path="C", places=(), table=str(tmp_path / "C"))
    types = RestoredTypes([*assemblies, absent], {})
    assert types.packages == {"a", "b"}
    assert [each.assembly for each in types.types("N.Twice")] == ["A", "B"]
    assert [each.assembly for each in types.types("B")] == ["B"]
    assert types.types("N.M") == []
    assert [types.has_namespace(name) for name in ("N", "N.M", "M", "N.M.A")] == [True, True, False, False]


def test_of_a_framework_newer_than_the_table_what_is_not_in_it_decides_nothing(tmp_path: Path) -> None:
    files = {
        "App.csproj": project("<TargetFramework>net19.0</TargetFramework>"),
        "Use.cs": """using System.Novel;
class Report { public void Take(int n) {} public void Take(string s) {} }
class Use { void M(Report report, Novelty given, System.Novel.Other other, string text)
{
report.Take(given.Value);
report.Take(other.Of(1));
report.Take(text.Length);
report.Take(text.Novel());
} }""",
    }
    with indexed(tmp_path, files) as bench:
        assert told(bench, "Report.Take(int)") == {
            (5, "name match"),
            (6, "name match"),
            (7, "bound"),
            (8, "name match"),
        }


def test_code_that_does_not_compile_is_bound_as_far_as_it_says_something(tmp_path: Path) -> None:
    files = {
        "Use.cs": """class Report { public void Take(int n) {} public void Take(string s) {} }
class Use { void M(Report report)
{
report.Take(1);
report.Take(;
report.Take(missing);
report.Take(1, 2, 3);
report.Take("a");
int = ;
report.Take(2);
} }""",
    }
    with indexed(tmp_path, files) as bench:
        ints, texts = told(bench, "Report.Take(int)"), told(bench, "Report.Take(string)")
    assert {(4, "bound"), (10, "bound")} <= ints
    assert (8, "bound") in texts
    assert not {line for line, grade in ints | texts if grade == "bound"} & {6, 7}
