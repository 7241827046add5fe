"""git is asked, never obeyed: nothing a repository configures runs, and its absence is an answer."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from services.errors import Cancelled
from services.workspace.scan import git

WHO = ["-c", "user.name=n", "-c", "user.email=e@example.org"]


def call(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *WHO, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    call(tmp_path, "init", "-q", "-b", "trunk", str(folder))
    return folder


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A program that leaves a trace when it runs."""
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\nsleep 20\n")
    program.chmod(0o755)
    return program


def test_the_branch_is_named_also_before_the_first_commit(repository: Path) -> None:
    assert git.branch(repository) == "trunk"
    call(repository, "commit", "-q", "--allow-empty", "-m", "m")
    assert git.branch(repository) == "trunk"
    (repository / "sub").mkdir()
    assert git.branch(repository / "sub") == "trunk"


def test_files_of_another_folder_that_the_configuration_names_are_not_listed(
    repository: Path, tmp_path: Path
) -> None:
    outside, inside = tmp_path / "outside", repository / "folder"
    for folder in (outside, inside):
        folder.mkdir()
        (folder / f"{folder.name}.cs").write_text("")
    call(repository, "config", "core.worktree", str(outside))
    for folder, listed in ((repository, b"folder/folder.cs"), (inside, b"folder.cs")):
        answer = git.untracked(folder)
        assert answer is not None
        assert answer.files == [listed]


@pytest.mark.parametrize(
    "name", ["core.attributesFile", "blame.ignoreRevsFile", "diff.orderFile", "mailmap.file"]
)
def test_files_that_the_configuration_names_are_not_read(repository: Path, tmp_path: Path, name: str) -> None:
    (repository / "A.cs").write_text("")
    call(repository, "add", "-A")
    call(repository, "commit", "-q", "-m", "m")
    os.mkfifo(tmp_path / "pipe")
    call(repository, "config", name, str(tmp_path / "pipe"))
    for words in (("log", "--format=%aN"), ("diff-index", "-p", "HEAD"), ("blame", "A.cs")):
        assert git.run(repository, words, timeout=20) is not None, words


