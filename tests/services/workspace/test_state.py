"""The private state of a workspace: where it lies, that it is whole, and that nothing of it is in the repository."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import Busy, ReadOnly, UsageError
from services.workspace.files.root import Root
from services.workspace.state import StateFolder

HARMLESS = ("types/T_1.outline.md", "a.json", "deep/er/b")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Root]:
    (tmp_path / "root").mkdir()
    with Root.open(tmp_path / "root") as root:
        yield root


@pytest.fixture
def state(root: Root) -> Iterator[StateFolder]:
    with StateFolder.open(root) as state:
        yield state


def test_the_state_lies_in_the_persons_folder_and_nothing_in_the_root(root: Root, state: StateFolder) -> None:
    state.write("a.json", b"x")
    assert not state.where.is_relative_to(root.path)
    assert (state.is_temporary, state.notices) == (False, ())
    assert list(root.path.iterdir()) == []
    assert state.where.stat().st_mode & 0o777 == 0o700


def test_opening_again_finds_what_was_written(root: Root, state: StateFolder) -> None:
    for name in HARMLESS:
        state.write(name, name.encode())
    with StateFolder.open(root) as again:
        assert [again.read(name) for name in HARMLESS] == [name.encode() for name in HARMLESS]
        assert again.path("a.json").read_bytes() == b"a.json"
        assert not again.is_temporary


def test_what_is_not_there_reads_as_none(state: StateFolder) -> None:
    state.write("types/a", b"")
    assert [state.read(name) for name in ("b", "types", "types/b", "types/a/c", "none/c")] == [None] * 5
    assert state.read("types/a") == b""


def test_a_file_that_is_set_aside_is_kept_and_said_once(root: Root, state: StateFolder) -> None:
    state.write("folder/access.json", b"damaged")
    state.write("empty.json", b"")
    for _ in range(2):
        state.quarantine("folder/access.json", "What was used lately")
    (kept,) = state.names("folder")
    assert state.read(f"folder/{kept}") == b"damaged"
    assert any(kept in notice.message for notice in state.notices)
    state.quarantine("empty.json", "Something")
    assert state.read("empty.json") is None


@pytest.fixture
def unwritable() -> Iterator[Root]:
    """A folder in which nobody, not even root, can make a file."""
    with Root.open("/proc/self/net") as root:
        yield root


def test_with_no_place_left_state_is_temporary(unwritable: Root) -> None:
    with StateFolder.open(unwritable, user_folder=Path("/proc/self/none")) as state:
        state.write("a", b"1")
        where = state.where
        assert state.read("a") == b"1"
        assert "temporary" in state.notices[0].message
    assert not where.exists()


@pytest.mark.parametrize("name", ["", "..", "../a", "a/../b", "/a", "a//b", "a/", ".", "a\0"])
def test_a_name_that_leaves_the_folder_is_refused(state: StateFolder, name: str) -> None:
    for call in (state.read, state.path, lambda name: state.write(name, b"")):
        with pytest.raises(UsageError):
            call(name)


def test_links_in_the_state_are_not_followed(root: Root, state: StateFolder) -> None:
    (root.path / "outside").mkdir()
    (root.path / "outside/a").write_bytes(b"old")
    (state.where / "types").symlink_to("../outside")
    (state.where / "b").symlink_to("../outside/a")
    with pytest.raises(ReadOnly):
        state.write("types/a", b"new")
    assert state.read("b") is None
    state.write("b", b"new")
    assert (root.path / "outside/a").read_bytes() == b"old"
    assert (state.read("b"), state.read("types/a")) == (b"new", None)


def test_state_of_an_earlier_version_in_the_repository_is_named_once_and_left_alone(root: Root) -> None:
    (root.path / ".context").mkdir()
    for name in ("index.db", "writes.db", "ops.db"):
        (root.path / ".context" / name).write_bytes(b"theirs")
    with StateFolder.open(root) as state:
        (notice,) = state.notices
        assert "index.db, writes.db and 1 more" in notice.message
        assert str(state.where) in notice.message
    with StateFolder.open(root) as state:
        assert state.notices == ()
        assert len(state.ignored()) == 1
    assert {path.read_bytes() for path in (root.path / ".context").iterdir()} == {b"theirs"}


def test_a_write_that_fails_leaves_the_old_bytes_and_no_leftovers(state: StateFolder) -> None:
    (state.where / "folder").mkdir()
    state.write("a", b"old")
    before = sorted(state.where.iterdir())
    with pytest.raises(ReadOnly, match="old content stands"):
        state.write("folder", b"new")
    assert sorted(state.where.iterdir()) == before
    assert (state.where / "a").stat().st_mode & 0o777 == 0o600


def test_leftovers_of_a_killed_process_are_removed_and_young_ones_are_not(
    root: Root, state: StateFolder
) -> None:
    old, young = state.where / ".a.0123.tmp", state.where / ".b.4567.tmp"
    for path in (old, young):
        path.touch()
    os.utime(old, (0, 0))
    StateFolder.open(root).close()
    assert (old.exists(), young.exists()) == (False, True)


def test_a_process_that_hangs_while_starting_does_not_keep_others_out(root: Root, state: StateFolder) -> None:
    descriptor = os.open(state.where, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        with StateFolder.open(root) as second:
            assert second.where == state.where
    finally:
        os.close(descriptor)


def test_readers_see_one_content_or_the_other(state: StateFolder) -> None:
    contents = [bytes([letter]) * 200_000 for letter in b"ab"]
    state.write("a", contents[0])
    done = threading.Event()

    def write() -> None:
        for number in range(30):
            state.write("a", contents[number % 2])
        done.set()

    thread = threading.Thread(target=write)
    thread.start()
    seen = set()
    while not done.is_set():
        seen.add(state.read("a"))
    thread.join()
    assert seen <= set(contents)


def test_a_lock_is_held_against_threads(state: StateFolder) -> None:
    inside = 0
    most = 0

    def work() -> None:
        nonlocal inside, most
        for _ in range(20):
            with state.locked("index"):
                inside += 1
                most = max(most, inside)
                time.sleep(0.0005)
                inside -= 1

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def hold(folder: Path, ready: object, leave: object) -> None:
    """In another process: take the lock, say so, and keep it until told."""
    with Root.open(folder) as root, StateFolder.open(root) as state, state.locked("index"):
        ready.set()  # type: ignore[attr-defined]
        leave.wait(120)  # type: ignore[attr-defined]


def test_a_lock_is_held_against_processes_and_ends_with_them(root: Root, state: StateFolder) -> None:
    context = multiprocessing.get_context("spawn")
    ready, leave = context.Event(), context.Event()
    process = context.Process(target=hold, args=(root.path, ready, leave))
    process.start()
    assert ready.wait(60)
    with pytest.raises(Busy), state.locked("index", timeout=0.05):
        pass
    with state.locked("other", timeout=0):
        pass
    process.kill()
    process.join()
    with state.locked("index", timeout=60):
        pass


def test_processes_that_start_together_share_one_folder(root: Root) -> None:
    found: list[Path] = []

    def start() -> None:
        with StateFolder.open(root) as state:
            found.append(state.where)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(found), len(set(found))) == (8, 1)


def test_a_folder_that_was_deleted_meanwhile_is_made_again(root: Root, state: StateFolder) -> None:
    state.write("window.json", b"before")
    shutil.rmtree(state.where)
    assert state.read("window.json") is None
    with state.locked("window"):
        state.write("drafts/a.json", b"after")
    assert (state.where / "drafts" / "a.json").read_bytes() == b"after"
    shutil.rmtree(state.where)
    with StateFolder.open(root) as other:
        state.write("window.json", b"once more")
        assert other.read("window.json") == b"once more"


def test_closing_twice_does_nothing(state: StateFolder) -> None:
    """A second close of the number of a descriptor would close the file that has it now."""
    state.close()
    later = [os.open(os.devnull, os.O_RDONLY) for _ in range(8)]
    state.close()
    assert [os.fstat(each).st_rdev for each in later] == [os.stat(os.devnull).st_rdev] * 8  # noqa: PTH116
    for each in later:
        os.close(each)


def test_files_of_a_folder_are_listed_and_removed(state: StateFolder) -> None:
    for name in ("presets/b.json", "presets/a.json", "presets/.hidden", "presets/deeper/c.json"):
        state.write(name, b"x")
    (state.where / "presets" / "link.json").symlink_to("a.json")
    assert state.names("presets") == ("a.json", "b.json")
    assert state.names("receipts") == ()
    assert state.remove("presets/a.json")
    assert not state.remove("presets/a.json")
    assert not state.remove("receipts/a.json")
    assert state.names("presets") == ("b.json",)
    with pytest.raises(UsageError):
        state.names("../elsewhere")


def test_where_no_file_can_be_written_at_all_there_is_an_empty_folder_and_a_notice(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    program = (
        "import resource, sys; from pathlib import Path\n"
        "from services.workspace.files.root import Root; from services.workspace.state import StateFolder\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n"
        "with Root.open(Path(sys.argv[1])) as root, StateFolder.open(root, user_folder=Path(sys.argv[2])) as state:\n"
        "    print(state.where.is_dir(), 'lost on closing' in state.notices[0].message)\n"
        "print(state.where.exists())\n"
    )
    arguments = [sys.executable, "-c", program, str(tmp_path / "root"), str(tmp_path / "user")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=120)
    assert (done.stdout.split(), done.stderr) == (["True", "True", "False"], "")


def test_all_files_of_a_folder_are_read_in_their_order(state: StateFolder) -> None:
    for name in ("b", "a", ".hidden", "below/c"):
        state.write(f"ops/{name}", name.encode())
    assert list(state.contents("ops")) == [("a", b"a"), ("b", b"b")]
    assert list(state.contents("none")) == []
