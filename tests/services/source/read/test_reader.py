"""Ranged reads (SPEC section 7)."""

import os
from hashlib import sha256
from pathlib import Path

import pytest

from services.errors import FileMissing, LineOutOfRange, NotText, PathRefused
from services.settings import CacheSettings
from services.source.read.reader import FileLocation, SourceReader, parse_location
from services.source.read.token import EMPTY, token_of
from services.workspace.files.root import Root


@pytest.fixture
def reader(tmp_path: Path) -> SourceReader:
    return SourceReader(Root.open(tmp_path), CacheSettings(ttl=1000))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("src/A.cs", FileLocation("src/A.cs")),
        ("src/A.cs:12", FileLocation("src/A.cs", 12, 12)),
        ("src/A.cs:12-15", FileLocation("src/A.cs", 12, 15)),
        ("A.cs:5-0", FileLocation("A.cs", 5, 0)),
        ("A.cs:0", FileLocation("A.cs", 0, 0)),
        ("a:1.cs:2", FileLocation("a:1.cs", 2, 2)),
        ("A.cs:", FileLocation("A.cs:")),
        ("A.cs:1-", FileLocation("A.cs:1-")),
        (":1", FileLocation(":1")),
        ("A.cs:" + "9" * 5000, FileLocation("A.cs:" + "9" * 5000)),
        ("A.cs:١", FileLocation("A.cs:١")),
        ("", FileLocation("")),
    ],
)
def test_a_place_is_a_path_and_its_lines(text: str, place: FileLocation) -> None:
    assert parse_location(text) == place


@pytest.mark.parametrize(
    ("start", "end", "content"),
    [
        (None, None, "one\r\ntwo\n\rthree\n\nfive"),
        (1, 1, "one\r\n"),
        (2, 3, "two\n\rthree\n"),
        (4, None, "\nfive"),
        (None, 2, "one\r\ntwo\n"),
        (5, 99, "five"),
    ],
)
def test_lines_keep_their_own_endings(
    tmp_path: Path, reader: SourceReader, start: int | None, end: int | None, content: str
) -> None:
    (tmp_path / "A.cs").write_bytes(b"one\r\ntwo\n\rthree\n\nfive")
    read = reader.read("A.cs", start=start, end=end)
    assert read.content == content
    assert (read.start_line, read.end_line) == (start or 1, min(end or 5, 5))
    assert (read.requested_start_line, read.requested_end_line) == (start, end)
    assert read.line_count == 5


@pytest.mark.parametrize(
    ("start", "end"), [(0, 1), (-1, None), (3, 2), (None, 0), (3, None), (3, 9), (1, -1)]
)
def test_lines_that_are_not_there_are_4004(
    tmp_path: Path, reader: SourceReader, start: int | None, end: int | None
) -> None:
    (tmp_path / "A.cs").write_bytes(b"one\ntwo\n")
    with pytest.raises(LineOutOfRange) as raised:
        reader.read("A.cs", start=start, end=end)
    assert raised.value.code == 4004
    assert raised.value.details["lineCount"] == 2


def test_a_token_names_time_and_content(tmp_path: Path, reader: SourceReader) -> None:
    path = tmp_path / "A.cs"
    path.write_bytes(b"class A { }\r\n")
    os.utime(path, ns=(5_999_999, 1_700_000_000_123_999_999))
    read = reader.read("A.cs", start=1, end=1)
    digest = sha256(b"class A { }\r\n").hexdigest()
    assert read.token == f"1700000000123_{digest[:16]}"
    assert read.changed_at == 1_700_000_000_123
    assert read.expires_at > 1_700_000_000_123


def test_an_empty_file_has_the_empty_token_and_no_lines(tmp_path: Path, reader: SourceReader) -> None:
    (tmp_path / "A.cs").write_bytes(b"")
    read = reader.read("A.cs")
    assert (read.content, read.token, read.line_count) == ("", "0_empty", 0)
    assert token_of(b"", 5) == EMPTY
    with pytest.raises(LineOutOfRange):
        reader.read("A.cs", start=1)


def test_a_mark_belongs_to_no_line_and_what_cannot_be_decoded_is_read_only(
    tmp_path: Path, reader: SourceReader
) -> None:
    (tmp_path / "A.cs").write_bytes("é\n".encode("utf-16"))
    (tmp_path / "B.cs").write_bytes(b"\xe9\n")
    assert reader.read("A.cs").content == "é\n"
    read = reader.read("B.cs")
    assert (read.content, read.writable) == ("\ufffd\n", False)


def test_what_may_not_be_read_is_refused(tmp_path: Path, reader: SourceReader) -> None:
    (tmp_path / "A.cs").write_bytes(b"\0\1")
    with pytest.raises(NotText):
        reader.read("A.cs")
    with pytest.raises(FileMissing):
        reader.read("B.cs")
    with pytest.raises(PathRefused):
        reader.read("../A.cs")
    assert reader.exists("A.cs")
    assert not reader.exists("../A.cs")
    assert not reader.exists("B.cs")
