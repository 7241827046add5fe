"""Hunks of the working area discarded: written like anything else, and taken back like anything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.bench import Bench
from services.errors import WorkspaceError
from services.model import FileChange, Hunk
from services.settings import Settings
from tests.services.source.diffs.test_changes import Repository

LINES = "".join(f"// line {n}\n" for n in range(1, 41))
CHANGED = LINES.replace("// line 5\n", "// five\n").replace("// line 30\n", "")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.write("A.cs", LINES)
    made.write("B.cs", "class B;\n")
    made.commit("first")
    made.write("A.cs", CHANGED)
    return made


@pytest.fixture
def bench(repository: Repository) -> Iterator[Bench]:
    with Bench.open(repository.folder, settings=Settings()) as opened:
        yield opened


def _change(bench: Bench, path: str = "A.cs") -> tuple[FileChange, tuple[Hunk, ...]]:
    change = next(each for each in bench.changes.read().files if each.path == path)
    return change, bench.changes.hunks(change)


def test_one_hunk_is_discarded_and_the_write_undone(bench: Bench, repository: Repository) -> None:
    change, hunks = _change(bench)
    bench.hunk_edits.toggle(change, hunks[0])
    bench.hunk_edits.discard(change, hunks[0])
    file = repository.folder / "A.cs"
    assert file.read_text() == LINES.replace("// line 30\n", "")
    assert repository.git("diff", "--cached") == ""
    assert bench.writer.locks().locks == ()
    bench.writing.undo("A.cs")
    assert file.read_text() == CHANGED


def test_undo_and_redo_of_a_discard_give_the_index_back_too(bench: Bench, repository: Repository) -> None:
    change, hunks = _change(bench)
    bench.hunk_edits.toggle(change, hunks[0])
    was = repository.git("ls-files", "--stage")
    bench.hunk_edits.discard(change, hunks[0])
    bench.writing.undo("A.cs")
    assert repository.git("ls-files", "--stage") == was
    bench.writing.redo("A.cs")
    assert repository.git("diff", "--cached") == ""
    bench.writing.undo("A.cs")
    assert repository.git("ls-files", "--stage") == was


def test_undo_leaves_what_was_staged_since(bench: Bench, repository: Repository) -> None:
    change, hunks = _change(bench)
    bench.hunk_edits.toggle(change, hunks[0])
    bench.hunk_edits.discard(change, hunks[0])
    bench.hunk_edits.toggle(_change(bench)[0])
    now = repository.git("ls-files", "--stage")
    bench.writing.undo("A.cs")
    assert repository.git("ls-files", "--stage") == now


def test_a_new_file_that_was_staged_comes_back_staged(bench: Bench, repository: Repository) -> None:
    repository.write("N.cs", "class N;\n")
    bench.hunk_edits.toggle(_change(bench, "N.cs")[0])
    was = repository.git("ls-files", "--stage")
    bench.hunk_edits.discard(_change(bench, "N.cs")[0])
    assert repository.git("ls-files", "--stage") != was
    bench.writing.undo("N.cs")
    assert repository.git("ls-files", "--stage") == was


def test_lines_that_come_back_end_as_the_file_does(bench: Bench, repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    repository.write("A.cs", CHANGED.replace("\n", "\r\n"))
    change, hunks = _change(bench)
    for hunk in reversed(hunks):
        bench.hunk_edits.discard(change, hunk)
    text = (repository.folder / "A.cs").read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n") or text == LINES.encode()


def test_whole_files_are_discarded(bench: Bench, repository: Repository) -> None:
    (repository.folder / "B.cs").unlink()
    repository.write("N.cs", "class N;\n")
    for path in ("A.cs", "B.cs", "N.cs"):
        bench.hunk_edits.discard(_change(bench, path)[0])
    assert [change.path for change in bench.changes.read().files] == []


def test_a_hunk_of_a_file_that_has_gone_on_is_refused(bench: Bench, repository: Repository) -> None:
    change, hunks = _change(bench)
    repository.write("A.cs", CHANGED.replace("// five", "// fifth"))
    for act in (bench.hunk_edits.toggle, bench.hunk_edits.discard):
        with pytest.raises(WorkspaceError, match="changed since"):
            act(change, hunks[0])
