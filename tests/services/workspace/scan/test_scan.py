"""A scan against git's own list, and what it leaves out on top."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from services.errors import Cancelled
from services.workspace.files.root import Root
from services.workspace.scan import git
from services.workspace.scan.scan import scan

WHO = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "protocol.file.allow=always"]


def call(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *WHO, *arguments], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout


def fill(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


def names(folder: Path, suffixes: tuple[str, ...] = (".cs",)) -> list[str]:
    with Root.open(folder) as root:
        return [file.path for file in scan(root, suffixes=suffixes).files]


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    call(tmp_path, "init", "-q", str(folder))
    return folder


@pytest.fixture(params=["git", "no git"])
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder that git lists, or one that is walked."""
    if request.param == "git":
        return request.getfixturevalue("repository")
    (tmp_path / "plain").mkdir()
    return tmp_path / "plain"


def test_tracked_and_untracked_files_are_there_and_deleted_and_ignored_ones_are_not(repository: Path) -> None:
    fill(repository, "kept.cs", "gone.cs", "sub/kept.cs", "forced.gen.cs")
    (repository / ".gitignore").write_text("*.gen.cs\nbin/\n")
    call(repository, "add", "--all", "--force")
    (repository / "gone.cs").unlink()
    fill(repository, "new.cs", "x.gen.cs", "bin/x.cs", "sub/bin/y.cs", "a.txt")
    assert names(repository) == ["forced.gen.cs", "kept.cs", "new.cs", "sub/kept.cs"]


