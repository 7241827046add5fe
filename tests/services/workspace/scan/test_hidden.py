"""Whether one file is hidden: the same answer as git gives, and as the program's own ignore files do."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.workspace.files.folders import OWN_IGNORE_FILE
from services.workspace.files.root import Root
from services.workspace.scan.hidden import is_hidden

FILES = {
    ".gitignore": "*.log\nbuild/\n/only.txt\nsub/kept/*\n!sub/kept/shown.cs\n",
    "sub/.gitignore": "!loud.log\nlocal.cs\n",
    "a.cs": "",
    "a.log": "",
    "only.txt": "",
    "sub/only.txt": "",
    "sub/local.cs": "",
    "local.cs": "",
    "sub/loud.log": "",
    "build/a.cs": "",
    "sub/build/a.cs": "",
    "sub/kept/other.cs": "",
    "sub/kept/shown.cs": "",
    "tracked.log": "",
}
HIDDEN = {"a.log", "only.txt", "sub/local.cs", "build/a.cs", "sub/build/a.cs", "sub/kept/other.cs"}
NOT_THERE = {"new.cs": False, "new.log": True, "build/deep/new.cs": True, "sub/fresh/new.cs": False}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True)


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "w"
    made.mkdir()
    write(made, FILES)
    return made


@pytest.fixture
def repository(folder: Path) -> Path:
    git(folder, "init", "-q")
    git(folder, "add", "-f", "tracked.log", "a.cs")
    return folder


def hidden(folder: Path, *paths: str) -> set[str]:
    with Root.open(folder) as root:
        return {path for path in paths if is_hidden(root, path)}


def test_what_git_ignores_is_hidden_and_what_it_tracks_is_not(repository: Path) -> None:
    assert hidden(repository, *FILES) == HIDDEN


def test_without_a_repository_the_files_are_read_all_the_same(folder: Path) -> None:
    assert hidden(folder, *FILES) == HIDDEN | {"tracked.log"}


@pytest.mark.parametrize("kind", ["folder", "repository"])
def test_a_file_that_is_not_there_yet_is_judged_by_where_it_would_be(
    request: pytest.FixtureRequest, kind: str
) -> None:
    folder = request.getfixturevalue(kind)
    assert hidden(folder, *NOT_THERE) == {path for path, is_one in NOT_THERE.items() if is_one}


@pytest.mark.parametrize("kind", ["folder", "repository"])
def test_the_own_ignore_file_hides_what_is_tracked_too(request: pytest.FixtureRequest, kind: str) -> None:
    folder = request.getfixturevalue(kind)
    write(folder, {OWN_IGNORE_FILE: "a.cs\n", f"sub/{OWN_IGNORE_FILE}": "*.txt\n/deep/\n"})
    paths = ("a.cs", "local.cs", "sub/only.txt", "sub/deep/x.cs", "sub/new/more.txt", "new.txt")
    assert hidden(folder, *paths) == {"a.cs", "sub/only.txt", "sub/deep/x.cs", "sub/new/more.txt"}


@pytest.mark.parametrize("path", [".git/config", ".context/index", "sub/.GIT/x", "sub/.context/x"])
def test_protected_names_are_hidden(repository: Path, path: str) -> None:
    assert hidden(repository, path) == {path}


def test_a_link_is_as_hidden_as_what_it_leads_to(repository: Path) -> None:
    (repository / "plain.cs").symlink_to("a.log")
    (repository / "shown.cs").symlink_to("a.cs")
    assert hidden(repository, "plain.cs", "shown.cs") == {"plain.cs"}


@pytest.mark.parametrize("kind", ["folder", "repository"])
def test_what_is_below_a_link_is_as_hidden_as_where_it_lies(
    request: pytest.FixtureRequest, kind: str
) -> None:
    folder = request.getfixturevalue(kind)
    (folder / "linked").symlink_to("sub")
    (folder / "deep").symlink_to("linked/kept")
    (folder / "linked.log").symlink_to("sub")
    paths = ("linked/new.cs", "linked/local.cs", "deep/other.cs", "deep/shown.cs", "linked.log/new.cs")
    assert hidden(folder, *paths) == {"linked/local.cs", "deep/other.cs", "linked.log/new.cs"}


def test_what_a_link_leads_to_outside_is_hidden(folder: Path) -> None:
    (folder / "out").symlink_to("..")
    assert hidden(folder, "out", "out/x.cs") == {"out", "out/x.cs"}


@pytest.fixture
def shut(folder: Path) -> Iterator[Path]:
    write(folder, {"shut/a.cs": ""})
    (folder / "shut").chmod(0)
    yield folder
    (folder / "shut").chmod(0o700)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may look anywhere")
def test_what_may_not_be_looked_into_is_hidden(shut: Path) -> None:
    assert hidden(shut, "shut/a.cs") == {"shut/a.cs"}


def test_a_name_with_odd_characters_is_asked_of_git_as_it_is(repository: Path) -> None:
    names = ("-n.cs", ":(glob)x.cs", "a b.log", "*.cs", "\udcff.log")
    assert hidden(repository, *names) == {"a b.log", "\udcff.log"}
