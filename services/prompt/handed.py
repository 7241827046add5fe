"""Texts of files as they were handed over, stored by hash, so that an edit of that version can be merged with the
current files."""

from __future__ import annotations

import zlib
from collections.abc import Collection
from contextlib import suppress
from hashlib import sha256

from services.prompt.receipts import ReceiptFiles

FOLDER = "handed"
LARGEST = 4_000_000
"""Bytes of a file that is kept; of one that is larger, an answer is compared with what is on the disk alone."""
_ENDING = ".z"
_LENGTH = 32


class HandedTexts:
    """Contents of one workspace, each once. A damaged one is none."""

    def __init__(self, files: ReceiptFiles) -> None:
        self._files = files

    def keep(self, data: bytes) -> str:
        """Store a content and return its hash. Raises ReadOnly."""
        hash_ = sha256(data).hexdigest()[:_LENGTH]
        name = f"{FOLDER}/{hash_}{_ENDING}"
        if self._files.read(name) is None:
            self._files.write(name, zlib.compress(data, 1))
        return hash_

    def read(self, hash_: str) -> bytes | None:
        """Return the content of a hash; None where it is not stored."""
        if len(hash_) != _LENGTH or not hash_.isalnum():
            return None
        kept = self._files.read(f"{FOLDER}/{hash_}{_ENDING}")
        if kept is None:
            return None
        with suppress(zlib.error):
            data = zlib.decompressobj().decompress(kept, LARGEST + 1)
            if sha256(data).hexdigest()[:_LENGTH] == hash_:
                return data
        return None

    def prune(self, wanted: Collection[str]) -> None:
        """Remove all others."""
        for name in self._files.names(FOLDER):
            if name.removesuffix(_ENDING) not in wanted:
                self._files.remove(f"{FOLDER}/{name}")
