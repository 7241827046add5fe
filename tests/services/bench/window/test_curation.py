"""What people name becomes items of the window, at the level they choose."""

from __future__ import annotations

import multiprocessing
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.queries.sources import Grep
from services.errors import BudgetExceeded, LineOutOfRange, SymbolNotFound, UsageError
from services.model import ItemFlag, ItemState, Level
from services.settings import Settings, WindowSettings
from tests.support.workspace import edit, indexed, opened, project

TREE = """namespace Orchard;

public class Tree
{
    public int Height { get; private set; }

    public void Grow(int by)
    {
        Height += by;
    }

    public void Grow() => Grow(1);
}
"""
PATH = "src/Tree.cs"
FILES = {"Orchard.csproj": project(), PATH: TREE, "src/Leaf.cs": "class Leaf { }\n", "notes.txt": "one\n"}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


def test_a_type_is_shown_at_every_level(bench: Bench) -> None:
    bench.window.pin("Tree")
    texts = {level: bench.window.set_level("Tree", level).text for level in ("signature", "outline", "range")}
    assert texts["signature"].count("\n") == 6
    assert "public class Tree  // Orchard.Tree T_" in texts["signature"]
    assert "public void Grow(int by);" in texts["outline"]
    assert "Height += by;" in texts["range"]
    assert "namespace" not in texts["range"]
    assert "namespace Orchard;" in bench.window.set_level("Tree", "whole").text


def test_bodies_of_chosen_members_stand_in_the_declaration_of_their_type(bench: Bench) -> None:
    window = bench.window.pin("Tree", members=["Grow"])
    assert window.items[0].level is Level.BODIES
    assert len(window.items[0].members) == 2
    assert f"// {PATH}:3-13\nnamespace Orchard;\n\npublic class Tree\n{{\n" in window.text
    assert "    // lines 7-10\n    public void Grow(int by)\n" in window.text
    assert "    // line 12\n    public void Grow() => Grow(1);\n" in window.text
    one = bench.window.pin("Tree", members=[window.items[0].members[1]])
    assert "Height += by" not in one.text
    with pytest.raises(SymbolNotFound, match=r"no member 'Grew'\. Did you mean Grow"):
        bench.window.pin("Tree", members=["Grew"])
    with pytest.raises(UsageError, match="is no type"):
        bench.window.pin(PATH, members=["Grow"])


def test_a_member_is_shown_with_its_body(bench: Bench) -> None:
    window = bench.window.pin("Tree.Grow(int)", level="bodies")
    assert window.text.startswith("## Tree · type with bodies\n")
    assert "    // lines 7-10\n    public void Grow(int by)\n    {\n" in window.text
    assert [(item.label, item.level) for item in window.items] == [("Tree.Grow(int)", Level.BODIES)]


def test_messages_name_items_as_people_know_them_never_by_their_keys(bench: Bench) -> None:
    bench.window.pin("Tree.Grow(int)")
    with pytest.raises(UsageError) as absent:
        bench.window.dismiss("Tree")
    assert (
        absent.value.message == "Tree is not in the prompt window. Of it there is Tree.Grow(int): name that."
    )
    with pytest.raises(UsageError, match="There is nothing to show of Tree at level bodies"):
        bench.window.pin("Tree", level="bodies")
    bench.window.unpin("Tree.Grow(int)")
    with pytest.raises(UsageError, match=r"^Tree\.Grow\(int\) is not pinned, only recent"):
        bench.window.unpin("Tree.Grow(int)")


def test_changes_are_pinned_of_files_alone(bench: Bench) -> None:
    with pytest.raises(UsageError, match=r"There is no file 'HEAD~1\.\.HEAD'"):
        bench.window.pin_changes("HEAD~1..HEAD")


def test_a_file_is_lowered_to_the_outlines_of_its_types(bench: Bench) -> None:
    bench.window.pin(PATH)
    assert "public void Grow(int by);" in bench.window.set_level(PATH, "outline").text
    assert bench.window.set_level(PATH, "signature").text.count("Orchard.Tree") == 1
    bench.window.pin("notes.txt")
    with pytest.raises(UsageError, match="nothing to show of notes"):
        bench.window.set_level("notes.txt", "outline")


