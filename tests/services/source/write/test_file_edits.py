"""Edits of whole files: all of them are written, or none, and one undo takes them back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.errors import LockRequired, PathRefused, ReadOnly, UsageError, VersionConflict
from services.source.write.file_edits import FileEdit
from services.workspace.text import Text, decode
from tests.support.writing import ME, YOU, Place


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    (tmp_path / "a.cs").write_bytes(b"one\r\ntwo\r\n")
    (tmp_path / "b.cs").write_bytes(b"gone\n")
    made = Place(tmp_path)
    yield made
    made.close()


def text(place: Place, name: str) -> Text:
    return decode((place.folder / name).read_bytes(), name)


def moved(place: Place) -> list[FileEdit]:
    return [
        FileEdit("a.cs", text(place, "a.cs"), b"one\r\n2\r\n"),
        FileEdit("b.cs", text(place, "b.cs"), None),
        FileEdit("new/c.cs", None, b"gone\n"),
    ]


def test_they_are_written_as_one_and_taken_back_as_one(place: Place) -> None:
    answer = place.writer.write_edits(moved(place), ME)
    assert [each.file for each in answer.files] == ["a.cs", "b.cs", "new/c.cs"]
    assert (place.folder / "a.cs").read_bytes() == b"one\r\n2\r\n"
    assert not (place.folder / "b.cs").exists()
    assert (place.folder / "new/c.cs").read_bytes() == b"gone\n"
    place.writer.undo(None, ME)
    assert (place.folder / "a.cs").read_bytes() == b"one\r\ntwo\r\n"
    assert (place.folder / "b.cs").read_bytes() == b"gone\n"
    assert not (place.folder / "new/c.cs").exists()


def test_a_rehearsal_tells_the_diff_and_writes_nothing(place: Place) -> None:
    answer = place.writer.write_edits(moved(place), ME, rehearse=True)
    assert (answer.group, "-two" in answer.files[0].diff) == (0, True)
    assert (place.folder / "b.cs").exists()
    assert not (place.folder / "new").exists()


def test_what_changes_nothing_is_left_out(place: Place) -> None:
    same = FileEdit("a.cs", text(place, "a.cs"), b"one\r\ntwo\r\n")
    answer = place.writer.write_edits([same], ME)
    assert (answer.group, answer.files) == (0, ())


@pytest.mark.parametrize("rehearse", [True, False])
def test_a_file_that_went_on_keeps_all_from_being_written(place: Place, rehearse: bool) -> None:
    edits = moved(place)
    (place.folder / "b.cs").write_bytes(b"went on\n")
    with pytest.raises(VersionConflict, match=r"Nothing was written.*b\.cs"):
        place.writer.write_edits(edits, ME, rehearse=rehearse)
    assert (place.folder / "a.cs").read_bytes() == b"one\r\ntwo\r\n"


def test_a_lock_of_another_keeps_all_from_being_written(place: Place) -> None:
    place.writer.lock("b.cs", ["b.cs"], YOU)
    with pytest.raises(LockRequired):
        place.writer.write_edits(moved(place), ME)
    assert (place.folder / "a.cs").read_bytes() == b"one\r\ntwo\r\n"


@pytest.mark.parametrize("path", ["../a.cs", ".git/config", "/etc/passwd"])
def test_nothing_outside_the_root_is_written(place: Place, path: str) -> None:
    with pytest.raises(PathRefused):
        place.writer.write_edits([*moved(place), FileEdit(path, None, b"x\n")], ME)
    assert (place.folder / "b.cs").exists()


def test_a_file_without_the_permission_to_write_is_refused_before_it_is_tried(place: Place) -> None:
    (place.folder / "b.cs").chmod(0o444)
    with pytest.raises(ReadOnly):
        place.writer.write_edits(moved(place), ME, rehearse=True)


def test_a_file_named_twice_is_refused(place: Place) -> None:
    with pytest.raises(UsageError, match="twice"):
        place.writer.write_edits([*moved(place), FileEdit("./a.cs", text(place, "a.cs"), None)], ME)


def test_a_mark_of_a_masked_secret_is_no_source(place: Place) -> None:
    edit = FileEdit("a.cs", text(place, "a.cs"), b'"[[secret:password:ABC234]]"\n')
    with pytest.raises(UsageError, match="stands for a secret"):
        place.writer.write_edits([edit], ME)
