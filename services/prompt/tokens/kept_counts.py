"""Token counts that outlast a process: a command then counts what it shows without building a tokenizer, which takes a
quarter of a second.

They are kept by the hash of the text among the person's caches, for all workspaces. Where that cannot be read or
written, texts are counted as ever.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from services.errors import TokenizerError
from services.prompt.tokens.tokenizers import BaseCounter, repaired
from services.settings.personal import personal_folder
from services.workspace.files.databases import opening
from services.workspace.files.durable import private_folder

_FILE = "tokens-1.db"
"""The number is raised whenever the same text comes to another count or hash."""
_MOST = 200_000
"""Counts that are kept: the earliest go first."""
_AT_ONCE = 500
_TABLE = "CREATE TABLE IF NOT EXISTS counts (text BLOB PRIMARY KEY, tokens INTEGER NOT NULL)"
_OLD = "DELETE FROM counts WHERE rowid <= (SELECT max(rowid) FROM counts) - ?"


class KeptCounts:
    """BaseCounter that passes only texts without a stored count to another one."""

    def __init__(
        self, base: BaseCounter, folder: Path | None = None, *, spare: BaseCounter | None = None
    ) -> None:
        """`folder`: of the person's caches; `spare`: counts where `base` fails."""
        self._base = base
        self._spare = spare
        self._folder = folder

    def count_base(self, encoding: str, texts: Sequence[str]) -> list[int]:
        """Tokens of each text, in order. Raises TokenizerError."""
        keys = [_key(encoding, text) for text in texts]
        known = self._kept(keys)
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            counted = self._counted(encoding, list(missing.values()))
            fresh = dict(zip(missing, counted, strict=True))
            known |= fresh
            self._keep(fresh)
        return [known[key] for key in keys]

    def _counted(self, encoding: str, texts: list[str]) -> list[int]:
        try:
            return self._base.count_base(encoding, texts)
        except TokenizerError:
            if self._spare is None:
                raise
            return self._spare.count_base(encoding, texts)

    def _kept(self, keys: Sequence[bytes]) -> dict[bytes, int]:
        path, known = self._path(), dict[bytes, int]()
        with suppress(sqlite3.Error, OSError):
            if path.exists():
                with closing(
                    sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True, timeout=0.1)
                ) as database:
                    for some in _parts([*dict.fromkeys(keys)]):
                        marks = ",".join("?" * len(some))
                        found = database.execute(
                            f"SELECT text, tokens FROM counts WHERE text IN ({marks})",  # noqa: S608 - marks alone
                            some,
                        )
                        known.update((bytes(key), tokens) for key, tokens in found if isinstance(tokens, int))
        return known

    def _keep(self, fresh: Mapping[bytes, int]) -> None:
        path = self._path()
        with suppress(sqlite3.Error, OSError):
            private_folder(path.parent)
            with opening(path), closing(sqlite3.connect(path, timeout=0.1)) as database, database:
                database.execute(_TABLE)
                database.executemany("INSERT OR REPLACE INTO counts VALUES (?, ?)", fresh.items())
                database.execute(_OLD, (_MOST,))

    def _path(self) -> Path:
        if self._folder is None:
            self._folder = personal_folder("cache")
        return self._folder / _FILE


def _key(encoding: str, text: str) -> bytes:
    return hashlib.blake2b(repaired(text).encode(), digest_size=16, person=encoding.encode()[:16]).digest()


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path))


def _parts(keys: Sequence[bytes]) -> Iterable[Sequence[bytes]]:
    return (keys[at : at + _AT_ONCE] for at in range(0, len(keys), _AT_ONCE))