def test_lines_are_lowered_to_the_outline_around_them(bench: Bench) -> None:
    bench.window.pin(f"{PATH}:8-9")
    assert (
        "public void Grow(int by);\n// in class Tree\n"
        in bench.window.set_level(f"{PATH}:8-9", "outline").text
    )


@pytest.mark.parametrize("lines", ["40-50", "9-4", "0-3"])
def test_lines_that_a_file_does_not_have_are_refused_with_those_it_has(bench: Bench, lines: str) -> None:
    with pytest.raises(LineOutOfRange, match=f"{PATH} has 13 lines"):
        bench.window.pin(f"{PATH}:{lines}")
    assert bench.window.pin(f"{PATH}:9-99").items[0].end_line == 13
    edit(bench.root, PATH, "class Tree { }\n")
    assert bench.window.dismiss(f"{PATH}:9-99").items == ()


def test_a_note_is_kept_in_the_state(bench: Bench, tmp_path: Path) -> None:
    bench.window.pin_note("Keep the API.\n```\n## Not shown\n")
    with opened(tmp_path) as other:
        window = other.window.render()
    assert window.text == "## Note\n\n````text\nKeep the API.\n```\n## Not shown\n````\n\n"
    with pytest.raises(UsageError, match="words"):
        bench.window.pin_note(" \n")


def test_a_search_result_says_which_lines_moved_and_which_are_gone(bench: Bench) -> None:
    (item,) = bench.window.pin_search(Grep(pattern=r"Grow\(")).items
    assert (item.detail, item.state) == ("2 matches in 1 file", ItemState.FRESH)
    edit(bench.root, PATH, "// first\n" + TREE)
    window = bench.window.render()
    assert f"{PATH}\n8:     public void Grow(int by)\n13:     public void Grow() => Grow(1);\n" in window.text
    assert (window.items[0].state, window.items[0].state_detail) == (
        ItemState.MOVED,
        "2 of the lines moved.",
    )
    edit(bench.root, PATH, TREE.replace("Grow() => Grow(1)", "Wilt() => Grow(-1)"))
    item = bench.window.render().items[0]
    assert (item.state, item.flags) == (ItemState.BODY_CHANGED, (ItemFlag.STALE,))
    assert item.state_detail == "1 of 2 lines found are no longer there."
    assert f"{PATH}: lines 7, 12\n" in bench.window.set_level(item.key, "outline").text
    assert "Grow\\(: 2 matches in 1 file\n" in bench.window.set_level(item.key, "signature").text
    with pytest.raises(UsageError, match="Nothing matches"):
        bench.window.pin_search(Grep(pattern="nowhere at all"))


def test_the_changes_of_a_file_are_pinned_hunk_by_hunk(bench: Bench) -> None:
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=bench.root, check=True)
    with pytest.raises(UsageError, match="as it is in git's HEAD"):
        bench.window.pin_changes(PATH)
    edit(bench.root, PATH, TREE.replace("Height += by;", "Height += 2 * by;"))
    window = bench.window.pin_changes(PATH)
    assert "-        Height += by;\n+        Height += 2 * by;\n" in window.text
    assert window.items[0].key == f"hunk:{PATH}:6-12"
    edit(bench.root, PATH, "// one\n" + TREE.replace("Height += by;", "Height += 2 * by;"))
    item = bench.window.render().items[0]
    assert (item.state, item.start_line, item.end_line) == (ItemState.MOVED, 7, 13)
    edit(bench.root, PATH, TREE)
    assert bench.window.render().items[0].state is ItemState.BODY_CHANGED


def test_what_was_found_in_a_file_follows_it_to_another_name(bench: Bench) -> None:
    bench.window.pin_search(Grep(pattern=r"Grow\("))
    bench.window.pin_hunk(PATH, "@@ -7,2 +7,1 @@\n-    gone\n     public void Grow(int by)\n")
    (bench.root / PATH).rename(bench.root / "src/Bush.cs")
    window = bench.window.render()
    said = f"{PATH} is src/Bush.cs now."
    assert [(item.state, item.state_detail) for item in window.items] == [(ItemState.MOVED, said)] * 2
    assert "src/Bush.cs\n7:     public void Grow(int by)\n" in window.text
    assert window.items[1].label == "src/Bush.cs:7-7"
    edit(bench.root, "src/Bush.cs", "// first\n" + TREE)
    details = [item.state_detail for item in bench.window.render().items]
    assert details == [f"{said} 2 of the lines moved.", f"{said} These lines moved from line 7 to 8."]
    (bench.root / "src/Bush.cs").unlink()
    assert {item.state for item in bench.window.render().items} == {ItemState.BODY_CHANGED}


