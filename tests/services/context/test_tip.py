"""The commit that is checked out, without asking git each time."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from services.context import cochange as log
from services.context.cochange import Tip


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    command = ["git", "-C", str(folder), *identity, *arguments]
    return subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()


def commit(folder: Path) -> str:
    git(folder, "commit", "-q", "--allow-empty", "-m", "One more")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Each time git is asked."""
    calls: list[Path] = []
    real = log.tip

    def tip(folder: Path) -> str | None:
        calls.append(folder)
        return real(folder)

    monkeypatch.setattr(log, "tip", tip)
    return calls


def test_git_is_asked_once_for_each_commit(repository: Path, asked: list[Path]) -> None:
    tip = Tip(repository)
    for number in range(1, 4):
        one = commit(repository)
        assert [tip.now(), tip.now(), tip.now()] == [one] * 3
        assert len(asked) == number


def test_a_repository_without_a_commit_and_a_folder_without_one_have_none(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, asked: list[Path]
) -> None:
    plain = Tip(tmp_path_factory.mktemp("plain"))
    assert [plain.now(), plain.now()] == ["", ""]
    assert len(asked) == 1
    tip = Tip(repository)
    assert tip.now() == ""
    one = commit(repository)
    assert tip.now() == one


def test_every_way_in_which_another_commit_is_checked_out_is_seen(repository: Path) -> None:
    tip = Tip(repository)
    first, second = commit(repository), commit(repository)
    assert tip.now() == second
    git(repository, "pack-refs", "--all")
    assert tip.now() == second
    git(repository, "update-ref", "refs/heads/main", first)
    assert tip.now() == first
    git(repository, "pack-refs", "--all")
    assert tip.now() == first
    git(repository, "checkout", "-q", "--detach", second)
    assert tip.now() == second
    git(repository, "checkout", "-q", "main")
    assert tip.now() == first
    git(repository, "symbolic-ref", "refs/heads/other", "refs/heads/main")
    git(repository, "symbolic-ref", "HEAD", "refs/heads/other")
    assert tip.now() == first
    git(repository, "update-ref", "refs/heads/main", second)
    assert tip.now() == second


def test_folders_below_the_root_and_other_work_trees_are_followed(
    repository: Path, tmp_path_factory: pytest.TempPathFactory, asked: list[Path]
) -> None:
    first = commit(repository)
    (repository / "src").mkdir()
    beside = tmp_path_factory.mktemp("trees") / "beside"
    git(repository, "worktree", "add", "-q", "-b", "side", str(beside))
    below, other = Tip(repository / "src"), Tip(beside)
    assert (below.now(), other.now()) == (first, first)
    second = commit(beside)
    assert (below.now(), other.now()) == (first, second)
    third = commit(repository)
    assert (below.now(), other.now()) == (third, second)
    assert len(asked) == 4