def test_a_scan_gives_what_git_gives(repository: Path) -> None:
    fill(
        repository,
        *(f"{folder}/{name}.cs" for folder in ("a", "a/b", "c d", "é/ü") for name in ("x", "y z", "ö")),
    )
    (repository / ".gitignore").write_text("x.cs\n")
    (repository / "a/.gitignore").write_text("!x.cs\n/b/y*\n")
    listed = call(repository, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.cs")
    assert names(repository) == sorted(filter(None, listed.split("\0")))


def test_stamps_are_those_of_the_files_sorted_by_path(folder: Path) -> None:
    fill(folder, "b.cs", "a/c.cs", "a.cs", "a-b/c.cs")
    with Root.open(folder) as root:
        found = scan(root)
        assert list(found.files) == [
            root.stat(name) for name in sorted(["b.cs", "a/c.cs", "a.cs", "a-b/c.cs"])
        ]
    assert found.notices == ()


def test_suffixes_are_chosen_by_the_caller_in_any_case(folder: Path) -> None:
    fill(folder, "a.cs", "B.CS", "p.csproj", "s.slnx", "t.txt")
    assert names(folder) == ["B.CS", "a.cs"]
    assert names(folder, suffixes=(".csproj", ".slnx")) == ["p.csproj", "s.slnx"]


def test_symlinks_are_skipped(folder: Path) -> None:
    fill(folder.parent, "outside/x.cs")
    fill(folder, "a.cs", "real/b.cs")
    (folder / "link.cs").symlink_to("a.cs")
    (folder / "linked").symlink_to("real")
    (folder / "out").symlink_to("../outside")
    assert names(folder) == ["a.cs", "real/b.cs"]


def test_a_tracked_folder_that_became_a_link_is_not_followed(repository: Path) -> None:
    fill(repository.parent, "outside/x.cs")
    fill(repository, "sub/x.cs")
    call(repository, "add", "--all")
    (repository / "sub/x.cs").unlink()
    (repository / "sub").rmdir()
    (repository / "sub").symlink_to("../outside")
    assert names(repository) == []


def test_what_is_no_file_is_skipped(folder: Path) -> None:
    (folder / "folder.cs").mkdir()
    os.mkfifo(folder / "pipe.cs")
    assert names(folder) == []


def test_protected_folders_are_left_out(folder: Path) -> None:
    fill(folder, "a.cs", ".context/b.cs", "sub/.context/c.cs", ".CONTEXT/d.cs")
    assert names(folder) == ["a.cs"]


def test_the_own_ignore_file_hides_tracked_files_at_every_level(folder: Path) -> None:
    fill(folder, "a.cs", "gen/b.cs", "gen/deep/c.cs", "sub/d.cs", "sub/e.cs", "sub/deep/d.cs")
    if (folder / ".git").exists():
        call(folder, "add", "--all")
    (folder / ".codecortexignore").write_text("gen/\n!gen/b.cs\nd.cs\n")
    (folder / "sub/deep/.codecortexignore").write_text("!d.cs\n")
    assert names(folder) == ["a.cs", "sub/deep/d.cs", "sub/e.cs"]


def test_the_own_ignore_file_holds_where_git_is_to_ignore_it(folder: Path) -> None:
    fill(folder, "a.cs", "gen/b.cs", "gen/c.cs")
    (folder / ".gitignore").write_text(".codecortexignore\n")
    (folder / ".codecortexignore").write_text("a.cs\n")
    (folder / "gen/.codecortexignore").write_text("b.cs\n")
    assert names(folder) == ["gen/c.cs"]


def test_the_users_own_excludes_change_nothing(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "git").mkdir()
    (tmp_path / "git/ignore").write_text("*.cs\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    fill(repository, "a.cs")
    assert names(repository) == ["a.cs"]


def test_a_folder_inside_a_repository_has_its_own_files_alone(repository: Path) -> None:
    (repository / ".gitignore").write_text("/sub/x.cs\n")
    fill(repository, "a.cs", "sub/b.cs", "sub/x.cs", "sub/deep/c.cs")
    assert names(repository / "sub") == ["b.cs", "deep/c.cs"]


def test_a_folder_its_repository_ignores_still_opens(repository: Path) -> None:
    (repository / ".gitignore").write_text("build/\n")
    fill(repository, "build/a.cs")
    assert names(repository / "build") == ["a.cs"]


def test_submodules_and_repositories_inside_are_looked_into(repository: Path, tmp_path: Path) -> None:
    call(tmp_path, "init", "-q", "library")
    (tmp_path / "library/.gitignore").write_text("x.cs\n")
    fill(tmp_path / "library", "l.cs")
    call(tmp_path / "library", "add", "--all")
    call(tmp_path / "library", "commit", "-q", "-m", "m")
    call(repository, "submodule", "add", "-q", str(tmp_path / "library"), "sub")
    call(repository, "init", "-q", "loose")
    fill(repository, "a.cs", "sub/new.cs", "sub/x.cs", "loose/deep/b.cs")
    assert names(repository) == ["a.cs", "loose/deep/b.cs", "sub/l.cs", "sub/new.cs"]


def test_a_submodule_that_is_not_checked_out_has_no_files(repository: Path) -> None:
    fill(repository, "a.cs")
    call(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},sub.cs")
    assert names(repository) == ["a.cs"]
    (repository / "sub.cs").mkdir()
    assert names(repository) == ["a.cs"]


def test_a_damaged_repository_is_walked(repository: Path) -> None:
    fill(repository, "a.cs", "bin/b.cs")
    (repository / ".gitignore").write_text("bin\n")
    (repository / ".git/HEAD").unlink()
    assert names(repository) == ["a.cs"]


def test_a_name_that_is_not_utf8_is_left_out_with_a_notice(folder: Path) -> None:
    fill(folder, "a.cs")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.cs")).touch()
    with Root.open(folder) as root:
        found = scan(root)
    assert [file.path for file in found.files] == ["a.cs"]
    assert "UTF-8" in found.notices[0].message


def test_a_folder_that_cannot_be_read_is_a_notice(folder: Path) -> None:
    fill(folder, "a.cs", "shut/b.cs")
    (folder / "shut").chmod(0)
    if os.access(folder / "shut", os.R_OK):
        pytest.skip("this user reads every folder")
    try:
        with Root.open(folder) as root:
            found = scan(root)
    finally:
        (folder / "shut").chmod(0o755)
    assert [file.path for file in found.files] == ["a.cs"]
    assert [notice.file for notice in found.notices] == ["shut"]


def test_cancel_ends_the_scan(folder: Path) -> None:
    fill(folder, "a.cs")
    cancel = threading.Event()
    cancel.set()
    with Root.open(folder) as root, pytest.raises(Cancelled):
        scan(root, cancel=cancel)


def test_a_repository_whose_files_git_cannot_list_is_walked(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path, check=True)
    fill(tmp_path, "A.cs", "folder/deeper/B.cs", "inner/C.cs")
    subprocess.run(["git", "init", "-q", "."], cwd=tmp_path / "inner", check=True)
    os.mkfifo(tmp_path / "folder/.gitignore")
    (tmp_path / "inner/.git/config").unlink()
    os.mkfifo(tmp_path / "inner/.git/config")
    begun = time.monotonic()
    with Root.open(tmp_path) as root:
        found = [stamp.path for stamp in scan(root).files]
    assert found == ["A.cs", "folder/deeper/B.cs", "inner/C.cs"]
    assert sys.platform != "linux" or time.monotonic() - begun < git.TIMEOUT
