"""Which state a root has, and what becomes of the states of roots that went, moved or came back."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from pathlib import Path

import pytest

from services.errors import Busy, UsageError
from services.workspace import state_home
from services.workspace.files.root import Root
from services.workspace.state import StateFolder
from services.workspace.state_home import KEPT_FOR, NoStateError, StateHome


@pytest.fixture
def home(tmp_path: Path) -> StateHome:
    return StateHome(tmp_path / "person")


def folder(tmp_path: Path, name: str) -> Path:
    path = tmp_path / name
    path.mkdir(exist_ok=True)
    return path


def opened(path: Path, home: StateHome) -> tuple[Path, tuple[str, ...]]:
    """Where the state of a root lies, and what was said."""
    with Root.open(path) as root, StateFolder.open(root, user_folder=home.folder.parent) as state:
        state.write("mark", os.fsencode(path))
        return state.where, tuple(notice.message for notice in state.notices)


def test_each_root_has_a_state_and_keeps_it(tmp_path: Path, home: StateHome) -> None:
    one, other = (opened(folder(tmp_path, name), home)[0] for name in "ab")
    assert one != other
    assert opened(tmp_path / "a", home) == (one, ())
    assert {row.path for row in home.listed()} == {str(tmp_path / "a"), str(tmp_path / "b")}


def test_a_link_to_a_root_leads_to_the_same_state(tmp_path: Path, home: StateHome) -> None:
    where, _ = opened(folder(tmp_path, "a"), home)
    (tmp_path / "link").symlink_to("a")
    assert opened(tmp_path / "link", home)[0] == where


def test_another_path_of_the_same_folder_leads_to_the_same_state(
    tmp_path: Path, home: StateHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As through a bind mount: the folder has two canonical paths."""
    where, _ = opened(folder(tmp_path, "a"), home)
    with Root.open(tmp_path / "a") as root:
        monkeypatch.setattr(root, "path", tmp_path / "mounted" / "a")
        with StateFolder.open(root, user_folder=home.folder.parent) as state:
            assert (state.where, state.notices) == (where, ())
    assert home.listed()[0].path == str(tmp_path / "a")


def test_a_root_on_another_device_is_the_same_root(tmp_path: Path, home: StateHome) -> None:
    """The number of a disk changes with the order in which disks are plugged in."""
    where, _ = opened(folder(tmp_path, "a"), home)
    record = where / "root.json"
    record.write_text(record.read_text().replace('"device": ', '"device": 9'))
    assert opened(tmp_path / "a", home) == (where, ())


def test_a_root_that_was_made_anew_has_a_new_state_and_the_old_one_is_kept(
    tmp_path: Path, home: StateHome
) -> None:
    first, _ = opened(folder(tmp_path, "a"), home)
    (tmp_path / "a").rename(tmp_path / "elsewhere")
    second, said = opened(folder(tmp_path, "a"), home)
    assert second != first
    assert "may have been this folder" in said[0]
    assert {(row.name, row.root) for row in home.listed()} == {
        (first.name, "another"),
        (second.name, "there"),
    }


def test_the_state_of_a_renamed_root_is_offered_and_moved(tmp_path: Path, home: StateHome) -> None:
    old, _ = opened(folder(tmp_path, "old"), home)
    (tmp_path / "old").rename(tmp_path / "new")
    new, said = opened(tmp_path / "new", home)
    assert str(tmp_path / "old") in said[0]
    with Root.open(tmp_path / "new") as root:
        assert home.move(old.name, root) == old.name
    assert (new / "mark").read_bytes() == os.fsencode(tmp_path / "old")
    assert (old / "mark").read_bytes() == os.fsencode(tmp_path / "new"), "what it had meanwhile is not lost"
    assert opened(tmp_path / "new", home) == (new, ())
    with Root.open(tmp_path / "new") as root:
        assert home.move(new.name, root) is None, "it is there already"


def test_a_state_is_moved_to_a_root_that_has_none(tmp_path: Path, home: StateHome) -> None:
    old, _ = opened(folder(tmp_path, "old"), home)
    with Root.open(folder(tmp_path, "new")) as root:
        assert home.move(old.name, root) is None
    where, _ = opened(tmp_path / "new", home)
    assert not old.exists()
    assert [row.name for row in home.listed()] == [where.name]


def test_a_state_in_use_is_neither_deleted_nor_moved(tmp_path: Path, home: StateHome) -> None:
    with (
        Root.open(folder(tmp_path, "a")) as root,
        StateFolder.open(root, user_folder=home.folder.parent) as state,
    ):
        (row,) = home.listed()
        assert (row.in_use, row.root) == (True, "there")
        with pytest.raises(Busy):
            home.delete(row.name)
        with Root.open(folder(tmp_path, "b")) as other, pytest.raises(Busy):
            home.move(row.name, other)
        assert state.where.exists()
    home.delete(home.find(str(tmp_path / "a")).name)
    assert home.listed() == []
    with pytest.raises(UsageError):
        home.find(str(tmp_path / "a"))


def test_the_state_of_a_root_that_is_gone_is_kept_for_long_and_then_removed(
    tmp_path: Path, home: StateHome
) -> None:
    opened(folder(tmp_path, "stays"), home)
    opened(folder(tmp_path, "goes"), home)
    (tmp_path / "goes").rmdir()
    now = time.time()
    assert home.prune(now + KEPT_FOR - 60) == []
    assert [row.path for row in home.prune(now + KEPT_FOR + 60)] == [str(tmp_path / "goes")]
    assert [row.path for row in home.listed()] == [str(tmp_path / "stays")]


def test_what_is_no_state_is_left_alone(tmp_path: Path, home: StateHome) -> None:
    opened(folder(tmp_path, "a"), home)
    (home.folder / "theirs").mkdir()
    (home.folder / "damaged").mkdir()
    (home.folder / "damaged" / "root.json").write_bytes(b"[" * 100_000)
    assert len(home.listed()) == 1
    assert home.prune(time.time() + 2 * KEPT_FOR) == []
    assert (home.folder / "theirs").is_dir()


def test_another_machine_that_uses_a_state_keeps_this_one_out(
    tmp_path: Path, home: StateHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_home, "_PATIENCE", 0.05)
    user = home.folder.parent
    with Root.open(folder(tmp_path, "a")) as root, StateFolder.open(root, user_folder=user) as state:
        monkeypatch.setattr(state_home, "_machine", lambda: b"other-boot other-host\n")
        with StateFolder.open(root, user_folder=user) as second:
            assert second.is_temporary
            assert "another machine uses it" in second.notices[0].message
        state.close()
        with StateFolder.open(root, user_folder=user) as third:
            assert not third.is_temporary, "the first one has ended"


def test_a_file_system_without_locks_holds_no_state(
    tmp_path: Path, home: StateHome, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (
        Root.open(folder(tmp_path, "a")) as root,
        StateFolder.open(root, user_folder=home.folder.parent) as state,
    ):
        assert state.is_temporary
        assert "cannot be locked" in state.notices[0].message


def test_without_a_home_state_is_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.delenv("HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    with pytest.raises(NoStateError):
        StateHome.of_person()
    with Root.open(folder(tmp_path, "a")) as root, StateFolder.open(root) as state:
        assert state.is_temporary
        assert "there is no home folder" in state.notices[0].message


def test_all_of_it_is_the_persons_alone(tmp_path: Path, home: StateHome) -> None:
    before = os.umask(0)
    try:
        opened(folder(tmp_path, "a"), home)
    finally:
        os.umask(before)
    found = [home.folder, *home.folder.rglob("*")]
    assert {path.stat().st_mode & 0o077 for path in found} == {0}
