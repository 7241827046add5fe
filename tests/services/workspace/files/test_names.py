"""Everything git refuses as a name of its own folder is refused, and ordinary names are not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from services.workspace.files.openers import protected

EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
PIECES = (
    "g",
    "G",
    "i",
    "I",
    "t",
    "T",
    ".git",
    ".GIT",
    ".",
    " ",
    "~1",
    "git",
    ":",
    "::$INDEX_ALLOCATION",
    "\\",
    "\u200c",
    "\u200f",
    "\u202a",
    "\u206f",
    "\ufeff",
    "x",
    "é",
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


def git_refuses(repository: Path, name: str) -> bool:
    settings = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"]
    add = ["update-index", "--add", "--cacheinfo", f"100644,{EMPTY_BLOB},{name}/x"]
    done = subprocess.run(["git", *settings, *add], cwd=repository, capture_output=True, check=False)
    return done.returncode != 0


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(".git")
@example(".git . ")
@example(".git::$INDEX_ALLOCATION")
@example(".\u200cgIt")
@example("GIT~1.")
@example(".git\\x")
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join))
def test_what_git_refuses_is_refused(repository: Path, name: str) -> None:
    is_no_name = {"", ".", ".."} & set(name.split("\\"))
    if git_refuses(repository, name):
        assert protected(name) or is_no_name


@given(st.text(st.characters(categories=["L", "N"]), min_size=1))
def test_a_name_of_letters_and_digits_is_not_protected(name: str) -> None:
    assert protected(name) is None