def test_a_part_of_a_type_that_is_gone_is_not_taken_for_another_part(bench: Bench) -> None:
    edit(bench.root, PATH, TREE.replace("class Tree", "partial class Tree"))
    part, moved = "src/Tree.Wilt.cs", "src/Wilt.cs"
    edit(
        bench.root,
        part,
        "namespace Orchard;\npublic partial class Tree { public void Wilt() => Grow(-1); }\n",
    )
    bench.index.refresh()
    bench.window.pin(part)
    bench.window.pin_search(Grep(pattern="void Wilt"))
    (bench.root / part).rename(bench.root / moved)
    assert [(item.state, item.file) for item in bench.window.render().items] == [
        (ItemState.MOVED, moved),
        (ItemState.MOVED, None),
    ]
    (bench.root / moved).unlink()
    file, search = bench.window.render().items
    assert (file.state, file.flags) == (ItemState.GONE, (ItemFlag.VANISHED,))
    assert search.state_detail == "1 of 1 lines found are no longer there."


def test_below_the_bodies_of_some_members_stands_the_outline_of_all(bench: Bench) -> None:
    whole = bench.window.pin("Tree").items[0].tokens
    bench.window.pin("Tree", members=["Height"])
    assert bench.window.cost_at("Tree", "outline") == whole
    short = bench.window.pin("Tree", level="outline", members=["Height"])
    assert "Grow(" not in short.text
    assert short.items[0].tokens < whole


def test_an_item_moves_before_or_after_another(bench: Bench) -> None:
    for name in ("Tree", "Leaf"):
        bench.window.pin(name)
    assert bench.window.move("Leaf", before="Tree").items[0].label == "Leaf"
    with pytest.raises(UsageError, match="before which, or the one after which"):
        bench.window.move("Leaf")


def test_items_of_other_kinds_do_no_harm(bench: Bench) -> None:
    bench.state.write("window.json", b'{"pinned": [{"key": "hologram:7"}, {"key": "pack:none"}]}')
    assert [item.state for item in bench.window.render().items] == [ItemState.GONE, ItemState.GONE]
    bench.window.dismiss("hologram:7")
    assert bench.window.dismiss("pack:none").items == ()


def test_damaged_data_of_an_item_does_no_harm(bench: Bench) -> None:
    bench.state.write(
        "window.json", b'{"pinned": [{"key": "grep:1", "data": {"pattern": 3}}, {"key": "note:2"}]}'
    )
    assert [item.flags for item in bench.window.render().items] == [(ItemFlag.VANISHED,)] * 2


def test_a_budget_smaller_than_one_item_shows_its_least(tmp_path: Path) -> None:
    settings = Settings(window=WindowSettings(budget=100))
    body = "".join(f"    public void Method{n}() {{ }}\n" for n in range(300))
    with indexed(tmp_path, {"A.cs": f"public class A\n{{\n{body}}}\n"}):
        pass
    with Bench.open(tmp_path, settings=settings) as bench:
        bench.index.refresh()
        with pytest.raises(BudgetExceeded):
            bench.window.pin("A")
        window = bench.window.pin("A", force=True)
    assert 0 < window.tokens <= 100
    assert window.items[0].level is Level.USED


def pin_lines(folder: Path, first: int) -> None:
    with opened(folder) as bench:
        bench.index.refresh()
        for line in range(first, first + 6):
            bench.window.pin(f"lines.txt:{line}-{line}", force=True)


def test_processes_that_pin_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    with indexed(tmp_path, {"lines.txt": "".join(f"{n}\n" for n in range(1, 13))}) as bench:
        spawn = multiprocessing.get_context("spawn")
        workers = [spawn.Process(target=pin_lines, args=(tmp_path, first)) for first in (1, 7)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        items = bench.window.render().items
    assert sorted(item.start_line or 0 for item in items) == list(range(1, 13))


def test_a_heading_names_a_whole_file_once(bench: Bench) -> None:
    bench.window.pin("src/Tree.cs")
    assert bench.window.render().text.startswith("## src/Tree.cs · whole file\n")
