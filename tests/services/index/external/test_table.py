"""The table of external members that ships with the program."""

from __future__ import annotations

from pathlib import Path

from services.index.external import table


def test_what_was_read_of_the_table_is_forgotten_before_it_fills_the_memory() -> None:
    read = table.ExternalTable(Path(table.__file__).with_name(table.FILE))
    first = read._row(0)
    for at in range(1, table._MOST_ROWS + 200):
        assert read._row(at) is read._row(at)
    assert len(read._read) <= table._MOST_ROWS
    assert 0 not in read._read
    assert read._row(0) == first
