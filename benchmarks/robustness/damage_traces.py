"""Traces of a start in the program's files and answers, without what differs from run to run."""

from __future__ import annotations

import re
import sqlite3
import zlib
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

_VARIES = re.compile(r"[0-9a-f]{8,}|(?<=\d-)[0-9a-f]{4,}\b|\d+")
"""Numbers, digests, and what is drawn by lot at the end of the id of a chat."""
_TEXTS = (".json", ".md", ".toml", ".gitignore")
_LARGE = b"large/"
"""In a value that names a file of a name drawn by lot."""
_TIME = 1_000_000
"""From here on a number is a time or a checksum."""

Traces = dict[str, object]
"""By file: what it holds; None of one that is not there."""


def masked(text: str) -> str:
    """A text without numbers and digests."""
    return _VARIES.sub("#", text)


def traces(state: Path, files: Iterable[str]) -> Traces:
    """Return the contents of files of a state folder."""
    return {file: _held(state / file) for file in files}


def _held(path: Path) -> object:
    if not path.is_file():
        return None
    if path.suffix == ".db":
        try:
            return _rows(path)
        except sqlite3.Error as error:
            return f"{error}"
    data = path.read_bytes()
    return masked(data.decode("utf-8", "backslashreplace")) if path.name.endswith(_TEXTS) else data


def _rows(path: Path) -> object:
    """The rows of each table, sorted. Raises sqlite3.Error."""
    with closing(sqlite3.connect(path)) as base:
        found = [f"{row[0]}" for row in base.execute("PRAGMA integrity_check(1)")]
        tables = base.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        for (name,) in tables:
            rows = base.execute(f'SELECT * FROM "{name}"').fetchall()
            found += sorted(f"{name} {[_value(each) for each in row]}" for row in rows)
    return found


def _value(value: Any) -> object:
    if isinstance(value, bytes):
        return len(value) if _LARGE in value else zlib.crc32(value)
    if isinstance(value, float) or (isinstance(value, int) and value >= _TIME):
        return "#"
    return masked(value) if isinstance(value, str) else value
