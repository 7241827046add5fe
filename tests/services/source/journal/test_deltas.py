"""Old bytes are kept as changes of changes, and come back whole."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import ReadOnly
from services.source.journal.database import Database
from services.source.journal.journal import Journal
from services.source.text.edit import Edit
from tests.support.writing import ME, Place

LINES = [f"line {number}\n".encode() for number in range(40)]
_EDITS = st.tuples(
    st.sampled_from(["a.cs", "b.cs"]), st.integers(1, 30), st.integers(0, 30), st.text("xyz\n", max_size=30)
)


def stored(place: Place) -> tuple[int, int]:
    """How many old contents are kept whole, and as changes."""
    with sqlite3.connect(place.journal) as db:
        whole = db.execute("SELECT count(*) FROM bases").fetchone()[0]
        return whole, db.execute("SELECT count(*) FROM deltas WHERE follows IS NOT NULL").fetchone()[0]


def bases(place: Place) -> list[bytes | None]:
    """What the journal says the files of its entries were, latest first."""
    journal = Journal(ledger := Database(place.journal))
    found = [journal.base(entry.id) for _, entries in journal.groups(None) for entry in entries]
    ledger.close()
    return found


@pytest.fixture
def place(tmp_path: Path):
    place = Place(tmp_path)
    place.put("a.cs", b"".join(LINES))
    yield place
    place.close()


def test_a_hundred_edits_of_a_file_keep_it_whole_twice(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.source.journal.deltas._LONGEST", 64)
    contents = []
    for number in range(100):
        contents.append(place.bytes("a.cs"))
        place.edit("a.cs", 1 + number % 40, 1 + number % 40, f"edit {number}")
    assert bases(place) == contents[::-1]
    assert stored(place) == (2, 98)


def test_bytes_that_others_wrote_and_large_changes_begin_anew(place: Place) -> None:
    place.edit("a.cs", 1, 1, "one")
    place.put("a.cs", b"theirs\n" * 40)
    place.edit("a.cs", 1, 40, "x\n" * 500)
    place.edit("a.cs", 1, 1, "one")
    assert stored(place) == (3, 0)
    assert bases(place) == [b"x\n" * 500, b"theirs\n" * 40, b"".join(LINES)]


def test_undo_leads_through_every_step_back_and_forth(place: Place) -> None:
    contents = [place.bytes("a.cs")]
    for number in range(5):
        place.edit("a.cs", 5, 5, f"edit {number}\nand more")
        contents.append(place.bytes("a.cs"))
    for content in reversed(contents[:-1]):
        place.writer.undo("a.cs", ME)
        assert place.bytes("a.cs") == content
    for content in contents[1:]:
        place.writer.redo("a.cs", ME)
        assert place.bytes("a.cs") == content


def test_a_chain_that_is_damaged_tells_nothing_wrong(place: Place) -> None:
    for number in range(3):
        place.edit("a.cs", 1, 1, f"edit {number}")
    with sqlite3.connect(place.journal) as db:
        db.execute("UPDATE deltas SET data = x'00' WHERE follows IS NULL")
    assert bases(place)[:2] == [None, None]


@given(st.lists(_EDITS, min_size=1, max_size=25), st.integers(1, 6))
def test_what_is_kept_is_what_was_there_whatever_was_forgotten(
    edits: list[tuple[str, int, int, str]], most: int
) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Place(Path(name), groups=most)
        contents = []
        for file in ("a.cs", "b.cs"):
            place.put(file, b"".join(LINES))
        for file, first, count, content in edits:
            before, end = place.bytes(file), place.reader.read(file).line_count
            first = min(first, end + 1)
            place.edit(file, first, min(end, first + count - 1), content)
            if place.bytes(file) != before:
                contents.append(before)
        place.close()  # forgets what is too much
        assert bases(place) == contents[::-1][:most]


def test_a_journal_of_the_version_before_is_kept_and_written_on(place: Place) -> None:
    place.edit("a.cs", 1, 1, "one")
    place.writer.close()
    with sqlite3.connect(place.journal) as db:
        db.executescript("DROP TABLE deltas; DROP INDEX entries_fences; PRAGMA user_version = 1")
    place.edit("a.cs", 2, 2, "two")
    assert bases(place) == [b"one\n" + b"".join(LINES[1:]), b"".join(LINES)]
    assert place.writer.notices() == ()


def test_a_file_that_was_made_with_fewer_tables_gets_what_it_lacks(tmp_path: Path) -> None:
    path = tmp_path / "ops.db"
    Database(path, schema="CREATE TABLE IF NOT EXISTS jobs (id);").close()
    database = Database(
        path, schema="CREATE TABLE IF NOT EXISTS jobs (id); CREATE TABLE IF NOT EXISTS paused (kind);"
    )
    with database.transaction(durable=False) as db:
        db.execute("INSERT INTO paused VALUES ('semantic')")
    database.close()
    assert database.renewed == ""


@pytest.mark.parametrize("refused", ["disk I/O error", "database or disk is full"])
def test_what_may_be_in_memory_is_there_while_the_disk_is_full(
    tmp_path: Path, monkeypatch, refused: str
) -> None:
    def fails(*_: object) -> None:
        raise sqlite3.OperationalError(refused)

    monkeypatch.setattr("services.source.journal.database._opened", fails)
    schema = "CREATE TABLE IF NOT EXISTS jobs (id);"
    with pytest.raises(ReadOnly, match=refused):
        Database(tmp_path / "ops.db", schema=schema)
    database = Database(tmp_path / "ops.db", schema=schema, in_memory=True)
    with database.transaction(durable=True) as db:
        db.execute("INSERT INTO jobs VALUES (1)")
    assert database.rows("SELECT id FROM jobs") == [(1,)]
    database.close()


def test_only_the_lines_that_changed_are_kept_of_a_large_replacement(place: Place) -> None:
    token, handle = place.token("a.cs"), place.lock("a.cs")
    lines = [line.decode() for line in LINES]
    edit = Edit(1, 40, "".join([*lines[:20], "new\n", *lines[20:]]))
    place.writer.edit("a.cs", edit, token=token, handle=handle, owner=ME)
    with sqlite3.connect(place.journal) as db:
        assert db.execute("SELECT data FROM deltas").fetchall() == [(b"new\n",)]
