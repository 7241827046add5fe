"""Word index of a workspace, updated with its catalogue file by file."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import msgspec

from services.concurrency.cancellation import until
from services.context.postings import Postings, WordPostings
from services.context.words import CANCELLED, FileWords, WordReader
from services.index.catalog.catalogue import Catalogue, FileEntry
from services.index.catalog.records import Records
from services.index.compiled import home_of
from services.workspace.files.databases import lacks_its_end, making, opening

if TYPE_CHECKING:
    from services.index.build.worker_process import WorkerInput

_VERSION = 2
_ENOUGH = 40_000
"""Words that stand beside the columns before these are made anew."""
_SHARE = 5  # of all words may stand beside: lengths are compared with those of the columns
_AT_ONCE = 200
_WAITING = 20
"""Files changed one by one whose words are kept together: one is sooner read again than written so that it lasts."""
_SCHEMA = """
CREATE TABLE IF NOT EXISTS words (path TEXT, variant TEXT, size INTEGER, mtime_ns INTEGER, words BLOB NOT NULL,
PRIMARY KEY (path, variant)) WITHOUT ROWID
"""
Key = tuple[str, str, int, int]
"""Path and variant of a file, its size, and when it was last changed in ns."""
_DECODER = msgspec.msgpack.Decoder(FileWords)
_SEAL = 4


def sealed(data: bytes) -> bytes:
    """Return data with a checksum in front: a database does not notice an overwritten page."""
    return crc32(data).to_bytes(_SEAL) + data


def unsealed(kept: bytes | None) -> bytes | None:
    """Return the data behind a checksum; None where there is none or it is damaged."""
    if not isinstance(kept, bytes) or crc32(kept[_SEAL:]).to_bytes(_SEAL) != kept[:_SEAL]:
        return None
    return kept[_SEAL:]


def _words(kept: bytes | None) -> FileWords | None:
    with suppress(msgspec.MsgspecError):
        if (data := unsealed(kept)) is not None:
            return _DECODER.decode(data)
    return None


class KeptWords:
    """SQLite cache of the words of files, stored with the index; rebuilt where it cannot be read."""

    def __init__(self, path: Path | None) -> None:
        """Open the cache; a `path` of None stores nothing. `renewed`: it was damaged or emptied and is being
        rebuilt."""
        self._path = path
        self.renewed = False

    @property
    def is_lasting(self) -> bool:
        """Whether the cache is stored on disk."""
        return self._path is not None and self._path.exists()

    def read(self, wanted: Container[Key]) -> Iterator[tuple[Key, FileWords]]:
        """Yield the cached words of the wanted files; an unreadable entry ends the iteration."""
        with suppress(sqlite3.Error, OSError), self._opened() as base:
            rows = base.execute("SELECT path, variant, size, mtime_ns, CAST(words AS BLOB) FROM words")
            for path, variant, size, mtime_ns, kept in rows:
                if (key := (path, variant, size, mtime_ns)) in wanted:
                    if (words := _words(kept)) is not None:
                        yield key, words
                    else:
                        self.renewed = True

    def write(self, words: Mapping[Key, bytes]) -> None:
        """Store the words of some files."""
        with suppress(sqlite3.Error, OSError), self._opened() as base:
            base.executemany(
                "INSERT OR REPLACE INTO words VALUES (?, ?, ?, ?, ?)", ((*k, v) for k, v in words.items())
            )
            base.commit()

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if self._path is None:
            raise OSError("Nothing is kept.")
        try:
            with closing(self._made(self._path)) as base:
                yield base
        except sqlite3.OperationalError:  # somebody else has it, or there is no room
            raise
        except sqlite3.DatabaseError:
            self.renewed = True
            with suppress(OSError):
                self._path.unlink()
            raise

    def _made(self, path: Path) -> sqlite3.Connection:
        with making(path) as was_emptied:
            self.renewed |= was_emptied
            if lacks_its_end(path):
                self.renewed = True
                path.unlink()
            return _connected(path)


def _connected(path: Path) -> sqlite3.Connection:
    with opening(path), ExitStack() as stack:
        base = sqlite3.connect(path, timeout=1.0)
        stack.callback(base.close)
        version = base.execute("PRAGMA user_version").fetchone()[0]
        if version != _VERSION:
            base.execute("DROP TABLE IF EXISTS words")
            base.execute(f"PRAGMA user_version = {_VERSION}")
        base.execute(_SCHEMA)
        stack.pop_all()
    return base


def _key(entry: FileEntry) -> Key:
    return entry.path, entry.variant, entry.size, entry.mtime_ns


class TextIndex:
    """Words of every type by its number in the catalogue; nested types share those of the outermost. Not
    thread-safe."""

    def __init__(self, kept: KeptWords) -> None:
        self._kept = kept
        self._waiting: dict[Key, bytes] = {}
        self._of_file: dict[int, FileWords] = {}
        self._types_of_file: dict[int, dict[int, int]] = {}
        self._files_of_type: dict[int, set[int]] = {}
        self._numbering: object = None
        self.postings = Postings(WordPostings.of(()))

    def update(
        self,
        catalogue: Catalogue,
        records: Records,
        *,
        worker: Callable[[], WorkerInput | None] = lambda: None,
        report: Callable[[int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> bool:
        """Reads the files that have changed since the last update; whether any had. `worker`: what a process reads many
        of them with. Raises Cancelled (what was read is kept)."""
        if self._numbering is not catalogue.numbering:
            self._of_file.clear()
            self._types_of_file.clear()
            self._files_of_type.clear()
            self.postings = Postings(WordPostings.of(()))
            self._numbering = catalogue.numbering
        live = {at for at, entry in enumerate(catalogue.files) if entry is not None and not entry.shadow}
        gone, new = self._of_file.keys() - live, sorted(live - self._of_file.keys())
        if not gone and not new:
            return False
        touched: set[int] = set()
        for file in gone:
            touched |= self._drop(file)
        try:
            self._read(catalogue, WordReader(records, worker), new, report, cancel)
        finally:
            for file in new:
                if file in self._of_file:
                    touched |= self._place(catalogue, file)
            self._lay(touched)
        return True

    def _read(
        self,
        catalogue: Catalogue,
        reader: WordReader,
        new: Sequence[int],
        report: Callable[[int, int], None] | None,
        cancel: threading.Event | None,
    ) -> None:
        keys = {_key(catalogue.file(file)): file for file in new}
        if len(new) > 1:
            for key, words in until(cancel, self._kept.read(keys), message=CANCELLED):
                self._of_file[keys.pop(key)] = words
        enough = _AT_ONCE if len(new) > 1 else _WAITING
        try:
            for done, (file, encoded) in enumerate(reader.words(list(keys.values()), cancel)):
                self._of_file[file] = _DECODER.decode(encoded)
                self._waiting[_key(catalogue.file(file))] = sealed(encoded)
                if len(self._waiting) >= enough:
                    self._keep()
                if report is not None and done % _AT_ONCE == 0:
                    report(done, len(keys))
        finally:
            if len(new) > 1:
                self._keep()

    def _keep(self) -> None:
        if self._waiting:
            self._kept.write(self._waiting)
            self._waiting.clear()

    def _place(self, catalogue: Catalogue, file: int) -> set[int]:
        """Finds the types of a file; those that are touched."""
        first = catalogue.file(file).rows[0]
        owner = catalogue.columns.owner
        places = memoryview(self._of_file[file].types).cast("I")
        types = {at: home_of(catalogue, owner[first + at]) for at in places if owner[first + at] >= 0}
        self._types_of_file[file] = types
        for each in types.values():
            self._files_of_type.setdefault(each, set()).add(file)
        return set(types.values())

    def _drop(self, file: int) -> set[int]:
        del self._of_file[file]
        types = set(self._types_of_file.pop(file, {}).values())
        for each in types:
            self._files_of_type[each].discard(file)
        return types

    def _lay(self, touched: set[int]) -> None:
        """Makes the touched types searchable."""
        amount = sum(len(self._of_file[file].words) // 4 for file in self._files(touched))
        if amount + self.postings.pending > min(_ENOUGH, len(self.postings) // _SHARE):
            self.postings = Postings(
                WordPostings.of((self._types_of_file[at], words) for at, words in self._of_file.items())
            )
            return
        files = (
            (
                {at: each for at, each in self._types_of_file[file].items() if each in touched},
                self._of_file[file],
            )
            for file in self._files(touched)
        )
        self.postings.replace(touched, WordPostings.of(files))

    def _files(self, types: Iterable[int]) -> set[int]:
        return {file for each in types for file in self._files_of_type.get(each, ())}

    def words(self, type_: int) -> dict[int, tuple[int, ...]]:
        """Return the words of a type by number, each with its occurrences in each field."""
        found: dict[int, tuple[int, ...]] = {}
        for file in sorted(self._files_of_type.get(type_, ())):
            words = self._of_file[file]
            at = 0
            numbers, counts = memoryview(words.words).cast("I"), words.counts
            sizes = memoryview(words.sizes).cast("I")
            for place, size in zip(memoryview(words.types).cast("I"), sizes, strict=True):
                if self._types_of_file[file].get(place) == type_:
                    for n in range(at, at + size):
                        here = tuple(counts[4 * n : 4 * n + 4])
                        was = found.get(numbers[n])
                        found[numbers[n]] = here if was is None else tuple(map(int.__add__, was, here))
                at += size
        return found
