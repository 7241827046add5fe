"""Source by what people write: parts, versions, grep and structure over a workspace on disk."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.queries.sources import Grep
from services.errors import (
    Cancelled,
    IncludeNotFound,
    LineOutOfRange,
    NotText,
    PatternInvalid,
    SymbolNotFound,
    UsageError,
)
from services.model import Progress
from services.settings import CacheSettings
from services.source.grep_search import GrepTotals
from services.source.read.token import parse_token
from tests.support.workspace import edit, indexed, project

TREE = """namespace Orchard;

/// <summary>A tree.</summary>
public partial class Tree
{
    public int Height { get; set; }

    public void Grow(int by)
    {
        Height += by;
    }
}
"""
MORE = "namespace Orchard;\r\n\r\npartial class Tree\r\n{\r\n    int Age() => 1;\r\n}"
TESTS = "namespace Orchard.Tests;\npublic class TreeTests\n{\n    void Grows() { }\n}\n"
USES = "namespace Orchard.Tests;\npublic class Growth\n{\n    void Leaves() { new Leaf(); }\n}\n"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    files = {
        "src/Orchard.csproj": project(),
        "src/Tree.cs": TREE,
        "src/Tree.More.cs": MORE,
        "src/Leaf.cs": "namespace Orchard;\nclass Leaf { }\n",
        "tests/Orchard.Tests.csproj": project(),
        "tests/TreeTests.cs": TESTS,
        "tests/Growth.cs": USES,
        "logo.png": b"\x89PNG\0\0Height",
        "notes.md": "Height is in metres.\nheight\n",
    }
    with indexed(tmp_path, files) as made:
        yield made


def stretches(bench: Bench, include: str, name: str = "Tree") -> list[tuple[str, int, int]]:
    return [(p.file, p.start_line, p.end_line) for p in bench.sources.read(name, include=include).pieces]


def test_a_part_is_read_with_its_places_and_a_token_for_each_file(bench: Bench) -> None:
    read = bench.sources.read("Tree", include="definitions")
    assert stretches(bench, "definitions") == [
        ("src/Tree.cs", 4, 8),
        ("src/Tree.cs", 12, 12),
        ("src/Tree.More.cs", 3, 6),
    ]
    assert (read.object, read.file, read.object_type, read.include_type) == (
        "Tree",
        "src/Tree.cs",
        "class",
        "definitions",
    )
    assert (read.start_line, read.end_line, read.line_count) == (4, 12, 12)
    assert read.token == read.pieces[0].token == bench.sources.read("src/Tree.cs").token
    assert read.pieces[2].token == bench.sources.read("src/Tree.More.cs").token
    expected = "".join(
        bench.sources.read(p.file, start=p.start_line, end=p.end_line).content for p in read.pieces
    )
    assert read.content == expected


def test_every_part_stands_where_the_language_has_it(bench: Bench) -> None:
    assert stretches(bench, "main") == [("src/Tree.cs", 4, 12)]
    assert stretches(bench, "implementations") == [("src/Tree.cs", 9, 11), ("src/Tree.More.cs", 5, 5)]
    assert stretches(bench, "testclasses") == [("tests/TreeTests.cs", 2, 5)]
    assert stretches(bench, "testclasses", "Leaf") == [("tests/Growth.cs", 2, 5)]


def test_a_part_that_is_not_there_says_which_are(bench: Bench) -> None:
    with pytest.raises(IncludeNotFound) as raised:
        bench.sources.read("Tree", include="macros")
    details = raised.value.as_value()["details"]
    assert details["available"] == ["main", "definitions", "implementations", "testclasses"]
    with pytest.raises(IncludeNotFound, match="Parts are main"):
        bench.sources.read("Tree", include="includes")


def test_lines_of_a_part_are_the_files_own(bench: Bench) -> None:
    read = bench.sources.read("Tree", include="implementations", start=10, end=10)
    assert (read.content, read.start_line, read.requested_end_line) == ("        Height += by;\n", 10, 10)
    for start, end in ((1, 3), (13, 20), (11, 9), (12, 12)):
        with pytest.raises(LineOutOfRange):
            bench.sources.read("Tree", include="implementations", start=start, end=end)


def test_files_and_members_have_no_parts_and_are_read_as_they_are(bench: Bench) -> None:
    assert (
        bench.sources.read("src/Leaf.cs", include="macros").content
        == bench.sources.read("src/Leaf.cs").content
    )
    assert (
        bench.sources.read("Tree.Grow", include="macros").content == bench.sources.read("Tree.Grow").content
    )
    assert bench.sources.grep(Grep(pattern="Leaf"), "src/Leaf.cs", include="macros").match_count == 1


def test_a_part_follows_the_file_as_it_changes(bench: Bench) -> None:
    edit(bench.root, "src/Tree.cs", "\n\n" + TREE)
    assert stretches(bench, "main") == [("src/Tree.cs", 6, 14)]


def test_an_unchanged_file_is_read_once(bench: Bench) -> None:
    edit(bench.root, "long.txt", "".join(f"line {n}\n" for n in range(10_000)))
    os.utime(bench.root / "long.txt", (1_700_000_000, 1_700_000_000))
    before = bench.health.status().cache
    first = bench.sources.read("long.txt:1-100")
    for start in range(1, 1_000, 100):
        assert bench.sources.read("long.txt", start=start, end=start + 99).content.startswith(
            f"line {start - 1}\n"
        )
    after = bench.health.status().cache
    assert parse_token(first.token).changed_at == 1_700_000_000_000
    assert after["misses"] - before["misses"] == 1
    assert after["hits"] - before["hits"] == 10


def test_the_workspace_is_searched_with_its_text_files(bench: Bench) -> None:
    found = bench.sources.grep(Grep(pattern="Height"))
    places = [(m.file, m.line_number) for m in found.matches]
    assert places == [("notes.md", 1), ("src/Tree.cs", 6), ("src/Tree.cs", 10)]
    assert (found.match_count, found.truncated, found.binary, found.object) == (3, False, 1, None)
    assert found.line_count == 2 + 12
    both = bench.sources.grep(Grep(pattern="height", case_insensitive=True, globs="*.md"))
    assert [m.line_number for m in both.matches] == [1, 2]
    cut = bench.sources.grep(Grep(pattern="Height", most=2))
    assert (cut.match_count, cut.truncated) == (2, True)


def test_a_symbol_is_searched_in_its_own_lines_alone(bench: Bench) -> None:
    assert [m.line_number for m in bench.sources.grep(Grep(pattern="Height"), "Tree").matches] == [6, 10]
    inside = bench.sources.grep(Grep(pattern="Height", context=1), "Tree", include="implementations")
    assert [(m.line_number, m.context_before, m.context_after) for m in inside.matches] == [
        (10, ("    {",), ("    }",))
    ]
    assert (inside.include_type, inside.object_type, inside.line_count) == ("implementations", "class", 4)
    assert bench.sources.grep(Grep(pattern="Age"), "Tree").matches[0].file == "src/Tree.More.cs"
    assert bench.sources.grep(Grep(pattern="Height"), "src/Tree.cs:1-6").match_count == 1
    assert bench.sources.grep(Grep(pattern="Height"), "Tree.Grow").matches[0].line_number == 10


def test_lines_that_were_only_searched_do_not_count_as_read(bench: Bench) -> None:
    token = bench.sources.read("src/Tree.cs", start=1, end=1).token
    bench.sources.grep(Grep(pattern="Height"), "src/Tree.cs:5-9")
    bench.sources.grep(Grep(pattern="Height"), "Tree", include="implementations")
    assert bench.reader.cache.seen("src/Tree.cs", token).lines == ((1, 1),)


def test_what_cannot_be_searched_is_refused(bench: Bench) -> None:
    with pytest.raises(PatternInvalid):
        bench.sources.grep(Grep(pattern="(?=a)"))
    with pytest.raises(PatternInvalid):
        bench.sources.grep_files(Grep(pattern="("), GrepTotals())
    with pytest.raises(NotText):
        bench.sources.grep(Grep(pattern="a"), "logo.png")
    for wrong in (Grep(pattern="a", context=-1), Grep(pattern="a", most=0), Grep(pattern="a", context=10**9)):
        with pytest.raises(UsageError):
            bench.sources.grep(wrong)
    with pytest.raises(UsageError):
        bench.sources.grep(Grep(pattern="a", globs="*.cs"), "src/Tree.cs")
    with pytest.raises(UsageError):
        bench.sources.read("Tree", version="HEAD")


def test_files_come_one_by_one_and_stop_when_cancelled(bench: Bench) -> None:
    cancel, tally, told = threading.Event(), GrepTotals(), list[Progress]()
    files = bench.sources.grep_files(Grep(pattern="."), tally, progress=told.append, cancel=cancel)
    assert next(files).matches
    assert tally.matches > 0
    cancel.set()
    with pytest.raises(Cancelled):
        list(files)


def test_a_search_past_its_time_answers_what_it_has_and_says_so(tmp_path: Path) -> None:
    text = "x\n" * 200_000
    cache = CacheSettings(grep_timeout=1)
    with indexed(tmp_path, {"a.csproj": project(), "a.txt": text, "b.txt": text}, cache=cache) as bench:
        for found in (
            bench.sources.grep(Grep(pattern=r"\Ax\z", most=1_000_000)),
            bench.sources.grep(Grep(pattern=r"\Ax\z", most=1_000_000), "a.txt"),
        ):
            assert found.truncated
            assert found.timed_out
            assert found.match_count < 200_000


def test_structure_lists_parts_members_and_links_without_source(bench: Bench) -> None:
    found = bench.sources.structure("Tree")
    assert [part.include_type for part in found.includes] == [
        "main",
        "definitions",
        "implementations",
        "testclasses",
    ]
    assert [part.line_count for part in found.includes] == [9, 10, 4, 4]
    assert {member.label for member in found.members} == {"Height", "Grow(int)", "Age()"}
    assert [(link.rel, link.href) for link in found.links] == [
        ("source", "src/Tree.cs"),
        ("source", "src/Tree.More.cs"),
    ]
    assert found.token == bench.sources.read("src/Tree.cs").token
    file = bench.sources.structure("src/Tree.cs")
    assert (file.object_type, [member.path for member in file.members]) == ("file", ["Orchard.Tree"])
    with pytest.raises(SymbolNotFound):
        bench.sources.structure("Nothing")


def test_a_part_at_head_is_parsed_with_the_symbols_of_its_project(tmp_path: Path) -> None:
    text = "class Tree\n{\n#if FAST\n    void Grow() { }\n#else\n    void Grow(int by) { }\n#endif\n}\n"
    files = {"a.csproj": project(properties="<DefineConstants>FAST</DefineConstants>"), "a.cs": text}
    with indexed(tmp_path, files) as bench:
        for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
            identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
            subprocess.run(["git", *identity, *command], cwd=tmp_path, check=True)
        edit(bench.root, "a.cs", "\n" + text)
        read = bench.sources.read("Tree.Grow()", version="active")
        assert (read.start_line, read.content) == (4, "    void Grow() { }\n")
        assert [
            (p.start_line, p.end_line)
            for p in bench.sources.read("Tree", include="macros", version="inactive").pieces
        ] == [
            (3, 3),
            (5, 5),
            (7, 7),
        ]
