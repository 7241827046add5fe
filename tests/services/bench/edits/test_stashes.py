"""Changes put aside and put back: as git keeps them, written as anything else is."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.bench import Bench
from services.errors import CodeCortexError, NotText, UsageError, WorkspaceError
from services.settings import Settings
from tests.services.source.diffs.test_changes import Repository

LINES = "".join(f"// line {n}\n" for n in range(1, 31))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.git("config", "user.name", "n")
    made.git("config", "user.email", "e@example.org")
    made.write("A.cs", LINES)
    made.write("B.cs", "class B;\n")
    made.commit("first")
    return made


@pytest.fixture
def bench(repository: Repository) -> Iterator[Bench]:
    with Bench.open(repository.folder, settings=Settings()) as opened:
        yield opened


def _files(repository: Repository) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in repository.folder.iterdir() if path.is_file()}


def test_what_is_put_aside_comes_back_staged_moved_added_and_deleted_alike(
    bench: Bench, repository: Repository
) -> None:
    repository.write("A.cs", LINES.replace("line 5\n", "five\n"))
    repository.write("N.cs", "class N;\n")
    repository.git("add", "N.cs", "A.cs")
    (repository.folder / "B.cs").rename(repository.folder / "Z.cs")
    repository.git("add", "-A")
    repository.write("untracked.txt", "mine\n")
    before = _files(repository)
    kept = bench.stashes.push("of words")
    assert repository.git("status", "--porcelain") == "?? untracked.txt"
    assert "of words" in repository.git("stash", "list")
    assert [each.id for each in bench.stashes.listed()] == [kept.id]
    assert set(bench.stashes.pop(kept.id)) == {"A.cs", "B.cs", "N.cs", "Z.cs"}
    assert _files(repository) == before
    assert bench.stashes.listed() == ()
    assert bench.writer.locks().locks == ()


def test_a_stash_is_merged_with_what_changed_since_and_undone_as_one(
    bench: Bench, repository: Repository
) -> None:
    repository.write("A.cs", LINES.replace("line 5\n", "five\n"))
    kept = bench.stashes.push()
    now = LINES.replace("line 25\n", "twenty-five\n")
    repository.write("A.cs", now)
    bench.stashes.pop(kept.id, keep=True)
    assert (repository.folder / "A.cs").read_text() == now.replace("line 5\n", "five\n")
    assert len(bench.stashes.listed()) == 1
    bench.writing.undo(None)
    assert (repository.folder / "A.cs").read_text() == now


def test_where_the_same_lines_changed_nothing_is_written_and_the_stash_stays(
    bench: Bench, repository: Repository
) -> None:
    repository.write("A.cs", LINES.replace("line 5\n", "five\n"))
    repository.write("B.cs", "class B { }\n")
    kept = bench.stashes.push()
    repository.write("A.cs", LINES.replace("line 5\n", "cinq\n"))
    before = _files(repository)
    with pytest.raises(WorkspaceError, match=r"A\.cs changed in the same lines"):
        bench.stashes.pop(kept.id)
    assert _files(repository) == before
    assert len(bench.stashes.listed()) == 1


def test_nothing_to_stash_and_a_stash_that_is_gone_are_said(bench: Bench) -> None:
    with pytest.raises(UsageError, match="nothing to stash"):
        bench.stashes.push()
    with pytest.raises(UsageError, match="not there any more"):
        bench.stashes.pop("0" * 40)


def test_what_is_no_text_or_needs_a_filter_is_left_to_git_and_nothing_is_touched(
    bench: Bench, repository: Repository
) -> None:
    repository.write("A.cs", b"\x00\x01" * 99)
    with pytest.raises((WorkspaceError, NotText)):
        bench.stashes.push()
    repository.write("A.cs", LINES)
    repository.write(".gitattributes", "B.cs filter=lfs\n")
    repository.write("B.cs", "class B { }\n")
    with pytest.raises(WorkspaceError, match="filter"):
        bench.stashes.push()
    assert repository.git("stash", "list") == ""
    assert (repository.folder / "B.cs").read_text() == "class B { }\n"


def test_another_s_lock_keeps_everything_as_it_is(bench: Bench, repository: Repository) -> None:
    repository.write("A.cs", LINES.replace("line 5\n", "five\n"))
    before = _files(repository)
    bench.writing.lock("A.cs")
    with pytest.raises(CodeCortexError):
        bench.stashes.push()
    assert _files(repository) == before
    assert repository.git("stash", "list") == ""


def test_line_endings_that_git_turns_come_back_as_they_were(bench: Bench, repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    repository.write("A.cs", LINES.replace("line 5\n", "five\n").replace("\n", "\r\n").encode())
    before = (repository.folder / "A.cs").read_bytes()
    kept = bench.stashes.push()
    assert (repository.folder / "A.cs").read_bytes() == LINES.replace("\n", "\r\n").encode()
    bench.stashes.pop(kept.id)
    assert (repository.folder / "A.cs").read_bytes() == before


_SIDE = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n", "e"]), max_size=12).map("".join)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(_SIDE, _SIDE)
def test_any_change_of_a_text_survives_the_round(tmp_path: Path, old: str, new: str) -> None:
    folder = tmp_path / "round"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    made = Repository(folder)
    made.git("config", "user.name", "n")
    made.git("config", "user.email", "e@example.org")
    made.write("A.cs", old)
    made.commit("first")
    made.write("A.cs", new)
    with Bench.open(folder, settings=Settings()) as bench:
        if old == new:
            return
        kept = bench.stashes.push()
        assert (folder / "A.cs").read_text() == old
        bench.stashes.pop(kept.id)
    assert (folder / "A.cs").read_text() == new
