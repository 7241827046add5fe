"""State files are watched by looking at them."""

from __future__ import annotations

import queue
from pathlib import Path

from services.bench.topics import StateWatch


def _topics(looks: queue.Queue[frozenset[str]], wanted: int) -> set[str]:
    found: set[str] = set()
    while len(found) < wanted:
        found |= looks.get(timeout=60)
    return found


def test_a_file_that_appears_changes_or_goes_is_told_by_its_topic(tmp_path: Path) -> None:
    looks: queue.Queue[frozenset[str]] = queue.Queue()
    a, b = tmp_path / "a", tmp_path / "b"
    watch = StateWatch({"first": (a,), "second": (b, tmp_path / "b-wal")}, looks.put, every=0.01)
    watch.start()
    try:
        a.write_text("1")
        assert _topics(looks, 1) == {"first"}
        (tmp_path / "b-wal").write_text("1")
        assert _topics(looks, 1) == {"second"}
        a.unlink()
        assert _topics(looks, 1) == {"first"}
    finally:
        watch.close()


def test_an_entry_put_into_a_folder_is_told(tmp_path: Path) -> None:
    looks: queue.Queue[frozenset[str]] = queue.Queue()
    (tmp_path / "packs").mkdir()
    watch = StateWatch({"packs": (tmp_path / "packs",)}, looks.put, every=0.01)
    watch.start()
    try:
        (tmp_path / "packs" / "one.toml").write_text("")
        assert _topics(looks, 1) == {"packs"}
    finally:
        watch.close()


def test_nothing_is_told_once_it_is_closed(tmp_path: Path) -> None:
    looks: queue.Queue[frozenset[str]] = queue.Queue()
    watch = StateWatch({"first": (tmp_path / "a",)}, looks.put, every=0.01)
    watch.start()
    watch.close()
    while not looks.empty():
        looks.get()
    (tmp_path / "a").write_text("1")
    assert looks.empty()
