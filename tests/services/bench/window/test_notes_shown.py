"""Outlines in the window end with what somebody wrote on their types, and that goes before any outline does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.semantic.values import Author, NoteFields
from services.settings import Settings, WindowSettings
from tests.support.workspace import edit, indexed, project, write_workspace

TREE = "public class Tree\n{\n    public int Height { get; set; }\n\n    public void Grow() => Height++;\n}\n"
FILES = {
    "Orchard.csproj": project(),
    "src/Tree.cs": TREE,
    "src/Leaf.cs": "public class Leaf { public int Veins; }\n",
}
LABELS = ("ROLE:", "LIFECYCLE:", "LIMITATIONS:", "RECOMMENDATIONS:", "EDGE_CASES:")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(tmp_path, FILES) as made:
        yield made


def note(bench: Bench, path: str, *, lines: int = 1) -> None:
    texts = {
        label: "\n".join(f"{path} {label} {n}" for n in range(lines))
        for label in NoteFields.__struct_fields__
    }
    bench.notes.put(bench.lookup.found(path).whole.id, NoteFields(**texts), Author.PERSON, "ada")


def shown(text: str) -> list[str]:
    return [line for line in text.splitlines() if line in LABELS]


def test_an_outline_ends_with_the_note_on_its_type(bench: Bench) -> None:
    before = bench.window.pin("Tree").text
    note(bench, "Tree")
    text = bench.window.rendering().window.text
    assert (
        text.replace(text[text.index("Note by ada") : text.index("Tree edge_cases 0\n") + 18], "").split()
        == before.split()
    )
    assert shown(text) == [*LABELS]
    assert shown(bench.window.set_level("Tree", "signature").text) == []


def test_a_stale_note_says_so_where_it_is_shown(bench: Bench) -> None:
    bench.window.pin("Tree")
    note(bench, "Tree")
    assert "It may not hold any more" not in bench.window.rendering().window.text
    edit(bench.root, "src/Tree.cs", TREE.replace("Height++", "Height += 2"))
    bench.index.refresh()
    assert (
        "It may not hold any more: The bodies of Tree have changed." in bench.window.rendering().window.text
    )


def test_what_is_written_on_a_type_goes_before_another_s_outline_does(bench: Bench) -> None:
    for path in ("Tree", "Leaf"):
        bench.window.pin(path)
        note(bench, path, lines=12)
    whole = bench.window.rendering().window
    assert shown(whole.text) == [*LABELS, *LABELS]
    seen: list[tuple[int, int]] = []
    for tokens in range(whole.tokens - 1, 50, -10):
        bench.use_settings(Settings(window=WindowSettings(budget=tokens, soft_budget=1.0)))
        window = bench.window.rendering().window
        assert window.tokens <= tokens
        if [item.level for item in window.items] != ["outline", "outline"]:
            break
        first = len(shown(window.text.split("Leaf")[0]))
        seen.append((first, len(shown(window.text)) - first))
        is_cut = "the rest is not shown" in window.text  # what is left is given to one of them
        assert is_cut or seen[-1][0] - seen[-1][1] in (0, 1)
    assert (0, 0) in seen


def test_settings_leave_notes_out(tmp_path: Path) -> None:
    write_workspace(tmp_path, FILES)
    with Bench.open(tmp_path, settings=Settings(window=WindowSettings(notes=False))) as bench:
        bench.index.refresh()
        bench.window.pin("Tree")
        note(bench, "Tree")
        assert "Note by" not in bench.window.rendering().window.text


def test_a_pack_has_notes_and_loses_them_before_types(bench: Bench) -> None:
    for path in ("Tree", "Leaf"):
        note(bench, path, lines=12)
    whole = bench.packs.build("all", filter="type:*")
    assert shown(whole.text) == [*LABELS, *LABELS]
    for budget in range(whole.tokens - 1, 110, -30):
        pack = bench.packs.build("all", budget=budget)
        assert pack.tokens <= budget
        levels = [each.level for each in pack.types]
        assert levels == ["outline", "outline"] or not shown(pack.text)
    assert not shown(pack.text)
