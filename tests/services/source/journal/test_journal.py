"""The journal as a file: damaged, of another version of the program, too large."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.errors import LockRequired, ReadOnly, UsageError
from services.source.journal import database, deltas
from services.source.text.edit import Edit
from tests.support.writing import ME, YOU, Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "w").mkdir()
    place = Place(tmp_path / "w")
    place.put("a.cs", b"one\ntwo\nthree\n")
    yield place
    place.close()


def test_the_databases_are_for_their_owner_alone(place: Place) -> None:
    """They hold the bytes of old writes; also where the umask takes nothing away, and where one is made anew."""
    place.journal.write_bytes(b"no database" * 1000)
    before = os.umask(0)
    try:
        place.edit("a.cs", 1, 1, "x")
        files = {file.name: file.stat().st_mode & 0o777 for file in place.journal.parent.glob("[wr]*s.db*")}
    finally:
        os.umask(before)
    assert files.keys() >= {
        "writes.db",
        "writes.db-wal",
        "writes.db-shm",
        "reads.db",
        "reads.db-wal",
        "reads.db-shm",
    }
    assert set(files.values()) == {0o600}


def test_a_damaged_journal_is_put_aside_with_a_notice(place: Place) -> None:
    place.journal.write_bytes(b"no database" * 1000)
    assert place.edit("a.cs", 1, 1, "x").updated
    assert "put aside" in place.writer.notices()[0].message
    assert list(place.journal.parent.glob("writes.damaged-*"))


def test_an_emptied_journal_is_begun_anew_with_a_notice_and_a_new_one_without(place: Place) -> None:
    place.edit("a.cs", 1, 1, "x")
    assert place.writer.notices() == ()
    place.close()
    place.journal.write_bytes(b"")
    other = Place(place.folder)
    assert other.edit("a.cs", 1, 1, "y").updated
    (notice,) = other.writer.notices()
    assert "it was empty" in notice.message
    other.close()


@pytest.mark.parametrize("beside", ["", "-wal"])
def test_a_journal_without_the_end_of_its_last_page_is_put_aside(place: Place, beside: str) -> None:
    """SQLite takes what is missing of a page for zeros."""
    place.put("a.cs", b"x" * 50_000 + b"\n")
    place.edit("a.cs", 1, 1, "y")
    place.close()
    if beside:
        place.journal.with_name(place.journal.name + beside).touch()
    with place.journal.open("r+b") as file:
        file.truncate(place.journal.stat().st_size - 2_000)
    other = Place(place.folder)
    other.writer.recover()
    (notice,) = other.writer.notices()
    assert "its end is missing" in notice.message
    other.close()


def test_files_whose_writes_cannot_be_undone_are_named_at_a_start(place: Place) -> None:
    """Bytes inside long values are not what SQLite looks at."""
    place.put("b.cs", b"// b\n" * 5_000)
    for number in range(3):
        place.edit("a.cs", 1, 1, f"edit {number}")
        place.edit("b.cs", 1, 1, f"edit {number}")
    place.close()
    data = place.journal.read_bytes()
    at = data.index(b"// b\n" * 100)
    place.journal.write_bytes(data[:at] + bytes(200) + data[at + 200 :])
    other = Place(place.folder)
    other.writer.recover()
    (notice,) = other.writer.notices()
    assert notice.message == "Writes of b.cs cannot be undone: what was kept of them is damaged."
    other.close()


def test_writes_that_can_all_be_undone_are_no_news(place: Place) -> None:
    """Chains of changes, files that came and went, and what was undone."""
    for number in range(5):
        place.edit("a.cs", 1, 1, f"edit {number}")
    place.writer.undo("a.cs", ME)
    place.put("a.cs", b"others\n" * 100)
    place.edit("a.cs", 1, 100, "new\n")
    place.close()
    other = Place(place.folder)
    other.writer.recover()
    assert other.writer.notices() == ()
    other.close()


def test_two_writes_on_top_of_the_same_bytes_are_whole(place: Place) -> None:
    first = place.bytes("a.cs")
    place.edit("a.cs", 1, 1, "edit")
    place.writer.undo("a.cs", ME)
    place.edit("a.cs", 1, 1, "another")
    place.put("a.cs", first)
    place.edit("a.cs", 1, 1, "a third")
    place.close()
    other = Place(place.folder)
    other.writer.recover()
    assert other.writer.notices() == ()
    other.close()


@pytest.mark.parametrize("most", [0, 200, 1_000, 10**6])
def test_so_many_bytes_are_compared_and_always_the_latest_write(place: Place, most: int) -> None:
    place.put("a.cs", b"line\n" * 50)
    for number in range(6):
        place.edit("a.cs", 1, 1, f"edit {number}")
    with sqlite3.connect(place.journal) as db:
        assert deltas.damaged(db, most=most) == ()
        db.execute("UPDATE deltas SET data = x'00' WHERE entry = 1")
        assert deltas.damaged(db, most=most) == ("a.cs",)
    db.close()


def test_a_journal_that_another_process_has_just_renewed_is_shared_with_it(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.journal.write_bytes(b"no database" * 1000)
    opened, handles = database._opened, list[str]()

    def slow(*args: Any) -> sqlite3.Connection:
        monkeypatch.setattr(database, "_opened", opened)
        try:
            return opened(*args)
        except sqlite3.DatabaseError:
            handles.append(place.lock("a.cs"))  # another process finds the damage first
            raise

    monkeypatch.setattr(database, "_opened", slow)
    other = Place(place.folder)
    with pytest.raises(LockRequired, match="is locked by"):
        other.lock("a.cs", YOU)
    other.close()
    assert len(handles) == 1
    assert len(list(place.journal.parent.glob("writes.damaged-*"))) == 1


@pytest.mark.parametrize("written", [False, True])
def test_a_journal_that_was_deleted_is_left_for_the_one_that_others_use(place: Place, written: bool) -> None:
    handle = place.lock("a.cs")
    if written:
        place.edit("a.cs", 1, 1, "x", handle=handle)
    token, before = place.token("a.cs"), place.bytes("a.cs")
    shutil.rmtree(place.journal.parent)
    with pytest.raises(ReadOnly, match=r"^Nothing was written\. The journal .* cannot be used"):
        place.edit("a.cs", 1, 1, "y", token=token, handle=handle)
    other = Place(place.folder)
    theirs = other.lock("a.cs", YOU)
    with pytest.raises(LockRequired, match=r"^Nothing was written\. .* is locked by"):
        place.edit("a.cs", 1, 1, "y", token=token, handle=handle)
    assert place.bytes("a.cs") == before
    assert len(place.writer.locks().locks) == 1
    # Letting go of the one that was deleted takes nothing away from the one in use.
    other.edit("a.cs", 1, 1, "theirs", handle=theirs)
    assert [each.kind for each in place.writer.history(None).entries] == ["edit"]
    other.close()


def test_the_journal_of_a_later_version_is_let_be_with_its_locks(place: Place) -> None:
    handle, token = place.lock("a.cs"), place.token("a.cs")
    with sqlite3.connect(place.journal) as db:
        db.execute("PRAGMA user_version = 99")
    before = place.bytes("a.cs")
    earlier = Place(place.folder)
    with pytest.raises(ReadOnly, match=r"^Nothing was written\. .* a later version of the program\. Update"):
        earlier.edit("a.cs", 1, 1, "x", token=token, handle=handle)
    assert earlier.reader.read("a.cs").line_count == place.reader.read("a.cs").line_count
    earlier.close()
    assert place.bytes("a.cs") == before
    assert list(place.journal.parent.glob("writes.damaged-*")) == []
    assert place.writer.holds(handle)


def test_the_journal_is_pruned_while_the_program_runs(tmp_path: Path) -> None:
    place = Place(tmp_path, groups=10)
    place.put("a.cs", b"one\n")
    handle, token = place.lock("a.cs"), place.token("a.cs")
    for number in range(256):
        edit = Edit(1, 1, f"{number}")
        token = place.writer.edit("a.cs", edit, token=token, handle=handle, owner=ME).token
    assert len(place.writer.history(None, limit=1_000).entries) == 10
    place.writer.undo(None, ME, [handle])
    assert place.bytes("a.cs") == b"254\n"
    place.close()


def test_a_write_tells_what_it_changed_whatever_came_after(place: Place) -> None:
    place.edit("a.cs", 2, 2, "first")
    place.edit("a.cs", 3, 3, "second")
    place.writer.undo(None, ME)
    place.put("a.cs", b"rewritten elsewhere\n")
    place.edit("a.cs", 1, 1, "whole\nnew\ntext\nof\nmany\nlines")
    groups = [each.group for each in place.writer.history(None).entries]
    changed = [
        [line for line in place.writer.made(group).files[0].diff.splitlines()[2:] if line[0] in "+-"]
        for group in groups
    ]
    assert changed[1:] == [["-second", "+three"], ["-three", "+second"], ["-two", "+first"]]
    assert "+many" in changed[0]
    place.put("a.cs", b"gone again\n")
    assert "-second" in place.writer.made(groups[1]).files[0].diff
    with pytest.raises(UsageError, match="no longer kept"):
        place.writer.made(groups[0])
    with pytest.raises(UsageError, match="no longer in the history"):
        place.writer.made(999)
