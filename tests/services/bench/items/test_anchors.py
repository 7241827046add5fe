"""What is in the window follows its symbol, and says what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.model import ItemFlag, ItemState, WindowItem
from tests.support.workspace import edit, indexed, project

TREE = """namespace Orchard;

/// <summary>A tree.</summary>
public class Tree
{
    private int height;

    public int Height => height;

    /// <summary>Grows.</summary>
    public void Grow(int by)
    {
        height += by;
        Count(by);
        height = System.Math.Max(0, height);
    }

    private void Count(int by)
    {
        System.Console.WriteLine(by);
    }
}
"""
PATH = "src/Tree.cs"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    files = {"Orchard.csproj": project(), PATH: TREE, "notes.txt": "one\ntwo\nthree\nfour\n"}
    with indexed(tmp_path, files) as made:
        yield made


def item(bench: Bench) -> WindowItem:
    (only,) = bench.window.render().items
    return only


def change(bench: Bench, old: str, new: str) -> None:
    assert old in TREE
    edit(bench.root, PATH, TREE.replace(old, new))


EDITS = {
    "nothing": ("namespace", "namespace", ItemState.FRESH),
    "a comment above": ("namespace Orchard;", "// moved\n\nnamespace Orchard;", ItemState.MOVED),
    "a body": ("height += by;", "height += 2 * by;", ItemState.BODY_CHANGED),
    "a default": ("Grow(int by)", "Grow(int by = 1)", ItemState.BODY_CHANGED),
    "accessibility": ("public void Grow", "internal void Grow", ItemState.SIGNATURE_CHANGED),
    "a parameter": ("Grow(int by)", "Grow(long by, int of)", ItemState.SIGNATURE_CHANGED),
    "layout": ("height += by;", "height  +=  by;", ItemState.FRESH),
}


def test_a_symbol_says_what_became_of_it(bench: Bench) -> None:
    for path in ("Tree", "Tree.Grow"):
        for what, (old, new, state) in EDITS.items():
            edit(bench.root, PATH, TREE)
            bench.index.refresh()
            bench.window.pin(path)
            change(bench, old, new)
            now = item(bench)
            assert now.state is state, what
            assert bool(now.state_detail) == (state is not ItemState.FRESH)
        bench.window.dismiss(path)


def test_pinning_again_takes_things_as_they_are(bench: Bench) -> None:
    bench.window.pin("Tree.Grow")
    change(bench, "height += by;", "height += 2 * by;")
    assert item(bench).state is ItemState.BODY_CHANGED
    bench.window.pin("Tree.Grow")
    assert item(bench).state is ItemState.FRESH


def test_a_renamed_type_is_followed(bench: Bench) -> None:
    key = bench.window.pin("Tree").items[0].key
    edit(bench.root, PATH, TREE.replace("class Tree", "class Shrub"))
    now = item(bench)
    assert (now.key, now.label, now.state) == (key, "Shrub", ItemState.MOVED)
    assert "## src/Tree.cs:4-22\n" in bench.window.render().text
    assert now.symbol_id is not None
    assert f"{key.partition(':')[2]} is now {now.symbol_id}" in now.state_detail


def test_a_type_in_another_file_is_followed(bench: Bench) -> None:
    bench.window.pin("Tree.Grow")
    (bench.root / PATH).unlink()
    edit(bench.root, "src/Moved.cs", TREE)
    bench.index.refresh()
    now = item(bench)
    assert (now.file, now.state) == ("src/Moved.cs", ItemState.MOVED)
    assert "moved from src/Tree.cs to src/Moved.cs" in now.state_detail


def test_another_overload_is_not_taken_for_the_one_that_is_gone(bench: Bench) -> None:
    both = TREE.replace("private void Count", "private void Grow(string by) { }\n\n    private void Count")
    edit(bench.root, PATH, both)
    bench.index.refresh()
    bench.window.pin("Tree.Grow(int)")
    gone = both.replace("public void Grow(int by)", "public void Shrink(long by)")
    edit(bench.root, PATH, gone)
    assert item(bench).state is ItemState.GONE
    edit(bench.root, PATH, both.replace("public void Grow(int by)", "public void Grow(long by)"))
    assert (item(bench).state, item(bench).label) == (ItemState.SIGNATURE_CHANGED, "Tree.Grow(long)")


def test_what_is_gone_stays_and_comes_back(bench: Bench) -> None:
    bench.window.pin("Tree.Count")
    change(bench, "private void Count(int by)", "private void Tally(long by)")
    now = item(bench)
    assert (now.state, now.flags, now.tokens) == (ItemState.GONE, (ItemFlag.VANISHED,), 0)
    edit(bench.root, PATH, TREE)
    assert item(bench).state is ItemState.FRESH
    edit(bench.root, PATH, "class Nothing;")
    assert bench.window.dismiss(now.label).items == ()


LINES = "        Count(by);\n        height = System.Math.Max(0, height);\n"


EDITS_OF_LINES = [
    ("height", "height", (14, 15), ItemState.FRESH),
    ("namespace", "// x\n// y\nnamespace", (16, 17), ItemState.MOVED),
    ("        height += by;\n", "        height += by;\n\n", (15, 16), ItemState.MOVED),
    (
        "public void Grow",
        "public int More() { return 1; }\n    public void Grow",
        (15, 16),
        ItemState.MOVED,
    ),
    ("Max(0, height)", "Max(1, height)", (14, 15), ItemState.BODY_CHANGED),
    ("Count(by);", "Count(by);\n        Count(2);", (14, 16), ItemState.BODY_CHANGED),
    ("        Count(by);\n", "", (14, 14), ItemState.BODY_CHANGED),
    ("public void Grow(int by)", "public void Grow(long by)", (14, 15), ItemState.FRESH),
]


def test_lines_are_followed_within_their_member(bench: Bench) -> None:
    for old, new, place, state in EDITS_OF_LINES:
        edit(bench.root, PATH, TREE)
        bench.index.refresh()
        bench.window.pin(f"{PATH}:14-15")
        assert LINES in bench.window.render().text
        change(bench, old, new)
        now = item(bench)
        assert ((now.start_line, now.end_line), now.state) == (place, state), new
        assert (ItemFlag.STALE in now.flags) == (state is ItemState.BODY_CHANGED)
        lines = (bench.root / PATH).read_text().splitlines(keepends=True)
        text = bench.window.render().text
        assert "".join(lines[place[0] - 1 : place[1]]) in text
        said = "These lines have changed since they were chosen." in text
        assert said == (state is ItemState.BODY_CHANGED)


def test_a_member_chosen_with_its_documentation_is_followed(bench: Bench) -> None:
    bench.window.pin(f"{PATH}:10-16")
    edit(bench.root, PATH, "// a\n// b\n" + TREE.replace("height += by", "height += 2 * by"))
    now = item(bench)
    assert ((now.start_line, now.end_line), now.state) == ((12, 18), ItemState.BODY_CHANGED)


def test_lines_of_a_member_that_is_gone_are_gone(bench: Bench) -> None:
    bench.window.pin(f"{PATH}:18-21")
    edit(bench.root, PATH, TREE[: TREE.index("    private void Count")] + "}\n")
    assert item(bench).state is ItemState.GONE


def test_lines_of_a_type_that_moved_are_followed(bench: Bench) -> None:
    bench.window.pin(f"{PATH}:14-15")
    (bench.root / PATH).unlink()
    edit(bench.root, "src/Moved.cs", "// first\n" + TREE)
    bench.index.refresh()
    now = item(bench)
    assert (now.file, now.start_line, now.state) == ("src/Moved.cs", 15, ItemState.MOVED)


def test_lines_pinned_again_stay_where_they_have_come_to(bench: Bench) -> None:
    key = bench.window.pin(f"{PATH}:14-15").items[0].key
    edit(bench.root, PATH, "// one\n" + TREE)
    assert bench.window.pin(key).items[0].start_line == 15
    assert item(bench).state is ItemState.FRESH
    edit(bench.root, PATH, TREE)
    assert (item(bench).start_line, item(bench).state) == (14, ItemState.MOVED)


def test_lines_are_pinned_where_they_are_on_disk(bench: Bench) -> None:
    edit(bench.root, PATH, "// one\n" + TREE)
    bench.window.pin(f"{PATH}:15-16")
    edit(bench.root, PATH, TREE.replace("Grow(int by)", "Grow(long by)"))
    assert ((now := item(bench)).start_line, now.state) == (14, ItemState.MOVED)


def test_lines_of_other_files_are_followed_by_what_they_say(bench: Bench) -> None:
    bench.window.pin("notes.txt:2-3")
    edit(bench.root, "notes.txt", "zero\none\ntwo\nthree\n")
    now = item(bench)
    assert ((now.start_line, now.end_line), now.state) == ((3, 4), ItemState.MOVED)
    edit(bench.root, "notes.txt", "zero\none\n2\nthree\n")
    now = item(bench)
    assert ((now.start_line, now.end_line), now.state) == ((2, 3), ItemState.BODY_CHANGED)


def test_a_changed_file_says_so_and_is_not_stale(bench: Bench) -> None:
    bench.window.pin("notes.txt")
    edit(bench.root, "notes.txt", "five\n")
    now = item(bench)
    assert (now.state, now.flags) == (ItemState.BODY_CHANGED, ())
    assert "five" in bench.window.render().text
    (bench.root / "notes.txt").unlink()
    assert item(bench).state is ItemState.GONE


def test_lines_chosen_by_an_older_version_say_that_nothing_is_known_of_them(bench: Bench) -> None:
    bench.state.write(
        "window.json",
        b'{"format": 1, "pinned": [{"key": "range:src/Tree.cs:14-15", "label": "x", "version": "1"}]}',
    )
    now = item(bench)
    assert now.flags == (ItemFlag.STALE,)
    assert "not known" in now.state_detail


def test_a_renamed_member_is_followed_by_all_but_its_name(bench: Bench) -> None:
    key = bench.window.pin("Tree.Grow", level="bodies").items[0].key
    change(bench, "Grow", "Rise")
    now = item(bench)
    assert (now.key, now.state, now.label) == (key, ItemState.MOVED, "Tree.Rise(int)")
    assert "renamed from Grow to Rise" in now.state_detail
    assert "public void Rise(int by)" in bench.window.render().text


def test_a_member_that_was_there_all_along_is_not_taken_for_one_that_is_gone(bench: Bench) -> None:
    twin = "    public void Shrink(int by)\n    {\n        System.Console.WriteLine(by);\n    }\n"
    private = "    private void Count(int by)\n    {\n        System.Console.WriteLine(by);\n    }\n"
    edit(bench.root, PATH, TREE.replace(private, private.replace("private", "public") + twin))
    bench.index.refresh()
    bench.window.pin("Tree.Count")
    edit(bench.root, PATH, TREE.replace(private, twin))
    assert item(bench).state is ItemState.GONE


def test_of_two_members_that_a_renamed_one_may_be_neither_is_taken(bench: Bench) -> None:
    bench.window.pin("Tree.Count")
    start = TREE.index("    private void Count")
    body = TREE[start : TREE.rindex("}")]
    two = body.replace("Count", "Tell") + body.replace("Count", "Say")
    edit(bench.root, PATH, TREE[:start].replace("Count(by);", "") + two + "}\n")
    assert item(bench).state is ItemState.GONE


def test_lines_of_a_file_of_a_million_lines_are_followed(bench: Bench) -> None:
    huge = "".join(f"line {n}\n" for n in range(1, 1_000_001))
    edit(bench.root, "huge.txt", huge)
    bench.window.pin("huge.txt:500000-500010")
    edit(bench.root, "huge.txt", "first\n" + huge)
    now = item(bench)
    assert (now.start_line, now.end_line, now.state) == (500_001, 500_011, ItemState.MOVED)


def test_what_nobody_else_sees_says_when_its_signature_changed(bench: Bench) -> None:
    bench.window.pin("Tree.Count")
    change(bench, "private void Count(int by)", "private void Count(long by)")
    assert (item(bench).state, item(bench).label) == (ItemState.SIGNATURE_CHANGED, "Tree.Count(long)")


def test_a_member_is_followed_when_its_type_is_renamed_after_it_was_away(bench: Bench) -> None:
    more = "".join(f"    public int Leaf{n} => {n};\n" for n in range(9))
    tree = TREE.replace("    private int height;\n", f"    private int height;\n{more}")
    edit(bench.root, PATH, tree)
    bench.index.refresh()
    key = bench.window.pin("Tree.Count").items[0].key
    edit(bench.root, PATH, tree.replace("void Count(int by)", "void Count(long by)"))
    assert item(bench).state is ItemState.SIGNATURE_CHANGED
    edit(bench.root, PATH, tree.replace("class Tree", "class Shrub"))
    now = item(bench)
    assert (now.key, now.label, now.state) == (key, "Shrub.Count(int)", ItemState.MOVED)


def test_a_file_that_was_renamed_is_followed_by_its_first_type(bench: Bench) -> None:
    key = bench.window.pin(PATH).items[0].key
    (bench.root / PATH).rename(bench.root / "src/Shrub.cs")
    now = item(bench)
    assert (now.key, now.label, now.file, now.state) == (key, "src/Shrub.cs", "src/Shrub.cs", ItemState.MOVED)
    assert "moved from src/Tree.cs to src/Shrub.cs" in now.state_detail
    edit(bench.root, "src/Shrub.cs", TREE + "// more\n")
    now = item(bench)
    assert now.state is ItemState.BODY_CHANGED
    assert "// more" in bench.window.render().text
    edit(bench.root, PATH, TREE)
    assert item(bench).file == PATH