PIPES = {
    ".git/config": "status",
    ".git/HEAD": "status",
    ".git/index": "status",
    ".git/info/exclude": "status",
    ".git/refs/heads/trunk": "rev-parse HEAD",
    ".git/included": "status",
    ".gitignore": "status",
    ".gitattributes": "diff-index -p HEAD",
    ".mailmap": "blame A.cs",
    "folder/deeper/.gitignore": "ls-files --others --exclude-standard",
    "folder/.gitattributes": "diff-index -p HEAD",
}
"""Files that may be pipes, and a call that opens each."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what holds a process")
@pytest.mark.parametrize("name", PIPES)
@pytest.mark.parametrize("is_linked", [False, True])
def test_a_call_ends_at_once_that_a_pipe_holds(
    repository: Path, tmp_path: Path, name: str, is_linked: bool
) -> None:
    (repository / "folder/deeper").mkdir(parents=True)
    for each in (repository / "A.cs", repository / "folder/B.cs"):
        each.write_text("")
    call(repository, "add", "-A")
    call(repository, "commit", "-q", "-m", "m")
    for each in (repository / "A.cs", repository / "folder/B.cs", repository / "folder/deeper/C.cs"):
        each.write_text("class C;")
    call(repository, "config", "include.path", "included")
    (repository / name).unlink(missing_ok=True)
    os.mkfifo(repository / name)
    if is_linked:
        (repository / ".git").rename(tmp_path / "data")
        (repository / ".git").write_text(f"gitdir: {tmp_path / 'data'}\n")
    begun = time.monotonic()
    assert git.run(repository, PIPES[name].split(), timeout=600) is None
    assert time.monotonic() - begun < 60


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells the memory of another process")
@pytest.mark.parametrize("name", [".gitignore", "folder/.gitignore", ".git/HEAD"])
def test_a_call_that_takes_too_much_memory_is_the_last_for_a_time(
    repository: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    (repository / "folder").mkdir()
    (repository / "folder/A.cs").touch()
    assert git.run(repository, ("status",)) is not None
    (repository / name).touch()
    os.truncate(repository / name, 8_000_000_000)
    monkeypatch.setattr(git, "_MOST_DATA", 16_000_000)
    assert git.run(repository, ("status",)) is None
    monkeypatch.setattr("subprocess.Popen", lambda *words, **_: pytest.fail(str(words)))
    assert git.run(repository / "folder", ("status",)) is None


def test_a_repository_that_did_not_answer_in_time_is_not_asked_again(
    slow: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(git, "_silent", {})
    monkeypatch.setattr(git, "TIMEOUT", 0.2)
    for _ in range(2):
        assert git.run(slow, ["status"], timeout=0.1) is None  # the caller's own limit says nothing
    assert git.run(slow, ["rev-parse", "HEAD"], timeout=0.2) is None
    monkeypatch.setattr("subprocess.Popen", lambda *words, **_: pytest.fail(str(words)))
    assert git.run(slow, ["status"]) is None


def test_a_detached_head_is_a_short_commit(repository: Path) -> None:
    call(repository, "commit", "-q", "--allow-empty", "-m", "m")
    call(repository, "checkout", "-q", "--detach")
    name = git.branch(repository)
    token = git.head_token(repository)
    assert name is not None
    assert token is not None
    assert token.removeprefix("detached@").startswith(name)


def test_a_revision_names_a_branch_only_where_one_is_checked_out(repository: Path) -> None:
    call(repository, "commit", "-q", "--allow-empty", "-m", "m")
    on = git.branch(repository)
    assert git.revision(repository).startswith(f"branch {on}, commit ")
    call(repository, "checkout", "-q", "--detach")
    assert git.revision(repository).startswith("commit ")


def test_the_head_token_changes_with_branch_and_commit(repository: Path) -> None:
    tokens = [git.head_token(repository)]
    for arguments in (
        ["commit", "-q", "--allow-empty", "-m", "1"],
        ["commit", "-q", "--allow-empty", "-m", "2"],
        ["checkout", "-q", "-b", "other"],
        ["checkout", "-q", "--detach"],
    ):
        call(repository, *arguments)
        tokens.append(git.head_token(repository))
    assert None not in tokens
    assert len(set(tokens)) == len(tokens)
    assert git.head_token(repository) == tokens[-1]


def test_no_repository_is_none(tmp_path: Path) -> None:
    assert (git.branch(tmp_path), git.head_token(tmp_path), git.tracked(tmp_path)) == (None, None, None)
    assert git.branch(tmp_path / "missing") is None


def test_no_git_is_none(repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert git.branch(repository) is None


def test_a_git_in_the_current_folder_is_not_run(
    repository: Path, monkeypatch: pytest.MonkeyPatch, script: Path, tmp_path: Path
) -> None:
    script.rename(tmp_path / "git")
    monkeypatch.setenv("PATH", ".")
    monkeypatch.chdir(tmp_path)
    assert git.branch(repository) is None
    assert not (tmp_path / "ran").exists()


def test_nothing_the_repository_configures_runs(repository: Path, script: Path, tmp_path: Path) -> None:
    for key in ("core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "filter.x.clean"):
        call(repository, "config", key, str(script))
    (repository / ".git/hooks").mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman"):
        (repository / ".git/hooks" / hook).symlink_to(script)
    (repository / ".gitattributes").write_text("* filter=x\n")
    (repository / "a.cs").touch()
    assert git.tracked(repository) is not None
    assert git.untracked(repository) is not None
    assert git.branch(repository) == "trunk"
    assert not (tmp_path / "ran").exists()


def test_a_list_of_files_runs_no_filter_whether_it_compares_contents_or_not(
    repository: Path, script: Path, tmp_path: Path
) -> None:
    (repository / "a.cs").write_text("class A;")
    call(repository, "add", "--all")
    call(repository, "config", "filter.x.clean", str(script))
    (repository / ".git/info/attributes").write_text("* filter=x\n")
    (repository / "a.cs").write_text("class B;")
    for options in (("--modified",), ("--cached", "--stage"), ("--others", "--exclude-standard"), ("-mo",)):
        assert git.run(repository, ("ls-files", "-z", *options)) is not None
    assert not (tmp_path / "ran").exists()


def test_variables_that_point_git_elsewhere_are_not_passed_on(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(tmp_path, "init", "-q", "-b", "elsewhere", str(tmp_path / "other"))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "index"))
    assert git.branch(repository) == "trunk"


@pytest.mark.parametrize("name", ["a b.cs", "é.cs", "line\nfeed.cs", '"quoted".cs', "-dash.cs", ":colon.cs"])
def test_names_come_as_they_are(repository: Path, name: str) -> None:
    (repository / name).touch()
    found = git.untracked(repository)
    assert found is not None
    assert found.files == [os.fsencode(name)]
    call(repository, "add", "--all")
    kept = git.tracked(repository)
    assert kept is not None
    assert kept.files == [os.fsencode(name)]


@pytest.fixture
def slow(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, and beside it a git that takes its time."""
    folder, programs = tmp_path / "folder", tmp_path / "programs"
    folder.mkdir()
    programs.mkdir()
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    script.rename(programs / "git")
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    return folder


def test_a_call_that_takes_too_long_is_killed(slow: Path) -> None:
    begun = time.monotonic()
    assert git.run(slow, ["status"], timeout=0.1) is None
    assert time.monotonic() - begun < 60


def test_a_call_can_be_cancelled(slow: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        git.run(slow, ["status"], cancel=cancel)
    assert time.monotonic() - begun < 60


def test_a_call_may_be_fed_more_than_it_reads_at_once(repository: Path) -> None:
    answer = git.run(repository, ("hash-object", "--stdin"), fed=b"x" * 8_000_000)
    assert answer is not None
    assert len(answer.out.strip()) == 40
