"""Which folders may be looked into, and which of the program's own ignore files hold there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.workspace.files.folders import OWN_IGNORE_FILE, OwnIgnoreFolders
from services.workspace.files.root import Root


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    for name in ("a/b/c", "gone", "skipped/deep", ".git/objects"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "link").symlink_to("a")
    (tmp_path / OWN_IGNORE_FILE).write_text("skipped/\n")
    (tmp_path / "a" / OWN_IGNORE_FILE).write_text("*.md\n")
    with Root.open(tmp_path) as opened:
        yield opened


def count(levels: object) -> int | None:
    return len(levels) if isinstance(levels, list) else None


def test_rules_hold_in_a_folder_and_in_all_below_it(root: Root) -> None:
    folders = OwnIgnoreFolders(root)
    assert [count(folders.levels(each)) for each in (b"", b"gone", b"a", b"a/b", b"a/b/c")] == [1, 1, 2, 2, 2]


def test_folders_may_be_deeper_than_calls(root: Root) -> None:
    deep = b"/".join([b"d"] * 400)
    os.makedirs(root.path / os.fsdecode(deep))  # noqa: PTH103 - which nests fewer calls
    assert count(OwnIgnoreFolders(root).levels(deep)) == 1


@pytest.mark.parametrize(
    "folder", [b"skipped", b"skipped/deep", b".git", b".git/objects", b"link", b"none", b"a/.."]
)
def test_nothing_is_seen_of_what_is_ignored_protected_linked_or_not_there(root: Root, folder: bytes) -> None:
    assert OwnIgnoreFolders(root).levels(folder) is None
    assert OwnIgnoreFolders(root).opened(folder) is None


def test_a_folder_is_opened_with_its_rules_the_second_time_too(root: Root) -> None:
    folders = OwnIgnoreFolders(root)
    for _ in range(2):
        found = folders.opened(b"a/b")
        assert found is not None
        descriptor, levels = found
        assert os.fstat(descriptor).st_ino == (root.path / "a/b").stat().st_ino
        assert len(levels) == 2
        os.close(descriptor)


def test_a_folder_that_went_meanwhile_is_none_and_one_that_may_not_be_read_is_noted(
    root: Root, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = OwnIgnoreFolders(root)
    assert folders.levels(b"gone") is not None
    (root.path / "gone").rmdir()
    assert folders.opened(b"gone") is None
    assert folders.unreadable == set()

    def shut(_: str) -> int:
        raise PermissionError

    monkeypatch.setattr(root, "open_folder", shut)
    assert folders.open(b"a/b") is None
    assert folders.unreadable == {b"a/b"}


def test_of_a_folder_without_an_own_ignore_file_those_above_hold(root: Root) -> None:
    descriptor = root.open_folder("a")
    try:
        assert count(OwnIgnoreFolders(root).levels_in(b"a", descriptor, own=False)) == 1
        assert count(OwnIgnoreFolders(root).levels_in(b"a", descriptor)) == 2
        known = OwnIgnoreFolders(root)
        assert known.levels_in(b"a", descriptor) is known.levels_in(b"a", descriptor, own=False)
    finally:
        os.close(descriptor)
