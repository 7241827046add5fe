"""All services over one workspace."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.errors import AmbiguousSymbol, LineOutOfRange, PathRefused, SymbolNotFound, UsageError
from services.settings import Settings
from tests.support.workspace import edit, indexed, opened, project, write_workspace

TREE = """namespace Orchard;

/// <summary>A tree.</summary>
public class Tree
{
    public int Height { get; set; }

    public void Grow(int by)
    {
        Height += by;
    }
}
"""


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with indexed(
        tmp_path, {"src/Tree.cs": TREE, "src/Leaf.cs": "namespace Orchard;\nclass Leaf { }\n"}
    ) as made:
        yield made


def test_a_symbol_is_read_where_it_stands(bench: Bench) -> None:
    read = bench.sources.read("Tree.Grow")
    assert read.content == "    public void Grow(int by)\n    {\n        Height += by;\n    }\n"
    assert (read.object, read.object_type, read.file) == ("Tree.Grow", "method", "src/Tree.cs")
    assert (read.start_line, read.end_line) == (8, 11)


@pytest.mark.parametrize("path", ["src/Tree.cs:4-5", "src/../src/Tree.cs:4-5", "./src/Tree.cs:4-5"])
def test_lines_of_a_file_are_read_by_its_path(bench: Bench, path: str) -> None:
    assert bench.sources.read(path).content == "public class Tree\n{\n"


def test_a_symbol_is_read_by_range_too(bench: Bench) -> None:
    assert bench.sources.read("Tree", start=1, end=1).content == "namespace Orchard;\n"
    assert bench.sources.read("src/Tree.cs", start=4, end=4).content == "public class Tree\n"


def test_what_cannot_be_read_says_why(bench: Bench) -> None:
    with pytest.raises(SymbolNotFound):
        bench.sources.read("Nowhere")
    with pytest.raises(LineOutOfRange):
        bench.sources.read("src/Tree.cs:90")
    with pytest.raises((PathRefused, SymbolNotFound)):
        bench.sources.read("../Tree.cs")


def test_a_symbol_that_moved_on_disk_is_read_where_it_stands_now(bench: Bench) -> None:
    edit(bench.root, "src/Tree.cs", "// one more line\n" + TREE)
    assert bench.sources.read("Tree.Grow").content.startswith("    public void Grow")
    edit(bench.root, "src/Tree.cs", TREE.replace("Grow", "Shrink"))
    with pytest.raises(SymbolNotFound):
        bench.sources.read("Tree.Grow()")


def test_an_outline_is_made_of_what_is_on_disk(bench: Bench) -> None:
    edit(bench.root, "src/Tree.cs", TREE.replace("int by", "long by"))
    answer = bench.outlines.outline("Tree")
    assert "long by" in answer.text
    assert answer.tokens > 0
    assert answer.resolved.path == "Orchard.Tree"


def test_the_window_shows_what_is_on_disk(bench: Bench) -> None:
    bench.window.pin("Tree")
    bench.window.pin("src/Leaf.cs")
    bench.window.pin("src/Tree.cs:4-4")
    edit(bench.root, "src/Tree.cs", TREE.replace("Grow", "Shrink").replace("class Tree", "sealed class Tree"))
    edit(bench.root, "src/Leaf.cs", "namespace Orchard;\nclass Leaf { int green; }\n")
    window = bench.window.render()
    assert "Shrink" in window.text
    assert "Grow" not in window.text
    assert "int green" in window.text
    assert "sealed class Tree" in window.text


def test_an_item_is_pinned_unpinned_and_dismissed(bench: Bench) -> None:
    id_ = bench.outlines.detail("Tree").symbol.id
    (item,) = bench.window.pin("Tree").items
    assert (item.pinned, item.symbol_id, item.kind) == (True, id_, "type")
    assert [each.symbol_id for each in bench.window.render().items] == [id_]
    (item,) = bench.window.unpin(item.key).items
    assert not item.pinned
    with pytest.raises(UsageError):
        bench.window.unpin("Tree")
    assert bench.window.dismiss("Tree").items == ()
    with pytest.raises(UsageError):
        bench.window.dismiss("Tree")


def test_a_visit_enters_the_window_and_lasts(bench: Bench, tmp_path: Path) -> None:
    bench.window.visit("Tree.Grow")
    (item,) = bench.window.render().items
    assert (item.kind, item.pinned) == ("member", False)
    with opened(tmp_path) as again:
        again.index.refresh()
        assert [each.key for each in again.window.render().items] == [item.key]
        assert again.index.search("").hits[0].symbol.id == item.symbol_id


def test_a_symbol_that_vanished_stays_flagged(bench: Bench) -> None:
    bench.window.pin("Leaf")
    (bench.root / "src/Leaf.cs").unlink()
    (item,) = bench.window.render().items
    assert "vanished" in [flag.value for flag in item.flags]


def test_an_ambiguous_path_names_its_candidates(bench: Bench) -> None:
    write_workspace(bench.root, {"src/Wood.cs": "namespace Wood; class Tree { }"})
    bench.index.refresh()
    with pytest.raises(AmbiguousSymbol) as raised:
        bench.outlines.outline("Tree")
    assert [each["path"] for each in raised.value.details["candidates"]] == ["Orchard.Tree", "Wood.Tree"]


def test_a_symbol_has_one_price_before_it_is_pinned_and_after(bench: Bench) -> None:
    id_ = bench.outlines.detail("Tree").symbol.id
    member = next(each.id for each in bench.outlines.detail("Tree").members)
    costs = bench.window.costs([id_, "T_00000000", member])
    assert costs.keys() == {id_, member}
    bench.window.pin(id_)
    window = bench.window.pin(member)
    assert {item.symbol_id: item.tokens for item in window.items} == costs
    edit(bench.root, "src/Tree.cs", TREE.replace("}\n}", "}\n    public void Bloom(string colour) { }\n}"))
    bench.index.refresh()
    assert bench.window.costs([id_])[id_] > costs[id_]


def test_the_price_is_that_of_the_model_in_use(bench: Bench) -> None:
    id_ = bench.outlines.detail("Tree").symbol.id
    exact = bench.window.costs([id_])[id_]
    bench.models.choose("claude", None)
    assert bench.window.costs([id_])[id_] != exact


def test_status_counts_what_is_there(bench: Bench) -> None:
    status = bench.health.status()
    assert (status.files, status.types, status.state) == (2, 2, "ready")
    assert status.quality == {"exact": 2}
    assert status.members == 2
    assert "index.refresh.ms" in status.measures
    assert status.memory_mb >= 0


def test_a_solution_opens_its_folder_and_its_projects_alone(tmp_path: Path) -> None:
    files = {
        "a/A.csproj": project(),
        "b/B.csproj": project(),
        "a/A.cs": "class A { }",
        "b/B.cs": "class B { }",
        "One.slnx": '<Solution><Project Path="a/A.csproj" /></Solution>',
    }
    write_workspace(tmp_path, files)
    with Bench.open(tmp_path / "One.slnx", settings=Settings()) as made:
        made.index.refresh()
        assert made.name == "One"
        assert [each.name for each in made.health.status().projects] == ["A"]
        assert made.lookup.resolve("A").resolved is not None
        assert made.lookup.resolve("B").resolved is None


def test_coloured_spans_lie_in_their_lines(bench: Bench) -> None:
    lines = TREE.split("\n")
    coloured = bench.sources.colours(lines).of(range(1, len(lines) + 1))
    assert len(coloured) >= 12
    for number, spans in coloured.items():
        assert all(0 <= span.start < span.end <= len(lines[number - 1]) for span in spans)


def test_candidates_tell_a_generic_type_from_a_plain_one(bench: Bench) -> None:
    write_workspace(
        bench.root,
        {
            "src/Nest.cs": "class Nest { void Hatch() { } }\nclass Nest<TEgg> { void Hatch() { } class In { } }"
        },
    )
    bench.index.refresh()
    with pytest.raises(AmbiguousSymbol) as raised:
        bench.outlines.outline("Hatch")
    paths = [each["path"] for each in raised.value.details["candidates"]]
    assert sorted(paths) == ["Nest.Hatch()", "Nest<TEgg>.Hatch()"]
