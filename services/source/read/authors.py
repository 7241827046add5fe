"""Who wrote a content, whichever process they wrote it through: asked of the journal by whoever reads."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

_PATIENCE = 0.5
_LAST = """SELECT e.new_hash, g.user FROM entries e JOIN groups g ON g.id = e.grp
    WHERE e.path = ? AND e.state = 'committed' ORDER BY e.id DESC LIMIT 1"""


class Authors:
    """The journal (`path`) for readers. Thread-safe. It is opened for the one question and cannot be changed by it: a
    read waits for no write, and what is wrong with the journal is found by who writes."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, path: str, digest: str) -> str:
        """The user or agent who wrote these bytes (SHA-256 in hex), if that was the last write of `path` through this
        program; empty where nobody knows."""
        if not self._path.exists():
            return ""
        try:
            with closing(self._opened()) as db:
                last = db.execute(_LAST, (path,)).fetchone()
        except sqlite3.Error:
            return ""
        return str(last[1]) if last is not None and last[0] == digest else ""

    def _opened(self) -> sqlite3.Connection:
        name = f"file:{quote(str(self._path))}?mode=ro"
        return sqlite3.connect(name, uri=True, timeout=_PATIENCE, isolation_level=None)
