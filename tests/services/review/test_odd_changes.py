"""Everything odd that a change can hold, through a whole review: opened, analysed, marked, packed, handed on."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from services.bench.bench import Bench
from services.errors import UsageError, WorkspaceError
from services.model import FileChange
from tests.support.review_change import git
from tests.support.workspace import opened, project, write_workspace

CLASS = """namespace N;
public class {}
{{
    public int A() => 1;
    public int B() => 2;
    public int C() => 3;
}}
"""
MEMBERS = 180


def _many(value: str) -> str:
    body = "".join(f"    public int M{at}() => {value if at % 3 == 0 else at};\n" for at in range(MEMBERS))
    return f"namespace N;\npublic class Many\n{{\n{body}}}\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A commit that renames with an edit, makes a file a program, moves a submodule on, changes a picture, endings of
    lines, and the end of a file; then a merge whose result is on neither side."""
    top = tmp_path_factory.mktemp("odd")
    part, folder = top / "part", top / "whole"
    write_workspace(part, {"a": "1\n"})
    git(part, "init", "-q", "-b", "main")
    git(part, "add", ".")
    git(part, "commit", "-qm", "one")
    write_workspace(folder, {
        "L.csproj": project("<TargetFramework>net8.0</TargetFramework>"), "run.sh": "echo\n",
        ".gitignore": ".context/\n",
        "Moved.cs": CLASS.format("Moved"), "Ends.cs": CLASS.format("Ends"), "Many.cs": _many("0"),
        "Crlf.cs": CLASS.format("Crlf").replace("\n", "\r\n"), "Open.cs": b"namespace N;\npublic class Open { }",
        "picture.png": b"\x89PNG\0\1",
    })  # fmt: skip
    git(folder, "init", "-q", "-b", "main")
    git(folder, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(part), "part")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    write_workspace(part, {"a": "2\n"})
    git(part, "commit", "-qam", "two")
    git(folder / "part", "pull", "-q")
    git(folder, "mv", "Moved.cs", "Gone.cs")
    os.chmod(folder / "run.sh", 0o755)  # noqa: PTH101
    write_workspace(folder, {
        "Gone.cs": CLASS.format("Moved").replace("=> 2", "=> 22"),
        "Ends.cs": CLASS.format("Ends").replace("\n", "\r\n"),
        "Crlf.cs": CLASS.format("Crlf").replace("=> 1", "=> 11").replace("\n", "\r\n"), "Many.cs": _many("-1"),
        "Open.cs": b"namespace N;\npublic class Open { public int A; }", "picture.png": b"\x89PNG\0\2",
    })  # fmt: skip
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "two")
    write_workspace(top, {"odd.patch": git(folder, "diff", "--binary", "-M", "HEAD~1", "HEAD") + "\n"})
    git(folder, "checkout", "-q", "-b", "side", "HEAD~1")
    write_workspace(folder, {"Open.cs": b"namespace N;\npublic class Open { public long A; }"})
    git(folder, "commit", "-qam", "side")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "-s", "ours", "side")
    write_workspace(folder, {"Open.cs": b"namespace N;\npublic class Open { public decimal A; }"})
    git(folder, "commit", "-q", "-a", "--amend", "-m", "merged")
    write_workspace(top, {"merge.patch": git(folder, "show", "--format=", "-c", "HEAD") + "\n"})
    (folder / "odd.patch").write_bytes((top / "odd.patch").read_bytes())
    (folder / "merge.patch").write_bytes((top / "merge.patch").read_bytes())
    with opened(folder) as made:
        made.index.refresh()
        yield made


def by_path(bench: Bench, change: str) -> dict[str, FileChange]:
    return {each.path: each for each in bench.review.open(change).set.files}


