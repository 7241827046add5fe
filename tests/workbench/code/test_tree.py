"""The tree of the repository, over a real workspace."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from services.bench import Bench
from services.settings import Settings
from tests.support.stage import SIZE, Stage
from workbench.code.tree import TreeScreen, above
from workbench.ui.picker import Picker


def _made(folder: Path) -> Path:
    for name in (
        "src/Shop/Order.cs",
        "src/Shop/Line.cs",
        "src/Tools.cs",
        "docs/A.md",
        "bin/x.cs",
        "README.md",
    ):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"class {file.stem} {{ }}\n" if file.suffix == ".cs" else "text\n")
    (folder / ".gitignore").write_text("bin/\n")
    return folder


def test_a_folder_tells_what_is_in_it_and_leaves_out_what_is_ignored(tmp_path: Path) -> None:
    with Bench.open(_made(tmp_path), settings=Settings()) as bench:
        found = {each.path: each.files for each in bench.places.folder()}
        assert {"src": 3, "docs": 1, "README.md": 0}.items() <= found.items()
        assert "bin" not in found
        assert [each.path for each in bench.places.folder("src")] == ["src/Shop", "src/Tools.cs"]
        assert bench.places.folder("nowhere") == ()


def test_the_way_to_a_file_is_its_folders() -> None:
    assert above("src/Shop/Order.cs") == ["src", "src/Shop"]
    assert above("README.md") == above("") == []


async def test_what_is_unfolded_at_the_end_of_the_view_is_brought_into_it(tmp_path: Path) -> None:
    for folder in range(60):
        (tmp_path / f"f{folder:02}").mkdir()
        for file in range(5):
            (tmp_path / f"f{folder:02}/{file}.md").write_text("text\n")
    stage = Stage(lambda: Bench.open(tmp_path, settings=Settings()))
    async with stage.app.run_test(size=SIZE) as stage.pilot:
        await stage.settle()
        await stage.press("escape", "f2", "pagedown")
        screen = stage.app.screen
        assert isinstance(screen, TreeScreen)
        at, height = screen.rows.cursor, screen.rows.scrollable_content_region.height
        await stage.press("right")
        assert screen.rows.cursor == at
        assert screen.rows.scroll_offset.y == at + 6 - height
        await stage.press("left", "end", "right")
        assert screen.rows.scroll_offset.y == 65 - height
        await stage.press("left")
        assert screen.current == "f59"


@asynccontextmanager
async def _on_tree(folder: Path) -> AsyncIterator[tuple[Stage, TreeScreen]]:
    """The workbench on a folder, with its files' tree in front."""
    stage = Stage(lambda: Bench.open(folder, settings=Settings()))
    async with stage.app.run_test(size=SIZE) as stage.pilot:
        await stage.settle()
        await stage.press("escape", "f2")
        screen = stage.app.screen
        assert isinstance(screen, TreeScreen)
        yield stage, screen


async def test_folders_unfold_and_files_open_and_pin(tmp_path: Path) -> None:
    async with _on_tree(_made(tmp_path)) as (stage, screen):
        assert [row.value for row in screen.rows.rows][:2] == ["docs", "src"]
        await stage.press("down", "right")
        assert screen.current == "src"
        await stage.press("right", "right")
        assert [row.value for row in screen.rows.rows][1:4] == ["src", "src/Shop", "src/Shop/Line.cs"]
        await stage.press("right", "space")
        bench = stage.main.session.bench
        assert bench is not None
        assert any("Line.cs" in item.label and item.pinned for item in bench.window.render().items)
        assert [row.value for row in screen.rows.rows if row.sign == "●"] == ["src/Shop/Line.cs"]
        await stage.press("space")
        assert not any(item.pinned for item in bench.window.render().items)
        assert not any(row.sign == "●" for row in screen.rows.rows)
        await stage.press("left", "left")
        assert screen.current == "src/Shop"
        await stage.press("right", "right", "enter")
        assert stage.main.code.opened == "src/Shop/Line.cs"
        await stage.press("f2")
        assert isinstance(stage.app.screen, TreeScreen)
        assert stage.app.screen.current == "src/Shop/Line.cs"


async def test_a_folder_is_pinned_with_its_types_and_unpinned(tmp_path: Path) -> None:
    async with _on_tree(_made(tmp_path)) as (stage, screen):
        await stage.press("down", "space")
        bench = stage.main.session.bench
        assert bench is not None
        assert [item.key for item in bench.window.render().items if item.pinned] == ["folder:src"]
        assert [row.value for row in screen.rows.rows if row.sign == "●"] == ["src"]
        await stage.press("space")
        assert not any(item.pinned for item in bench.window.render().items)
        await stage.press("up", "space")  # docs has no types
        assert not any(item.pinned for item in bench.window.render().items)
        assert "There are no types in the folder docs." in stage.noted


async def test_the_namespace_folder_or_project_around_a_symbol_is_pinned_and_unpinned(tmp_path: Path) -> None:
    folder = _made(tmp_path)
    (folder / "src/Shop/Shop.csproj").write_text('<Project Sdk="Microsoft.NET.Sdk"></Project>')
    (folder / "src/Shop/Order.cs").write_text("namespace Shop.Orders; public class Order { }")
    stage = Stage(lambda: Bench.open(folder, settings=Settings()))
    async with stage.app.run_test(size=SIZE) as stage.pilot:
        await stage.settle()
        bench = stage.main.session.bench
        assert bench is not None
        stage.main.open("Shop.Orders.Order")
        await stage.settle()
        await stage.press("2")
        for wanted in (["project:Shop"], []):
            await stage.press("right_parenthesis")
            screen = stage.app.screen
            assert isinstance(screen, Picker)
            keys = [row.value for row in screen.rows.rows]
            assert keys == ["namespace:Shop.Orders", "namespace:Shop", "folder:src/Shop", "project:Shop"]
            await stage.press(*"proj", "enter")
            await stage.settle()
            assert [item.key for item in bench.window.render().items if item.pinned] == wanted
