"""A file that killed its worker is kept without a symbol, and everything else goes on."""

from services.index.build.refresh import _UNREADABLE
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.file_rows import file_rows
from services.index.catalog.snapshot import frozen, thawed
from services.model import Quality


def test_what_is_kept_of_it_can_be_taken_into_the_catalogue():
    rows = file_rows(_UNREADABLE)
    catalogue = Catalogue()
    catalogue.add(FileEntry("Deadly.cs", 0, "", 1, 1, rows.quality, rows.line_count, (0, 0), False), rows)
    assert len(catalogue) == 0
    assert [entry.quality for entry in thawed(frozen(catalogue)).live_files()] == [Quality.FAILED]
