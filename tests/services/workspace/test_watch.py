"""Events are a hint: where some were lost, or cannot be told apart, everything is looked at again."""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import queue
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from watchdog.observers import inotify, inotify_c

from services.workspace import watch
from services.workspace.watch import Batch, Watcher, watches_left

WAIT = 60.0


class Watched:
    """A watcher whose batches are kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.batches: queue.Queue[Batch] = queue.Queue()
        self.watcher = Watcher(root, self.batches.put, matters=lambda path: path.endswith(".cs"))
        self.watcher.start()

    def next(self) -> Batch:
        return self.batches.get(timeout=WAIT)


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    (tmp_path / "root/.git").mkdir(parents=True)
    (tmp_path / "root/.context").mkdir()
    watched = Watched(tmp_path / "root")
    yield watched
    watched.watcher.close()


@pytest.fixture
def _looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.02)


@contextmanager
def without_a_log() -> Iterator[None]:
    """Nobody has set up a log, as in a process of ours: what a library logs then goes to the terminal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(logging.getLogger(), "handlers", [])
        yield


def test_a_file_that_changes_is_told_by_its_path_and_nothing_else_is(watched: Watched) -> None:
    (watched.root / ".context/state.cs").write_text("x")
    (watched.root / "notes.txt").write_text("x")
    (watched.root / ".git/config").write_text("x")
    (watched.root / "A.cs").write_text("x")
    assert watched.next() == Batch({"A.cs"})


def test_everything_is_looked_at_when_the_queue_of_events_overflowed(
    watched: Watched, capfd: pytest.CaptureFixture[str]
) -> None:
    with without_a_log():
        inotify_c.logger.warning("Inotify queue overflowed; filesystem events were lost")
    assert watched.next().everything
    assert capfd.readouterr().err == ""


def test_what_the_library_says_while_it_stops_reaches_no_terminal(
    watched: Watched, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = inotify.InotifyEmitter.on_thread_stop

    def asked_in_vain(emitter: inotify.InotifyEmitter) -> None:
        stop(emitter)
        emitter.queue_events(0.0)

    monkeypatch.setattr(inotify.InotifyEmitter, "on_thread_stop", asked_in_vain)
    with without_a_log():
        watched.watcher.close()
    assert capfd.readouterr().err == ""


def test_the_library_says_that_its_queue_overflowed_as_it_is_listened_for() -> None:
    assert "queue overflowed" in Path(inotify_c.__file__).read_text("utf-8")


def test_folders_that_are_watched_twice_as_they_come_are_no_warning_on_the_terminal(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        watched = Watched(tmp_path)
        try:
            (emitter,) = (each for each in threading.enumerate() if isinstance(each, inotify.InotifyEmitter))
            group = emitter._inotify
            assert group is not None
            # As for a folder that came while its parent was walked.
            group._add_callback(os.fsencode(tmp_path))
        finally:
            watched.watcher.close()
    assert not said


def test_a_watcher_that_is_closed_does_not_listen(watched: Watched) -> None:
    watched.watcher.close()
    inotify_c.logger.warning("Inotify queue overflowed")
    assert watched.batches.empty()


@pytest.mark.parametrize("name", ["HEAD", "index"])
def test_everything_is_looked_at_when_git_moves(watched: Watched, name: str) -> None:
    (watched.root / ".git" / name).write_text("x")
    assert watched.next().everything


def test_too_many_paths_are_everything(tmp_path: Path) -> None:
    batches: queue.Queue[Batch] = queue.Queue()
    watcher = Watcher(tmp_path, batches.put)
    for number in range(2_001):
        watcher.note(str(tmp_path / f"{number}.cs"))
    watcher.start()
    assert batches.get(timeout=WAIT).everything
    watcher.close()


@pytest.mark.usefixtures("_looks_often")
def test_a_root_that_goes_and_comes_back_is_watched_again(watched: Watched) -> None:
    moved = watched.root.with_name("moved")
    watched.root.rename(moved)
    while watched.watcher.state != "lost":
        assert watched.next().everything
    moved.rename(watched.root)
    while watched.watcher.state == "lost":
        assert watched.next().everything
    (watched.root / "B.cs").write_text("x")
    while "B.cs" not in watched.next().paths:
        pass


@pytest.mark.usefixtures("_looks_often")
def test_a_folder_that_lies_in_the_place_of_the_root_is_not_watched(tmp_path: Path) -> None:
    root, moved = tmp_path / "root", tmp_path / "moved"
    root.mkdir()
    meant = root.stat().st_ino
    batches: queue.Queue[Batch] = queue.Queue()
    watcher = Watcher(root, batches.put, in_place=lambda: root.is_dir() and root.stat().st_ino == meant)
    watcher.start()
    root.rename(moved)
    root.mkdir()
    while watcher.state != "lost":
        assert batches.get(timeout=WAIT).everything
    root.rmdir()
    moved.rename(root)
    while watcher.state == "lost":
        assert batches.get(timeout=WAIT).everything
    watcher.close()


def test_folders_without_a_watch_are_looked_at_often_until_there_are_watches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = False
    batches: queue.Queue[Batch] = queue.Queue()
    monkeypatch.setattr("services.workspace.watch.RESCAN_EVERY", 1.0)
    watcher = Watcher(tmp_path, batches.put, left=lambda _: left)
    watcher.start()
    assert watcher.state == "short"
    for _ in range(2):  # nothing has changed that anybody was told of
        assert batches.get(timeout=WAIT).everything
    left = True
    while watcher.state != "on":
        assert batches.get(timeout=WAIT).everything
    (tmp_path / "B.cs").write_text("x")
    while "B.cs" not in batches.get(timeout=WAIT).paths:
        pass
    watcher.close()


def test_watches_that_run_out_for_a_folder_made_later_are_noticed(tmp_path: Path) -> None:
    left = True
    batches: queue.Queue[Batch] = queue.Queue()
    watcher = Watcher(tmp_path, batches.put, left=lambda _: left)
    watcher.start()
    assert watcher.state == "on"
    left = False
    (tmp_path / "folder").mkdir()
    assert batches.get(timeout=WAIT).everything
    assert watcher.state == "short"
    watcher.close()


@pytest.mark.parametrize(
    ("code", "some"), [(errno.ENOSPC, False), (errno.EMFILE, False), (errno.EACCES, True)]
)
@pytest.mark.parametrize("call", ["inotify_init1", "inotify_add_watch"])
def test_what_the_kernel_answers_tells_whether_watches_are_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, code: int, some: bool
) -> None:
    assert watches_left(tmp_path)

    class Kernel:
        def inotify_init1(self, _: int) -> int:
            return self.answer("inotify_init1")

        def inotify_add_watch(self, *_: object) -> int:
            return self.answer("inotify_add_watch")

        def answer(self, name: str) -> int:
            ctypes.set_errno(code if name == call else 0)
            return -1 if name == call else os.open(os.devnull, os.O_RDONLY)

    monkeypatch.setattr("ctypes.CDLL", lambda *_, **__: Kernel())
    assert watches_left(tmp_path) is some
