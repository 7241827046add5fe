"""Where state goes, that it is whole, and that what another program made is left alone."""

from __future__ import annotations

import fcntl
import json
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
from services.workspace.claim import GITIGNORE
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


def test_the_state_lies_below_the_root_with_its_marker(root: Root, state: StateFolder) -> None:
    assert (state.where, state.shared, state.notices) == (root.path / ".context", True, ())
    assert json.loads((state.where / "codecortex.json").read_bytes()) == {"format": 1}


def test_opening_again_finds_what_was_written(root: Root, state: StateFolder) -> None:
    for name in HARMLESS:
        state.write(name, name.encode())
    with StateFolder.open(root) as again:
        assert [again.read(name) for name in HARMLESS] == [name.encode() for name in HARMLESS]
        assert again.path("a.json").read_bytes() == b"a.json"
        assert again.shared


def test_what_is_not_there_reads_as_none(state: StateFolder) -> None:
    state.write("types/a", b"")
    assert [state.read(name) for name in ("b", "types", "types/b", "types/a/c", "none/c")] == [None] * 5
    assert state.read("types/a") == b""


def test_git_tracks_only_what_is_worth_sharing(root: Root, state: StateFolder) -> None:
    subprocess.run(["git", "init", "-q", root.path], check=True)
    shared = {"types/T.outline.md", "semantic/T.md", "packs/p.json", "presets/p.json", "templates/t.md"}
    shared |= {"aliases.json"}
    for name in (
        *shared,
        "index.db",
        "index.db-wal",
        "access.json",
        "index.json",
        "prompt_window.md",
        "receipts/1",
        "x.lock",
    ):
        state.write(name, b"x")
    assert _tracked(root) == shared | {".gitignore", "codecortex.json"}


def test_git_sees_what_is_not_shared_when_somebody_asks_for_it(root: Root, state: StateFolder) -> None:
    subprocess.run(["git", "init", "-q", root.path], check=True)
    (state.where / ".gitignore").write_bytes(b"/*\n# mine")
    for _ in range(2):
        state.write("index.json", b"x")
        state.share("index.json")
        assert _tracked(root) == {"index.json"}
    assert (state.where / ".gitignore").read_bytes() == b"/*\n# mine\n!/index.json\n"


def _tracked(root: Root) -> set[str]:
    command = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root.path, check=True, capture_output=True, text=True).stdout
    return {name.removeprefix(".context/") for name in listed.split("\0") if name}


def test_an_edited_gitignore_is_kept(root: Root, state: StateFolder) -> None:
    (state.where / ".gitignore").write_text("*\n")
    StateFolder.open(root).close()
    assert (state.where / ".gitignore").read_text() == "*\n"


def foreign_folder(root: Root) -> None:
    (root.path / ".context").mkdir()
    (root.path / ".context/notes.md").write_text("theirs")


def foreign_link(root: Root) -> None:
    (root.path.parent / "theirs").mkdir()
    (root.path / ".context").symlink_to("../theirs")


def foreign_file(root: Root) -> None:
    (root.path / ".context").write_text("theirs")


def newer_format(root: Root) -> None:
    (root.path / ".context").mkdir()
    (root.path / ".context/codecortex.json").write_text('{"format": 2}')


def snapshot(folder: Path) -> dict[str, object]:
    return {
        str(path): (path.is_symlink(), path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else None)
        for path in sorted(folder.rglob("*"))
    }


@pytest.mark.parametrize("make", [foreign_folder, foreign_link, foreign_file, newer_format])
def test_what_another_made_is_left_alone_and_said(root: Root, tmp_path: Path, make: object) -> None:
    assert callable(make)
    make(root)
    before = snapshot(root.path)
    with StateFolder.open(root, user_folder=tmp_path / "user") as state:
        assert state.where.parent == tmp_path / "user"
        assert not state.shared
        state.write("a", b"1")
        assert (state.where / "a").read_bytes() == b"1"
        (notice,) = state.notices
        assert ".context" in notice.message
        assert str(state.where) in notice.message
    assert snapshot(root.path) == before
    with StateFolder.open(root, user_folder=tmp_path / "user") as again:
        assert again.read("a") == b"1"


