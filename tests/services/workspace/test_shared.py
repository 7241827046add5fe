"""`.context/`: it comes with the first file that somebody asks for, and what lies there is a stranger's text."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from services.errors import ReadOnly, WorkspaceError
from services.workspace.files.root import Root
from services.workspace.shared import TRACKED, SharedFolder
from services.workspace.state import StateFolder

WORTH_SHARING = (
    "types/T.outline.md",
    "semantic/T.md",
    "packs/p.toml",
    "presets/p.json",
    "templates/t.md",
    "aliases.json",
)
RECORDS = ("prompt_window.md", "ops/O_1.json", "reviews/R_1.json", "hash_conflicts.log")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "root").mkdir()
    subprocess.run(["git", "init", "-q", tmp_path / "root"], check=True)
    with Root.open(tmp_path / "root") as root:
        yield root


@pytest.fixture
def shared(root: Root) -> Iterator[SharedFolder]:
    with StateFolder.open(root) as state:
        yield state.shared


def seen_by_git(root: Root) -> set[str]:
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root.path, check=True, capture_output=True, text=True).stdout
    return {name.removeprefix(".context/") for name in listed.split("\0") if name}


def snapshot(folder: Path) -> dict[str, object]:
    return {
        str(path): (
            path.is_symlink(),
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else None,
        )
        for path in sorted(folder.rglob("*"))
        if ".git/" not in f"{path}/"
    }


def test_git_sees_what_is_worth_sharing_and_nothing_of_records(root: Root, shared: SharedFolder) -> None:
    for name in RECORDS:
        shared.write(name, b"x")
    assert seen_by_git(root) == set()
    for name in WORTH_SHARING:
        shared.write(name, b"x")
    assert seen_by_git(root) == {*WORTH_SHARING, ".gitignore"}


def test_git_sees_a_file_that_is_shared_on_request(root: Root, shared: SharedFolder) -> None:
    for _ in range(2):
        shared.share("index.json")
        shared.write("index.json", b"x")
        assert seen_by_git(root) == {".gitignore", "index.json"}
    assert (shared.where / ".gitignore").read_bytes() == TRACKED + b"!/index.json\n"


@pytest.mark.parametrize("rules", [b"/*\n# mine", b"*\n", b""])
def test_rules_that_somebody_wrote_stay(root: Root, shared: SharedFolder, rules: bytes) -> None:
    shared.where.mkdir()
    (shared.where / ".gitignore").write_bytes(rules)
    shared.write("packs/a.toml", b"x")
    assert (shared.where / ".gitignore").read_bytes() == rules


def test_a_folder_that_another_program_filled_gets_no_rules(root: Root, shared: SharedFolder) -> None:
    shared.where.mkdir()
    (shared.where / "notes.md").write_text("theirs")
    shared.write("packs/a.toml", b"x")
    assert seen_by_git(root) == {"notes.md", "packs/a.toml"}


def test_nothing_is_recorded_before_somebody_asked_here(root: Root, shared: SharedFolder) -> None:
    shared.record("ops/a.json", b"x")
    assert not shared.where.exists()
    (shared.where / "ops").mkdir(parents=True)
    (shared.where / "ops" / "a.json").write_bytes(b"theirs")
    shared.record("ops/a.json", b"x")
    assert not shared.discard("ops/a.json")
    assert shared.read("ops/a.json") == b"theirs"
    shared.write("packs/a.toml", b"x")
    with StateFolder.open(root) as again:
        again.shared.record("ops/a.json", b"mine")
        assert shared.read("ops/a.json") == b"mine"


def test_a_folder_that_was_deleted_stays_away_until_somebody_asks_again(shared: SharedFolder) -> None:
    shared.write("ops/a.json", b"x")
    subprocess.run(["rm", "-r", shared.where], check=True)
    shared.record("ops/a.json", b"x")
    assert not shared.where.exists()


def a_file(root: Root) -> None:
    (root.path / ".context").write_text("theirs")


def a_link(root: Root) -> None:
    (root.path.parent / "theirs" / "packs").mkdir(parents=True)
    (root.path.parent / "theirs" / "packs" / "a.toml").write_text("theirs")
    (root.path / ".context").symlink_to("../theirs")


@pytest.mark.parametrize("make", [a_file, a_link])
def test_what_is_no_folder_is_neither_read_nor_written(
    root: Root, shared: SharedFolder, make: Callable[[Root], None]
) -> None:
    make(root)
    before = snapshot(root.path.parent)
    assert (shared.read("packs/a.toml"), shared.names("packs"), shared.stamp("packs")) == (None, (), None)
    with pytest.raises(ReadOnly, match="in the way"):
        shared.write("packs/a.toml", b"x")
    shared.record("packs/a.toml", b"x")
    assert snapshot(root.path.parent) == before


def test_links_and_pipes_in_it_are_nothing(root: Root, shared: SharedFolder, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.toml").write_text("theirs")
    shared.write("presets/x.json", b"x")
    (shared.where / "packs").symlink_to(tmp_path / "outside")
    (shared.where / "presets" / "a.json").symlink_to(tmp_path / "outside" / "a.toml")
    os.mkfifo(shared.where / "presets" / "b.json")
    assert [shared.read(name) for name in ("packs/a.toml", "presets/a.json", "presets/b.json")] == [None] * 3
    assert (shared.names("packs"), shared.names("presets")) == ((), ("x.json",))
    assert [shared.stamp(name) for name in ("packs", "packs/a.toml", "presets/a.json")] == [None] * 3
    with pytest.raises(ReadOnly):
        shared.write("packs/a.toml", b"x")
    shared.write("presets/a.json", b"x")
    assert (tmp_path / "outside" / "a.toml").read_text() == "theirs"


def test_a_large_file_is_refused_and_a_long_list_is_cut(
    shared: SharedFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        shared.write(f"packs/{number}.md", b"12345")
    monkeypatch.setattr(SharedFolder, "largest", 4)
    monkeypatch.setattr(SharedFolder, "most", 3)
    with pytest.raises(WorkspaceError, match="larger than 4 bytes"):
        shared.read("packs/0.md")
    assert len(shared.names("packs")) == 3
