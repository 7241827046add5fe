"""Hunks taken into git's index and out of it, and nothing else with them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import UsageError, WorkspaceError
from services.model import FileChange, Hunk
from services.source.diffs.hunks import hunks_of
from services.source.diffs.staging import Sides, Staged, Staging, applied, blocks_of, reverted
from services.workspace.files.root import Root
from tests.services.source.diffs.test_changes import Repository

SIDE = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "\n"]), max_size=25)
LINES = "".join(f"line {n}\n" for n in range(1, 41))


@given(SIDE, SIDE, st.integers(0, 3))
def test_the_stretches_of_all_hunks_make_the_new_side_of_the_old(
    old: list[str], new: list[str], context: int
) -> None:
    blocks = [block for hunk in hunks_of(old, new, context=context) for block in blocks_of(hunk)]
    assert applied(old, new, blocks) == tuple(new)
    assert reverted(old, new, blocks) == tuple(old)


@given(SIDE, SIDE, SIDE)
def test_a_hunk_that_is_staged_leaves_nothing_of_itself_and_unstaged_nothing_in_the_index(
    head: list[str], index: list[str], working: list[str]
) -> None:
    sides = Sides(tuple(head), tuple(index), tuple(working))
    for hunk in hunks_of(head, working):
        staged = applied(sides.index, sides.working, sides.left(hunk))
        assert Sides(sides.head, staged, sides.working).left(hunk) == []
        unstaged = reverted(sides.head, sides.index, sides.taken(hunk))
        assert Sides(sides.head, unstaged, sides.working).state(hunk) is Staged.NOT


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    made = Repository(tmp_path)
    made.write("A.cs", LINES)
    made.write("B.cs", "b\n")
    made.commit("first")
    changed = LINES.replace("line 5\n", "five\n").replace("line 20\n", "line 20\nand more\n")
    made.write("A.cs", changed.replace("line 38\n", ""))
    return made


def _staging(repository: Repository) -> Staging:
    return Staging(Root.open(repository.folder), repository.changes)


def _change(repository: Repository, path: str) -> tuple[FileChange, tuple[Hunk, ...]]:
    change = next(each for each in repository.changes.read().files if each.path == path)
    return change, repository.changes.hunks(change)


def test_one_hunk_is_staged_and_unstaged_again(repository: Repository) -> None:
    staging, (change, hunks) = _staging(repository), _change(repository, "A.cs")
    assert staging.toggle(change, hunks[1]) is Staged.WHOLE
    assert repository.git("diff", "--cached", "--numstat") == "1\t0\tA.cs"
    assert staging.states(change, hunks) == (Staged.NOT, Staged.WHOLE, Staged.NOT)
    assert staging.toggle(change, hunks[1]) is Staged.NOT
    assert repository.git("diff", "--cached") == ""


def test_what_went_on_after_it_was_staged_is_partly_staged(repository: Repository) -> None:
    staging, (change, hunks) = _staging(repository), _change(repository, "A.cs")
    staging.toggle(change, hunks[1])
    text = (repository.folder / "A.cs").read_text()
    repository.write("A.cs", text.replace("and more\n", "and more\nand yet more\n"))
    change, hunks = _change(repository, "A.cs")
    assert staging.states(change, hunks)[1] is Staged.PARTLY
    assert staging.toggle(change, hunks[1]) is Staged.WHOLE
    assert repository.git("diff", "--cached", "--numstat") == "2\t0\tA.cs"


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_are_taken_in_as_git_has_them(repository: Repository, ending: str) -> None:
    repository.git("config", "core.autocrlf", "true")
    text = (repository.folder / "A.cs").read_text().replace("\n", ending)
    repository.write("A.cs", text.encode())
    change, hunks = _change(repository, "A.cs")
    _staging(repository).toggle_file(change)
    assert "\r" not in repository.git("show", ":A.cs")
    assert hunks


def test_new_and_deleted_files_are_staged_whole(repository: Repository) -> None:
    repository.write("N.cs", "n\n")
    (repository.folder / "N.cs").chmod(0o755)
    (repository.folder / "B.cs").unlink()
    staging = _staging(repository)
    for path, status in (("N.cs", "A  N.cs"), ("B.cs", "D  B.cs")):
        change, _ = _change(repository, path)
        assert staging.toggle_file(change) is Staged.WHOLE
        assert status in repository.git("status", "--short").splitlines()
        assert staging.toggle_file(_change(repository, path)[0]) is Staged.NOT
    assert repository.git("diff", "--cached") == ""


def test_a_moved_file_is_staged_as_moved(repository: Repository) -> None:
    repository.git("checkout", "-q", "A.cs")
    (repository.folder / "A.cs").rename(repository.folder / "Z.cs")
    staging, (change, _) = _staging(repository), _change(repository, "Z.cs")
    assert staging.toggle_file(change) is Staged.WHOLE
    assert repository.git("status", "--short") == "R  A.cs -> Z.cs"


def test_in_a_folder_below_the_repository_paths_lead_to_the_same_files(tmp_path: Path) -> None:
    whole = Repository(tmp_path)
    whole.write("sub/A.cs", LINES)
    whole.commit("first")
    whole.write("sub/A.cs", LINES.replace("line 3\n", "three\n"))
    root = Root.open(tmp_path / "sub")
    changes = type(whole.changes)(root)
    change = changes.read().files[0]
    Staging(root, changes).toggle(change, changes.hunks(change)[0])
    assert whole.git("diff", "--cached", "--name-only") == "sub/A.cs"


def test_a_file_behind_a_filter_is_left_to_git(repository: Repository) -> None:
    repository.write(".gitattributes", "A.cs filter=lfs\n")
    change, hunks = _change(repository, "A.cs")
    with pytest.raises(WorkspaceError, match="filter 'lfs'"):
        _staging(repository).toggle(change, hunks[0])


def test_another_git_at_work_is_said(repository: Repository) -> None:
    (repository.folder / ".git/index.lock").touch()
    change, hunks = _change(repository, "A.cs")
    with pytest.raises(WorkspaceError, match=r"index\.lock"):
        _staging(repository).toggle(change, hunks[0])


@given(SIDE, SIDE)
def test_ignoring_white_space_only_real_changes_are_left(old: list[str], new: list[str]) -> None:
    spaced = [line.replace("a", " a\t") for line in new]
    plain, spared = hunks_of(old, new), hunks_of(old, spaced, ignore_space=True)
    assert [[line.sign for line in hunk.lines] for hunk in plain] == [
        [line.sign for line in hunk.lines] for hunk in spared
    ]
    assert hunks_of(new, spaced, ignore_space=True) == ()


def test_files_are_told_apart_by_how_much_of_them_is_staged(repository: Repository) -> None:
    repository.write("N.cs", "n\n")
    (repository.folder / "B.cs").unlink()
    staging, (change, hunks) = _staging(repository), _change(repository, "A.cs")
    assert staging.files(repository.changes.read().files) == {}
    staging.toggle(change, hunks[1])
    staging.toggle_file(_change(repository, "B.cs")[0])
    found = staging.files(repository.changes.read().files)
    assert found == {"A.cs": Staged.PARTLY, "B.cs": Staged.WHOLE}
    staging.toggle_file(change)
    assert staging.files(repository.changes.read().files)["A.cs"] is Staged.WHOLE


def test_what_is_staged_is_committed_with_its_message_as_it_was_written(repository: Repository) -> None:
    repository.git("config", "user.name", "n")
    repository.git("config", "user.email", "e@example.org")
    staging, (change, hunks) = _staging(repository), _change(repository, "A.cs")
    staging.toggle(change, hunks[1])
    made = staging.commit("Say more\n\n# no comment\nbody\n")
    assert (made.subject, repository.git("log", "-1", "--format=%B")) == (
        "Say more",
        "Say more\n\n# no comment\nbody",
    )
    assert repository.git("show", "--numstat", "--format=") == "1\t0\tA.cs"
    assert [each.subject for each in repository.changes.log("A.cs")] == ["Say more", "first"]


def test_a_commit_of_nothing_or_without_a_word_is_refused(repository: Repository) -> None:
    staging, (change, _) = _staging(repository), _change(repository, "A.cs")
    with pytest.raises(UsageError, match="Nothing is staged"):
        staging.commit("x")
    staging.toggle_file(change)
    with pytest.raises(UsageError, match="needs a message"):
        staging.commit(" \n")
    assert repository.git("rev-list", "--count", "HEAD") == "1"


def test_the_first_commit_of_a_repository_can_be_made(tmp_path: Path) -> None:
    made = Repository(tmp_path)
    made.git("config", "user.name", "n")
    made.git("config", "user.email", "e@example.org")
    made.write("A.cs", "a\n")
    staging, (change, _) = _staging(made), _change(made, "A.cs")
    staging.toggle_file(change)
    assert staging.commit("Begin").subject == "Begin"


def test_a_line_leads_to_its_commit_and_a_file_to_its_commits_under_any_name(repository: Repository) -> None:
    repository.git("checkout", "-q", "A.cs")
    repository.write("A.cs", LINES.replace("line 9\n", "nine\n"))
    repository.commit("nine")
    repository.git("mv", "A.cs", "[a] *.cs")
    repository.commit("moved")
    path = "[a] *.cs"
    repository.write(path, (repository.folder / path).read_text() + "new\n")
    changes = repository.changes
    line_9, line_8, new = (changes.blame(path, line) for line in (9, 8, 41))
    assert line_9 is not None
    assert line_8 is not None
    assert (line_9.subject, line_8.subject, new) == ("nine", "first", None)
    assert [each.subject for each in changes.log(path)] == ["moved", "nine", "first"]
    repository.write("N.cs", "n\n")
    with pytest.raises(WorkspaceError, match="no commit has the file"):
        changes.blame("N.cs", 1)