@pytest.mark.parametrize("damaged", [b"", b"[", bytes(14), b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_marker_is_made_anew_and_nothing_else_is_touched(root: Root, damaged: bytes) -> None:
    with StateFolder.open(root) as state:
        state.write("window.json", b"pins")
        assert state.notices == ()
    (root.path / ".context/codecortex.json").write_bytes(damaged)
    with StateFolder.open(root) as state:
        assert state.shared
        assert state.read("window.json") == b"pins"
        (notice,) = state.notices
        assert "codecortex.json was damaged" in notice.message
        kept = [path.read_bytes() for path in state.where.iterdir() if "damaged" in path.name]
        assert kept == [damaged] * bool(damaged)
    with StateFolder.open(root) as state:
        assert state.notices == ()


@pytest.mark.parametrize("damaged", [b"", bytes(198), b"/*\n\xff\xfe", GITIGNORE[:99]])
def test_rules_of_git_that_are_none_are_made_anew(root: Root, damaged: bytes) -> None:
    StateFolder.open(root).close()
    rules = root.path / ".context/.gitignore"
    before = rules.read_bytes()
    rules.write_bytes(damaged)
    with StateFolder.open(root) as state:
        assert rules.read_bytes() == before
        assert ".gitignore was damaged" in state.notices[0].message


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


def test_an_empty_folder_is_taken(root: Root) -> None:
    (root.path / ".context").mkdir()
    with StateFolder.open(root) as state:
        assert state.shared


def test_two_workspaces_have_two_folders_in_the_users_place(tmp_path: Path) -> None:
    places = set()
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / ".context").touch()
        with (
            Root.open(tmp_path / name) as root,
            StateFolder.open(root, user_folder=tmp_path / "user") as state,
        ):
            places.add(state.where)
    assert len(places) == 2


@pytest.fixture
def unwritable() -> Iterator[Root]:
    """A folder in which nobody, not even root, can make a file."""
    with Root.open("/proc/self/net") as root:
        yield root


def test_a_root_that_cannot_be_written_puts_state_in_the_users_folder(
    unwritable: Root, tmp_path: Path
) -> None:
    with StateFolder.open(unwritable, user_folder=tmp_path / "user") as state:
        assert state.where.parent == tmp_path / "user"
        assert "cannot be written" in state.notices[0].message


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
            assert second.shared
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
    found: list[bool] = []

    def start() -> None:
        with StateFolder.open(root) as state:
            found.append(state.shared)

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 8


def test_a_folder_that_was_deleted_meanwhile_is_made_again(root: Root, state: StateFolder) -> None:
    state.write("window.json", b"before")
    shutil.rmtree(state.where)
    assert state.read("window.json") is None
    with state.locked("window"):
        state.write("drafts/a.json", b"after")
    assert json.loads((state.where / "codecortex.json").read_bytes()) == {"format": 1}
    assert (state.where / "drafts" / "a.json").read_bytes() == b"after"
    shutil.rmtree(state.where)
    with StateFolder.open(root) as other:
        state.write("window.json", b"once more")
        assert other.read("window.json") == b"once more"


def test_where_another_program_took_the_place_meanwhile_nothing_is_written(state: StateFolder) -> None:
    shutil.rmtree(state.where)
    state.where.mkdir()
    (state.where / "theirs").write_bytes(b"")
    with pytest.raises(ReadOnly):
        state.write("window.json", b"mine")
    with pytest.raises(ReadOnly), state.locked("window"):
        pass
    assert [path.name for path in state.where.iterdir()] == ["theirs"]


def test_closing_twice_does_nothing(state: StateFolder) -> None:
    state.close()
    state.close()


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
