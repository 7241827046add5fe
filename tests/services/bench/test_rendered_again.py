"""A window that is rendered again and again is, whatever happens, the one that is rendered for the first time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.bench.bench import Bench
from services.bench.queries.sources import Grep
from services.errors import CodeCortexError
from services.prompt.items import CopyRequest
from services.prompt.tokens.tokenizers import EncodingCounter, counter_for
from tests.support.workspace import edit, indexed, opened, project

TREE = """namespace Orchard;

/// <summary>A tree.</summary>
public class Tree
{
    public Leaf First { get; set; }

    public void Grow(int by)
    {
        Height += by;
    }
}
"""
TEXTS = {
    "Tree.cs": (
        TREE,
        TREE.replace("by;", "by + 1;"),
        TREE.replace("Leaf First", "Fruit First"),
        TREE.replace("A tree", "A tall tree"),
        TREE.replace("class Tree", "class Bush"),
        "// moved down\n" * 3 + TREE,
        TREE + "// one line more\n",
    ),
    "Leaf.cs": (
        "namespace Orchard;\n\npublic class Leaf\n{\n    public Tree Of;\n}\n",
        "namespace Orchard;\n\npublic struct Leaf\n{\n    public int Of;\n}\n",
        "namespace Orchard;\n\npublic class Fruit { }\n",
        "",
    ),
    "More.cs": (
        "namespace Orchard;\n\npublic class Fruit\n{\n    public Leaf Under;\n}\n",
        'namespace Orchard;\n\npublic class Fruit\n{\n    string key = "AKIAIOSFODNN7EXAMPLE";\n}\n',
        "namespace Other;\n\npublic partial class Tree { }\n",
        "namespace Orchard;\n\npublic class Tree { }\n",
    ),
    "notes.txt": ("one\ntwo\nthree\nfour\n", "zero\none\ntwo\nthree\n", "one\nTWO\nthree\nfour\n"),
}
FILES = {"Orchard.csproj": project(), **{name: texts[0] for name, texts in TEXTS.items()}}
PINS = (
    "Tree",
    "Tree.Grow",
    "Leaf",
    "Fruit",
    "Tree.cs",
    "Leaf.cs:3-5",
    "Tree.cs:8-11",
    "notes.txt:2-3",
    "pack:all",
)
LEVELS = ("signature", "outline", "bodies", "range", "whole")

Step = Callable[[Bench, Path], object]


def edits() -> st.SearchStrategy[Step]:
    """A file says something else, or goes."""
    written = [(name, text) for name, texts in TEXTS.items() for text in texts]
    return st.one_of(
        st.sampled_from(written).map(lambda what: lambda _, folder: edit(folder, *what)),
        st.sampled_from(list(TEXTS)).map(
            lambda name: lambda _, folder: (folder / name).unlink(missing_ok=True)
        ),
    )


def acts() -> st.SearchStrategy[Step]:
    """A person does something to the window."""
    pins = st.sampled_from(PINS)
    return st.one_of(
        pins.map(lambda path: lambda bench, _: bench.window.pin(path, force=True)),
        pins.map(lambda path: lambda bench, _: bench.window.visit(path)),
        pins.map(lambda path: lambda bench, _: bench.window.unpin(path)),
        pins.map(lambda path: lambda bench, _: bench.window.dismiss(path)),
        st.tuples(pins, st.sampled_from(LEVELS)).map(
            lambda asked: lambda bench, _: bench.window.set_level(*asked, force=True)
        ),
        st.tuples(pins, pins).map(lambda two: lambda bench, _: bench.window.move(two[0], before=two[1])),
        st.tuples(st.sampled_from(["gpt-4o", "claude-sonnet-4-5"]), st.integers(100, 1_500)).map(
            lambda wanted: lambda bench, _: bench.models.choose(*wanted)
        ),
        st.just(lambda bench, _: bench.window.pin_note("Mind the leaves.", force=True)),
        st.just(lambda bench, _: bench.window.pin_search(Grep(pattern="class|TWO"), force=True)),
        st.just(lambda bench, _: bench.window.render(format="xml")),
        st.just(lambda bench, _: bench.copying.prepare(CopyRequest())),
    )


STEPS = st.lists(st.one_of(edits(), acts()), min_size=1, max_size=8)


@given(steps=st.lists(STEPS, min_size=1, max_size=2))
@settings(max_examples=10)
def test_a_window_rendered_again_is_the_one_rendered_for_the_first_time(steps: list[list[Step]]) -> None:
    encodings = EncodingCounter()
    with TemporaryDirectory() as made, indexed(folder := Path(made), FILES) as bench:
        bench.packs.build("all", filter="type:*")
        for path in PINS:
            bench.window.pin(path, force=True)
        for some in steps:
            for step in some:
                with suppress(CodeCortexError, FileNotFoundError):
                    step(bench, folder)
                bench.window.render()
            bench.index.refresh()  # tells of files that are new; those of the window are looked at by the window
            window = bench.window.render()
            with opened(folder) as other:
                other.index.refresh()
                assert window == other.window.render()
            assert window.tokens == counter_for(window.model, encodings).count(window.text) <= window.budget


@pytest.mark.parametrize("level", ["outline", "signature"])
def test_a_file_told_by_its_types_follows_their_parts_in_other_files(tmp_path: Path, level: str) -> None:
    files = {"A.cs": "public partial class Both { }", "B.cs": "public partial class Both { }"}
    with indexed(tmp_path, files) as bench:
        bench.window.pin("A.cs", level=level)
        assert "sealed" not in bench.window.render().text
        edit(tmp_path, "B.cs", "public sealed partial class Both { }")
        assert "sealed" in bench.window.render().text
