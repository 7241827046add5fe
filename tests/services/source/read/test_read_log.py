"""A token admits a write only to lines that were read under it, whichever process read and whichever writes."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.errors import CacheExpired, TokenMismatch
from services.settings import CacheSettings
from services.source.read.known_lines import ReadLog
from services.source.text.edit import Edit
from tests.support.writing import ME, Place

TEXT = b"".join(b"line %d\n" % number for number in range(1, 11))


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Place, Place]]:
    """The same folder as two processes see it: nothing is shared but what is on the disk."""
    one, other = Place(tmp_path), Place(tmp_path)
    one.put("a.cs", TEXT)
    yield one, other
    one.close()
    other.close()


def refused(place: Place, start: int, end: int, token: str) -> str:
    """The message of a write that has to be refused, and changes nothing."""
    handle = place.lock("a.cs")
    with pytest.raises((TokenMismatch, CacheExpired)) as caught:
        place.writer.edit("a.cs", Edit(start, end, "x"), token=token, handle=handle, owner=ME)
    place.writer.unlock(handle)
    assert place.bytes("a.cs") == TEXT
    assert caught.value.message.startswith("Nothing was written. ")
    return caught.value.message


def test_lines_that_one_process_read_another_may_write_and_no_others(two: tuple[Place, Place]) -> None:
    reader, writer = two
    token = reader.token("a.cs", 3, 5)
    assert "lines 6 to 6 were not read under it (read: 3-5)" in refused(writer, 6, 6, token)
    assert "lines 2 to 3" in refused(writer, 2, 3, token)
    assert writer.edit("a.cs", 4, 4, "new", token=token).updated


def test_who_wrote_is_known_to_every_process(two: tuple[Place, Place]) -> None:
    one, other = two
    system = other.reader.read("a.cs").changed_by
    one.edit("a.cs", 1, 1, "new")
    assert one.reader.read("a.cs").changed_by == ME.user
    assert other.reader.read("a.cs").changed_by == ME.user
    one.put("a.cs", TEXT + b"by hand\n")
    assert other.reader.read("a.cs").changed_by == system != ME.user


def test_a_journal_that_cannot_be_asked_keeps_nobody_from_reading(two: tuple[Place, Place]) -> None:
    one, other = two
    one.edit("a.cs", 1, 1, "new")
    one.close()
    damaged = b"no database" * 1000
    other.journal.write_bytes(damaged)
    assert other.reader.read("a.cs").changed_by != ME.user
    assert other.journal.read_bytes() == damaged


def test_what_two_processes_read_of_one_content_adds_up(two: tuple[Place, Place]) -> None:
    reader, writer = two
    token = reader.token("a.cs", 1, 2)
    assert writer.token("a.cs", 3, 4) == token
    assert writer.edit("a.cs", 1, 4, "new", token=token).updated


def test_the_lines_of_a_write_are_known_to_the_next_process(two: tuple[Place, Place]) -> None:
    one, other = two
    token = one.edit("a.cs", 4, 4, "new\nlines", token=one.token("a.cs", 3, 5)).token
    assert other.edit("a.cs", 3, 6, "again", token=token).updated
    assert other.bytes("a.cs") == b"line 1\nline 2\nagain\n" + TEXT[TEXT.index(b"line 6") :]


def test_a_token_under_which_nobody_read_anything_admits_nothing(two: tuple[Place, Place]) -> None:
    reader, writer = two
    token = reader.reader.content("a.cs")[0].token
    assert "not read under it (read: none)" in refused(reader, 1, 1, token)
    assert "not read under it (read: none)" in refused(reader, 1, 0, token)
    assert "Nobody remembers which lines" in refused(writer, 1, 1, token)


def test_a_token_of_another_file_is_known_as_such_in_any_process(two: tuple[Place, Place]) -> None:
    reader, writer = two
    reader.put("b.cs", b"other\n")
    token = reader.token("b.cs")
    handle = writer.lock("a.cs")
    with pytest.raises(TokenMismatch, match=r"is of b\.cs, not of a\.cs"):
        writer.writer.edit("a.cs", Edit(1, 1, "x"), token=token, handle=handle, owner=ME)


def test_what_ran_out_of_the_cache_is_still_known_to_have_been_read(tmp_path: Path) -> None:
    place = Place(tmp_path, settings=CacheSettings(ttl=0, size=1))
    place.put("a.cs", TEXT)
    token = place.token("a.cs", 3, 5)
    refused(place, 6, 6, token)
    assert place.edit("a.cs", 3, 5, "", token=token).updated
    place.close()


def test_the_longest_unused_is_forgotten_first(tmp_path: Path) -> None:
    reads = ReadLog(tmp_path / "reads.db", most=3)
    for name in ("a", "b", "c", "a", "d", "e"):
        number = len(reads.lines(name, "0" * 16) or ()) * 2 + 1
        reads.saw(name, "0" * 16, [(number, number)])
    assert {name: reads.lines(name, "0" * 16) for name in "abcde"} == {
        "a": ((1, 1), (3, 3)),
        "b": None,
        "c": None,
        "d": ((1, 1),),
        "e": ((1, 1),),
    }
    reads.close()


@given(st.lists(st.tuples(st.integers(1, 20), st.integers(0, 20)), max_size=12))
def test_ranges_are_kept_as_the_lines_that_are_in_them(ranges: list[tuple[int, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reads, other = ReadLog(Path(folder, "reads.db")), ReadLog(Path(folder, "reads.db"))
        for each in ranges:
            reads.saw("a", "d", [each])
        told = {line for first, last in ranges for line in range(first, last + 1)}
        kept = other.lines("a", "d") or ()
        assert {line for first, last in kept for line in range(first, last + 1)} == told
        assert all(a[1] + 1 < b[0] for a, b in itertools.pairwise(kept))
        reads.close()
        other.close()


def test_a_folder_that_cannot_be_written_keeps_nobody_from_reading(tmp_path: Path) -> None:
    reads = ReadLog(tmp_path / "no" / "such" / "reads.db")
    reads.saw("a", "d", [(1, 1)])
    assert reads.lines("a", "d") is None
    reads.close()


def test_a_damaged_database_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "reads.db"
    path.write_bytes(b"no database" * 1000)
    reads = ReadLog(path)
    reads.saw("a", "d", [(1, 2)])
    assert reads.lines("a", "d") == ((1, 2),)
    reads.close()


def test_reading_does_not_look_like_writing(two: tuple[Place, Place]) -> None:
    reader, writer = two
    writer.edit("a.cs", 1, 1, "new")
    before = writer.journal.stat(), Path(f"{writer.journal}-wal").stat()
    reader.token("a.cs", 3, 7)
    after = writer.journal.stat(), Path(f"{writer.journal}-wal").stat()
    assert [found.st_mtime_ns for found in before] == [found.st_mtime_ns for found in after]