@pytest.mark.parametrize(
    "change", ["HEAD~1", "HEAD", "HEAD~1^..HEAD", "patch:odd.patch", "patch:merge.patch"]
)
def test_it_is_reviewed_from_end_to_end(bench: Bench, change: str) -> None:
    files = by_path(bench, change)
    assert bench.review.numbered(change).files == len(files)
    answer = bench.review.review(change, analyze=True)
    assert all(
        each.file in {*files, *(file.old_path for file in files.values()), ""} for each in answer.findings
    )
    for path in files:
        bench.review.mark(change, path)
    progress = bench.review.review(change).progress
    assert (progress.reviewed, progress.files_reviewed) == (progress.hunks, len(files))
    assert all(f"File: {path}" in bench.review.pack(change, budget=50_000).text for path in files)
    for target in ("markdown", "sarif"):
        assert bench.review.publish(change, target).text


def test_each_odd_thing_is_told(bench: Bench) -> None:
    for change in ("HEAD~1", "patch:odd.patch"):
        files = by_path(bench, change)
        assert (files["Gone.cs"].status, files["Gone.cs"].old_path) == ("renamed", "Moved.cs")
        assert files["run.sh"].mode_changed
        assert files["picture.png"].binary
        assert (files["part"].old_mode, files["part"].new_mode) == ("160000", "160000")
    shown = bench.review.numbered("HEAD~1").text
    assert "[renamed from Moved.cs]" in shown
    assert "[mode 100644 is now 100755]" in shown
    assert "+     public int B() => 22;" in shown
    assert shown.count("\\ No newline at end of file") == 2
    assert "\r" not in shown
    assert by_path(bench, "patch:merge.patch")["Open.cs"].note.startswith("A combined diff")


def test_a_patch_of_another_version_is_shown_and_its_code_not_looked_up(bench: Bench) -> None:
    answer = bench.review.review("patch:odd.patch", analyze=True)
    assert "fits no state that is here" in answer.not_looked_up
    assert bench.review.numbered("patch:odd.patch").added > MEMBERS // 3


def test_endings_of_lines_alone_change_every_line(bench: Bench) -> None:
    (ends, crlf) = (by_path(bench, "HEAD~1")[path] for path in ("Ends.cs", "Crlf.cs"))
    assert ((ends.added, ends.deleted), (crlf.added, crlf.deleted)) == ((7, 7), (1, 1))


def test_a_revision_that_is_gone_is_told(bench: Bench) -> None:
    for name in ("f" * 40, "HEAD~99", "nowhere..HEAD", "patch:gone.patch"):
        with pytest.raises(WorkspaceError):
            bench.review.open(name)


def test_a_pack_stops_looking_for_what_does_not_fit(bench: Bench) -> None:
    small = bench.review.pack("HEAD~1", budget=1_200)
    assert small.left_out[-1] == "what else is around the change"
    assert len(small.left_out) < MEMBERS
    assert small.tokens <= 1_200


def test_symbols_around_many_lines_are_those_around_each(bench: Bench) -> None:
    index = bench.index.facade
    for path in ("Many.cs", "Gone.cs", "Crlf.cs", "Open.cs"):
        count = bench.root.joinpath(path).read_bytes().count(b"\n") + 2
        one = [index.files.enclosing(path, line) for line in range(count)]
        each = dict.fromkeys(ref for ref in one if ref is not None)
        assert index.files.enclosing_each(path, range(count)) == list(each)
        assert each


def test_a_patch_is_written_as_it_came(bench: Bench) -> None:
    whole = (bench.root / "odd.patch").read_bytes().rstrip(b"\n")
    assert bench.review.open("patch:odd.patch").patch().rstrip(b"\n") == whole


def test_a_patch_without_the_contents_of_a_binary_file_is_refused(bench: Bench) -> None:
    text = "diff --git a/p.png b/p.png\nindex 1..2 100644\nBinary files a/p.png and b/p.png differ\n"
    with pytest.raises(UsageError, match=r"p\.png cannot be applied.*Leave the file out"):
        bench.review.open(text).patch()
