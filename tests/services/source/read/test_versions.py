"""The versions that git keeps of a file, read without anything of the repository deciding what runs."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from services.errors import FileMissing, NotText, PathRefused, WorkspaceError
from services.source.read.reader import SourceReader
from services.source.read.token import Version
from services.workspace.files.root import Root

ODD = ":(glob)* ?[a].cs"


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    for name in ("a.cs", ODD, "src/b.cs"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"head\r\n")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first", "--date", "2026-01-01T00:00:00Z")
    (tmp_path / "a.cs").write_bytes(b"staged\n")
    git(tmp_path, "add", "a.cs")
    (tmp_path / "a.cs").write_bytes(b"working\n")
    return tmp_path


def content(folder: Path, path: str, version: str) -> str:
    with Root.open(folder) as root:
        return SourceReader(root).read(path, version=Version(version)).content


@pytest.mark.parametrize(
    ("version", "expected"), [("workingArea", "working\n"), ("inactive", "staged\n"), ("active", "head\r\n")]
)
def test_a_file_is_read_in_each_of_its_versions(repository: Path, version: str, expected: str) -> None:
    assert content(repository, "a.cs", version) == expected


def test_head_says_who_changed_the_file_and_cannot_be_written(repository: Path) -> None:
    with Root.open(repository) as root:
        read = SourceReader(root).read("a.cs", version=Version.HEAD)
    assert (read.changed_by, read.version, read.writable) == ("Ann", "active", False)
    assert read.changed_at > 1_700_000_000_000
    assert read.token.startswith(f"{read.changed_at}_")


def test_a_name_is_never_a_pattern_or_an_option(repository: Path) -> None:
    assert content(repository, ODD, "active") == content(repository, ODD, "inactive") == "head\r\n"
    for name in ("*.cs", "--help", "a.cs\nsrc/b.cs", ":/a.cs"):
        with pytest.raises(FileMissing):
            content(repository, name, "inactive")


def test_a_workspace_inside_a_repository_reads_its_own_files(repository: Path) -> None:
    assert (
        content(repository / "src", "b.cs", "active")
        == content(repository / "src", "b.cs", "inactive")
        == "head\r\n"
    )
    with pytest.raises(FileMissing):
        content(repository / "src", "a.cs", "active")


def test_a_file_that_is_gone_can_be_read_as_it_was(repository: Path) -> None:
    (repository / "a.cs").unlink()
    assert content(repository, "a.cs", "active") == "head\r\n"


def test_a_file_that_git_does_not_have_is_said_to_be_missing_there(repository: Path) -> None:
    (repository / "new.cs").write_text("new\n")
    with pytest.raises(FileMissing, match="is not staged"):
        content(repository, "new.cs", "inactive")
    with pytest.raises(FileMissing, match="is not in HEAD"):
        content(repository, "new.cs", "active")
    with pytest.raises(PathRefused, match="not a regular file"):
        content(repository, "src", "active")


def test_without_a_repository_or_a_commit_there_are_no_versions(tmp_path: Path) -> None:
    (tmp_path / "a.cs").write_text("a\n")
    with pytest.raises(WorkspaceError, match="not in a git repository"):
        content(tmp_path, "a.cs", "active")
    git(tmp_path, "init", "-q")
    with pytest.raises(FileMissing, match="is not in HEAD"):
        content(tmp_path, "a.cs", "active")


def test_links_protected_names_and_binaries_are_refused_in_every_version(repository: Path) -> None:
    (repository / "link.cs").symlink_to("a.cs")
    (repository / "image.png").write_bytes(b"\x89\0\0")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "second")
    for version in ("inactive", "active"):
        with pytest.raises(PathRefused, match="symlink"):
            content(repository, "link.cs", version)
        with pytest.raises(PathRefused, match="git's own folder"):
            content(repository, ".git/config", version)
        with pytest.raises(PathRefused):
            content(repository, "../a.cs", version)
        with pytest.raises(NotText):
            content(repository, "image.png", version)


def test_a_large_blob_is_refused_before_it_is_read(repository: Path) -> None:
    with Root.open(repository) as root, pytest.raises(WorkspaceError, match="at most 3 are read"):
        SourceReader(root, limit=3).read("a.cs", version=Version.HEAD)


def test_no_filter_or_program_of_the_repository_runs(repository: Path) -> None:
    mark = repository / "ran"
    for name in ("filter.x.smudge", "filter.x.clean", "diff.x.textconv", "core.fsmonitor", "core.pager"):
        git(repository, "config", name, f"touch {mark}; cat")
    (repository / ".gitattributes").write_text("* filter=x diff=x\n")
    assert content(repository, "a.cs", "active") == "head\r\n"
    assert content(repository, "a.cs", "inactive") == "staged\n"
    assert not mark.exists()
