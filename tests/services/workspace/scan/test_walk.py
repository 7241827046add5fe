"""The walk gives the same files as git, whatever the ignore files hold."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.errors import Cancelled
from services.workspace.files.root import Root
from services.workspace.scan import git
from services.workspace.scan.scan import outer_rules, walk

FILES = (
    "x.cs",
    "a",
    "!n",
    "#c",
    "é.cs",
    "x ",
    "a b.cs",
    "line\nfeed.cs",
    "-",
    "a.b.cs",
    "[x]",
    "b\\",
    "b/x.cs",
    "b/a",
    "b/bin/x.cs",
    "b/bin/a/x.cs",
    "b/bin/a/b",
    "bin/x.cs",
    "bin/b/a/x.cs",
    "Bin/x.cs",
    "c d/x.cs",
    "c d/[x]/a",
    "c d/**/a",
    "x.cs2/x.cs",
)
TOKENS = (
    "a",
    "b",
    "bin",
    "x.cs",
    ".cs",
    "*",
    "**",
    "***",
    "?",
    "/",
    "/**/",
    "**/",
    "[ab]",
    "[!a]",
    "[^/]",
    "[a-c]",
    "[]x]",
    "[[:alpha:]]",
    "[[:nope:]]",
    "[",
    "]",
    "[x",
    "\\",
    "\\ ",
    "\\[",
    "[\\]x]",
    "[c-a]",
    "[a/b]",
    " ",
    "!",
    "#",
    "-",
    "é",
    "\r",
    "n",
    "c d",
)
LINES = st.lists(st.lists(st.sampled_from(TOKENS), min_size=1, max_size=5).map("".join), max_size=6)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    folder = tmp_path_factory.mktemp("tree")
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    subprocess.run(["git", "init", "-q", folder], check=True)
    with Root.open(folder) as root:
        yield root


def listed_by_git(root: Root) -> set[bytes]:
    listing = git.untracked(root.path)
    assert listing is not None
    return set(listing.files)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(top=LINES, nested=LINES, excluded=LINES, marked=st.booleans())
def test_the_walk_agrees_with_git(
    tree: Root, top: list[str], nested: list[str], excluded: list[str], marked: bool
) -> None:
    places = {".gitignore": top, "b/.gitignore": nested, ".git/info/exclude": excluded}
    for place, lines in places.items():
        (tree.path / place).write_bytes(b"\xef\xbb\xbf" * marked + "\n".join(lines).encode())
    assert set(walk(tree).files) == listed_by_git(tree)


@pytest.mark.parametrize(
    ("pattern", "ignored"),
    [
        ("a/**", {"a/x", "a/b/x"}),
        ("a/**\n!a/x", {"a/b/x"}),
        ("a/\n!a/x", {"a/x", "a/b/x"}),
        ("/x", {"x"}),
        ("x", {"x", "a/x", "a/b/x"}),
        ("**/b/x", {"a/b/x"}),
        ("a/**/x", {"a/x", "a/b/x"}),
        ("a/*", {"a/x", "a/b/x"}),
        ("a/*/x", {"a/b/x"}),
    ],
)
def test_documented_patterns(tmp_path: Path, pattern: str, ignored: set[str]) -> None:
    files = {"x", "a/x", "a/b/x"}
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text(pattern)
    with Root.open(tmp_path) as root:
        assert files - {os.fsdecode(path) for path in walk(root).files} == ignored


def test_a_pattern_that_would_make_a_backtracking_engine_hang_is_answered(tmp_path: Path) -> None:
    (tmp_path / ("a" * 200)).touch()
    (tmp_path / ".gitignore").write_text("*a" * 60 + "*b")
    with Root.open(tmp_path) as root:
        assert os.fsencode("a" * 200) in walk(root).files


def test_links_are_listed_but_never_entered(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.cs").touch()
    (tmp_path / "link").symlink_to("real")
    with Root.open(tmp_path) as root:
        assert not any(path.startswith(b"link/") for path in walk(root).files)


def test_protected_folders_are_not_entered(tmp_path: Path) -> None:
    for name in (".git", ".GIT", ".context", "sub/.git"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "x.cs").touch()
    with Root.open(tmp_path) as root:
        assert walk(root).files == []


def test_a_repository_inside_has_its_own_rules_alone(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("x.cs")
    (tmp_path / "inner").mkdir()
    subprocess.run(["git", "init", "-q", tmp_path / "inner"], check=True)
    for name in ("x.cs", "inner/x.cs", "inner/y.cs"):
        (tmp_path / name).touch()
    (tmp_path / "inner/.git/info/exclude").write_text("y.cs")
    with Root.open(tmp_path) as root:
        found = {path for path in walk(root).files if path.endswith(b".cs")}
    assert found == {b"inner/x.cs"}


def test_a_root_inside_a_repository_obeys_the_rules_above_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "sub").mkdir()
    (tmp_path / ".gitignore").write_text("/sub/x.cs\n")
    for name in ("x.cs", "y.cs"):
        (tmp_path / "sub" / name).touch()
    with Root.open(tmp_path / "sub") as root:
        assert walk(root).files == [b"y.cs"]


def test_a_root_that_the_repository_around_it_ignores_is_looked_at_by_itself(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "sub").mkdir()
    (tmp_path / ".gitignore").write_text("sub/\n")
    assert outer_rules(tmp_path / "sub") == ("", [])


def test_cancel_ends_the_walk(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with Root.open(tmp_path) as root, pytest.raises(Cancelled):
        walk(root, cancel=cancel)
