"""A folder, a project or a namespace as one item of the window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import FileMissing, UsageError
from tests.support.workspace import indexed

FILES = {
    "Shop.csproj": '<Project Sdk="Microsoft.NET.Sdk"></Project>',
    "src/Carts/Cart.cs": "namespace Shop.Carts; public class Cart { public int Count; int _left; class Inner { } }",
    "src/Carts/Line.cs": "namespace Shop.Carts.Lines { public record Line(int Price); }",
    "src/Cartsy.cs": "using Shop.Carts; namespace Shop.Cartsy; public class Other { public Cart Of; }",
}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


@pytest.mark.parametrize("key", ["folder:src/Carts", "folder:./src/Carts/", "namespace:Shop.Carts"])
def test_a_part_of_the_workspace_is_one_item(bench: Bench, key: str) -> None:
    window = bench.window.pin(key)
    (item,) = window.items
    assert item.kind == key.partition(":")[0]
    assert "public class Cart\n" in window.text
    assert "public record Line(int Price)" in window.text
    assert "Other" not in window.text
    assert "src/Carts/Line.cs:1" in window.text
    short = bench.window.set_level(key, "signature")
    assert "public class Cart; // src/Carts/Cart.cs:1\n" in short.text
    assert "Count" not in short.text
    assert "_left" in bench.window.set_level(key, "declarations").text
    assert bench.window.dismiss(key).items == ()


def test_a_folder_is_one_item_however_it_is_written(bench: Bench) -> None:
    for key in ("folder:src/Carts", "folder:./src/Carts/", "folder:src//Carts", "folder:src/../src/Carts"):
        window = bench.window.pin(key)
        assert [item.key for item in window.items] == ["folder:src/Carts"]
    assert bench.window.dismiss("folder:./src/Carts/").items == ()
    whole = [bench.window.pin(key).items for key in ("folder:.", "folder:./", "folder:/")]
    assert [[item.key for item in items] for items in whole] == 3 * [["folder:."]]


def test_a_project_is_one_and_everything_it_shows_counts_as_shown(bench: Bench) -> None:
    window = bench.window.pin("project:Shop")
    assert "class Other" in window.text
    assert bench.advice.completeness().missing == ()
    bench.window.dismiss("project:Shop")
    bench.window.pin("Shop.Cartsy.Other")
    assert [each.symbol.label for each in bench.advice.completeness().missing] == ["Cart"]


def test_it_follows_the_files(bench: Bench, tmp_path: Path) -> None:
    bench.window.pin("folder:src/Carts")
    (tmp_path / "src/Carts/Line.cs").write_text(
        "namespace Shop.Carts.Lines { public record Row(int Price); }"
    )
    bench.index.refresh()
    text = bench.window.render().text
    assert "record Row" in text
    assert "record Line" not in text
    (tmp_path / "src/Carts/Late.cs").write_text("namespace Shop.Carts; public class Late { }")
    bench.index.refresh()
    assert "class Late" in bench.window.render().text


@pytest.mark.parametrize("key", ["folder:src/None", "project:None", "namespace:Sho", "folder:src/Cart"])
def test_of_nothing_there_is_no_item(bench: Bench, key: str) -> None:
    with pytest.raises(UsageError, match="There are no types in the"):
        bench.window.pin(key)


def test_the_name_of_a_namespace_or_a_folder_pins_its_types(bench: Bench) -> None:
    for name in ("Shop.Carts", "src/Carts", "src/Carts/"):
        key = "namespace:Shop.Carts" if name == "Shop.Carts" else "folder:src/Carts"
        assert [item.key for item in bench.window.pin(name).items] == [key]
        assert bench.window.dismiss(name).items == ()
    with pytest.raises(FileMissing):
        bench.window.pin("src/Nothing")


def test_what_is_around_a_symbol_or_a_file_is_told_from_the_inside(bench: Bench) -> None:
    expected = (
        ("namespace:Shop.Carts", 2),
        ("namespace:Shop", 3),
        ("folder:src/Carts", 2),
        ("project:Shop", 3),
    )
    for path in ("Cart.Count", "Shop.Carts.Cart", "Cart.Inner", "src/Carts/Cart.cs", "src/Carts/Cart.cs:1-1"):
        assert bench.window.around(path) == expected
    assert bench.window.around("Shop.csproj") == ()
