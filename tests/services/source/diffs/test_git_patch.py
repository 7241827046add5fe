"""Patches that `git apply` takes: whatever happened to a repository, the patch makes the same tree of a copy."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.model import FileChange
from services.source.diffs.changes import ChangeSets
from services.source.diffs.hunks import file_patch, quoted_path
from services.source.diffs.listing import DiffScope
from services.workspace.files.root import Root

NAMES = (
    "a.cs",
    "b c.cs",
    'q"uote.cs',
    "tab\tin.cs",
    "back\\slash.cs",
    "größe.cs",
    "日本.cs",
    "d/e.cs",
    "d/f g.cs",
    "new\nline",
)
NAME = st.sampled_from([*NAMES, os.fsdecode(b"latin-\xe9.cs")])
TEXT = st.lists(
    st.sampled_from(
        [
            b"class A {\n",
            b"}\n",
            b"  int x;\r\n",
            b"\xe9t\xe9\n",
            b"lone\rreturn\n",
            b"-- \n",
            b"\x0c\n",
            b"\n",
        ]
    ),
    max_size=9,
).map(b"".join)
CONTENT = st.one_of(
    TEXT,
    st.tuples(TEXT, st.sampled_from([b"open end", b"\r", b"x"])).map(b"".join),
    st.binary(max_size=90).map(lambda data: b"\0" + data),
)  # fmt: skip
ENTRY = st.one_of(
    st.tuples(st.sampled_from([0o644, 0o755]), CONTENT),
    st.tuples(st.just(0), st.sampled_from([b"a.cs", b"d", b"nowhere/at all", b"gr\xc3\xb6\xc3\x9fe"])),
)
TREE = st.dictionaries(NAME, ENTRY, max_size=6)
Entry = tuple[int, bytes]


def git(folder: Path, *arguments: str, fed: bytes = b"") -> bytes:
    who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "core.safecrlf=false")
    done = subprocess.run(["git", *who, *arguments], cwd=folder, input=fed, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def write(folder: Path, tree: dict[str, Entry]) -> None:
    for each in folder.iterdir():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() and not each.is_symlink() else each.unlink()
    for name, (mode, data) in tree.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        if mode:
            path.write_bytes(data)
            path.chmod(mode)
        else:
            path.symlink_to(os.fsdecode(data))


def read(folder: Path) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if name.partition("/")[0] == ".git":
            continue
        if path.is_symlink():
            found[name] = 0, os.fsencode(path.readlink())
        elif path.is_file():
            found[name] = 0o755 if path.stat().st_mode & 0o100 else 0o644, path.read_bytes()
    return found


def after(before: dict[str, Entry], moves: list[tuple[str, str, bytes]]) -> dict[str, Entry]:
    """Files moved, with something at their end."""
    made = dict(before)
    for old, new, end in moves:
        if old in made and new not in made:
            mode, data = made.pop(old)
            made[new] = mode, data + end if mode else data
    return made


@given(
    TREE,
    st.lists(st.tuples(NAME, NAME, st.sampled_from([b"", b"more\n", b"end"])), max_size=3),
    TREE,
    st.sampled_from(["", "staged", "HEAD~1..HEAD"]),
)
def test_a_patch_applied_to_a_copy_gives_the_same_tree(
    before: dict[str, Entry], moves: list[tuple[str, str, bytes]], extra: dict[str, Entry], scope: str
) -> None:
    with TemporaryDirectory() as top:
        folder, copy = Path(top) / "one", Path(top) / "copy"
        folder.mkdir()
        git(folder, "init", "-q", ".")
        write(folder, before)
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "--allow-empty", "-m", "before")
        shutil.copytree(folder, copy, symlinks=True)
        write(folder, after(before, moves) | extra)
        if scope:
            git(folder, "add", "-A")
        if ".." in scope:
            git(folder, "commit", "-q", "--allow-empty", "-m", "after")
        with Root.open(folder) as root:
            changes = ChangeSets(root)
            found = changes.read(DiffScope.parse(scope))
            patch = b"".join(map(changes.patch_of, found.files))
        if patch:
            git(copy, "apply", fed=patch)
        assert read(copy) == read(folder), patch.decode("latin-1")


def test_names_are_quoted_as_git_quotes_them(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", ".")
    names = [*NAMES, "bell\x07.cs", "del\x7f.cs", "e\x1bsc"]
    write(tmp_path, dict.fromkeys(names, (0o644, b"x\n")))
    git(tmp_path, "add", "-A")
    printed = git(tmp_path, "ls-files").decode().splitlines()
    assert sorted(map(quoted_path, names)) == sorted(printed)


def test_names_for_people_keep_their_letters() -> None:
    assert quoted_path("größe.cs", ascii_only=False) == "größe.cs"
    assert quoted_path("a\tb", ascii_only=False) == '"a\\tb"'


def test_a_submodule_is_told_by_its_commits() -> None:
    change = FileChange(
        path="part",
        status="modified",
        old_mode="160000",
        new_mode="160000",
        old_blob="1" * 40,
        new_blob="2" * 40,
    )
    patch = file_patch(change, b"", b"").decode()
    assert f"-Subproject commit {'1' * 40}\n+Subproject commit {'2' * 40}\n" in patch
    assert patch.startswith("diff --git a/part b/part\nindex 1111")


@pytest.fixture
def linked(tmp_path: Path) -> Callable[[], list[str]]:
    """A repository with a link that leads elsewhere now, and a new one."""
    git(tmp_path, "init", "-q", ".")
    write(
        tmp_path,
        {"a.cs": (0o644, b"class A {}\n"), "b.cs": (0o644, b"class B {}\n"), "link.cs": (0, b"a.cs")},
    )
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-q", "-m", "before")
    (tmp_path / "link.cs").unlink()
    (tmp_path / "link.cs").symlink_to("b.cs")
    (tmp_path / "new.cs").symlink_to("b.cs")
    (tmp_path / "run.cs").write_bytes(b"class R {}\n")
    (tmp_path / "run.cs").chmod(0o755)

    def told() -> list[str]:
        with Root.open(tmp_path) as root:
            changes = ChangeSets(root)
            return [
                f"{each.path} {each.new_mode} "
                + " ".join(line.sign + line.text for hunk in changes.hunks(each) for line in hunk.lines)
                for each in changes.read().files
            ]

    return told


def test_a_link_is_compared_by_its_target(linked: Callable[[], list[str]]) -> None:
    assert linked() == ["link.cs 120000 -a.cs +b.cs", "new.cs 120000 +b.cs", "run.cs 100755 +class R {}"]
