"""A file that killed its worker is kept without a symbol, and everything else goes on."""

import msgspec

from services.index.catalogue import Catalogue, FileEntry
from services.index.refresh import _UNREADABLE
from services.index.snapshot import frozen, thawed
from services.model import Quality
from services.syntax.declaration import FileRecord


def test_what_is_kept_of_it_can_be_taken_into_the_catalogue():
    record = msgspec.msgpack.decode(_UNREADABLE, type=FileRecord)
    catalogue = Catalogue()
    catalogue.add(
        FileEntry("Deadly.cs", 0, "", 1, 1, record.quality, record.line_count, (0, 0), False), record
    )
    assert len(catalogue) == 0
    assert [entry.quality for entry in thawed(frozen(catalogue)).live_files()] == [Quality.FAILED]
