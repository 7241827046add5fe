"""Many files looked at folder by folder are seen as they are one by one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import CodeCortexError
from services.workspace.files.folders import stamps_of
from services.workspace.files.root import FileStamp, Root

PATHS = (
    "a.cs", "sub/b.cs", "sub/../a.cs", "sub/deep/c.cs",  # there
    "gone.cs", "sub/gone.cs", "nowhere/a.cs", "a.cs/b.cs", "sub", "sub/pipe", ".",  # no files
    "link.cs", "sub/up.cs", "linked/b.cs", "linked/gone.cs",  # links inside
    "out.cs", "outside/secret.cs", "broken.cs",  # links that are refused
    "", "../secret.cs", "/etc/hostname", ".git/config", "a\0.cs", "\udcff.cs", "x" * 300,  # names that are
)  # fmt: skip


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "secret.cs").write_text("secret")
    folder = tmp_path / "root"
    (folder / "sub/deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    for name in ("a.cs", "sub/b.cs", "sub/deep/c.cs", ".git/config"):
        (folder / name).write_text(name)
    os.mkfifo(folder / "sub/pipe")
    links = {"link.cs": "a.cs", "sub/up.cs": "../a.cs", "linked": "sub", "out.cs": "../secret.cs"}
    for name, target in {**links, "outside": "..", "broken.cs": "none.cs"}.items():
        (folder / name).symlink_to(target)
    with Root.open(folder) as opened:
        yield opened


def one(root: Root, path: str) -> FileStamp | None:
    try:
        return root.stat(path)
    except CodeCortexError:
        return None


def test_many_files_are_seen_as_one_by_one(root: Root) -> None:
    found = stamps_of(root, PATHS)
    assert found == {path: one(root, path) for path in PATHS}
    assert [path for path, stamp in found.items() if stamp is not None] == [*PATHS[:4], *PATHS[11:14]]


def test_a_folder_that_may_not_be_listed_is_looked_into(root: Root) -> None:
    (root.path / "sub").chmod(0o300)
    try:
        assert stamps_of(root, ["sub/b.cs"]) == {"sub/b.cs": root.stat("sub/b.cs")}
    finally:
        (root.path / "sub").chmod(0o700)
