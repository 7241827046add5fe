"""Records and texts of files on demand."""

from pathlib import Path

import msgspec
import pytest

from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.file_rows import file_rows
from services.index.catalog.records import Records
from services.index.catalog.snapshot import frozen, thawed
from services.index.catalog.store import Store, StoredFile
from services.syntax.parse.parsing import read_file
from services.syntax.records.declaration import FileRecord
from services.workspace.files.root import Root
from tests.support.workspace import edit, write_workspace

TEXT = "class A {\n int x; class B {\n }\n }"


class Kept:
    """A file of a workspace, stored and catalogued."""

    def __init__(self, folder: Path) -> None:
        write_workspace(folder, {"A.cs": TEXT})
        self.root = root = Root.open(folder)
        stamp = root.stat("A.cs")
        self.record = read_file(TEXT.encode())
        self.store = Store(folder / "index.db")
        self.catalogue = Catalogue()
        self.catalogue.projects = ["P"]
        row = StoredFile("A.cs", "", stamp.size, stamp.mtime_ns, _encoded(self.record))
        self.store.put([row])
        entry = FileEntry("A.cs", 0, "", row.size, row.mtime_ns, self.record.quality, 1, (0, 0), False)
        self.file = self.catalogue.add(entry, file_rows(self.record))
        self.records = Records(root, self.store, self.catalogue)


def _encoded(record: FileRecord) -> bytes:
    return msgspec.msgpack.encode(record)


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    return Kept(tmp_path)


def test_a_record_is_read_once_and_kept(kept: Kept) -> None:
    assert kept.records.record(kept.file) == kept.record
    kept.store.forget([("A.cs", "")])
    assert kept.records.record(kept.file) == kept.record
    other = Records(kept.root, kept.store, kept.catalogue)
    assert other.record(kept.file) == kept.record, (
        "it stays for whoever holds a catalogue that was made of it"
    )


def test_the_lines_of_declarations_are_those_of_the_record(kept: Kept) -> None:
    found = kept.records.lines(kept.file)
    assert found is not None
    lines = [(each.start_line, each.end_line) for each in kept.record.declarations]
    assert list(zip(*found, strict=True)) == lines
    kept.store.forget([("A.cs", "")])
    assert kept.records.lines(kept.file) == found


def test_a_record_of_other_bytes_under_the_same_size_and_time_is_none_of_the_file(kept: Kept) -> None:
    entry = kept.catalogue.file(kept.file)
    other = _encoded(read_file(b"class Shorter { }"))
    kept.store.put([StoredFile("A.cs", "", entry.size, entry.mtime_ns, other)])
    assert kept.records.record(kept.file) is None
    assert kept.records.lines(kept.file) is None
    assert kept.records.declaration(kept.file, 0) is None


def test_a_text_is_that_of_the_record_or_none(kept: Kept, tmp_path: Path) -> None:
    assert kept.records.text(kept.file) == TEXT.encode()
    kept.records.forget()
    edit(tmp_path, "A.cs", TEXT + " ")
    assert kept.records.text(kept.file) is None
    kept.records.forget()
    (tmp_path / "A.cs").unlink()
    assert kept.records.text(kept.file) is None


def test_a_pass_over_all_files_gets_records_with_their_texts_and_keeps_neither(
    kept: Kept, tmp_path: Path
) -> None:
    first, again = kept.records.once(kept.file), kept.records.once(kept.file)
    assert first == again == (kept.record, TEXT.encode())
    assert first is not None
    assert again is not None
    assert first[0] is not again[0], "it was not kept"
    known = kept.records.record(kept.file)
    found = kept.records.once(kept.file)
    assert found is not None
    assert found[0] is known, "one that is kept serves it"
    edit(tmp_path, "A.cs", TEXT + " ")
    assert kept.records.once(kept.file) is None, "its text is another one"


def test_a_catalogue_comes_back_from_its_bytes(kept: Kept) -> None:
    again = thawed(frozen(kept.catalogue))
    assert again.units == kept.catalogue.units
    assert again.type_at == kept.catalogue.type_at
    assert len(again) == len(kept.catalogue) == 3
    assert frozen(again) == frozen(kept.catalogue)
    assert again.remove(0, "A.cs")
    assert (len(again), list(again.live_types())) == (0, [])
    assert not again.remove(0, "A.cs")


def test_bytes_that_are_no_catalogue_are_refused() -> None:
    for data in (b"", b"\xc1", b"\x90", frozen(Catalogue())[:-1]):
        with pytest.raises(msgspec.MsgspecError):
            thawed(data)
