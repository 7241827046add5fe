"""Records and source text of files on demand, the last few kept."""

from __future__ import annotations

import threading
from collections import OrderedDict

from services.errors import CodeCortexError
from services.index.catalogue import Catalogue
from services.index.store import Store
from services.index.worker import as_utf8
from services.syntax.declaration import FileRecord
from services.syntax.hashing import text_hash
from services.workspace.root import Root

_KEPT_RECORDS = 256
_KEPT_TEXTS = 8


class Records:
    """Records by file index, and the text their offsets count in. Thread-safe."""

    def __init__(self, root: Root, store: Store, catalogue: Catalogue) -> None:
        self._root = root
        self._store = store
        self._catalogue = catalogue
        self._lock = threading.Lock()
        self._records: OrderedDict[int, FileRecord] = OrderedDict()
        self._texts: OrderedDict[int, bytes | None] = OrderedDict()

    def record(self, file: int) -> FileRecord | None:
        """The record of a file, or None where the store has lost it (the next refresh reads it again)."""
        with self._lock:
            found = self._records.get(file)
            if found is not None:
                self._records.move_to_end(file)
                return found
        entry = self._catalogue.file(file)
        found = self._store.record(entry.path, entry.variant)
        if found is not None:
            with self._lock:
                self._records[file] = found
                if len(self._records) > _KEPT_RECORDS:
                    self._records.popitem(last=False)
        return found

    def text(self, file: int) -> bytes | None:
        """The text that the file's record was made from, or None where the file has changed since or is gone."""
        with self._lock:
            if file in self._texts:
                self._texts.move_to_end(file)
                return self._texts[file]
        text = self._read(file)
        with self._lock:
            self._texts[file] = text
            if len(self._texts) > _KEPT_TEXTS:
                self._texts.popitem(last=False)
        return text

    def forget(self) -> None:
        """Drops what is kept; called when files have changed."""
        with self._lock:
            self._records.clear()
            self._texts.clear()

    def _read(self, file: int) -> bytes | None:
        record = self.record(file)
        entry = self._catalogue.file(file)
        try:
            data, stamp = self._root.read(entry.path)
            text = as_utf8(data, entry.path)
        except CodeCortexError:
            return None
        # The hash is the same whatever ends the lines; offsets are not.
        same = record is not None and stamp.size == entry.size and text_hash(text) == record.file_hash
        return text if same else None
