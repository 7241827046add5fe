"""Damage of stored records is found at rest, told once, and made good from source."""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

from services.bench.bench import Bench
from tests.support.workspace import indexed, opened

FILES = {"A.cs": "public class A { public void Go() { } }", "B.cs": "public class B { }"}


def told(bench: Bench) -> bool:
    return any("built anew" in notice.message for notice in bench.health.notices())


def test_a_damaged_record_is_told_at_rest_and_read_again(tmp_path: Path) -> None:
    with indexed(tmp_path, FILES) as bench:
        stored = bench.state.path("index.db")
        before = bench.outlines.outline("A").text
    with closing(sqlite3.connect(stored)) as db, db:
        db.execute("UPDATE files SET record = zeroblob(length(record)) WHERE path = 'A.cs'")
    for is_damaged in (True, False, False):
        with opened(tmp_path) as bench:
            bench.index.load()
            bench.index.refresh()
            assert not told(bench)
            bench.index.facade.prepare(threading.Event())
            assert told(bench) is is_damaged
            assert bench.outlines.outline("A").text == before
            assert [hit.symbol.path for hit in bench.index.search("B").hits] == ["B"]
