"""Databases that several processes make in the same moment."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.context.text_index import KeptWords
from services.index.catalog.store import Store
from services.source.journal.database import Database
from services.workspace.files import databases
from services.workspace.files.databases import making, to_read_alone

AT_ONCE = 4


def store(path: Path) -> str:
    made = Store(path)
    made.close()
    return made.renewed


def journal(path: Path) -> str:
    made = Database(path)
    made.close()
    return made.renewed


def words(path: Path) -> str:
    made = KeptWords(path)
    made.write({("A.cs", "", 1, 1): b"x"})
    return "renewed" if made.renewed else ""


OPENERS = {"index.db": store, "writes.db": journal, "words.db": words}


@pytest.mark.parametrize("name", OPENERS)
def test_a_new_file_is_not_taken_for_an_emptied_one(tmp_path: Path, name: str) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for round_ in range(12):
            barrier = threading.Barrier(AT_ONCE)
            path = tmp_path / str(round_) / name
            path.parent.mkdir()

            def act(path: Path = path, barrier: threading.Barrier = barrier) -> str:
                barrier.wait()
                return OPENERS[name](path)

            assert [each.result() for each in [pool.submit(act) for _ in range(AT_ONCE)]] == [""] * AT_ONCE


@pytest.mark.parametrize("name", OPENERS)
def test_who_comes_while_another_makes_the_file_waits(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, waits, lock = tmp_path / name, threading.Event(), databases.lock

    def told(descriptor: int, timeout: float | None = None, *, shared: bool = False) -> bool:
        waits.set()
        return lock(descriptor, timeout, shared=shared)

    with ThreadPoolExecutor(1) as pool, making(path) as was_emptied:
        monkeypatch.setattr(databases, "lock", told)
        assert not was_emptied
        path.touch()
        second = pool.submit(OPENERS[name], path)
        assert waits.wait(60)
        path.unlink()  # as who makes it gives up
    assert second.result() == ""


@pytest.mark.parametrize("name", OPENERS)
def test_a_file_that_was_emptied_is_said_to_be(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert OPENERS[name](tmp_path / name)


def test_a_database_with_an_unread_log_is_not_read_alone(tmp_path: Path) -> None:
    path = tmp_path / "writes.db"
    assert to_read_alone(path) is None
    journal(path)
    assert to_read_alone(path) is not None
    path.with_name("writes.db-wal").write_bytes(b"x")
    assert to_read_alone(path) is None
