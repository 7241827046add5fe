"""Names of files that may not be read say why, and one text that several projects compile is no choice to make."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.bench.bench import Bench
from services.bench.queries.sources import Grep
from services.errors import AmbiguousSymbol, FileMissing, PathRefused
from tests.support.workspace import indexed, project

SHARED = project().replace("</Project>", '<ItemGroup><Compile Include="../A/**/*.cs"/></ItemGroup></Project>')


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    files = {
        "A/A.csproj": project(),
        "B/B.csproj": SHARED,
        "A/Tree.cs": "class Tree\n{\n    void Grow() { }\n}\n",
        "A/Leaf.cs": "namespace One { class Leaf { } }\nnamespace Two { class Leaf { } }\n",
    }
    with indexed(tmp_path, files) as bench:
        (tmp_path / "A/out.cs").symlink_to("/etc/hostname")
        os.mkfifo(tmp_path / "A/pipe.cs")
        (tmp_path / "A/folder.cs").mkdir()
        yield bench


READS: list[Callable[[Bench, str], object]] = [
    lambda bench, name: bench.sources.read(name),
    lambda bench, name: bench.sources.structure(name),
    lambda bench, name: bench.sources.grep(Grep(pattern="x"), name),
    lambda bench, name: bench.window.pin(name),
]


@pytest.mark.parametrize("read", READS, ids=["read", "structure", "grep", "pin"])
@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("A/out.cs", "a link to an absolute path"),
        ("A/pipe.cs", "not a regular file"),
        ("A/folder.cs", "it is a folder"),
        (".git/config", "git's own folder"),
        ("A/../.GIT/HEAD", "git's own folder"),
        (".context/index.json", "the program's own files"),
        (".codecortex-state/writes.db", "the program's own state"),
        ("../x.cs", "it leaves the workspace"),
        ("/etc/passwd", "it lies outside the workspace"),
    ],
)
def test_a_path_that_may_not_be_read_is_refused_with_its_reason(
    bench: Bench, read: Callable[[Bench, str], object], name: str, reason: str
) -> None:
    with pytest.raises(PathRefused, match=reason):
        read(bench, name)


@pytest.mark.parametrize("read", READS, ids=["read", "structure", "grep", "pin"])
def test_a_path_where_nothing_is_names_files_close_to_it(
    bench: Bench, read: Callable[[Bench, str], object]
) -> None:
    with pytest.raises(FileMissing) as raised:
        read(bench, "A/Tre.cs")
    assert raised.value.details["suggestions"][0] == "A/Tree.cs"


def test_a_type_that_two_projects_compile_from_one_file_is_one_text(bench: Bench) -> None:
    assert bench.outlines.outline("Tree").symbol.file == "A/Tree.cs"
    assert bench.sources.read("Tree").content.startswith("class Tree")
    assert bench.sources.read("Tree.Grow").content == "    void Grow() { }\n"
    assert bench.sources.structure("Tree").file == "A/Tree.cs"
    assert [match.line_number for match in bench.sources.grep(Grep(pattern="Grow"), "Tree").matches] == [3]
    handle = bench.writing.lock("Tree").lock_handle
    assert handle is not None
    assert bench.writing.unlock("Tree", handle).files == ("A/Tree.cs",)


def test_two_types_of_one_name_stay_a_choice(bench: Bench) -> None:
    with pytest.raises(AmbiguousSymbol):
        bench.sources.read("Leaf")
