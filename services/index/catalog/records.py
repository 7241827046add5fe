"""Cache of records and source text of files, read on demand."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import cached_property
from typing import Any

import msgspec

from services.concurrency.latest import SharedCache
from services.errors import CodeCortexError
from services.index.build.units import variant_of
from services.index.build.worker import encoded, parsed_text, read_source
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.store import DamagedError, Store, StoredFile
from services.index.symbols.placed import USUAL_RULES, HashRules
from services.model import Quality
from services.syntax.records.declaration import Declaration, FileRecord
from services.syntax.records.hashing import text_hash
from services.workspace.files.root import Root

_KEPT_RECORDS = 256
_NOWHERE = 1 << 62
_KEPT_SHEETS = 1024
_KEPT_TEXTS = 8

Defines = Callable[[int, str], frozenset[str]]
"""The preprocessor symbols that a project, by its number, reads a file with."""

_LISTS = tuple(FileRecord.__struct_fields__.index(name) for name in ("declarations", "elsewhere"))
_FILE_HASH = FileRecord.__struct_fields__.index("file_hash")
_FIELDS = msgspec.msgpack.Decoder(list[msgspec.Raw])
_HASH = msgspec.msgpack.Decoder(bytes)
_DECLARATION = msgspec.msgpack.Decoder(Declaration)
_UP_TO_LINES = Declaration.__struct_fields__[: Declaration.__struct_fields__.index("end_line") + 1]
_PLACE = msgspec.msgpack.Decoder(
    msgspec.defstruct(
        "_Place",
        [(name, int if name in ("start_line", "end_line") else msgspec.Raw) for name in _UP_TO_LINES],
        array_like=True,
    )
)


class Sheet:
    """A record whose declarations are read one by one."""

    def __init__(self, record: bytes) -> None:
        self._record = record

    def __len__(self) -> int:
        return len(self._declarations)

    @cached_property
    def _fields(self) -> list[msgspec.Raw]:
        return _FIELDS.decode(self._record)

    @cached_property
    def _declarations(self) -> list[msgspec.Raw]:
        return [each for at in _LISTS for each in _FIELDS.decode(self._fields[at])]

    @property
    def file_hash(self) -> bytes:
        """The hash of the text that the record was made from."""
        return _HASH.decode(self._fields[_FILE_HASH])

    def declaration(self, at: int) -> Declaration | None:
        """The one at this place, if the record has so many."""
        found = self._declarations
        return _DECLARATION.decode(found[at]) if at < len(found) else None

    @cached_property
    def lines(self) -> tuple[array[int], array[int]]:
        """First and last line of every declaration, in order."""
        starts, ends = array("Q"), array("Q")
        # One at a time: those of a huge file would take more than the whole cache.
        for each in self._declarations:
            place: Any = _PLACE.decode(each)
            starts.append(place.start_line)
            ends.append(place.end_line)
        return starts, ends


class Records:
    """Records by file index, and the text their offsets count in. As a changed file is another file to the catalogue,
    a record never changes; one that the store has lost is made again of its file. Thread-safe. `rules`: those of their
    hashes."""

    def __init__(
        self,
        root: Root,
        store: Store,
        catalogue: Catalogue,
        *,
        defines: Defines | None = None,
        rules: HashRules = USUAL_RULES,
    ) -> None:
        """`defines`: None where nothing is to be made again: in a worker, whose caller does."""
        self.rules = rules
        self._root = root
        self._store = store
        self._defines = defines
        self._catalogue = catalogue
        self._records: SharedCache[int, FileRecord] = SharedCache(_KEPT_RECORDS)
        self._texts: SharedCache[int, tuple[bytes | None]] = SharedCache(_KEPT_TEXTS)
        self._sheets: SharedCache[int, Sheet] = SharedCache(_KEPT_SHEETS)

    def over(self, catalogue: Catalogue) -> Records:
        """Return records for another catalogue with the same numbering; caches are shared."""
        other: Records = copy(self)
        other._catalogue = catalogue
        return other

    def record(self, file: int) -> FileRecord | None:
        """The record of a file, or None where the store has lost it and the file is another by now (the next refresh
        reads it again)."""
        found = self._records.find(file)
        if found is not None:
            return found
        found = self._decoded(file)
        if found is not None:
            self._records.keep(file, found)
        return found

    def once(self, file: int) -> tuple[FileRecord, bytes] | None:
        """Return record and text of a file for a pass over all files, without caching them, since they are not read
        again soon. None where one of them is unavailable."""
        record = self._records.peek(file)
        record = record or self._decoded(file)
        text = None if record is None else self._read(file, record)
        return None if record is None or text is None else (record, text)

    def declaration(self, file: int, at: int) -> Declaration | None:
        """Return a declaration of a file, or None where the store has lost it. Decodes no other: a list names fifty
        symbols of as many files, each of which may contain thousands."""
        record, sheet = self._records.peek(file), self._sheets.find(file)
        if record is not None:
            return record.every[at] if at < len(record.every) else None
        sheet = sheet or self._sheet(file)
        return None if sheet is None else sheet.declaration(at)

    def file_hash(self, file: int) -> bytes | None:
        """Return the hash of the text that a file's record was made from, or None where the store has lost the record.
        Decodes no declaration: a type may be named in hundreds of files."""
        record = self._records.peek(file)
        if record is not None:
            return record.file_hash
        sheet = self._sheets.find(file) or self._sheet(file)
        return None if sheet is None else sheet.file_hash

    def lines(self, file: int) -> tuple[array[int], array[int]] | None:
        """First and last line of every declaration of a file, in order, or None where the store has lost it. Of a huge
        file they take a hundredth of what the record does."""
        sheet = self._sheets.find(file)
        sheet = sheet or self._sheet(file)
        unseen = self._catalogue.file(file).unseen
        if sheet is None or not unseen:
            return None if sheet is None else sheet.lines
        starts, ends = (column[:] for column in sheet.lines)
        for at in unseen:  # on no line: what they stand around is told for itself
            starts[at], ends[at] = _NOWHERE, 0
        return starts, ends

    def _sheet(self, file: int) -> Sheet | None:
        entry = self._catalogue.file(file)
        raw = self._raw(entry)
        sheet = None if raw is None else Sheet(raw)
        if sheet is None or len(sheet) != entry.rows[1]:
            return None
        return self._sheets.keep(file, sheet)

    def given(self, file: int) -> bytes | None:
        """The text of a file whose record is not of what is on disk; None for all others."""
        del file
        return None

    def text(self, file: int) -> bytes | None:
        """The text that the file's record was made from, or None where the file has changed since or is gone."""
        known = self._texts.find(file)
        if known is not None:
            return known[0]
        record = self.record(file)
        text = None if record is None else self._read(file, record)
        self._texts.keep(file, (text,))
        return text

    def forget(self) -> None:
        """Clear the cached texts; called when files have changed."""
        self._texts.clear()

    def _decoded(self, file: int) -> FileRecord | None:
        entry = self._catalogue.file(file)
        raw = self._raw(entry)
        found = None if raw is None else self._store.decode(raw)
        if found is not None and len(found.every) != entry.rows[1]:
            return None  # another process read other bytes under the same size and time
        return found

    def _raw(self, entry: FileEntry) -> bytes | None:
        try:
            found = self._store.raw(entry.path, entry.variant, (entry.size, entry.mtime_ns))
        except DamagedError as error:
            if self._defines is None:
                return None
            self._store.clear(str(error))
            found = None
        return (
            self._made_again(entry, self._defines) if found is None and self._defines is not None else found
        )

    def _made_again(self, entry: FileEntry, defines: Defines) -> bytes | None:
        """The record of a file that is still as it was indexed. One that could not be read whole is left to the next
        refresh: it may be what kills who reads it."""
        symbols = defines(entry.project, entry.path)
        if entry.quality == Quality.FAILED or entry.variant not in ("", variant_of(symbols)):
            return None
        try:
            record, size, mtime_ns = read_source(self._root, entry.path, symbols, entry.size)
        except CodeCortexError:
            return None
        if (size, mtime_ns) != (entry.size, entry.mtime_ns):
            return None
        made = encoded(record)
        with suppress(CodeCortexError, DamagedError):
            self._store.put([StoredFile(entry.path, entry.variant, size, mtime_ns, made)])
        return made

    def _read(self, file: int, record: FileRecord) -> bytes | None:
        entry = self._catalogue.file(file)
        try:
            data, stamp = self._root.read(entry.path)
            text = parsed_text(data, entry.path, self._root.encoding)
        except CodeCortexError:
            return None
        # The hash does not depend on line endings; offsets do.
        same = stamp.size == entry.size and text_hash(text) == record.file_hash
        return text if same else None
